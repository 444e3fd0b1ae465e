// Gives a session one owner. Two kernel locks prove the ownership: a name, for processes of the same network
// namespace, and the session's directory, for every process of this machine. The file owner.json names the owner and
// counts the owners. A process that was suspended for long reads there that another process took over, and writes
// nothing more. When the directory cannot be locked, the owner renews a heartbeat every minute. Processes that cannot
// see the owner judge by the age of the heartbeat. This file does not decide what happens to a session without an
// owner: end.ts does.
import { setTimeout as delay } from 'node:timers/promises';
import { writeAtomically } from '../base/atomic-file.ts';
import { attempt, attemptOr, hasCode, isMissing, isOfSystem } from '../base/attempt.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import { isSameDirectory, type Standing, standingAt } from '../base/directory-identity.ts';
import { type DirectoryLock, lockDirectory } from '../base/directory-lock.ts';
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import {
  describeSelf,
  type Holder,
  holderState,
  type ProcessLock,
  parseHolder,
  takeProcessLock,
} from '../base/process-lock.ts';
import type { SessionDirectory } from './directory.ts';

const heartbeatMs = 60_000;
/** A holder that cannot be seen and had no heartbeat for this long counts as dead. */
const silenceMsMax = 10 * heartbeatMs;

/** The fields of owner.json besides the holder. */
interface OwnerNote extends Holder {
  /** The number of owners that the session has had. */
  readonly generation?: number;
  /** True when the holder has the directory's lock: a process that gets the lock knows that the holder is gone. */
  readonly locked?: boolean;
  readonly released?: boolean;
  /** The socket on which the owner accepts further clients of the same user. */
  readonly socket?: string;
  /** True when the owner closes the session for another process that claims it, unless a client has it open. */
  readonly yields?: boolean;
}

/** The fields of `owner.json` by which other processes reach the owner, or get the session from it. */
export type OwnerTerms = Pick<OwnerNote, 'socket' | 'yields'>;

export interface ClaimOptions {
  /** Fills the directory once the first lock is taken. */
  readonly prepare?: () => void;
  /** Undoes `prepare`. */
  readonly undo?: () => void;
  readonly terms?: OwnerTerms;
}

/** How long a claim waits for an owner that yields: a client may have the session open for one request. */
const yieldMs = 5000;
const askAgainMs = 20;

interface Locks {
  readonly name: ProcessLock;
  readonly directory: DirectoryLock;
}

/** The ownership of a session directory by this process. */
export class SessionOwner {
  readonly #directory: SessionDirectory;
  readonly #locks: Locks;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #claimed: Standing;
  readonly #note: OwnerNote;
  #noteStamp: string | undefined;
  /**
   * True when the former owner counted as dead because it was silent: it may wake up and still have the old files
   * open.
   */
  readonly tookOverSilent: boolean;

