// A session and its plain model. In the model the conversation is in arrays, the files are texts, and every checkpoint
// is a complete copy. The model copies data that the daemon shares, refers to or computes. Therefore the model is
// simple and slow. Other files contain the steps.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type * as Wire from '../../../src/protocol/types.ts';
import { type ModelThread, ReferenceModel } from '../../conversation/reference-model.ts';
import type { InProcessDaemon } from '../in-process-daemon.ts';

export const names = ['a.txt', 'b.txt', 'c/d.txt'] as const;
export type Name = (typeof names)[number];
export type Files = Partial<Record<Name, string>>;

/** A complete copy of a session at one moment. */
export interface Moment {
  readonly thread: ModelThread;
  readonly files: Files;
  readonly turn: number;
  readonly tool: number;
  readonly entered: Entered | undefined;
  /** The ids of the checkpoints that led to this state, oldest first. The last checkpoint has this state. */
  readonly line: readonly string[];
}

/** For a tangent with files: the state at the entry, and the checkpoint with the files. */
export interface Entered {
  readonly id: string;
  readonly at: Moment;
  /** The current checkpoint when the tangent began. Checkpoints after the tangent continue from this checkpoint. */
  readonly parent: string | undefined;
}

/** A restore that undo or redo can reverse. */
export interface Walked {
  readonly id: string;
  readonly back: Moment;
  readonly scope: Wire.RestoreScope;
  readonly paths: readonly Name[] | undefined;
}

export interface ModelCheckpoint {
  readonly id: string;
  readonly kind: 'turn' | 'tool' | 'restore';
  readonly madeAs: string | undefined;
  name: string | undefined;
  readonly at: Moment;
  readonly undo: readonly Walked[];
  readonly redo: readonly Walked[];
}

/** The state that an exported document restores. */
export interface Exported {
  readonly document: Wire.JsonObject;
  readonly thread: ModelThread;
  readonly entered: Entered | undefined;
  readonly settings: Pick<ReferenceModel, 'tools' | 'paths' | 'window' | 'mcp'>;
}

/** The author of a path's content, and the position of this content among all checkpoints and reported writes. */
interface Authored {
  readonly content: string | undefined;
  readonly who: string;
  readonly order: number;
}

export class ModelledSession {
  readonly model = new ReferenceModel();
  files: Files = {};
  entered: Entered | undefined;
  agents: Record<string, object> | undefined;
  /** The turns, tools and restores, oldest first. The last checkpoint in this list is the current one. */
  checkpoints: ModelCheckpoint[] = [];
  /** The checkpoints that led to the present state, in the same form as `Moment.line`. */
  line: readonly string[] = [];
  /** The ids of checkpoints with tags, in the order of the list. */
  listed: string[] = [];
  isEnabled = true;
  /** The authors of the contents of each path, oldest first. */
  readonly authors = new Map<Name, Authored[]>();
  /**
   * Counts checkpoints and reported writes. The number of a write shows which checkpoints were made before the write.
   */
  #order = 0;
  readonly #orders = new Map<string, number>();
  exported: Exported | undefined;
  session = '';
  readonly daemon: InProcessDaemon;
  readonly root: string;
  readonly conversationId: string;
  readonly strategy: string;

  constructor(daemon: InProcessDaemon, root: string, conversationId: string, strategy: string) {
    this.strategy = strategy;
    this.daemon = daemon;
    this.root = root;
    this.conversationId = conversationId;
    for (const name of names) rmSync(join(root, name), { force: true });
  }

  async open(): Promise<void> {
    const { conversationId, strategy } = this;
    const opened = await this.daemon.open(this.root, { conversationId, retention: 'keep', strategy });
    this.session = opened.session;
    this.agents = undefined; // the daemon keeps agents only until it closes the session (C10)
    assert.ok(opened.checkpoints.enabled);
    this.isEnabled = true;
    await this.begin();
  }

  /** Adds the checkpoint of tag "0", which session/open makes in an empty session. */
  async begin(): Promise<void> {
    if (this.checkpoints.length > 0) return;
    const { checkpoint } = await this.daemon.call('checkpoint/get', { session: this.session, tag: '0' });
    this.made({ id: checkpoint.id, kind: 'turn', madeAs: '0', name: undefined, undo: [], redo: [] }, [0, 0]);
  }

  get head(): ModelCheckpoint | undefined {
    return this.checkpoints.at(-1);
  }

  get turn(): number {
    return this.head?.at.turn ?? 0;
  }

  get tool(): number {
    return this.head?.at.tool ?? 0;
  }

  moment([turn, tool]: readonly [number, number] = [this.turn, this.tool]): Moment {
    const { files, entered, model, line } = this;
    return { thread: structuredClone(model.thread), files: { ...files }, turn, tool, entered, line };
  }

