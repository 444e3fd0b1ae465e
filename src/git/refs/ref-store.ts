// Changes the refs of one session in transactions that are atomic even under kill -9. In its own transaction, git first
// locks and checks all refs, and then renames one file after another. If git is killed between two renames, the
// transaction is only half done. The store therefore first writes a note of the intended changes to a temporary file.
// Renaming this file commits the transaction. A process that finds the note makes the changes again. The caller has the
// session's lock, so no other program should move these refs. This module is independent of what the refs mean.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { syncAll, writeAtomically } from '../../base/atomic-file.ts';
import { attempt, attemptAsyncOr, isMissing, isOfSystem } from '../../base/attempt.ts';
import { isIntact, withSum } from '../../base/check-sum.ts';
import { CheckpointdError, isExpected, isKind, systemCode } from '../../base/errors.ts';
import { fileKey } from '../../base/file-stamp.ts';
import { files } from '../../base/files.ts';
import { invariant } from '../../base/invariant.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { Turns } from '../../base/turns.ts';
import { isLoose, isObjectId } from '../objects/object.ts';
import { GitChild, type TakeAnswer } from '../process/child.ts';
import { syncedRefSettings } from '../process/environment.ts';
import { gitAnswered, isRefusal, runGit } from '../process/run.ts';
import {
  listRefs,
  type RefPlace,
  refuseUnreadable,
  removeLock,
  removeStalePackedRefs,
  UnreadableRefs,
} from './readable-refs.ts';
import {
  keepingPackedMode,
  packedRefs,
  type RefChange,
  refsInFiles,
  removeRefFile,
  stampOfRefs,
  syncRefFiles,
  syncRefNames,
  writeRefFile,
} from './ref-files.ts';

/** The number of ref files that {@link RefStore.pack} removes before it lets other changes of refs run. */
const unlinkedAtOnce = 100;

export class RefStore {
  readonly #options: RefStoreOptions;
  readonly #note: TransactionNote;
  readonly #child: GitChild;
  #refs = new Map<string, string>();
  #broken: string[] = [];
  #stamp = '';
  readonly #turns = new Turns();
  /** The values that the refs had before a change whose outcome is unknown. */
  #undecided: readonly RefChange[] = [];
  /**
   * The path to which {@link open} moved the unreadable note of a transaction. Nothing shows which refs this
   * transaction changed.
   */
  damagedIntent?: string | undefined;

  constructor(options: RefStoreOptions) {
    this.#options = options;
    this.#note = new TransactionNote(options);
    // The git process never repeats a transaction. After a failure, the store reads the refs to find the outcome.
    this.#child = new GitChild(options.place, ['update-ref', '--stdin', '-z', '--no-deref']);
  }

