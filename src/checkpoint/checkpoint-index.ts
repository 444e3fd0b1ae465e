// The checkpoints of a session in memory: by tag, name, id and commit, in list order, with the head. Rebuilt from
// the store at open (000's `checkpoints` and `tag_index`); it decides nothing and stores nothing.
import { CheckpointdError } from '../base/errors.ts';
import { type CheckpointId, newOperationId, type Tag } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import type { StoredCheckpoint } from '../store/snapshot-store.ts';
import { isName } from './name.ts';
import { baseTag, partsOf, previousTag, tagOf } from './tag.ts';

export type ListKind = 'turn' | 'tool' | 'all' | 'every';

export class CheckpointIndex {
  readonly #byId = new Map<CheckpointId, StoredCheckpoint>();
  readonly #byTag = new Map<Tag, CheckpointId>();
  readonly #byName = new Map<string, CheckpointId>();
  readonly #byCommit = new Map<string, CheckpointId>();
  /** Bearers of tags in list order: by time, but a repeated tool tag keeps its place (000 §5.3). */
  #listed: CheckpointId[] = [];
  #head: CheckpointId | undefined;
  readonly #birth = newOperationId();
  #detached: ReadonlySet<CheckpointId> | undefined;
  #seq = 0;
  #generation = 0;

  /** Fills the index from what the store holds, oldest first. */
  constructor(stored: readonly StoredCheckpoint[]) {
    const order = [...stored].sort((a, b) => a.record.seq - b.record.seq);
    for (const checkpoint of order) this.add(checkpoint);
    // A later bearer took the tag from these; the store's own word on who bears it decides.
    for (const checkpoint of order) {
      if (checkpoint.tag === undefined && this.tagOf(checkpoint.record.id) !== undefined)
        this.#unlist(checkpoint.record.id);
    }
  }

  get size(): number {
    return this.#byId.size;
  }

  get listedSize(): number {
    return this.#listed.length;
  }

  get tagCount(): number {
    return this.#byTag.size;
  }

  /** Changes whenever the order of a listing did, other than by growing at its end. Unique to this index. */
  get generation(): string {
    return `${this.#birth}.${this.#generation}`;
  }

  get nextSeq(): number {
    return this.#seq + 1;
  }

  /** The checkpoint that the session stands on: the newest create or restore. Safety checkpoints never are. */
  get head(): StoredCheckpoint | undefined {
    return this.#head === undefined ? undefined : this.#byId.get(this.#head);
  }