  private constructor(
    directory: SessionDirectory,
    locks: Locks,
    previous: Owner | undefined,
    terms: OwnerTerms,
  ) {
    this.#directory = directory;
    this.#claimed = standingAt(directory.root);
    this.#locks = locks;
    this.tookOverSilent = previous !== undefined && !previous.note.released && isUnseen(previous, locks);
    const generation = (previous?.note.generation ?? 0) + 1;
    this.#note = {
      ...describeSelf(),
      generation,
      locked: locks.directory.is === 'locked',
      ...terms,
    };
    writeAtomically(directory.ownerFile, noteText(this.#note));
    files.rmSync(directory.wantedFile, { force: true }); // its writer may have been killed
    this.#noteStamp = stampOf(directory.ownerFile);
    this.#heartbeat = setInterval(() => touch(directory.ownerFile), heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Claims the directory. Returns the holder when another process has it and does not yield it. */
  static async claim(
    directory: SessionDirectory,
    options: ClaimOptions = {},
  ): Promise<SessionOwner | Holder> {
    const first = await SessionOwner.#claimNow(directory, options);
    if (first instanceof SessionOwner || first.yields !== true || first.pid === process.pid) return first;
    const endMs = performance.now() + yieldMs;
    try {
      for (;;) {
        files.writeFileSync(directory.wantedFile, ''); // at every attempt, because another process that claims the session removes the file
        await delay(askAgainMs);
        const claimed = await SessionOwner.#claimNow(directory, options);
        if (claimed instanceof SessionOwner || performance.now() > endMs) return claimed;
      }
    } finally {
      files.rmSync(directory.wantedFile, { force: true });
    }
  }

  /**
   * Claims the directory without waiting. The first lock depends only on the storage and the session's id, so it is
   * taken before the directory exists. `prepare` then fills the directory, and no process can rename it away in
   * between. When `prepare` or a later step throws, the locks are released and `undo` runs.
   */
  static async #claimNow(
    directory: SessionDirectory,
    { prepare, undo, terms = {} }: ClaimOptions,
  ): Promise<SessionOwner | OwnerNote> {
    const { dev, ino } = files.statSync(directory.storage, { bigint: true });
    const name = await takeProcessLock(`session ${directory.session} in ${dev}:${ino}`, directory.lockFile);
    if (name === undefined) return holderIn(directory);
    let lock: DirectoryLock | undefined;
    try {
      if (prepare !== undefined) directory.makeRoot();
      lock = await lockInPlace(directory.root);
      const previous = readOwner(directory.ownerFile);
      if (lock.is === 'busy' || (previous !== undefined && isLive(previous, { name, directory: lock }))) {
        release({ name, directory: lock });
        return holderIn(directory);
      }
      prepare?.();
      return new SessionOwner(directory, { name, directory: lock }, previous, terms);
    } catch (error) {
      try {
        undo?.();
        if (prepare !== undefined) directory.removeEmptyRoot();
      } finally {
        release({ name, directory: lock });
      }
      throw error;
    }
  }

  /** Why the directory could not be locked in the file system. Undefined when it is locked. */
  get unlocked(): string | undefined {
    const { directory } = this.#locks;
    return directory.is === 'unavailable' ? directory.because : undefined;
  }

  /**
   * Checks the ownership. Call it before every write to the session. @throws StoreUnavailable when another process
   * took over
   */
  mustHold(): void {
    if (this.holds()) return;
    throw new CheckpointdError(
      'StoreUnavailable',
      `Another checkpointd has taken over this session while this one was suspended. Nothing was written. Close the session here, and open it again where you need it.`,
      { details: { session: this.#directory.session } },
    );
  }

  /** True when no other process has claimed the session since. A note that a user deletes by hand changes nothing. */
  holds(): boolean {
    const stamp = stampOf(this.#directory.ownerFile);
    if (stamp === this.#noteStamp || stamp === undefined) return true;
    const now = readOwner(this.#directory.ownerFile)?.note;
    if (now !== undefined && (now.generation !== this.#note.generation || now.pid !== this.#note.pid))
      return false;
    this.#noteStamp = stamp;
    return true;
  }

  /** Gives the session up. The locks are free at once. */
  release(): void {
    clearInterval(this.#heartbeat);
    try {
      // Marks the note, so that a process that cannot see our locks need not wait until the heartbeat is old.
      if (this.#isStillThere() && this.holds())
        writeAtomically(
          this.#directory.ownerFile,
          noteText({ ...this.#note, socket: undefined, yields: undefined, released: true }),
        );
    } catch (error) {
      if (systemCode(error) === undefined) throw error; // a full or lost disk must not keep the lock
    } finally {
      release(this.#locks);
    }
  }

  /** True when the directory is still at its path, and no other directory has replaced it. */
  #isStillThere(): boolean {
    const now = standingAt(this.#directory.root);
    if (now.is !== 'directory' || this.#claimed.is !== 'directory') return false;
    return (
      isSameDirectory(now.identity, this.#claimed.identity) &&
      standingAt(this.#directory.own).is === 'directory'
    );
  }
}

function release({ name, directory }: { name: ProcessLock; directory: DirectoryLock | undefined }): void {
  if (directory?.is === 'locked') directory.release();
  name.release();
}

function holderIn(directory: SessionDirectory): OwnerNote {
  return readOwner(directory.ownerFile)?.note ?? { pid: -1, host: 'unknown' };
}

/** Locks the directory at the path, and tries again when the directory was renamed away meanwhile. */
async function lockInPlace(root: string): Promise<DirectoryLock> {
  for (;;) {
    const before = standingAt(root);
    if (before.is !== 'directory') return { is: 'unavailable', because: 'the directory does not exist yet' };
    const lock = await lockDirectory(root);
    if (lock.is !== 'locked') return lock;
    let isSame = false;
    try {
      const after = standingAt(root);
      isSame = after.is === 'directory' && isSameDirectory(before.identity, after.identity);
    } catch (error) {
      lock.release();
      throw error;
    }
    if (isSame) return lock;
    lock.release();
  }
}

/** Returns the error for a second opener. */
export function busy(holder: Holder): CheckpointdError {
  const who = holder.pid > 0 ? `process ${holder.pid} on ${holder.host}` : 'another process';
  return new CheckpointdError(
    'StoreBusy',
    `This session is open in ${who}. Close it there, or use another conversationId.`,
    {
      details: { holder: { pid: holder.pid, host: holder.host }, pid: holder.pid, host: holder.host },
      retryable: true,
    },
  );
}

/** Returns the time of the last owner's latest heartbeat in ms since 1970, or undefined if there was no owner. */
export function lastSignOfLife(directory: SessionDirectory): number | undefined {
  return readOwner(directory.ownerFile)?.seenMs;
}

/** Returns an id of the last owner's note when the session was closed in order, otherwise undefined. */
export function closedInOrder({ ownerFile }: SessionDirectory): string | undefined {
  const stamp = stampOf(ownerFile);
  const note = readOwner(ownerFile)?.note;
  return note?.released === true && note.pid > 0 ? stamp : undefined;
}

/** Returns the id of another, living process that has the session open. */
export function otherHolder(directory: SessionDirectory): number | undefined {
  const note = readOwner(directory.ownerFile)?.note;
  if (note === undefined || note.released === true || note.pid === process.pid) return undefined;
  return holderState(note) === 'alive' ? note.pid : undefined;
}

interface Owner {
  readonly note: OwnerNote;
  readonly seenMs: number;
}

const unknownHolder: OwnerNote = { pid: -1, host: '' };

function noteText(note: object): string {
  return JSON.stringify(withSum(note));
}

function readOwner(file: string): Owner | undefined {
  return attempt(isMissing, () => {
    const holder: OwnerNote = parseHolder(files.readFileSync(file, 'utf8'));
    // The note is renamed into place, so only a power cut or a failing disk leaves an unreadable one. The
    // writer of such a file then counts as dead, which the locks prove.
    const isUnreadable = holder.host === '' || !isIntact(holder);
    const note = {
      ...(isUnreadable ? unknownHolder : holder),
      released: isUnreadable || holder.released === true,
    };
    // Whole milliseconds, as Date.now() counts. With the fraction, a file of this millisecond would be in the future.
    return { note, seenMs: Math.floor(files.statSync(file).mtimeMs) };
  });
}

/**
 * True when the holder may be alive although both locks were free. A holder that had locked the directory is
 * gone then. A holder without that lock (no flock(1), another version) may run where we cannot see its name.
 * Such a holder counts as alive when its pid has the recorded start time, or when it cannot be seen but has a
 * recent heartbeat.
 */
function isLive({ note, seenMs }: Owner, locks: Locks): boolean {
  if (note.released === true || isProven(note, locks)) return false;
  const state = holderState(note);
  if (state === 'alive') return note.pid !== process.pid;
  return state === 'unknown' && Date.now() - seenMs < silenceMsMax;
}

/** True when only the age of the heartbeat shows whether the holder is alive. */
function isUnseen({ note }: Owner, locks: Locks): boolean {
  return holderState(note) === 'unknown' && !isProven(note, locks);
}

/**
 * True when the holder had the lock that we have now, under the same running kernel. A network disk may have one lock
 * per machine.
 */
function isProven(note: OwnerNote, { directory }: Locks): boolean {
  return directory.is === 'locked' && note.locked === true && note.bootId === describeSelf().bootId;
}

/** Returns a stamp that changes with every claim, because each claim renames a new file into place. */
function stampOf(file: string): string | undefined {
  const stats = files.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}:${stats.birthtimeNs}:${stats.size}`;
}

function touch(file: string): void {
  const now = new Date();
  // The file was removed by hand, or the disk is gone. The next operation of the session reports the loss. An
  // error thrown in a timer would end the daemon.
  attempt(isOfSystem, () => files.lutimesSync(file, now, now));
}

const orphanPatienceMs = 2_000;

/**
 * Kills the git processes that a killed daemon left running in a session directory, and waits until they are
 * gone. The caller owns the session. A process that reads from the daemon ends by itself, but one that works
 * alone (a repack) would continue to write into the repository. Works on Linux only, where /proc shows the
 * working directory of a process. On other systems an orphaned git process runs to its end, and its locks and
 * temporary files are later found to be stale.
 */
export async function endOrphans(directory: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const home = files.realpathSync(directory);
  const deadline = performance.now() + orphanPatienceMs;
  for (;;) {
    const orphans = files
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => isGitIn(pid, home));
    if (orphans.length === 0 || performance.now() > deadline) return;
    for (const pid of orphans) kill(pid);
    await delay(10);
  }
}

/**
 * True when the process is a git that runs in the directory. False when the process is gone, because a killed
 * process has no directory any more.
 */
function isGitIn(pid: string, directory: string): boolean {
  // The process has ended, or belongs to another user.
  return attemptOr(false, isOfSystem, () => {
    if (files.readlinkSync(`/proc/${pid}/cwd`) !== directory) return false;
    return files.readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('git');
  });
}

function kill(pid: string): void {
  attempt(hasCode('ESRCH'), () => process.kill(Number(pid), 'SIGKILL'));
}
