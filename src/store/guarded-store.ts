// Wraps a store, and knows which checkpoints the store should have. Before each use, checks that the inner store has
// not been replaced since the opening. Reports published checkpoints that are missing. Works for every strategy.
import { hash } from 'node:crypto';
import { writeAtomically } from '../base/atomic-file.ts';
import { attempt, isMissing } from '../base/attempt.ts';
import { CheckpointdError, isDamage, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { BlobId, CheckpointId } from '../base/ids.ts';
import { counted } from '../base/text/plural.ts';
import type { BlobHash, SnapshotWriter } from '../capture/snapshot-sink.ts';
import type { Publication, SnapshotStore, StoredCheckpoint, StoreProblem } from './snapshot-store.ts';

export class GuardedStore implements SnapshotStore {
  readonly #inner: SnapshotStore;
  readonly #published: PublishedList;
  #missing: readonly StoreProblem[] = [];
  #isDoubtful = false;
  /** True while the code runs that checked the store, until this code returns to the event loop or awaits. */
  #isChecked = false;
  readonly sessionBytes?: () => Promise<number>;
  readonly gitObjects?: readonly string[];

  constructor(inner: SnapshotStore, published: PublishedList) {
    this.#inner = inner;
    this.#published = published;
    if (inner.gitObjects !== undefined) this.gitObjects = inner.gitObjects;
    if (inner.sessionBytes === undefined) return;
    this.sessionBytes = async () => (await this.#there().sessionBytes?.()) ?? (await this.usage()).bytes;
  }

  get strategy(): string {
    return this.#inner.strategy;
  }

  get isSweptByOthers(): boolean {
    return this.#inner.isSweptByOthers === true;
  }

  get spoolDirectory(): string {
    return this.#inner.spoolDirectory;
  }

  /**
   * Compares the store with the list of published checkpoints. Call this function once, when the store is opened.
   * @throws StoreCorrupt when the store has lost everything
   */
  async compare(): Promise<StoredCheckpoint[]> {
    let stored = await this.checkpoints();
    if (this.#published.isKept && this.#inner.repairListing !== undefined) {
      // If another program moved the ref of a checkpoint, the checkpoint looks damaged, but its commit may still exist.
      const unlisted = this.damaged().flatMap(({ affects }) => affects);
      const ids = new Set(unlisted.filter((id) => this.#published.ids.has(id)));
      if (await this.#inner.repairListing(ids, stored)) stored = await this.checkpoints();
    }
    if (!this.#published.isKept) {
      this.#published.replace(stored.map(({ record }) => record.id));
      this.#missing = [];
    } else if (stored.length === 0 && this.#published.ids.size > 0) {
      const count = this.#published.ids.size;
      throw (await this.#inner.explainLoss?.(count)) ?? emptied(count);
    } else {
      for (const { record } of stored)
        if (!this.#published.ids.has(record.id)) this.#published.add(record.id);
    }
    return stored;
  }

  async checkpoints(): Promise<StoredCheckpoint[]> {
    const stored = await this.#there().checkpoints();
    const known = new Set(stored.map(({ record }) => record.id));
    for (const { affects } of this.#inner.damaged()) for (const id of affects) known.add(id);
    const gone = [...this.#published.ids].filter((id) => !known.has(id));
    this.#missing = gone.map((id) => ({ kind: 'missing', what: id, affects: [id] }));
    return stored;
  }

  damaged(): readonly StoreProblem[] {
    return [...this.#inner.damaged(), ...this.#missing];
  }

  async verify(signal?: AbortSignal, onChecked?: (contents: number) => void): Promise<StoreProblem[]> {
    const problems = await this.#there().verify(signal, onChecked);
    await this.checkpoints();
    this.#isDoubtful ||= problems.some(({ kind }) => kind !== 'unreferenced');
    return [...problems, ...this.#missing];
  }

  async publish(publication: Publication): Promise<{ readonly commit?: string | undefined }> {
    // If a capture finds that an object is missing, the next capture writes everything again.
    const published = await this.#ask((inner) => inner.publish(publication));
    this.#published.add(publication.record.id);
    this.#isDoubtful = false; // if the store was doubtful, this capture has written every content again
    return published;
  }

  /** Publishes many checkpoints; see {@link SnapshotStore.publishAll}. Works for every store. */
  async publishAll(publications: readonly Publication[], signal?: AbortSignal): Promise<void> {
    const inner = this.#there();
    if (inner.publishAll === undefined) {
      for (const publication of publications) await this.publish(publication);
      return;
    }
    await this.#ask(() => inner.publishAll?.(publications, signal) ?? Promise.resolve());
    this.#published.add(...publications.map(({ record }) => record.id));
  }

  async remove(ids: readonly CheckpointId[]): Promise<void> {
    const inner = this.#there();
    this.#published.remove(ids);
    await inner.remove(ids);
  }

  async destroy(): Promise<void> {
    await this.#inner.destroy();
    this.#published.forget(); // last: if destroying the store fails, the list must still name the checkpoints
  }

  hash(size: number): BlobHash {
    return this.#inner.hash(size);
  }

  writer(signal?: AbortSignal): SnapshotWriter {
    return this.#there().writer(signal, this.#isDoubtful);
  }

  /** True when the store was found damaged since the last publication. */
  isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  readonly sync: SnapshotStore['sync'] = () => this.#ask((store) => store.sync());
  readonly rename: SnapshotStore['rename'] = (...of) => this.#ask((store) => store.rename(...of));
  readonly entries: SnapshotStore['entries'] = (...of) => this.#ask((store) => store.entries(...of));
  readonly directory: SnapshotStore['directory'] = (...of) => this.#ask((store) => store.directory(...of));
  readonly hasDirectories: SnapshotStore['hasDirectories'] = (...of) =>
    this.#ask((store) => store.hasDirectories(...of));
  readonly entry: SnapshotStore['entry'] = (...of) => this.#ask((store) => store.entry(...of));
  readonly directoryPermissions: SnapshotStore['directoryPermissions'] = (...of) =>
    this.#ask((store) => store.directoryPermissions(...of));
  readonly changes: SnapshotStore['changes'] = (...of) => this.#ask((store) => store.changes(...of));
  readonly sizes: SnapshotStore['sizes'] = (...of) => this.#ask((store) => store.sizes(...of));
  readonly gitTrees: SnapshotStore['gitTrees'] = (...of) => this.#ask((store) => store.gitTrees(...of));
  readonly sweep: SnapshotStore['sweep'] = (...of) => this.#ask((store) => store.sweep(...of));
  readonly usage: SnapshotStore['usage'] = () => this.#ask((store) => store.usage());

  async *read(
    blob: BlobId,
    range?: { readonly offset: number; readonly length: number },
  ): AsyncIterable<Uint8Array> {
    try {
      yield* this.#there().read(blob, range);
    } catch (error) {
      this.#doubt(error);
      throw error;
    }
  }

  readonly lostDirectories: SnapshotStore['lostDirectories'] = async (...of) => {
    const lost = await this.#ask((store) => store.lostDirectories(...of));
    this.#isDoubtful ||= lost.length > 0;
    return lost;
  };

  close(): Promise<void> {
    return this.#inner.close();
  }

  kill(): void {
    this.#inner.kill();
  }

  /** Calls the inner store, and records any damage that the result shows. */
  async #ask<T>(question: (inner: SnapshotStore) => Promise<T>): Promise<T> {
    try {
      return await question(this.#there());
    } catch (error) {
      this.#doubt(error);
      throw error;
    }
  }

  #doubt(error: unknown): void {
    if (isDamage(error)) this.#isDoubtful = true;
  }

  /**
   * Returns the inner store. One check covers all contents that a caller requests at once.
   * @throws StoreCorrupt when the files of the store were removed or replaced
   */
  #there(): SnapshotStore {
    if (this.#isChecked) return this.#inner;
    const gone = this.#inner.gone?.();
    if (gone === undefined) {
      this.#isChecked = true;
      queueMicrotask(() => {
        this.#isChecked = false;
      });
      return this.#inner;
    }
    throw new CheckpointdError(
      'StoreCorrupt',
      `The checkpoint store ${gone} was deleted, emptied or replaced while the session was open. It held ${counted(this.#published.ids.size, 'checkpoint')}. Nothing was changed. Put the store back if you can. Otherwise close and open the session, and use checkpoint/init to start again.`,
      { details: { path: gone, checkpoints: this.#published.ids.size } },
    );
  }
}

/** Returns the error for a session whose store existed earlier and is missing now. */
export function emptied(checkpoints: number, path?: string): CheckpointdError {
  const where = path === undefined ? '' : ` ${path}`;
  return new CheckpointdError(
    'StoreCorrupt',
    `The checkpoint store${where} was deleted, emptied or replaced since the session was last open. It held ${counted(checkpoints, 'checkpoint')}. Put the store back if you can. Otherwise use checkpoint/init to move what is left of the store aside and to make a new store.`,
    { details: { path, checkpoints } },
  );
}

// The list of the checkpoints that a session has published and not removed. The list is stored separately from the
// checkpoints. Only the list shows whether an empty store is new, or was deleted, emptied or replaced. The list also
// names the missing checkpoints. The list is a file of lines with checksums: `+` and an id for a publication, `-` for a
// removal.

const lineForm = /^([+-])(ckpt_[0-9a-z]{1,64}) ([0-9a-f]{8})$/;

export class PublishedList {
  readonly #file: string;
  readonly #ids: Set<CheckpointId>;
  readonly #unwritten: CheckpointId[] = [];
  /**
   * False when there is no list, because an earlier version made the session. The checkpoints in the store then count
   * as complete.
   */
  readonly isKept: boolean;

  private constructor(file: string, ids: Set<CheckpointId>, isKept: boolean) {
    this.#file = file;
    this.#ids = ids;
    this.isKept = isKept;
  }

  /** Reads the list. Skips damaged and truncated lines. */
  static open(file: string): PublishedList {
    const text = attempt(isMissing, () => files.readFileSync(file, 'latin1'));
    const ids = new Set<CheckpointId>();
    for (const line of (text ?? '').split('\n')) {
      const [, sign, id, sum] = lineForm.exec(line) ?? [];
      if (id === undefined || sum !== sumOf(`${sign}${id}`)) continue;
      if (sign === '+') ids.add(id as CheckpointId);
      else ids.delete(id as CheckpointId);
    }
    return new PublishedList(file, ids, text !== undefined);
  }

  get ids(): ReadonlySet<CheckpointId> {
    return this.#ids;
  }

  /**
   * Adds published checkpoints. Throws no system error, because such an error would make the publication look like a
   * failure. If the lines cannot be written now, the next write or the next opening adds them. If these checkpoints
   * are lost before that, the daemon does not report the loss.
   */
  add(...ids: readonly CheckpointId[]): void {
    for (const id of ids) this.#ids.add(id);
    try {
      this.#append('+', ids);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#unwritten.push(...ids);
    }
  }

  /**
   * Removes checkpoints from the list before they are removed from the store. A kill between the two steps leaves an
   * unlisted checkpoint, but never makes a checkpoint seem lost.
   */
  remove(ids: readonly CheckpointId[]): void {
    this.#append('-', ids);
    for (const id of ids) this.#ids.delete(id);
  }

  /** Replaces the contents of the list by these checkpoints. */
  replace(ids: Iterable<CheckpointId>): void {
    const wanted = [...ids];
    this.#ids.clear();
    for (const id of wanted) this.#ids.add(id);
    writeAtomically(this.#file, wanted.map((id) => lineOf('+', id)).join(''));
  }

  /** Removes the list, because the store no longer exists. */
  forget(): void {
    this.#ids.clear();
    files.rmSync(this.#file, { force: true });
  }

  /**
   * Appends ids to the list. If this write fails, deletes the list, because an outdated list would do harm. The next
   * opening then trusts the store and begins a new list.
   */
  #append(sign: '+' | '-', ids: readonly CheckpointId[]): void {
    try {
      // The first line feed ends the last line in the file, in case a kill has cut this line off.
      const lines = [...this.#unwritten.map((id) => lineOf('+', id)), ...ids.map((id) => lineOf(sign, id))];
      files.writeFileSync(this.#file, `\n${lines.join('')}`, { flag: 'a', mode: 0o600 });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      files.rmSync(this.#file, { force: true });
    }
    this.#unwritten.length = 0;
  }
}

function lineOf(sign: '+' | '-', id: CheckpointId): string {
  return `${sign}${id} ${sumOf(`${sign}${id}`)}\n`;
}

function sumOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 8);
}