  /** Adds a checkpoint of the present state. If another checkpoint has the tag, the tag moves to the new checkpoint. */
  made(made: Omit<ModelCheckpoint, 'at'>, counters: readonly [number, number]): void {
    const { id, madeAs } = made;
    const tagged = madeAs === undefined ? undefined : this.tagged(madeAs);
    const place = tagged === undefined ? -1 : this.listed.indexOf(tagged.id);
    // A turn that takes the tag of an old turn also takes the tags of that turn's tools.
    if (made.kind === 'turn')
      this.listed = this.listed.filter(
        (other) => this.byId(other)?.madeAs?.startsWith(`${madeAs}.`) !== true,
      );
    // The old checkpoint with this tag may be outside the present line. The tag then belonged to another tool, and the
    // new checkpoint is listed last.
    const isAgain = made.kind === 'tool' && place >= 0 && this.line.includes(this.listed[place] ?? '');
    if (isAgain) this.listed[place] = id;
    else if (madeAs !== undefined) this.listed = [...this.listed.filter((other) => other !== tagged?.id), id];
    this.line = [...this.line, id];
    this.checkpoints.push({ ...made, at: this.moment(counters) });
    this.#order += 1;
    this.#orders.set(id, this.#order);
  }

  forget(ids: readonly string[]): void {
    this.checkpoints = this.checkpoints.filter(({ id }) => !ids.includes(id));
    this.listed = this.listed.filter((id) => !ids.includes(id));
  }

  byId(id: string): ModelCheckpoint | undefined {
    return this.checkpoints.find((checkpoint) => checkpoint.id === id);
  }

  tagged(tag: string): ModelCheckpoint | undefined {
    return this.checkpoints.find(({ id, madeAs }) => madeAs === tag && this.listed.includes(id));
  }

  tagOf({ id, madeAs }: ModelCheckpoint): string | undefined {
    return this.listed.includes(id) ? madeAs : undefined;
  }

  /** Returns one of the checkpoints, and a reference to it. */
  pick(n: number): { readonly checkpoint: ModelCheckpoint; readonly ref: string } | undefined {
    const checkpoint = this.checkpoints[n % Math.max(1, this.checkpoints.length)];
    if (checkpoint === undefined) return undefined;
    const refs = [checkpoint.id, this.tagOf(checkpoint), checkpoint.name].filter((ref) => ref !== undefined);
    return { checkpoint, ref: refs[n % refs.length] ?? checkpoint.id };
  }

  /** True when the present content of a path is in no checkpoint and was not reported. */
  isForeign(name: Name): boolean {
    const content = this.files[name];
    if (content === undefined || content === this.head?.at.files[name]) return false;
    if (content === this.base?.at.files[name]) return false;
    return !(this.authors.get(name) ?? []).some((known) => known.content === content);
  }

  /**
   * Records the author of a path's content for the next checkpoint, unless this content is already the last one
   * recorded.
   */
  note(name: Name, who: string): void {
    const known = this.authors.get(name) ?? [];
    const content = this.files[name];
    if (known.length > 0 && known.at(-1)?.content === content) return;
    this.authors.set(name, [...known, { content, who, order: this.#order + 1 }]);
  }

  /** Records a reported write, with a position after all checkpoints up to now. */
  recordWrite(name: Name): void {
    this.#order += 1;
    const known = this.authors.get(name) ?? [];
    this.authors.set(name, [...known, { content: this.files[name], who: 'agent', order: this.#order }]);
  }

  /**
   * The checkpoint of tag "0" or, if this was removed, the oldest checkpoint. Paths without a recorded author have the
   * content of this checkpoint.
   */
  get base(): ModelCheckpoint | undefined {
    return this.tagged('0') ?? this.checkpoints[0];
  }

  /** Returns the authors of a path's contents, oldest first. */
  authorsOf(name: Name): readonly Pick<Authored, 'content' | 'who'>[] {
    const later = this.authors.get(name) ?? [];
    const { base } = this;
    const original = base?.at.files[name];
    const began = this.#orders.get(base?.id ?? '') ?? 0;
    const isTold = original === undefined || later.some(({ order }) => order <= began);
    return isTold ? later : [{ content: original, who: 'user' }, ...later];
  }

  async compare(): Promise<void> {
    const { daemon, session } = this;
    const { document } = await daemon.call('conversation/export', { session });
    const { checkpoint_manager, context_message_length, ...rest } = structuredClone(document ?? {}) as Record<
      string,
      unknown
    >;
    assert.equal(checkpoint_manager, { session, strategy: this.strategy, enabled: this.isEnabled });
    assert.ok(context_message_length === undefined || typeof context_message_length === 'number');
    const tangent = rest.tangent_state as { files_checkpoint?: string } | undefined;
    assert.is(tangent?.files_checkpoint, this.entered?.id, 'carries files');
    delete tangent?.files_checkpoint;
    assert.equal(rest, JSON.parse(JSON.stringify(this.model.document(this.conversationId))));
    const { manager } = await daemon.call('session/get', { session });
    assert.equal([manager.currentTurn, manager.toolsInTurn], [this.turn, this.tool], 'counters');
    assert.equal(this.#found(), this.files, 'files');
  }

  #found(): Files {
    const found: Files = {};
    for (const name of names) {
      const file = join(this.root, name);
      if (existsSync(file)) found[name] = readFileSync(file, 'utf8');
    }
    return found;
  }
}
