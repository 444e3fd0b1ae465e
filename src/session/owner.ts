// Gives a session one owner. Two kernel locks prove the ownership. The lock of a name works between processes of the
// same network namespace. The lock of the session's directory works between all processes of this machine. The file
// owner.json names the current owner and counts all owners so far. If a process was suspended for long, another process
// may have taken over. The suspended process then finds the new owner in this file, and stops writing. The owner renews
// a heartbeat every minute. If the directory cannot be locked, a process may be unable to see the owner. The process
// then decides by the age of the heartbeat whether the owner is alive. The file end.ts decides what happens to a
// session without an owner.
import { setTimeout as delay } from 'node:timers/promises';
import { writeAtomically } from '../base/atomic-file.ts';
import { attempt, attemptOr, hasCode, isMissing, isOfSystem } from '../base/attempt.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import { type DirectoryIdentity, directoryAt, isSameDirectory } from '../base/directory-identity.ts';
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
import { storageFailure } from './storage.ts';

const heartbeatMs = 60_000;
/** An owner that this process cannot see counts as dead when its last heartbeat is at least this old (in ms). */
const silenceMsMax = 10 * heartbeatMs;

/** The content of owner.json: the process that owns the session (the holder), and some more fields. */
interface OwnerNote extends Holder {
  /** The number of owners that the session has had. */
  readonly generation?: number;
  /**
   * True when the holder has locked the directory. A process that later gets this lock knows that the holder is gone.
   */
  readonly locked?: boolean;
  readonly released?: boolean;
  /** The socket on which the owner accepts further clients of the same user. */
  readonly socket?: string | undefined;
  /** True when another process may claim the session: the owner closes the session, unless a client has opened it. */
  readonly yields?: boolean | undefined;
}

/** The fields of `owner.json` that tell other processes how to reach the owner, and whether it yields the session. */
export type OwnerTerms = Pick<OwnerNote, 'socket' | 'yields'>;

interface ClaimOptions {
  /** Fills the directory with files. Called after the locks were taken. */
  readonly prepare?: () => void;
  /** Undoes `prepare`. */
  readonly undo?: () => void;
  readonly terms?: OwnerTerms;
}