  /** Reads the refs. If a kill has interrupted a transaction, first finishes this transaction. */
  async open(): Promise<void> {
    // comes first, because the store must be able to read the refs after it has repeated a transaction
    refuseUnreadable(this.#refsIn, this.#options.prefixes);
    const noted = this.#note.read();
    if (noted === 'damaged') this.damagedIntent = this.#note.setAside();
    else if (noted !== undefined) {
      await this.#removeLocks(noted);
      await this.#set(noted);
      this.#note.remove();
    }
    const stamp = this.#stampNow();
    const refs = plainRefs(this.#options, this.#refsIn);
    if (refs === undefined) return this.reload();
    this.#refs = refs;
    this.#stamp = stamp;
  }

  /**
   * Reads the refs from their files, without git. Changes nothing.
   * @throws StoreUnavailable when the value of any ref is uncertain
   */
  openToRead(): void {
    const { intentFile, prefixes } = this.#options;
    if (files.existsSync(intentFile))
      throw new UnreadableRefs('A change of refs is not finished.', intentFile);
    this.#refs = refsInFiles(this.#refsIn, prefixes);
  }

  /** Reads the refs from the disk. Lists unreadable refs only in {@link broken}. */
  async reload(): Promise<void> {
    const stamp = this.#stampNow();
    const { refs, broken } = await listRefs(this.#options);
    this.#refs = refs;
    this.#broken = broken;
    this.#stamp = stamp;
  }

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
   * Makes all changes or none. The promise resolves when all changes have been made.
   * @throws StoreCorrupt when another program moved one of the refs, NoSpace, GitFailed. After an error nothing has
   * changed.
   */
  commit(changes: readonly RefChange[]): Promise<void> {
    const work = this.#turns.run(async () => {
      await this.#prepare();
      await this.#move(changes);
      this.#stamp = this.#stampNow();
    });
    return work.catch((error: unknown) => throwRefused(error, this.#refsIn));
  }

  /** Removes the files of unreadable refs, so that the refs can be made again. */
  removeBroken(): void {
    for (const ref of this.#broken) files.rmSync(join(this.#refsIn, ref), { force: true });
    this.#broken = [];
  }

  /**
   * Packs all refs into one file, in a repository that only the daemon uses. Returns the paths of the removed ref
   * files. Does nothing when fewer than `looseMin` refs have files of their own. Other changes of refs may run between
   * the steps. Each ref always keeps its value. @throws as {@link commit}, and AbortError between two steps
   */
  async pack(signal: AbortSignal, looseMin: number): Promise<readonly string[]> {
    const { place, prefixes } = this.#options;
    const refsIn = this.#refsIn;
    const loose = [...this.#refs.keys()].filter((ref) => files.existsSync(join(refsIn, ref)));
    if (loose.length < looseMin) return [];
    // Git locks `packed-refs`. If a ref moves meanwhile, git writes the ref's own file. This file overrides
    // `packed-refs` and is not removed.
    const settings = { ...place.settings, ...syncedRefSettings };
    await runGit({ place: { ...place, settings }, args: ['pack-refs', '--all', '--no-prune'], signal });
    await syncAll([join(refsIn, 'packed-refs'), refsIn], signal);
    const removed: string[] = [];
    const packedFile = join(refsIn, 'packed-refs');
    let [packed, packedKey] = [new Map<string, string>(), ''];
    for (let from = 0; from < loose.length; from += unlinkedAtOnce) {
      signal.throwIfAborted();
      const part = loose.slice(from, from + unlinkedAtOnce);
      await this.#turns.run(async () => {
        await this.#prepare();
        // Reads `packed-refs` again only if another program has changed it, because a long session has many refs.
        const key = fileKey(packedFile);
        if (key !== packedKey) [packed, packedKey] = [packedRefs(packedFile, prefixes), key];
        for (const ref of part)
          if (packed.get(ref) === this.#refs.get(ref) && removeRefFile(join(refsIn, ref), packed.get(ref)))
            removed.push(join(refsIn, ref));
        this.#stamp = this.#stampNow();
      });
    }
    return removed;
  }

  async close(): Promise<void> {
    try {
      await this.#rollBackUndecided();
    } catch (error) {
      // The note still exists, so the next opening makes the changes that the note lists.
      if (!isExpected(error)) throw error;
    } finally {
      await this.#child.close();
    }
  }

  kill(): void {
    this.#child.kill();
  }

  /** Brings the refs to the state that this store knows. Called before each change. */
  async #prepare(): Promise<void> {
    await this.#rollBackUndecided();
    if (this.#stamp !== this.#stampNow()) await this.#repairMoved();
  }

  /**
   * Undoes a change whose outcome is unknown. Called before another change begins, because the next opening would
   * otherwise repeat this change and overwrite later changes.
   */
  async #rollBackUndecided(): Promise<void> {
    if (this.#undecided.length === 0) return;
    await this.#set(this.#undecided);
    this.#note.remove();
    this.#recordValues(this.#undecided);
    this.#undecided = [];
  }

  /**
   * Restores refs that another program moved. First restores the objects of these refs, because the objects may have
   * been pruned.
   */
  async #repairMoved(): Promise<void> {
    const stamp = this.#stampNow();
    const { refs, broken } = await listRefs(this.#options);
    const moved = [...this.#refs].flatMap(([ref, to]) => (refs.get(ref) === to ? [] : [{ ref, to }]));
    const lost: string[] = [];
    if (moved.length > 0) {
      await this.#options.restoreObjects?.();
      this.#broken = broken;
      this.removeBroken();
      if (!(await this.#canSet(moved)))
        for (const change of moved) if (!(await this.#canSet([change]))) lost.push(change.ref);
    }
    const repaired = moved.filter(({ ref }) => !lost.includes(ref));
    // Unchanged refs keep their old strings. The new strings are slices of git's output, and each slice would keep the
    // whole output in memory.
    if (moved.length > 0 || refs.size !== this.#refs.size) this.#refs = refs;
    this.#recordValues(repaired);
    this.#stamp = stamp;
    if (moved.length > 0) this.#options.onRepair?.(repaired.length, lost.length);
  }

  /** Makes the changes. Returns false when git refuses the changes because an object is missing. */
  #canSet(changes: readonly RefChange[]): Promise<boolean> {
    return attemptAsyncOr(false, isRefusal, async () => {
      await this.#set(changes);
      return true;
    });
  }

  /**
   * If none of the refs exists, creates the refs without git. Returns the changes that git still has to make; git
   * checks these changes again.
   */
  #leftOfNew(changes: readonly RefChange[]): readonly RefChange[] {
    const isNew = ({ ref, to }: RefChange): boolean =>
      to !== undefined && !this.#refs.has(ref) && !files.existsSync(join(this.#refsIn, ref));
    if (this.#options.isAlone !== true || !changes.every(isNew)) return changes;
    return changes.filter(({ ref, to }) => to === undefined || !writeRefFile(join(this.#refsIn, ref), to));
  }

  #recordValues(changes: readonly RefChange[]): void {
    for (const { ref, to } of changes)
      if (to === undefined) this.#refs.delete(ref);
      else this.#refs.set(ref, to);
  }

  async #move(all: readonly RefChange[]): Promise<void> {
    const changes = all.filter(({ ref, to }) => this.#refs.get(ref) !== to);
    if (changes.length === 0) return;
    this.#note.removeOld();
    assertOurs(changes, this.#options.prefixes);
    const before = changes.map(({ ref }) => ({ ref, to: this.#refs.get(ref) }));
    const isNoted = needsNote(changes);
    if (isNoted) this.#note.begin(changes);
    const failure = (await this.#make(changes, before)) ?? (await this.#synced(changes, before));
    if (failure !== undefined) throw failure.error;
    this.#recordValues(changes);
    if (isNoted) this.#note.end();
  }

  /**
   * Makes the changes. If git fails, reads the refs to find the outcome, and then completes or undoes the changes.
   * Returns the failure if no change is made or the outcome is unknown.
   */
  async #make(changes: readonly RefChange[], before: readonly RefChange[]): Promise<Failure | undefined> {
    const refused = await failureOf(async () => {
      const left = this.#leftOfNew(changes);
      if (left.length > 0) await this.#ask(left, (ref) => this.#refs.get(ref));
    });
    if (refused === undefined) return undefined;
    const known = new Map(this.#refs);
    const unread = await failureOf(async () => {
      await this.#removeLocks(changes);
      await this.reload();
    });
    if (unread !== undefined) return this.#leaveUndecided(before, refused, unread);
    const foreign = changes.filter(
      ({ ref, to }) => this.#broken.includes(ref) || ![known.get(ref), to].includes(this.#refs.get(ref)),
    );
    if (foreign.length > 0) {
      this.#note.remove();
      return { error: movedByOthers(foreign, refused.error) };
    }
    if (changes.every(({ ref, to }) => this.#refs.get(ref) === to)) return undefined;
    const refusedAgain = await failureOf(() => this.#ask(changes, () => ''));
    return refusedAgain && this.#undo(before, refusedAgain, false);
  }

  /** Syncs the changes. If this fails, undoes the changes. */
  async #synced(changes: readonly RefChange[], before: readonly RefChange[]): Promise<Failure | undefined> {
    const unsynced = await failureOf(() => this.#sync(changes));
    return unsynced && this.#undo(before, unsynced, true);
  }

  /**
   * Undoes a change after a failure, so that the error can say that nothing changed. `isMade`: false when it is unknown
   * whether a ref has changed.
   */
  async #undo(before: readonly RefChange[], failure: Failure, isMade: boolean): Promise<Failure> {
    const notUndone = await failureOf(async () => {
      if (!isMade) await this.reload();
      if (!isMade && before.every(({ ref, to }) => this.#refs.get(ref) === to)) return;
      // Does not sync after the undo, because syncing may be the call that failed. After a power cut, each ref has
      // either its old or its new value, and the objects of both exist.
      if (needsNote(before)) this.#note.write(before, false);
      await this.#ask(before, () => '');
      await this.reload();
    });
    if (notUndone !== undefined) return this.#leaveUndecided(before, failure, notUndone);
    this.#note.end();
    return failure;
  }

  /**
   * Ends a change whose check or undo failed with `second`, too. Unless a listing proves that no ref has changed, the
   * next change first undoes this change, and the error is {@link unknownOutcome}.
   */
  async #leaveUndecided(before: readonly RefChange[], first: Failure, second: Failure): Promise<Failure> {
    this.#undecided = before;
    if (!(await areAt(this.#options, before))) return { error: unknownOutcome(first.error, second.error) };
    this.#undecided = [];
    this.#note.end();
    return first;
  }

  /** Makes and syncs the changes, whatever values the refs have. */
  async #set(changes: readonly RefChange[]): Promise<void> {
    await this.#ask(changes, () => '');
    this.#sync(changes);
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
}

// The options of a ref store: where the refs are, which namespaces belong to the daemon, and which other programs may
// change the refs.

interface RefStoreOptions extends RefPlace {
  /** The object directory. Absent when the store must not read refs without git; see {@link plainRefs}. */
  readonly objects?: string;
  /** Returns the ids of the objects that are certainly in packs. Called at each opening. Default: none. */
  readonly packed?: () => Pick<ReadonlySet<string>, 'has'>;
  /** The directories of the daemon's namespaces. The store checks these directories for changes by other programs. */
  readonly directories: readonly string[];
  /** Restores the objects of moved refs as far as possible. Called before the store restores these refs. */
  readonly restoreObjects?: () => Promise<void>;
  /**
   * Called after the store has restored refs that another program had moved. `repaired` is the number of restored refs, and
   * `lost` the number of refs whose objects are missing.
   */
  readonly onRepair?: (repaired: number, lost: number) => void;
  /** The note of an unfinished transaction, in a directory of checkpointd. */
  readonly intentFile: string;
  /** True when moved refs have to survive a power cut, so that the store also syncs the directories of the refs. */
  readonly durable: boolean;
  /**
   * True when the daemon has to sync the ref files, because this version of git cannot. Without a sync, a ref may be
   * empty after a power cut.
   */
  readonly syncsFiles: boolean;
  /**
   * True when the store makes new refs without git, because only checkpointd makes refs, and no ref has to be synced.
   */
  readonly isAlone?: boolean;
}

// When the refs are opened, reads them without starting git. Git reports a ref as broken when the ref's object is
// missing. So the store asks git about an object, unless the object is loose or is certainly in a pack.

/** The maximum number of objects to check. Checking more objects takes as long as starting a process. */
const looseMax = 1000;

/** Returns the refs when each ref is plain and its object exists. Returns undefined when the caller has to ask git. */
function plainRefs(
  { objects, prefixes, packed }: RefStoreOptions,
  refsIn: string,
): Map<string, string> | undefined {
  if (objects === undefined) return undefined;
  return attempt(isRefused, () => {
    const refs = refsInFiles(refsIn, prefixes);
    const known = packed?.();
    const ids = [...new Set(refs.values())].filter((id) => known?.has(id) !== true);
    if (ids.length > looseMax) return undefined;
    for (const id of ids) if (!isLoose(objects, id)) return undefined;
    return refs;
  });
}

const isRefused = (error: unknown): boolean => error instanceof UnreadableRefs || isOfSystem(error);

/** True when a listing shows that every ref has the new value of its change. */
function areAt(where: RefPlace, changes: readonly RefChange[]): Promise<boolean> {
  return attemptAsyncOr(false, isExpected, async () => {
    const { refs } = await listRefs(where);
    return changes.every(({ ref, to }) => refs.get(ref) === to);
  });
}

interface Failure {
  readonly error: unknown;
}

async function failureOf(step: () => void | Promise<void>): Promise<Failure | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    return { error };
  }
}

// Turns the failure of a ref transaction into an error. The error says in which state the refs are, and what to do.
// This part moves no ref.

/**
 * Returns the error for refs that may or may not have changed, because git or the disk failed after git had started to
 * write. Then the check or the undo failed with `second`.
 */
function unknownOutcome(error: unknown, second: unknown): CheckpointdError {
  const why = error instanceof Error ? error.message : String(error);
  return new CheckpointdError(
    'StoreUnavailable',
    `The refs of the checkpoint store could not be changed, and a partial change could not be reversed yet: ${why} Remove the cause; the daemon reverses the partial change before the next change of this session.`,
    { effects: 'unknown', cause: new AggregateError([error, second], why) },
  );
}

/** Returns the error for refs that another program moved. The store has changed nothing. */
function movedByOthers(changes: readonly RefChange[], cause: unknown): CheckpointdError {
  const refs = changes.map(({ ref }) => ref);
  return new CheckpointdError(
    'StoreCorrupt',
    `The ref ${refs[0]} of the checkpoint store was changed by another program. Open the session again.`,
    { details: { refs }, cause },
  );
}

/**
 * If git could not write the refs in `directory` because it had no permission, throws an error that says what to do.
 * Throws all other errors unchanged.
 */
export function throwRefused(error: unknown, directory: string): never {
  if (!isKind('GitFailed')(error)) throw error;
  if (!/Permission denied|Read-only file system|unable to create directory/.test(error.message)) throw error;
  throw new CheckpointdError(
    'ReadOnlyStore',
    `The refs in ${directory} cannot be written: ${error.message} Make this user the owner of "refs" and "packed-refs" there (sudo chown -R "$USER"), or use the strategy "shadow". Nothing was changed.`,
    { details: { path: directory }, cause: error },
  );
}

/**
 * The note of a transaction, which is written before the transaction. If the process is killed, the next process that
 * opens the refs reads the note.
 */
class TransactionNote {
  readonly #file: string;
  readonly #durable: boolean;
  /** True when the note of a finished transaction could not be removed. */
  #isOld = false;

  constructor({ intentFile, durable }: Pick<RefStoreOptions, 'intentFile' | 'durable'>) {
    this.#file = intentFile;
    this.#durable = durable;
  }

  read(): RefChange[] | 'damaged' | undefined {
    const text = attempt(isMissing, () => files.readFileSync(this.#file, 'utf8'));
    if (text === undefined) return undefined;
    const read = parseJson(text);
    // Earlier versions wrote a note with only the list of changes.
    const changes: unknown = Array.isArray(read) ? read : intactChanges(read);
    if (!Array.isArray(changes) || !changes.every(isNotedChange)) return 'damaged';
    return changes.map(({ ref, to }) => ({ ref, to: to ?? undefined }));
  }

  /** Renames a damaged note, and returns the new path. */
  setAside(): string {
    const aside = `${this.#file}.damaged-${randomBytes(6).toString('hex')}`;
    files.renameSync(this.#file, aside);
    return aside;
  }

  /** Writes the note. If the write fails, removes the note, so that the next opening does not repeat the transaction. */
  begin(changes: readonly RefChange[]): void {
    try {
      this.write(changes, this.#durable);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  write(changes: readonly RefChange[], durable: boolean): void {
    const noted = changes.map(({ ref, to }) => ({ ref, to: to ?? null }));
    writeAtomically(this.#file, JSON.stringify(withSum({ changes: noted })), { durable });
  }

  /**
   * Removes the note of a finished transaction. If this fails, the transaction has still succeeded, because the refs
   * have moved. {@link removeOld} tries again before the next transaction. Otherwise the next opening would repeat the
   * transaction and overwrite later changes.
   */
  end(): void {
    try {
      this.remove();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.#isOld = true;
    }
  }

  removeOld(): void {
    if (this.#isOld) this.remove();
  }

  remove(): void {
    files.rmSync(this.#file, { force: true });
    this.#isOld = false;
  }
}

function intactChanges(read: unknown): unknown {
  if (!isObject(read) || !('changes' in read)) return undefined;
  return isIntact(read) ? read.changes : undefined;
}

function isNotedChange(value: unknown): value is { readonly ref: string; readonly to: string | null } {
  if (!isObject(value) || !('ref' in value) || !('to' in value)) return false;
  const { ref, to } = value;
  return (
    typeof ref === 'string' &&
    /^refs\/[\w./-]+$/.test(ref) &&
    (to === null || (typeof to === 'string' && isObjectId(to)))
  );
}

// The form of a transaction for `git update-ref --stdin -z`, and git's answer.

const noObject = '0'.repeat(40);

/**
 * Encodes all changes as one transaction. `oldValue` is the value that the ref must have. When undefined, the ref must
 * not exist. When '', the ref may have any value.
 */
function transactionOf(changes: readonly RefChange[], oldValue: (ref: string) => string | undefined): Buffer {
  let text = 'start\0';
  for (const { ref, to } of changes) {
    const old = oldValue(ref);
    if (to === undefined) text += `delete ${ref}\0${old ?? ''}\0`;
    else text += `update ${ref}\0${to}\0${old ?? noObject}\0`;
  }
  return Buffer.from(`${text}prepare\0commit\0`, 'latin1');
}

/** Asserts that the name of each ref has a prefix of the daemon, because git would accept any name. */
function assertOurs(changes: readonly RefChange[], prefixes: readonly string[]): void {
  for (const { ref, to } of changes) {
    invariant(
      prefixes.some((prefix) => ref.startsWith(prefix)),
      `the daemon would change the ref ${ref}, but this ref does not belong to the daemon`,
    );
    invariant(
      /^[\w./-]+$/.test(ref) && (to === undefined || isObjectId(to)),
      `the ref ${ref} has an invalid name or object id`,
    );
  }
}

/** Parses `start: ok`, `prepare: ok`, `commit: ok`. */
const takeCommitted: TakeAnswer<true> = (received) => {
  const expected = 'start: ok\nprepare: ok\ncommit: ok\n';
  if (received.length < expected.length) return expected.length;
  gitAnswered(
    received.toString('latin1', 0, expected.length) === expected,
    'update-ref did not confirm each step with ok',
  );
  return { value: true, length: expected.length };
};

/**
 * True when the changes need a note. A change of a single ref needs no note, because it is one atomic rename. A removal
 * needs a note, because it rewrites `packed-refs`, and a killed git would leave the lock of this file.
 */
function needsNote(changes: readonly RefChange[]): boolean {
  return changes.length > 1 || changes.some(({ to }) => to === undefined);
}
