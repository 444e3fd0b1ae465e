// One owner a session. Two locks that the kernel holds prove it: a name, for who shares our network namespace, and the
// session's directory, for every process of this machine. owner.json says who it is, and counts its owners: a process
// that was stopped for long sees that another took over, and writes nothing more. Where the directory cannot be
// locked, a sign of life every minute lets who cannot see our process judge by time. It decides nothing about what an
// ownerless session is worth: that is end.ts.
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
/** A holder that cannot be seen and gave no sign of life for this long is taken for dead. */
const silenceMsMax = 10 * heartbeatMs;

/** The fields of owner.json beside the holder. */
interface OwnerNote extends Holder {
  /** Counts the owners of the session. */
  readonly generation?: number;
  /** The holder holds the directory's lock: the process that gets it knows that this one is gone. */
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
  /** Fills the directory once the first lock is held. */
  readonly prepare?: () => void;
  /** Takes back what `prepare` did. */
  readonly undo?: () => void;
  readonly terms?: OwnerTerms;
}

/** A claim waits so long for an owner that yields: a client may have the session open for one request. */
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
  /** The one before was taken for dead because it said nothing: it may wake up and hold the old files open. */
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
      locked: locks.directory.is === 'held',
      ...terms,
    };
    writeAtomically(directory.ownerFile, noteText(this.#note));
    files.rmSync(directory.wantedFile, { force: true }); // its writer may have been killed
    this.#noteStamp = stampOf(directory.ownerFile);
    this.#heartbeat = setInterval(() => touch(directory.ownerFile), heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Claims the directory, or returns the holder that has it and does not yield it. */
  static async claim(
    directory: SessionDirectory,
    options: ClaimOptions = {},
  ): Promise<SessionOwner | Holder> {
    const first = await SessionOwner.#claimNow(directory, options);
    if (first instanceof SessionOwner || first.yields !== true || first.pid === process.pid) return first;
    const endMs = performance.now() + yieldMs;
    try {
      for (;;) {
        files.writeFileSync(directory.wantedFile, ''); // each time: another process that wants it removes the file
        await delay(askAgainMs);
        const claimed = await SessionOwner.#claimNow(directory, options);
        if (claimed instanceof SessionOwner || performance.now() > endMs) return claimed;
      }
    } finally {
      files.rmSync(directory.wantedFile, { force: true });
    }
  }

  /**
   * The first lock goes by the storage and the session's id, so it is held before there is a directory: `prepare`
   * fills it, and no process can rename it away in between. Whatever it throws, or what comes after it, gives the locks
   * back; `undo` takes back what it did before that.
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

  /** Why the directory could not be locked in the file system, if it could not. */
  get unlocked(): string | undefined {
    const { directory } = this.#locks;
    return directory.is === 'unavailable' ? directory.because : undefined;
  }

  /** Comes before every write to the session. @throws StoreUnavailable when another process has taken it over */
  mustHold(): void {
    if (this.holds()) return;
    throw new CheckpointdError(
      'StoreUnavailable',
      `Another checkpointd has taken over this session while this one was suspended. Nothing was written. Close the session here, and open it again where you need it.`,
      { details: { session: this.#directory.session } },
    );
  }

  /** True when no other process has claimed the session since. A note removed by hand changes nothing. */
  holds(): boolean {
    const stamp = stampOf(this.#directory.ownerFile);
    if (stamp === this.#noteStamp || stamp === undefined) return true;
    const now = readOwner(this.#directory.ownerFile)?.note;
    if (now !== undefined && (now.generation !== this.#note.generation || now.pid !== this.#note.pid))
      return false;
    this.#noteStamp = stamp;
    return true;
  }

  /** Gives the session up; the locks are free for the next one at once. */
  release(): void {
    clearInterval(this.#heartbeat);
    try {
      // A process that cannot see our locks need not wait for our silence.
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

  /** Not renamed away, and no other in its place. */
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
  if (directory?.is === 'held') directory.release();
  name.release();
}

function holderIn(directory: SessionDirectory): OwnerNote {
  return readOwner(directory.ownerFile)?.note ?? { pid: -1, host: 'unknown' };
}

/** Locks the directory that stands at the path when it is locked: it may be renamed away while we ask. */
async function lockInPlace(root: string): Promise<DirectoryLock> {
  for (;;) {
    const before = standingAt(root);
    if (before.is !== 'directory') return { is: 'unavailable', because: 'the directory does not exist yet' };
    const lock = await lockDirectory(root);
    if (lock.is !== 'held') return lock;
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

/** The error for a second opener. */
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

/**
 * When the owner of a session directory last showed a sign of life, in ms since 1970; undefined if it never
 * had one.
 */
export function lastSignOfLife(directory: SessionDirectory): number | undefined {
  return readOwner(directory.ownerFile)?.seenMs;
}

/** Identifies the note of the last owner of a session that was closed in order; undefined while it is not closed so. */
export function closedInOrder({ ownerFile }: SessionDirectory): string | undefined {
  const stamp = stampOf(ownerFile);
  const note = readOwner(ownerFile)?.note;
  return note?.released === true && note.pid > 0 ? stamp : undefined;
}

/** The process that has a session open, when it is another one and seen to live. */
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
    // It is renamed into place, so only a power cut or a failing disk leaves one that cannot be read: its writer is
    // taken for dead, and the locks prove it.
    const isUnreadable = holder.host === '' || !isIntact(holder);
    const note = {
      ...(isUnreadable ? unknownHolder : holder),
      released: isUnreadable || holder.released === true,
    };
    // Whole milliseconds, as Date.now() counts: with the fraction a file of this millisecond lies in the future.
    return { note, seenMs: Math.floor(files.statSync(file).mtimeMs) };
  });
}

/**
 * Both locks were free. A holder that had locked the directory is gone then, however long it was silent or not; one
 * that had not (no flock(1), another version) may live where its name is not seen: a pid that lives with the same
 * start time counts, and one that cannot be seen counts while it gives signs of life.
 */
function isLive({ note, seenMs }: Owner, locks: Locks): boolean {
  if (note.released === true || isProven(note, locks)) return false;
  const state = holderState(note);
  if (state === 'alive') return note.pid !== process.pid;
  return state === 'unknown' && Date.now() - seenMs < silenceMsMax;
}

/** Only its silence can tell whether it lives. */
function isUnseen({ note }: Owner, locks: Locks): boolean {
  return holderState(note) === 'unknown' && !isProven(note, locks);
}

/** It held the lock that we hold now, on the same running kernel: a network disk may have a lock for each machine. */
function isProven(note: OwnerNote, { directory }: Locks): boolean {
  return directory.is === 'held' && note.locked === true && note.bootId === describeSelf().bootId;
}

/** Tells one note from another without reading it: every claim renames a new file into place. */
function stampOf(file: string): string | undefined {
  const stats = files.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}:${stats.birthtimeNs}:${stats.size}`;
}

function touch(file: string): void {
  const now = new Date();
  // Removed by hand, or the disk went away: the next operation of the session says so. A timer that throws would
  // end the daemon instead.
  attempt(isOfSystem, () => files.lutimesSync(file, now, now));
}

const orphanPatienceMs = 2_000;

/**
 * Kills the git processes that a killed daemon left running in a session directory, and waits until all are
 * gone. The caller owns the session. A process that reads from the daemon ends by itself; one that works on
 * its own (a repack) goes on and would write into the repository. Looks on Linux only, where /proc shows in
 * which directory a process runs; elsewhere such a process runs to its end, and its locks and temporary files
 * are found stale later.
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

/** A killed process has no directory any more, so this also tells when it is gone. */
function isGitIn(pid: string, directory: string): boolean {
  // It has ended, or belongs to another user.
  return attemptOr(false, isOfSystem, () => {
    if (files.readlinkSync(`/proc/${pid}/cwd`) !== directory) return false;
    return files.readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('git');
  });
}

function kill(pid: string): void {
  attempt(hasCode('ESRCH'), () => process.kill(Number(pid), 'SIGKILL'));
}
