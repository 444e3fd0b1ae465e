// The refs of one session, changed in transactions that are whole also under kill -9. Git's own transaction locks
// and checks everything first but then renames one file after another, so a kill in between tears it. Therefore an
// intent is written before (one rename: the commit point) and redone by whoever finds it. Only for refs that nobody
// else moves (the session's lock is held); it does not know what the refs mean.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { invariant } from '../../base/invariant.ts';
import { isObjectId } from '../objects/object-id.ts';
import { GitChild, type TakeAnswer } from '../process/child.ts';
import type { GitPlace } from '../process/environment.ts';
import { gitAnswered, runGit } from '../process/run.ts';
import { both, doneAfterAll, movedByOthers, notTakenBack, untold } from './ref-failure.ts';
import { type RefChange, readIntent, writeIntent } from './ref-intent.ts';
import { syncRefs } from './ref-sync.ts';
import { removeLock, removeStalePackedRefs } from './stale-lock.ts';

export interface RefStoreOptions {
  /** The repository that holds the refs; for `local` the user's own. */
  readonly place: GitPlace;
  /** Where the ref files and their locks really lie, when that is not the place's git dir. */
  readonly refsIn?: string;
  /** Namespaces of ours, ending in `/`: nothing else is read or moved. */
  readonly prefixes: readonly string[];
  /** Where an unfinished transaction is written down; in a directory of ours. */
  readonly intentFile: string;
  readonly durable: boolean;
}

/** What is where: objects by the names of refs. */
export type Refs = ReadonlyMap<string, string>;

const noObject = '0'.repeat(40);

export class RefStore {
  readonly #options: RefStoreOptions;
  readonly #child: GitChild;
  #refs = new Map<string, string>();
  #broken: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  /** The note of a transaction that is done could not be removed: no other one begins before it is gone. */
  #hasOldIntent = false;
  /** A transaction of which nobody knows whether it was done; no other one begins before that is known. */
  #untold: readonly RefChange[] | undefined;
  /** Where {@link open} put the note of a transaction that it could not read: what it had moved is not known. */
  damagedIntent: string | undefined;

  constructor(options: RefStoreOptions) {
    this.#options = options;
    // Never replayed by the child: what became of a transaction is read from the refs.
    this.#child = new GitChild(options.place, ['update-ref', '--stdin', '-z', '--no-deref']);
  }

  /** Reads the refs, after finishing the transaction that a kill left, if any. */
  async open(): Promise<void> {
    const { intentFile } = this.#options;
    const intent = readIntent(intentFile);
    if (intent === 'damaged') {
      this.damagedIntent = `${intentFile}.damaged-${randomBytes(6).toString('hex')}`;
      files.renameSync(intentFile, this.damagedIntent);
    } else if (intent !== undefined) await this.#finish(intent);
    await this.reload();
  }

