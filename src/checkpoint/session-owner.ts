// One owner a session: the kernel-held lock proves it, owner.json tells others who it is. A sign of life every
// minute lets a process that cannot see our pid (another container) judge by time.
import { writeAtomically } from '../base/atomic-file.ts';
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
import type { SessionDirectory } from './session-directory.ts';

const heartbeatMs = 60_000;
/** A holder that cannot be seen and gave no sign of life for this long is taken for dead. */
const silenceMsMax = 10 * heartbeatMs;

/** The ownership of a session directory by this process. */
export class SessionOwner {
  readonly #lock: ProcessLock;
  readonly #heartbeat: NodeJS.Timeout;

  private constructor(lock: ProcessLock, heartbeat: NodeJS.Timeout) {
    this.#lock = lock;
    this.#heartbeat = heartbeat;
  }

  /** Claims the directory, or returns the holder that has it. */
  static async claim(directory: SessionDirectory): Promise<SessionOwner | Holder> {
    const { dev, ino } = files.statSync(directory.own, { bigint: true });
    const lock = await takeProcessLock(`session ${dev}:${ino}`, directory.lockFile);
    const previous = readOwner(directory.ownerFile);
    if (lock === undefined) return previous?.holder ?? { pid: -1, host: 'unknown' };
    if (previous !== undefined && isLive(previous)) {
      lock.release();
      return previous.holder;
    }
    writeAtomically(directory.ownerFile, JSON.stringify(describeSelf()));
    const heartbeat = setInterval(() => touch(directory.ownerFile), heartbeatMs);
    heartbeat.unref();
    return new SessionOwner(lock, heartbeat);
  }

  /** Gives the session up; the lock is free for the next one at once. */
  release(): void {
    clearInterval(this.#heartbeat);
    this.#lock.release();
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
  readonly seenMs: number;
}

function readOwner(file: string): Owner | undefined {
  try {
    const holder = parseHolder(files.readFileSync(file, 'utf8'));
    return { holder, seenMs: files.statSync(file).mtimeMs };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The lock was free, so a holder that this process can see is dead or is this process, which released it. */
function isLive({ holder, seenMs }: Owner): boolean {
  return holderState(holder) === 'unknown' && Date.now() - seenMs < silenceMsMax;
}

function touch(file: string): void {
  const now = new Date();
  try {
    files.utimesSync(file, now, now);
  } catch (error) {
    // The directory was removed by hand while we own it: the next operation of the session says so.
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
