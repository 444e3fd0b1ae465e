// One owner a session: the kernel-held lock proves it, owner.json tells others who it is. A sign of life every
// minute lets a process that cannot see our pid (another container) judge by time. It decides nothing about what
// an ownerless session is worth: that is sweep.ts.
import { writeAtomically } from '../base/atomic-file.ts';
import { isSameDirectory, type Standing, standingAt } from '../base/directory-identity.ts';
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

/** The ownership of a session directory by this process. */
export class SessionOwner {
  readonly #directory: SessionDirectory;
  readonly #lock: ProcessLock;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #claimed: Standing;

  private constructor(directory: SessionDirectory, lock: ProcessLock) {
    this.#directory = directory;
    this.#claimed = standingAt(directory.root);
    this.#lock = lock;
    this.#heartbeat = setInterval(() => touch(directory.ownerFile), heartbeatMs);
    this.#heartbeat.unref();
  }

  /**
   * Claims the directory, or returns the holder that has it.
   *
   * The lock goes by the storage and the session's id, not by the directory, so it is held before there is one:
   * `prepare` makes it, and nobody can rename it away in between. Whatever `prepare` throws gives the lock back.
   */
  static async claim(
    directory: SessionDirectory,
    prepare: () => void = () => undefined,
  ): Promise<SessionOwner | Holder> {
    const { dev, ino } = files.statSync(directory.storage, { bigint: true });
    const lock = await takeProcessLock(`session ${directory.session} in ${dev}:${ino}`, directory.lockFile);
    try {
      const previous = readOwner(directory.ownerFile);
      if (lock === undefined) return previous?.holder ?? { pid: -1, host: 'unknown' };
      if (previous !== undefined && isLive(previous)) {
        lock.release();
        return previous.holder;
      }
      prepare();
      writeAtomically(directory.ownerFile, JSON.stringify(describeSelf()));
    } catch (error) {
      lock?.release();
      throw error;
    }
    return new SessionOwner(directory, lock);
  }

  /** Gives the session up; the lock is free for the next one at once. */
  release(): void {
    clearInterval(this.#heartbeat);
    try {
      // Who cannot see our lock (another container) need not wait for our silence.
      if (this.#isStillThere())
        writeAtomically(this.#directory.ownerFile, JSON.stringify({ ...describeSelf(), released: true }));
    } catch (error) {
      if (systemCode(error) === undefined) throw error; // a full or lost disk must not keep the lock
    } finally {
      this.#lock.release();
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

/** The error for a second opener. */
export function busy(holder: Holder): CheckpointdError {
  const who = holder.pid > 0 ? `process ${holder.pid} on ${holder.host}` : 'another process';
  return new CheckpointdError(
    'StoreBusy',
    `This session is open in ${who}. Close it there, or use another conversationId.`,
    {
      details: { pid: holder.pid, host: holder.host },
      retryable: true,
    },
  );
}

/** When the owner of a session directory last showed a sign of life, in ms since 1970; undefined if it never had one. */
export function lastSignOfLife(directory: SessionDirectory): number | undefined {
  return readOwner(directory.ownerFile)?.seenMs;
}

interface Owner {
  readonly holder: Holder;
  readonly released: boolean;
  readonly seenMs: number;
}

function readOwner(file: string): Owner | undefined {
  try {
    const holder = parseHolder(files.readFileSync(file, 'utf8'));
    // It is renamed into place, so only a power cut leaves one that cannot be read: its writer is dead.
    const released = holder.host === '' || ('released' in holder && holder.released === true);
    // Whole milliseconds, as Date.now() counts: with the fraction a file of this millisecond lies in the future.
    return { holder, released, seenMs: Math.floor(files.statSync(file).mtimeMs) };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The lock was free, so the holder is dead, or is this process, which released it. Yet another network namespace
 * has locks of its own: a pid that lives with the same start time counts, and one that cannot be seen counts while
 * it gives signs of life.
 */
function isLive({ holder, released, seenMs }: Owner): boolean {
  if (released) return false;
  const state = holderState(holder);
  if (state === 'alive') return holder.pid !== process.pid;
  return state === 'unknown' && Date.now() - seenMs < silenceMsMax;
}

function touch(file: string): void {
  const now = new Date();
  try {
    files.lutimesSync(file, now, now);
  } catch (error) {
    // Removed by hand, or the disk went away: the next operation of the session says so. A timer that throws would
    // end the daemon instead.
    if (systemCode(error) === undefined) throw error;
  }
}