  /** Reads the refs from disk. Refs that cannot be read are in {@link broken} and nowhere else. */
  async reload(): Promise<void> {
    const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...this.#options.prefixes];
    const { stdout, stderr } = await runGit({ place: this.#options.place, args });
    const refs = new Map<string, string>();
    for (const line of stdout.toString('latin1').split('\n')) {
      const space = line.indexOf(' ');
      if (space > 0) refs.set(line.slice(space + 1), line.slice(0, space));
    }
    this.#refs = refs;
    this.#broken = [...stderr.matchAll(/ignoring (?:broken|dangling symbolic|dangling symref) ref (\S+)/g)]
      .flatMap((match) => match[1] ?? [])
      .filter((ref) => this.#options.prefixes.some((prefix) => ref.startsWith(prefix)));
  }

  get refs(): Refs {
    return this.#refs;
  }

  get broken(): readonly string[] {
    return this.#broken;
  }

  get #refsIn(): string {
    return this.#options.refsIn ?? this.#options.place.gitDir;
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
    const next = this.#turn.then(() => this.#commit(changes));
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
      await this.#clearUp();
    } catch (error) {
      // Then the note stays, and the next open carries it out.
      if (!(error instanceof CheckpointdError) && systemCode(error) === undefined) throw error;
    } finally {
      await this.#child.close();
    }
  }

  kill(): void {
    this.#child.kill();
  }

  async #commit(all: readonly RefChange[]): Promise<void> {
    await this.#clearUp();
    const changes = all.filter(({ ref, to }) => this.#refs.get(ref) !== to);
    if (changes.length === 0) return;
    if (this.#hasOldIntent) this.#removeIntent();
    for (const { ref, to } of changes) {
      invariant(
        this.#options.prefixes.some((prefix) => ref.startsWith(prefix)),
        `the ref ${ref} is not ours`,
      );
      invariant(
        /^[\w./-]+$/.test(ref) && (to === undefined || isObjectId(to)),
        `the ref ${ref} is well formed`,
      );
    }
    const before = changes.map(({ ref }) => ({ ref, to: this.#refs.get(ref) }));
    const isNoted = needsNote(changes);
    if (isNoted) this.#beginIntent(changes);
    try {
      await this.#ask(changes, (ref) => this.#refs.get(ref) ?? noObject);
    } catch (error) {
      await this.#findOut(changes, error);
    }
    try {
      if (this.#options.durable) syncRefs(this.#refsIn, changes);
    } catch (error) {
      await this.#takeBack(before, error);
    }
    for (const { ref, to } of changes) {
      if (to === undefined) this.#refs.delete(ref);
      else this.#refs.set(ref, to);
    }
    if (isNoted) this.#endIntent();
  }

  /** An answer promises the disk. What the disk refused is taken back, so that the error is true: nothing changed. */
  async #takeBack(before: readonly RefChange[], error: unknown): Promise<never> {
    try {
      // Not synced, for that is what fails: after a power cut the refs may be either, and both are whole.
      if (needsNote(before)) writeIntent(this.#options.intentFile, before, false);
      await this.#ask(before, () => '');
      await this.reload();
    } catch (second) {
      throw notTakenBack([error, second]);
    }
    this.#endIntent();
    throw error;
  }

  /** After a failure nobody knows what happened: the refs themselves tell, and the rest is done again, or nothing. */
  async #findOut(changes: readonly RefChange[], error: unknown): Promise<void> {
    const before = new Map(this.#refs);
    await this.#look(changes, error, true);
    const moved = changes.filter(({ ref, to }) => this.#refs.get(ref) === to);
    const foreign = changes.filter(
      ({ ref }) => this.#broken.includes(ref) || !this.#isOneOf(ref, before, changes),
    );
    if (foreign.length > 0) {
      this.#removeIntent();
      throw movedByOthers(
        foreign.map(({ ref }) => ref),
        error,
      );
    }
    if (moved.length === changes.length) return;
    try {
      await this.#ask(changes, () => '');
    } catch (again) {
      await this.#look(changes, again, false);
      if (changes.some(({ ref }) => this.#refs.get(ref) !== before.get(ref))) this.#giveUp(changes, again);
      this.#removeIntent();
      throw again;
    }
  }

  /** Where the refs cannot be read, what became of the changes is not known, and the error says so. */
  async #look(changes: readonly RefChange[], error: unknown, withLocks: boolean): Promise<void> {
    try {
      if (withLocks) await this.#removeLocks(changes);
      await this.reload();
    } catch (second) {
      this.#giveUp(changes, both(error, second));
    }
  }

  #giveUp(changes: readonly RefChange[], cause: unknown): never {
    this.#untold = changes;
    throw untold(cause);
  }

  /** Ends a transaction of which nothing is known: not begun where nothing has moved, else for the next open. */
  async #clearUp(): Promise<void> {
    const changes = this.#untold;
    if (changes === undefined) return;
    await this.reload();
    if (changes.some(({ ref, to }) => this.#refs.get(ref) === to)) throw doneAfterAll();
    this.#removeIntent();
    this.#untold = undefined;
  }

  #isOneOf(ref: string, before: Refs, changes: readonly RefChange[]): boolean {
    const now = this.#refs.get(ref);
    return now === before.get(ref) || now === changes.find((change) => change.ref === ref)?.to;
  }

  async #finish(changes: readonly RefChange[]): Promise<void> {
    await this.#removeLocks(changes);
    await this.#ask(changes, () => '');
    if (this.#options.durable) syncRefs(this.#refsIn, changes);
    this.#removeIntent();
  }

  /** One transaction; an `oldValue` of '' is not checked. */
  async #ask(changes: readonly RefChange[], oldValue: (ref: string) => string): Promise<void> {
    let text = 'start\0';
    for (const { ref, to } of changes) {
      const old = oldValue(ref);
      if (to === undefined) text += `delete ${ref}\0${old === noObject ? '' : old}\0`;
      else text += `update ${ref}\0${to}\0${old}\0`;
    }
    text += 'prepare\0commit\0';
    await this.#child.ask(Buffer.from(text, 'latin1'), takeCommitted, 8000 + changes.length * 10);
  }

  async #removeLocks(changes: readonly RefChange[]): Promise<void> {
    const gitDir = this.#refsIn;
    for (const { ref } of changes) removeLock(join(gitDir, `${ref}.lock`));
    if (changes.some(({ to }) => to === undefined)) await removeStalePackedRefs(gitDir);
  }

  /** One that may stand there although writing it failed would be carried out by the next open. */
  #beginIntent(changes: readonly RefChange[]): void {
    const { intentFile, durable } = this.#options;
    try {
      writeIntent(intentFile, changes, durable);
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

/** `start: ok`, `prepare: ok`, `commit: ok`. */
const takeCommitted: TakeAnswer<true> = (received) => {
  const expected = 'start: ok\nprepare: ok\ncommit: ok\n';
  if (received.length < expected.length) return expected.length;
  gitAnswered(
    received.toString('latin1', 0, expected.length) === expected,
    'update-ref answers each step with ok',
  );
  return { value: true, length: expected.length };
};

/** One ref is one rename, whole by itself; but a removal rewrites `packed-refs`, and a kill leaves its lock there. */
function needsNote(changes: readonly RefChange[]): boolean {
  return changes.length > 1 || changes.some(({ to }) => to === undefined);
}
