// The refs of one session, changed in transactions that are whole also under kill -9. Git's own transaction locks
// and checks everything first but then renames one file after another, so a kill in between tears it. Therefore an
// intent is written before (one rename: the commit point) and redone by whoever finds it. Only for refs that nobody
// else moves (the session's lock is held); it does not know what the refs mean.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { GitChild } from '../process/child.ts';
import { hasDied } from '../process/run.ts';
import { areAt, listRefs } from './list-refs.ts';
import { leftOfNew } from './new-refs.ts';
import { keepingPackedMode } from './packed-refs-mode.ts';
import { refuseUnreadable } from './readable-refs.ts';
import { both, movedByOthers, throwRefused, untold } from './ref-failure.ts';
import { stampOfRefs } from './ref-stamp.ts';
import type { RefStoreOptions } from './ref-store-options.ts';
import { syncRefFiles, syncRefNames } from './ref-sync.ts';
import {
  assertOurs,
  needsNote,
  type RefChange,
  readIntent,
  takeCommitted,
  transactionOf,
  writeIntent,
} from './ref-transaction.ts';
import { removeLock, removeStalePackedRefs } from './stale-lock.ts';

export class RefStore {
  readonly #options: RefStoreOptions;
  readonly #child: GitChild;
  #refs = new Map<string, string>();
  #broken: string[] = [];
  /** Of the refs as they are known. */
  #stamp = '';
  #turn: Promise<unknown> = Promise.resolve();
  /** The note of a transaction that is done could not be removed: no other one begins before it is gone. */
  #hasOldIntent = false;
  /** Where refs were before a change of which nobody knows whether it took place. */
  #undecided: readonly RefChange[] = [];
  /** Where {@link open} put the note of a transaction that it could not read: what it had moved is not known. */
  damagedIntent: string | undefined;

  constructor(options: RefStoreOptions) {
    this.#options = options;
    // Never replayed by the child: what became of a transaction is read from the refs.
    this.#child = new GitChild(options.place, ['update-ref', '--stdin', '-z', '--no-deref']);
  }