  /** Adds a newer checkpoint; a tag moves to it. Turn: the old bearer leaves the list, tool: it is replaced in place. */
  add(checkpoint: StoredCheckpoint): void {
    const { record, tag, name, commit } = checkpoint;
    invariant(!this.#byId.has(record.id), 'checkpoint ids are never reused');
    this.#byId.set(record.id, checkpoint);
    this.#seq = Math.max(this.#seq, record.seq);
    const listedAs = tag ?? record.madeAs;
    if (listedAs !== undefined) this.#list(record.id, listedAs);
    if (name !== undefined) this.#byName.set(name, record.id);
    if (commit !== undefined) this.#byCommit.set(commit, record.id);
    if (record.kind !== 'safety') this.#head = record.id;
    this.#detached = undefined;
  }

  remove(ids: readonly CheckpointId[]): void {
    this.#generation += 1;
    for (const id of ids) {
      const stored = this.#byId.get(id);
      if (stored === undefined) continue;
      this.#unlist(id);
      if (stored.name !== undefined) this.#byName.delete(stored.name);
      if (stored.commit !== undefined) this.#byCommit.delete(stored.commit);
      this.#byId.delete(id);
    }
    if (this.#head !== undefined && !this.#byId.has(this.#head)) this.#head = this.#newestHead();
    this.#detached = undefined;
  }

  rename(id: CheckpointId, name: string | undefined): void {
    const stored = this.#byId.get(id);
    invariant(stored !== undefined, 'only known checkpoints are renamed');
    if (stored.name !== undefined) this.#byName.delete(stored.name);
    const { name: _old, ...rest } = stored;
    this.#byId.set(id, name === undefined ? rest : { ...rest, name });
    if (name !== undefined) this.#byName.set(name, id);
  }

  byId(id: string): StoredCheckpoint | undefined {
    return this.#byId.get(id as CheckpointId);
  }

  byTag(tag: Tag): StoredCheckpoint | undefined {
    const id = this.#byTag.get(tag);
    return id === undefined ? undefined : this.#byId.get(id);
  }

  byName(name: string): StoredCheckpoint | undefined {
    const id = this.#byName.get(name);
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** The tag this checkpoint bears now, if any. */
  tagOf(id: CheckpointId): Tag | undefined {
    const stored = this.#byId.get(id);
    const tag = stored?.tag ?? stored?.record.madeAs;
    return tag !== undefined && this.#byTag.get(tag) === id ? tag : undefined;
  }

  /**
   * Finds what a client names: a tag, a checkpoint id, a name, or the id of a commit (at least 7 digits).
   *
   * @throws InvalidTag for text that could be none of these, UnknownCheckpoint with the way to the list.
   */
  resolve(text: string): StoredCheckpoint {
    const tag = tagOf(text);
    const found =
      (tag === undefined ? undefined : this.byTag(tag)) ??
      this.byId(text) ??
      this.byName(text) ??
      this.#byCommitPrefix(text);
    if (found !== undefined) return found;
    if (tag === undefined && !isName(text)) {
      throw new CheckpointdError(
        'InvalidTag',
        'That is no tag ("3", "3.2"), checkpoint id, name or commit id. Use checkpoint/list to see what there is.',
        {
          details: { tag: text.slice(0, 64) },
        },
      );
    }
    throw new CheckpointdError(
      'UnknownCheckpoint',
      `Checkpoint "${text.slice(0, 64)}" not found. Use checkpoint/list to see what there is.`,
      {
        details: { tag: text.slice(0, 64) },
      },
    );
  }

  /** The bearer of the nearest earlier tag (000 §3.3; a deleted one is passed over), undefined for the base. */
  predecessor(id: CheckpointId): StoredCheckpoint | undefined {
    const stored = this.#byId.get(id);
    const tag = stored?.tag ?? stored?.record.madeAs;
    if (stored === undefined) return undefined;
    if (tag === undefined)
      return stored.record.parent === undefined ? undefined : this.#byId.get(stored.record.parent);
    for (let earlier = tag; earlier !== baseTag; ) {
      earlier = previousTag(earlier);
      const bearer = this.byTag(earlier) ?? this.#lastToolOf(earlier);
      if (bearer !== undefined && bearer.record.id !== id) return bearer;
    }
    return undefined;
  }

  /** Checkpoints in list order; `every` adds safety, restore and those that lost their tag, by sequence. */
  list(kind: ListKind): StoredCheckpoint[] {
    if (kind === 'every') return [...this.#byId.values()].sort((a, b) => a.record.seq - b.record.seq);
    const listed: StoredCheckpoint[] = [];
    for (const id of this.#listed) {
      const stored = this.#byId.get(id);
      if (stored !== undefined && (kind === 'all' || stored.record.kind === kind)) listed.push(stored);
    }
    return listed;
  }

  /** The tool checkpoints of a turn, in list order. */
  toolsOf(turn: number): StoredCheckpoint[] {
    return this.list('tool').filter(
      ({ record }) => record.madeAs !== undefined && partsOf(record.madeAs).turn === turn,
    );
  }

  /** Whether the head does not come after this checkpoint: a restore went back before it, or beside it. */
  isDetached(id: CheckpointId): boolean {
    this.#detached ??= this.#findDetached();
    return this.#detached.has(id);
  }

  #findDetached(): ReadonlySet<CheckpointId> {
    const detached = new Set(this.#byId.keys());
    for (let at = this.head; at !== undefined; ) {
      detached.delete(at.record.id);
      at = at.record.parent === undefined ? undefined : this.#byId.get(at.record.parent);
    }
    return detached;
  }

  /** Within a turn a table entry may be missing; the last tool before it is the nearest earlier state. */
  #lastToolOf(tag: Tag): StoredCheckpoint | undefined {
    const { turn, tool } = partsOf(tag);
    return tool === undefined && turn > 0 && !this.#byTag.has(tag) ? this.toolsOf(turn).at(-1) : undefined;
  }

  #byCommitPrefix(text: string): StoredCheckpoint | undefined {
    const exact = this.#byCommit.get(text);
    if (exact !== undefined) return this.#byId.get(exact);
    if (!/^[0-9a-f]{7,64}$/.test(text)) return undefined;
    const matches = [...this.#byCommit].filter(([commit]) => commit.startsWith(text));
    return matches.length === 1 && matches[0] !== undefined ? this.#byId.get(matches[0][1]) : undefined;
  }

  #list(id: CheckpointId, tag: Tag): void {
    const bearer = this.#byTag.get(tag);
    const place = bearer === undefined ? -1 : this.#listed.indexOf(bearer);
    this.#byTag.set(tag, id);
    if (place >= 0) this.#generation += 1;
    if (place >= 0 && partsOf(tag).tool !== undefined) {
      this.#listed[place] = id;
      return;
    }
    if (place >= 0) this.#listed.splice(place, 1);
    this.#listed.push(id);
  }

  #unlist(id: CheckpointId): void {
    const tag = this.tagOf(id);
    if (tag !== undefined) this.#byTag.delete(tag);
    this.#listed = this.#listed.filter((listed) => listed !== id);
  }

  #newestHead(): CheckpointId | undefined {
    return this.list('every').findLast(({ record }) => record.kind !== 'safety')?.record.id;
  }
}