/**
 * The time in ms for which a claim waits until the owner yields the session. During this time, a client may still have
 * the session open for one request.
 */
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
  readonly #claimed: DirectoryIdentity | undefined;
  #note: OwnerNote;
  #noteStamp: string | undefined;
  /**
   * True when the former owner counted as dead because of an old heartbeat. The former owner may be only
   * suspended, and still have the old files open.
   */
  readonly tookOverSilent: boolean;

  private constructor(
    directory: SessionDirectory,
    locks: Locks,
    former: { readonly generation: number; readonly isSilent: boolean },
    terms: OwnerTerms,
  ) {
    this.#directory = directory;
    this.#claimed = directoryAt(directory.root);
    this.#locks = locks;
    this.tookOverSilent = former.isSilent;
    this.#note = {
      ...describeSelf(),
      generation: former.generation + 1,
      locked: locks.directory.is === 'locked',
      ...terms,
    };
    this.#writeNote();
    files.rmSync(directory.wantedFile, { force: true }); // a killed process may have left the file behind
    this.#heartbeat = setInterval(() => touch(directory.ownerFile), heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Claims the directory. Returns the holder when another process has the session and does not yield it. */
  static async claim(
    directory: SessionDirectory,
    options: ClaimOptions = {},
  ): Promise<SessionOwner | Holder> {
    const first = await SessionOwner.#claimNow(directory, options);
    if (first instanceof SessionOwner || first.yields !== true || first.pid === process.pid) return first;
    const endMs = performance.now() + yieldMs;
    try {
      for (;;) {
        // Writes the file again at every attempt, because every process that becomes the owner removes the file.
        files.writeFileSync(directory.wantedFile, '');
        await delay(askAgainMs);
        const claimed = await SessionOwner.#claimNow(directory, options);
        if (claimed instanceof SessionOwner || performance.now() > endMs) return claimed;
      }
    } finally {
      files.rmSync(directory.wantedFile, { force: true });
    }
  }

  /** Claims the directory. @throws StoreBusy when another process has the session, ReadOnlyStore, NoSpace */
  static async require(directory: SessionDirectory, options: ClaimOptions): Promise<SessionOwner> {
    try {
      const owner = await SessionOwner.claim(directory, options);
      if (owner instanceof SessionOwner) return owner;
      throw busy(owner);
    } catch (error) {
      throw storageFailure(directory.storage, error);
    }
  }

  /**
   * Claims the directory without waiting. The first lock depends only on the storage and the session's id, so it can be
   * taken before the directory exists. Then `prepare` fills the directory. Until `prepare` has ended, the locks prevent
   * other processes from renaming the directory away. When `prepare` or a later step throws, runs `undo` and releases
   * the locks.
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
      const locks = { name, directory: lock };
      const previous = readOwner(directory.ownerFile);
      const state = previous === undefined ? 'gone' : stateOf(previous, locks);
      if (lock.is === 'busy' || state === 'alive') {
        release(locks);
        return holderIn(directory);
      }
      prepare?.();
      const former = { generation: previous?.note.generation ?? 0, isSilent: state === 'silent' };
      return new SessionOwner(directory, locks, former, terms);
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

  /** Replaces the terms for other processes that claim the session. */
  changeTerms(terms: OwnerTerms): void {
    this.requireOwner();
    this.#note = { ...this.#note, ...terms };
    this.#writeNote();
  }

  #writeNote(): void {
    writeAtomically(this.#directory.ownerFile, JSON.stringify(withSum(this.#note)));
    this.#noteStamp = stampOf(this.#directory.ownerFile);
  }

  /** The reason why the directory could not be locked. Undefined when the directory is locked. */
  get unlocked(): string | undefined {
    const { directory } = this.#locks;
    return directory.is === 'unavailable' ? directory.because : undefined;
  }

  /**
   * Checks that this process still owns the session. Call this method before every write to the session.
   * @throws StoreUnavailable when another process took over
   */
  requireOwner(): void {
    if (this.isOwner()) return;
    throw new CheckpointdError(
      'StoreUnavailable',
      `Another daemon took over this session while this daemon was suspended. Nothing was written. Close the session in this client, and open the session again where you need it.`,
      { details: { session: this.#directory.session } },
    );
  }

  /**
   * True when no other process has claimed the session since this process did. Also true if a user deleted owner.json
   * by hand.
   */
  isOwner(): boolean {
    const stamp = stampOf(this.#directory.ownerFile);
    if (stamp === this.#noteStamp || stamp === undefined) return true;
    const now = readOwner(this.#directory.ownerFile)?.note;
    if (now !== undefined && (now.generation !== this.#note.generation || now.pid !== this.#note.pid))
      return false;
    this.#noteStamp = stamp;
    return true;
  }

  /** Gives up the session, and releases the locks at once. */
  release(): void {
    clearInterval(this.#heartbeat);
    try {
      // Marks the session as released in owner.json. A process that cannot see the locks then need not wait until the
      // heartbeat is old.
      if (!this.#isStillThere() || !this.isOwner()) return;
      this.#note = { ...this.#note, socket: undefined, yields: undefined, released: true };
      this.#writeNote();
    } catch (error) {
      if (systemCode(error) === undefined) throw error; // a full or lost disk must not prevent the release of the locks
    } finally {
      release(this.#locks);
    }
  }

  /** True when the session's directory is still at its path, and no other directory has replaced it. */
  #isStillThere(): boolean {
    const { root, own } = this.#directory;
    return isSameDirectory(directoryAt(root), this.#claimed) && directoryAt(own) !== undefined;
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
    const before = directoryAt(root);
    if (before === undefined) return { is: 'unavailable', because: 'the directory does not exist yet' };
    const lock = await lockDirectory(root);
    if (lock.is !== 'locked') return lock;
    let isSame = false;
    try {
      isSame = isSameDirectory(before, directoryAt(root));
    } finally {
      if (!isSame) lock.release();
    }
    if (isSame) return lock;
  }
}

/** Returns the error for a client that opens a session of another process. */
export function busy(holder: Holder): CheckpointdError {
  const who = holder.pid > 0 ? `process ${holder.pid} on ${holder.host}` : 'another process';
  return new CheckpointdError(
    'StoreBusy',
    `This session is open in ${who}. Close the session in that process, or use another conversationId.`,
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

/** Returns the stamp of the last owner's owner.json if the session was closed properly, and undefined otherwise. */
export function closedInOrder({ ownerFile }: SessionDirectory): string | undefined {
  const stamp = stampOf(ownerFile);
  const note = readOwner(ownerFile)?.note;
  return note?.released === true && note.pid > 0 ? stamp : undefined;
}

/** Returns the process id of another, living process that has the session open, if there is one. */
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

function readOwner(file: string): Owner | undefined {
  return attempt(isMissing, () => {
    const holder: OwnerNote = parseHolder(files.readFileSync(file, 'utf8'));
    // owner.json is renamed into place, so only a power cut or a failing disk can make it unreadable. In this case the
    // owner counts as dead, because its locks are free.
    const isUnreadable = holder.host === '' || !isIntact(holder);
    const note = {
      ...(isUnreadable ? unknownHolder : holder),
      released: isUnreadable || holder.released === true,
    };
    // Rounds down to whole milliseconds, as Date.now() counts. With a fraction, a file that was written in
    // this millisecond would seem to come from the future.
    return { note, seenMs: Math.floor(files.statSync(file).mtimeMs) };
  });
}

/**
 * Returns the state of the former holder, after this process got both locks. If the holder had locked the directory,
 * the holder is gone. A holder that never had this lock (no flock(1), another version) may still run: its lock on the
 * name may be invisible to this process. Such a holder counts as alive when the process with its pid has the recorded
 * start time. If this process cannot see the holder at all, a recent heartbeat counts as a sign of life. A holder whose
 * heartbeat is old counts as `silent`.
 */
function stateOf({ note, seenMs }: Owner, locks: Locks): 'gone' | 'alive' | 'silent' {
  if (note.released === true || isGone(note, locks)) return 'gone';
  const state = holderState(note);
  if (state === 'unknown') return Date.now() - seenMs < silenceMsMax ? 'alive' : 'silent';
  return state === 'alive' && note.pid !== process.pid ? 'alive' : 'gone';
}

/**
 * True when the holder had a lock on the directory, this process now has the lock, and the kernel has not restarted
 * since. This proves that the holder is gone. On another machine the lock proves nothing, because a network disk may
 * have separate locks for each machine.
 */
function isGone(note: OwnerNote, { directory }: Locks): boolean {
  return directory.is === 'locked' && note.locked === true && note.bootId === describeSelf().bootId;
}

/** Returns a stamp of the file. Each claim renames a new file into place, so the stamp changes with every claim. */
function stampOf(file: string): string | undefined {
  const stats = files.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}:${stats.birthtimeNs}:${stats.size}`;
}

function touch(file: string): void {
  const now = new Date();
  // Ignores an error, because an error in a timer would end the daemon. If the file or the disk is gone, the next
  // operation of the session will report it.
  attempt(isOfSystem, () => files.lutimesSync(file, now, now));
}

const orphanPatienceMs = 2_000;

/**
 * Kills the git processes that a killed daemon left running in a session directory, and waits until they are gone. The
 * caller must own the session. A git process that reads from the daemon ends by itself. But a git process that needs no
 * daemon (such as a repack) would continue to write into the repository. Works on Linux only, where /proc shows the
 * working directory of a process. On other systems an orphaned git process runs to its end. If this process leaves
 * locks or temporary files, they are later treated as stale.
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

/** True when the process is a git process that runs in the directory. */
function isGitIn(pid: string, directory: string): boolean {
  // Returns false when the process has ended, or belongs to another user.
  return attemptOr(false, isOfSystem, () => {
    if (files.readlinkSync(`/proc/${pid}/cwd`) !== directory) return false;
    return files.readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('git');
  });
}

function kill(pid: string): void {
  attempt(hasCode('ESRCH'), () => process.kill(Number(pid), 'SIGKILL'));
}