  /** Reads the refs, after finishing the transaction that a kill left, if any. */
  async open(): Promise<void> {
    const { intentFile, prefixes } = this.#options;
    refuseUnreadable(this.#refsIn, prefixes); // nothing is carried out where nobody can tell what came of it
    const intent = readIntent(intentFile);
    if (intent === 'damaged') {
      this.damagedIntent = `${intentFile}.damaged-${randomBytes(6).toString('hex')}`;
      files.renameSync(intentFile, this.damagedIntent);
    } else if (intent !== undefined) {
      await this.#removeLocks(intent);
      await this.#ask(intent, () => '');
      this.#sync(intent);
      this.#removeIntent();
    }
    await this.reload();
  }

  /** Reads the refs from disk. Refs that cannot be read are in {@link broken} and nowhere else. */
  async reload(): Promise<void> {
    const stamp = this.#stampNow();
    const { refs, broken } = await listRefs(this.#options);
    this.#refs = refs;
    this.#broken = broken;
    this.#stamp = stamp;
  }

  /** What is where: objects by the names of refs. */
  get refs(): ReadonlyMap<string, string> {
    return this.#refs;
  }

  get broken(): readonly string[] {
    return this.#broken;
  }

  get #refsIn(): string {
    return this.#options.refsIn ?? this.#options.place.gitDir;
  }

  #stampNow(): string {
    return stampOfRefs(this.#refsIn, this.#options.directories);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Makes all changes or none; they stand when this resolves.
   *
   * @throws StoreCorrupt when somebody else moved one of the refs, NoSpace, GitFailed: then nothing has changed.
   */
  commit(changes: readonly RefChange[]): Promise<void> {
    const work = this.#turn.then(() => this.#commit(changes));
    const next = work.catch((error: unknown) => throwRefused(error, this.#refsIn));
    this.#turn = next.catch(() => undefined);
    return next;
  }

  /** Removes the files of refs that cannot be read, so that they can be made anew. */
  removeBroken(): void {
    for (const ref of this.#broken) files.rmSync(join(this.#refsIn, ref), { force: true });
    this.#broken = [];
  }

  async close(): Promise<void> {
    try {
      await this.#takeBackUndecided();
    } catch (error) {
      // The note stays, and the next open carries it out.
      if (!(error instanceof CheckpointdError) && systemCode(error) === undefined) throw error;
    } finally {
      await this.#child.close();
    }
  }

  kill(): void {
    this.#child.kill();
  }

  async #commit(all: readonly RefChange[]): Promise<void> {
    await this.#takeBackUndecided();
    if (this.#stamp !== this.#stampNow()) await this.#putBack();
    await this.#move(all);
    this.#stamp = this.#stampNow();
  }

  /** Nothing comes after a change that nobody knows: its note would be carried out over it by the next open. */
  async #takeBackUndecided(): Promise<void> {
    if (this.#undecided.length === 0) return;
    await this.#ask(this.#undecided, () => '');
    this.#sync(this.#undecided);
    this.#removeIntent();
    this.#know(this.#undecided);
    this.#undecided = [];
  }

  /** Nobody else moves these refs rightly. What they hold is brought back first, since it may have been pruned. */
  async #putBack(): Promise<void> {
    const stamp = this.#stampNow();
    const { refs, broken } = await listRefs(this.#options);
    const moved = [...this.#refs].flatMap(([ref, to]) => (refs.get(ref) === to ? [] : [{ ref, to }]));
    const lost: string[] = [];
    if (moved.length > 0) {
      await this.#options.heal?.();
      this.#broken = broken;
      this.removeBroken();
      if (!(await this.#isAsked(moved)))
        for (const change of moved) if (!(await this.#isAsked([change]))) lost.push(change.ref);
    }
    const back = moved.filter(({ ref }) => !lost.includes(ref));
    this.#refs = refs;
    this.#know(back);
    this.#stamp = stamp;
    if (moved.length > 0) this.#options.onPutBack?.(back.length, lost.length);
  }

  /** False where git refuses: what they shall hold is gone. */
  async #isAsked(changes: readonly RefChange[]): Promise<boolean> {
    try {
      await this.#ask(changes, () => '');
      this.#sync(changes);
      return true;
    } catch (error) {
      if (!(error instanceof CheckpointdError) || error.kind !== 'GitFailed' || hasDied(error)) throw error;
      return false;
    }
  }

  #know(changes: readonly RefChange[]): void {
    for (const { ref, to } of changes)
      if (to === undefined) this.#refs.delete(ref);
      else this.#refs.set(ref, to);
  }

  async #move(all: readonly RefChange[]): Promise<void> {
    const changes = all.filter(({ ref, to }) => this.#refs.get(ref) !== to);
    if (changes.length === 0) return;
    if (this.#hasOldIntent) this.#removeIntent();
    assertOurs(changes, this.#options.prefixes);
    const before = changes.map(({ ref }) => ({ ref, to: this.#refs.get(ref) }));
    const isNoted = needsNote(changes);
    if (isNoted) this.#beginIntent(changes);
    try {
      const left = leftOfNew(this.#refsIn, changes, this.#refs, this.#options.spares);
      if (left.length > 0) await this.#ask(left, (ref) => this.#refs.get(ref));
    } catch (error) {
      await this.#findOut(changes, before, error);
    }
    try {
      this.#sync(changes);
    } catch (error) {
      await this.#takeBack(before, error);
    }
    this.#know(changes);
    if (isNoted) this.#endIntent();
  }

  /** What was refused is taken back, so that the error is true: nothing changed. `isDoubtful`: perhaps nothing has. */
  async #takeBack(before: readonly RefChange[], error: unknown, isDoubtful = false): Promise<never> {
    try {
      if (isDoubtful) await this.reload();
      if (!isDoubtful || before.some(({ ref, to }) => this.#refs.get(ref) !== to)) {
        // Not synced, for that is what fails: after a power cut the refs may be either, and both are whole.
        if (needsNote(before)) writeIntent(this.#options.intentFile, before, false);
        await this.#ask(before, () => '');
        await this.reload();
      }
    } catch (second) {
      await this.#asBefore(before, error, second);
    }
    this.#endIntent();
    throw error;
  }

  /** Where even looking, or taking back, has failed. @throws `untold` unless all is known to be as it was */
  async #asBefore(before: readonly RefChange[], error: unknown, second: unknown): Promise<void> {
    this.#undecided = before;
    if (!(await areAt(this.#options, before))) throw untold(both(error, second));
    this.#undecided = [];
  }

  /** After a failure nobody knows what happened: the refs themselves tell, and the rest is done again, or nothing. */
  async #findOut(changes: readonly RefChange[], before: readonly RefChange[], error: unknown): Promise<void> {
    const known = new Map(this.#refs);
    try {
      await this.#removeLocks(changes);
      await this.reload();
    } catch (second) {
      await this.#asBefore(before, error, second);
      this.#endIntent();
      throw error;
    }
    const foreign = changes.filter(
      ({ ref, to }) => this.#broken.includes(ref) || ![known.get(ref), to].includes(this.#refs.get(ref)),
    );
    if (foreign.length > 0) {
      this.#removeIntent();
      throw movedByOthers(foreign, error);
    }
    if (changes.every(({ ref, to }) => this.#refs.get(ref) === to)) return;
    try {
      await this.#ask(changes, () => '');
    } catch (again) {
      await this.#takeBack(before, again, true);
    }
  }

  async #ask(changes: readonly RefChange[], oldValue: (ref: string) => string | undefined): Promise<void> {
    const question = transactionOf(changes, oldValue);
    const ask = (): Promise<true> => this.#child.ask(question, takeCommitted, 8000 + changes.length * 10);
    await (changes.some(({ to }) => to === undefined) ? keepingPackedMode(this.#refsIn, ask) : ask());
  }

  #sync(changes: readonly RefChange[]): void {
    const { durable, syncsFiles } = this.#options;
    if (syncsFiles) syncRefFiles(this.#refsIn, changes);
    if (durable) syncRefNames(this.#refsIn, changes);
  }

  async #removeLocks(changes: readonly RefChange[]): Promise<void> {
    for (const { ref } of changes) removeLock(join(this.#refsIn, `${ref}.lock`));
    if (changes.some(({ to }) => to === undefined)) await removeStalePackedRefs(this.#refsIn);
  }

  /** One that may stand there although writing it failed would be carried out by the next open. */
  #beginIntent(changes: readonly RefChange[]): void {
    const { intentFile, durable, spares } = this.#options;
    try {
      writeIntent(intentFile, changes, durable, spares);
    } catch (error) {
      this.#endIntent();
      throw error;
    }
  }

  /** The refs have moved, and that is no failure any more; but the next open would do it again, over what comes later. */
  #endIntent(): void {
    try {
      this.#removeIntent();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#hasOldIntent = true;
    }
  }

  #removeIntent(): void {
    files.rmSync(this.#options.intentFile, { force: true });
    this.#hasOldIntent = false;
  }
}
