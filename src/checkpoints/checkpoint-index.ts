// The index keeps the checkpoints of a session in memory. The index finds checkpoints by tag, name, id and commit,
// lists them in order, and knows the head. The daemon rebuilds the index from the store when it opens the session. The
// index replaces `checkpoints` and `tag_index`, two fields of CheckpointManager in the specification. This module
// stores nothing.
import { isDeepStrictEqual } from 'node:util';
import { CheckpointdError } from '../base/errors.ts';
import { type CheckpointId, newOperationId, type Tag } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import type { CheckpointKind, CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { RemovedParents } from './removed-parents.ts';
import { baseTag, isPlainName, tagOf, tagParts } from './tag.ts';

export type ListKind = 'turn' | 'tool' | 'all' | 'every' | 'safety';

/** A list that a caller reads page by page. */
interface Listing {
  readonly length: number;
  slice(start: number, end: number): StoredCheckpoint[];
}

export class CheckpointIndex {
  readonly #rows: CheckpointRows;
  /** Maps each tag and name to its row in {@link CheckpointRows}. */
  readonly #byTag = new Map<Tag, number>();
  readonly #byName = new Map<string, number>();
  readonly #toolTags = new Map<number, number>();
  /**
   * The rows of checkpoints with tags, in list order. The order is by time. If a tool's tag is used again, the new
   * checkpoint gets the place of the earlier one.
   */
  #listed: number[] = [];
  /**
   * For each row, the `seq` by which the list is sorted. This is the `seq` of the row's checkpoint. If the checkpoint's
   * tag was repeated, the value is the `seq` of the first checkpoint with the tag.
   */
  readonly #places: number[] = [];
  #head: number | undefined;
  readonly #birth = newOperationId();
  /**
   * An array with a 1 at the row of the head and at the rows of the head's ancestors. Computed when a caller needs it.
   */
  #attached: Uint8Array | undefined;
  #seq = 0;
  /** True while the rows are in ascending order of `seq`. */
  #isOrdered = true;
  #generation = 0;

  /** Fills the index from the stored checkpoints, oldest first. `lost` has the facts about removed checkpoints. */
  constructor(stored: readonly StoredCheckpoint[], lost: FactsOfLost = noneLost) {
    this.#rows = new CheckpointRows(lost);
    const made = stored.map((checkpoint) => ({ seq: checkpoint.record.seq, checkpoint }));
    for (const step of [...made, ...lost.turns].sort((a, b) => a.seq - b.seq))
      if ('checkpoint' in step) this.add(step.checkpoint);
      else this.#releaseToolTags(step.tag);
    // If a checkpoint has no tag in the store, a later checkpoint has taken its tag. In this case, the index removes
    // the earlier checkpoint from the list, because the store decides which checkpoint has a tag.
    for (const { tag, record } of stored) {
      const row = tag === undefined ? this.#rows.rowOf(record.id) : undefined;
      if (row !== undefined && this.#tagAt(row) !== undefined) this.#unlist(row);
    }
  }

  get size(): number {
    return this.#rows.size;
  }

  get listedSize(): number {
    return this.#listed.length;
  }

  get tagCount(): number {
    return this.#byTag.size;
  }

  /**
   * A text that changes whenever the order of a listing changes. The text stays the same when a listing only grows at
   * its end. Two index objects never have the same text.
   */
  get generation(): string {
    return `${this.#birth}.${this.#generation}`;
  }

  get nextSeq(): number {
    return this.#seq + 1;
  }

  /** Takes the next sequence number for a checkpoint that the index does not contain. */
  takeSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  /**
   * The base: the checkpoint of tag "0". When tag "0" was deleted, the oldest checkpoint that is not a safety
   * checkpoint.
   */
  get base(): StoredCheckpoint | undefined {
    const oldest = (): number | undefined => this.#bySeq().find((row) => this.#rows.kindAt(row) !== 'safety');
    return this.byTag(baseTag) ?? this.#rows.at(oldest());
  }

  /**
   * Returns the base. @throws UnknownCheckpoint when all checkpoints were deleted; the message says how to make
   * a new one
   */
  requireBase(): StoredCheckpoint {
    const { base } = this;
    if (base !== undefined) return base;
    throw new CheckpointdError(
      'UnknownCheckpoint',
      'All checkpoints of this session were deleted. Use checkpoint/create to make one, or checkpoint/init to make a new base.',
    );
  }

  /**
   * The current checkpoint of the session: the newest checkpoint of a create or a restore, never a safety checkpoint.
   * This is the only checkpoint that the index returns with its undo and redo stacks.
   */
  get head(): StoredCheckpoint | undefined {
    return this.#head === undefined ? undefined : this.#rows.withStacks(this.#head);
  }

  /**
   * Adds a newer checkpoint. If an older checkpoint has the same tag, the tag moves to the new checkpoint. If the tag
   * belongs to a turn, the older checkpoint is removed from the list. If the tag belongs to a tool, the new checkpoint
   * takes the older checkpoint's place in the list.
   */
  add(checkpoint: StoredCheckpoint): void {
    const { record, name } = checkpoint;
    invariant(
      this.#rows.rowOf(record.id) === undefined,
      'a new checkpoint has the id of an earlier checkpoint',
    );
    const row = this.#rows.add(checkpoint);
    this.#isOrdered &&= record.seq > this.#seq;
    this.#seq = Math.max(this.#seq, record.seq);
    const listedAs = tagOrMadeAs(checkpoint);
    this.#places[row] = record.place ?? record.seq;
    if (listedAs !== undefined) {
      if (record.kind === 'turn') this.#releaseToolTags(listedAs);
      this.#list(row, listedAs);
    }
    if (name !== undefined) this.#byName.set(name, row);
    if (record.kind === 'safety') return; // a safety checkpoint is never an ancestor of the head
    this.#head = row;
    this.#attached = undefined;
  }

  remove(ids: readonly CheckpointId[]): void {
    this.#generation += 1;
    for (const id of ids) {
      const row = this.#rows.rowOf(id);
      const stored = this.#rows.at(row);
      if (row === undefined || stored === undefined) continue;
      this.#unlist(row);
      if (stored.name !== undefined) this.#byName.delete(stored.name);
      this.#rows.remove(row);
    }
    if (this.#head !== undefined && this.#rows.at(this.#head) === undefined) this.#head = this.#newestHead();
    this.#attached = undefined;
  }

  rename(id: CheckpointId, name: string | undefined): void {
    const row = this.#rows.rowOf(id);
    const stored = this.#rows.at(row);
    invariant(row !== undefined && stored !== undefined, 'the renamed checkpoint is unknown');
    if (stored.name !== undefined) this.#byName.delete(stored.name);
    const { name: _old, ...rest } = stored;
    this.#rows.replace(row, name === undefined ? rest : { ...rest, name });
    if (name !== undefined) this.#byName.set(name, row);
  }

  byId(id: string): StoredCheckpoint | undefined {
    return this.#rows.at(this.#rows.rowOf(id));
  }

  byTag(tag: Tag): StoredCheckpoint | undefined {
    return this.#rows.at(this.#byTag.get(tag));
  }

  byName(name: string): StoredCheckpoint | undefined {
    return this.#rows.at(this.#byName.get(name));
  }

  /**
   * Returns the list position for a new checkpoint with this tag. If the line already has a checkpoint with the same
   * tool tag, returns the position of that checkpoint. Returns undefined when the new checkpoint belongs at the end of
   * the list.
   */
  placeOf(tag: Tag): number | undefined {
    const tagged = tagParts(tag).tool === undefined ? undefined : this.byTag(tag);
    if (tagged === undefined || this.isDetached(tagged.record.id)) return undefined;
    return this.#places[this.#rows.rowOf(tagged.record.id) ?? -1];
  }

  /** If this checkpoint no longer has a tag, returns the tag with which it was made. */
  formerTagOf(id: CheckpointId): Tag | undefined {
    return this.tagOf(id) === undefined ? this.byId(id)?.record.madeAs : undefined;
  }

  /** Returns the current tag of this checkpoint, if any. */
  tagOf(id: CheckpointId): Tag | undefined {
    const row = this.#rows.rowOf(id);
    return row === undefined ? undefined : this.#tagAt(row);
  }

  /** Returns the tag of this checkpoint, or its id if it has no tag. */
  labelOf(id: CheckpointId): string {
    return this.tagOf(id) ?? id;
  }

  /**
   * Finds the checkpoint that a client names by its tag, its id, its name, or the id of its commit (at least 7 digits).
   * @throws InvalidTag for a text of any other form; UnknownCheckpoint, with a message that mentions checkpoint/list
   */
  resolve(text: string): StoredCheckpoint {
    const tag = tagOf(text);
    const found =
      (tag === undefined ? undefined : this.byTag(tag)) ??
      this.byId(text) ??
      this.#byCommitPrefix(text) ??
      this.byName(text);
    if (found !== undefined) return found;
    if (tag === undefined && !isPlainName(text)) {
      throw new CheckpointdError(
        'InvalidTag',
        'The text is not a tag ("3", "3.2"), checkpoint id, name or commit id. Use checkpoint/list to see the checkpoints.',
        {
          details: { tag: text.slice(0, 64) },
        },
      );
    }
    throw new CheckpointdError(
      'UnknownCheckpoint',
      `Checkpoint "${text.slice(0, 64)}" not found. Use checkpoint/list to see the checkpoints.`,
      {
        details: { tag: text.slice(0, 64) },
      },
    );
  }

  /** Returns the checkpoint with which the statistics compare this checkpoint; see {@link CheckpointRows.before}. */
  predecessor(id: CheckpointId): StoredCheckpoint | undefined {
    return this.#rows.at(this.#rows.before(this.#rows.rowOf(id)));
  }

  /**
   * Returns checkpoints in list order. The list `every` also contains safety checkpoints, restores, and checkpoints
   * that lost their tag. The lists `every` and `safety` are ordered by `seq`.
   */
  list(kind: ListKind): StoredCheckpoint[] {
    return this.listing(kind).slice(0, this.#rows.end);
  }

  /** Returns a listing that reads an item only when a caller requests the item. */
  listing(kind: ListKind): Listing {
    const rows = kind === 'every' || kind === 'safety' ? this.#bySeq() : this.#listed;
    const isWanted = (row: number): boolean => this.#rows.kindAt(row) === kind;
    const wanted = kind === 'every' || kind === 'all' ? rows : rows.filter(isWanted);
    return {
      length: wanted.length,
      slice: (start, end) => wanted.slice(start, end).flatMap((row) => this.#rows.at(row) ?? []),
    };
  }

  /** Returns the checkpoints of a turn's tools in list order, each tag once. */
  toolsOf(turn: CheckpointId): StoredCheckpoint[] {
    const row = this.#rows.rowOf(turn);
    const rows = row === undefined ? [] : this.#rows.toolsOf(row, this.#bySeq());
    rows.sort((a, b) => (this.#places[a] ?? 0) - (this.#places[b] ?? 0));
    return rows.flatMap((each) => this.#rows.at(each) ?? []);
  }

  /**
   * True when this checkpoint is neither the head nor an ancestor of the head. A checkpoint is detached after a restore
   * of an earlier checkpoint, or of a checkpoint on another line.
   */
  isDetached(id: CheckpointId): boolean {
    const row = this.#rows.rowOf(id);
    if (row === undefined || row === this.#head) return false; // the head itself is never detached
    this.#attached ??= this.#rows.lineUpTo(this.#head);
    return this.#attached[row] !== 1;
  }

  /** Returns the head and its existing ancestors, newest first. */
  *lineOfHead(): Iterable<StoredCheckpoint> {
    const { head } = this;
    if (head === undefined) return;
    yield head;
    yield* this.ancestorsOf(head.record.id);
  }

  /** Returns the existing ancestors of a checkpoint, nearest first. Skips removed checkpoints. */
  *ancestorsOf(id: CheckpointId): Iterable<StoredCheckpoint> {
    for (let row = this.#rows.rowOf(id); row !== undefined; ) {
      row = this.#rows.parentAt(row);
      const stored = this.#rows.at(row);
      if (stored !== undefined) yield stored;
    }
  }

  #tagAt(row: number): Tag | undefined {
    const stored = this.#rows.at(row);
    const tag = stored && tagOrMadeAs(stored);
    return tag !== undefined && this.#byTag.get(tag) === row ? tag : undefined;
  }

  #bySeq(): number[] {
    const rows = this.#rows.rows();
    if (this.#isOrdered) return rows;
    const seqs = new Map(rows.map((row) => [row, this.#rows.at(row)?.record.seq ?? 0]));
    return rows.sort((a, b) => (seqs.get(a) ?? 0) - (seqs.get(b) ?? 0));
  }

  /** Removes the tags of a turn's tools, before another checkpoint takes the tag of the turn. */
  #releaseToolTags(turn: Tag): void {
    if (!this.#toolTags.has(tagParts(turn).turn)) return;
    for (const [tag, row] of this.#byTag) {
      if (!tag.startsWith(`${turn}.`)) continue;
      this.#unlist(row);
      this.#generation += 1;
    }
  }

  /**
   * Finds a checkpoint by the beginning of its commit id. Searches all rows and uses no map, because clients rarely
   * name a commit.
   */
  #byCommitPrefix(text: string): StoredCheckpoint | undefined {
    if (!/^[0-9a-f]{7,64}$/.test(text)) return undefined;
    const rows = this.#rows.rows().filter((row) => this.#rows.at(row)?.commit?.startsWith(text));
    return rows.length === 1 ? this.#rows.at(rows[0]) : undefined;
  }

  #list(row: number, tag: Tag): void {
    const tagged = this.#byTag.get(tag);
    const old = tagged === undefined ? -1 : this.#listed.indexOf(tagged);
    this.#byTag.set(tag, row);
    if (tagged === undefined) this.#countToolTag(tag, 1);
    if (old >= 0) this.#generation += 1;
    if (old >= 0) this.#listed.splice(old, 1);
    const place = this.#places[row] ?? 0;
    let at = this.#listed.length;
    while (at > 0 && (this.#places[this.#listed[at - 1] ?? 0] ?? 0) > place) at -= 1;
    if (at === this.#listed.length) this.#listed.push(row);
    else this.#listed.splice(at, 0, row);
  }

  #unlist(row: number): void {
    const tag = this.#tagAt(row);
    if (tag !== undefined) {
      this.#byTag.delete(tag);
      this.#countToolTag(tag, -1);
    }
    const place = this.#listed.indexOf(row);
    if (place >= 0) this.#listed.splice(place, 1);
  }

  #countToolTag(tag: Tag, change: 1 | -1): void {
    const { turn, tool } = tagParts(tag);
    if (tool === undefined) return;
    const count = (this.#toolTags.get(turn) ?? 0) + change;
    if (count === 0) this.#toolTags.delete(turn);
    else this.#toolTags.set(turn, count);
  }

  #newestHead(): number | undefined {
    return this.#bySeq().findLast((row) => this.#rows.kindAt(row) !== 'safety');
  }
}

// The checkpoints of a session, each in a numbered row. Row numbers grow and are never reused, so lines and listings
// are lists of small numbers. This class manages ids, rows and their order. The index manages tags and the head.

/** The parents of removed checkpoints, and the removed turns. */
type FactsOfLost = Pick<RemovedParents, 'parentOf' | 'turns'>;

const noneLost: FactsOfLost = { parentOf: () => undefined, turns: [] };

export class CheckpointRows {
  readonly #lost: FactsOfLost;
  readonly #rows = new Map<string, number>();
  /** The checkpoint of each row. Undefined for a removed checkpoint. */
  readonly #stored: (StoredCheckpoint | undefined)[] = [];
  /** For each row, even that of a removed checkpoint, the row of the parent. */
  readonly #parents: (number | undefined)[] = [];
  readonly #stacks = { undo: new Stacks(), redo: new Stacks() };

  constructor(lost: FactsOfLost = noneLost) {
    this.#lost = lost;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** The number of the next row. This is also the number of rows that were ever added. */
  get end(): number {
    return this.#stored.length;
  }

  add(stored: StoredCheckpoint): number {
    const row = this.#stored.length;
    const { parent, undo, redo } = stored.record;
    const known = (id: CheckpointId): CheckpointId => this.#known(id);
    this.#parents.push(this.#nearest(parent));
    this.#stacks.undo.add(undo, known);
    this.#stacks.redo.add(redo, known);
    this.#stored.push(this.#withoutCopies(stored));
    this.#rows.set(stored.record.id, row);
    return row;
  }

  replace(row: number, stored: StoredCheckpoint): void {
    this.#stored[row] = stored;
  }

  remove(row: number): void {
    const stored = this.#stored[row];
    if (stored !== undefined) this.#rows.delete(stored.record.id);
    this.#stored[row] = undefined;
  }

  rowOf(id: string): number | undefined {
    return this.#rows.get(id);
  }

  /** Returns the checkpoint of a row without its undo and redo stacks. */
  at(row: number | undefined): StoredCheckpoint | undefined {
    return row === undefined ? undefined : this.#stored[row];
  }

  /** Returns the checkpoint of a row as it was passed to {@link add}. */
  withStacks(row: number): StoredCheckpoint | undefined {
    const stored = this.#stored[row];
    const [undo, redo] = [this.#stacks.undo.at(row), this.#stacks.redo.at(row)];
    if (stored === undefined || (undo === undefined && redo === undefined)) return stored;
    return { ...stored, record: { ...stored.record, undo, redo } };
  }

  kindAt(row: number): CheckpointKind | undefined {
    return this.#stored[row]?.record.kind;
  }

  /** Returns the row of the parent, even if the parent has been removed. */
  parentAt(row: number): number | undefined {
    return this.#parents[row];
  }

  /** Returns the row of each existing checkpoint, in the order in which they were added. */
  rows(): number[] {
    const rows: number[] = [];
    // Returns an array, because opening a session reads all rows, and a generator would take several times as long.
    for (let row = 0; row < this.end; row += 1) if (this.#stored[row] !== undefined) rows.push(row);
    return rows;
  }

  /** Returns an array with a 1 at the row of `head` and at the rows of its ancestors. */
  lineUpTo(head: number | undefined): Uint8Array {
    const line = new Uint8Array(this.end);
    for (let row = head; row !== undefined; row = this.parentAt(row)) line[row] = 1;
    return line;
  }

  /**
   * Returns the row of the checkpoint with which the statistics compare this checkpoint. A turn is compared with the
   * nearest earlier turn, a tool with the nearest earlier turn or tool, and any other checkpoint with its parent. Skips
   * earlier checkpoints that were made with the same tag. Returns undefined for the base. Follows the line of the
   * checkpoint and ignores the number in the tag. Therefore only a deletion can change the result.
   */
  before(row: number | undefined): number | undefined {
    const stored = this.at(row);
    if (row === undefined || stored === undefined) return undefined;
    const { kind, parent } = stored.record;
    if (kind !== 'turn' && kind !== 'tool') return parent === undefined ? undefined : this.rowOf(parent);
    const kinds: readonly CheckpointKind[] = kind === 'turn' ? ['turn'] : ['turn', 'tool'];
    for (let at = this.parentAt(row); at !== undefined; at = this.parentAt(at)) {
      const earlier = this.at(at);
      if (earlier === undefined || !kinds.includes(earlier.record.kind)) continue;
      if (tagOrMadeAs(earlier) !== tagOrMadeAs(stored)) return at;
    }
    return undefined;
  }

  /**
   * Returns the tools of this turn among `rows`, up to the next turn. If a tool's tag was repeated, returns only the
   * latest row with the tag.
   */
  toolsOf(turn: number, rows: readonly number[]): number[] {
    const number = turnNumber(this.at(turn));
    const latest = new Map<string | undefined, number>();
    for (const row of rows) {
      const stored = this.at(row);
      if (stored?.record.kind !== 'tool' || row < turn || this.#turnBefore(row) !== turn) continue;
      // Compares the numbers of the turns, because a turn between this turn and the tool may have been deleted. The
      // tools of that deleted turn do not belong to this turn.
      if (turnNumber(stored) === number) latest.set(tagOrMadeAs(stored), row);
    }
    return [...latest.values()];
  }

  #turnBefore(row: number): number | undefined {
    let at = this.parentAt(row);
    while (at !== undefined && this.kindAt(at) !== 'turn') at = this.parentAt(at);
    return at;
  }

  /**
   * Returns the row of a checkpoint. If the checkpoint was removed, returns the row of its nearest existing
   * ancestor.
   */
  #nearest(id: CheckpointId | undefined): number | undefined {
    for (let at = id; at !== undefined; at = this.#lost.parentOf(at)) {
      const row = this.rowOf(at);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /**
   * Returns the checkpoint without its stacks. Replaces values by equal values of earlier checkpoints, because
   * consecutive captures often have the same rules and skip the same paths. Rest properties and assignments let V8
   * share one hidden class; a spread would give each object a class of its own (160 bytes).
   */
  #withoutCopies({ record, tag, name, commit }: StoredCheckpoint): StoredCheckpoint {
    const { undo: _undo, redo: _redo, ...rest } = record;
    const own: Mutable<CheckpointRecord> = rest;
    const last = this.#stored.at(-1)?.record;
    if (last !== undefined && isSameList(own.skipped, last.skipped)) own.skipped = last.skipped;
    if (last?.rules !== undefined && isDeepStrictEqual(own.rules, last.rules)) own.rules = last.rules;
    for (const field of ['parent', 'restored', 'safety'] as const)
      if (own[field] !== undefined) own[field] = this.#known(own[field]);
    const stored: Mutable<StoredCheckpoint> = { record: own };
    if (tag !== undefined) stored.tag = tag;
    if (name !== undefined) stored.name = name;
    if (commit !== undefined) stored.commit = commit;
    return stored;
  }

  /** Returns the index's own copy of an id, so that each id is in memory once. */
  #known(id: CheckpointId): CheckpointId {
    return this.at(this.rowOf(id))?.record.id ?? id;
  }
}

function tagOrMadeAs({ record, tag }: StoredCheckpoint): Tag | undefined {
  return tag ?? record.madeAs;
}

function turnNumber(stored: StoredCheckpoint | undefined): number | undefined {
  const tag = stored && tagOrMadeAs(stored);
  return tag === undefined ? undefined : tagParts(tag).turn;
}

function isSameList(one: readonly object[], other: readonly object[]): boolean {
  return one.length === other.length && (one.length === 0 || isDeepStrictEqual(one, other));
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

// The undo and redo stacks. Each record in the store has up to a hundred ids. In memory, the stacks of consecutive
// checkpoints share all ids except the newest.

/** One id on a stack, with a link to the ids below it. */
interface StackNode {
  readonly id: CheckpointId;
  readonly below: StackNode | undefined;
}

/** The topmost ids of a chain of nodes. The chain may be longer, because a stack has a maximum length. */
interface Stack {
  readonly top: StackNode | undefined;
  readonly length: number;
}

/** The undo stacks or the redo stacks, by row. A checkpoint that has no stack has no entry here. */
class Stacks {
  readonly #byRow: (Stack | undefined)[] = [];
  #last: Stack = { top: undefined, length: 0 };

  /** Adds the stack of the next row. If an id is already in memory, `known` returns the existing string. */
  add(ids: readonly CheckpointId[] | undefined, known: (id: CheckpointId) => CheckpointId): void {
    if (ids !== undefined) this.#last = stackOf(ids, this.#last, known);
    this.#byRow.push(ids === undefined ? undefined : this.#last);
  }

  /** Returns the ids, newest last, or undefined for a checkpoint without this stack. */
  at(row: number): CheckpointId[] | undefined {
    const stack = this.#byRow[row];
    if (stack === undefined) return undefined;
    const ids: CheckpointId[] = [];
    for (let { top } = stack; top !== undefined && ids.length < stack.length; top = top.below)
      ids.push(top.id);
    return ids.reverse();
  }
}

/** Makes a stack. If the new stack has one id more or less than the last stack, the two stacks share their nodes. */
function stackOf(
  ids: readonly CheckpointId[],
  last: Stack,
  known: (id: CheckpointId) => CheckpointId,
): Stack {
  const { length } = ids;
  if (length === last.length && isOn(ids, length, last.top)) return last;
  let from = 0;
  let top: StackNode | undefined;
  if (isOn(ids, length, last.top?.below)) [from, top] = [length, last.top?.below];
  else if (isOn(ids, length - 1, last.top)) [from, top] = [length - 1, last.top];
  for (const id of ids.slice(from)) top = { id: known(id), below: top };
  return { top, length };
}

/** True when the first `count` ids of the list are the topmost `count` ids of the chain. */
function isOn(ids: readonly CheckpointId[], count: number, top: StackNode | undefined): boolean {
  let node = top;
  for (let at = count - 1; at >= 0; at -= 1) {
    if (node?.id !== ids[at]) return false;
    node = node?.below;
  }
  return count > 0;
}
