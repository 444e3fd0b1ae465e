// A kernel lock on a directory in the file system. The lock works between containers, which do not share
// other names, and ends with the process. Node has no call for it, so flock(1) takes it on our descriptor.
// The lock is advisory: it affects only processes that also take it. The lock never waits.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { attempt, attemptOr, isOfSystem } from './attempt.ts';
import { systemCode } from './errors.ts';
import { constants, files, freeDescriptor, isSameOpened, openToPrepare } from './files.ts';
import { passSeam } from './seam.ts';

export type DirectoryLock =
  | { readonly is: 'locked'; readonly release: () => void }
  /** Another process has the lock. */
  | { readonly is: 'busy' }
  /** This machine has no flock(1), or the file system does not support the lock. */
  | { readonly is: 'unavailable'; readonly because: string };

const commandMsMax = 5_000;

/**
 * Takes the lock of the real directory at `path`. Throws the system's error when there is none. `waiting` takes the
 * lock if it has the same directory and still runs.
 */
export async function lockDirectory(path: string, waiting?: WaitingFlock): Promise<DirectoryLock> {
  if (process.platform === 'win32') return { is: 'unavailable', because: 'there is no flock on this system' };
  let fd = files.openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  let isLocked = false;
  try {
    passSeam('spawn', 'flock');
    let exit: number | null = null;
    if (waiting !== undefined && isSameOpened(fd, waiting.fd)) {
      freeDescriptor(fd);
      fd = waiting.claim();
      exit = await waiting.lock();
    }
    if (exit !== 0 && exit !== 1) exit = await flock(fd);
    isLocked = exit === 0;
    if (isLocked) return { is: 'locked', release: () => freeDescriptor(fd) };
    if (exit === 1) return { is: 'busy' };
    return { is: 'unavailable', because: `flock ended with ${exit}` };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    program = undefined; // flock(1) may have been moved
    return { is: 'unavailable', because: `flock could not be run (${systemCode(error)})` };
  } finally {
    if (!isLocked) freeDescriptor(fd);
  }
}

/** Without a locale flock reads no further files, and starts in half the time. */
const plain = { LC_ALL: 'C' };

/** Returns 0 when the lock was taken, 1 when another process has it, and anything else when flock failed. */
async function flock(fd: number): Promise<number | null> {
  program ??= onPath('flock');
  const child = spawn(program ?? 'flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', fd],
    cwd: '/',
    env: { ...process.env, ...plain },
    timeout: commandMsMax,
    killSignal: 'SIGKILL',
  });
  const [exit] = (await once(child, 'exit')) as [number | null];
  return exit;
}

/** A session at rest has no process. */
const restMsDefault = 20_000;
/** A preparation blocks this process for some milliseconds, so the answer of the present request goes first. */
const delayMs = 50;

/**
 * The lock of one directory. It can be prepared, so that taking it starts no process: in a daemon with a large heap
 * the start alone takes more than ten milliseconds.
 */
export class PreparedLock {
  readonly #path: string;
  readonly #restMs: number;
  #waiting: WaitingFlock | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `restMs`: how long a preparation waits for its use. */
  constructor(path: string, restMs = restMsDefault) {
    this.#path = path;
    this.#restMs = restMs;
  }

  /** The id of the process that waits to take the lock, for tests. */
  get pid(): number | undefined {
    return this.#waiting?.isAlive === true ? this.#waiting.pid : undefined;
  }

  /** Prepares the lock soon. Call it again after each use: a preparation that waits too long for its use ends. */
  prepare(): void {
    if (this.#isClosed || process.platform === 'win32') return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#waiting?.isAlive !== true) this.#waiting = WaitingFlock.start(this.#path);
      this.#timer = setTimeout(() => this.#end(), this.#restMs).unref();
    }, delayMs).unref();
  }

  /** Takes the lock like {@link lockDirectory}, by the prepared process if there is one. */
  async take(): Promise<DirectoryLock> {
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    try {
      return await lockDirectory(this.#path, waiting);
    } finally {
      waiting?.end();
    }
  }

  /** Ends the preparation. Later calls of `prepare` do nothing. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#end();
  }

  #end(): void {
    this.#waiting?.end();
    this.#waiting = undefined;
  }
}

/**
 * A shell that waits for a line and then becomes flock(1), on a descriptor that it shares with this process. When
 * flock has ended, only this process has the lock. When this process dies, the line never comes, and the shell ends.
 */
class WaitingFlock {
  readonly fd: number;
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | null>;
  #isClaimed = false;
  isAlive = true;

  private constructor(fd: number, child: ChildProcess) {
    this.fd = fd;
    this.#child = child;
    this.#exit = new Promise((resolve) => {
      const over = (exit: number | null): void => {
        this.isAlive = false;
        resolve(exit);
      };
      child.once('exit', over);
      child.once('error', () => over(null));
    });
    child.stdin?.on('error', () => undefined); // the shell has ended, and `exit` says so
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
  }

  /** Returns undefined where the lock cannot be prepared. It is then taken without preparation. */
  static start(path: string): WaitingFlock | undefined {
    const name = program;
    const fd = name === undefined ? undefined : attempt(isOfSystem, () => openToPrepare(path));
    if (name === undefined || fd === undefined) return undefined;
    const child = attempt(isOfSystem, () =>
      spawn('/bin/sh', ['-c', 'read -r line || exit 9; exec "$0" -x -n 3', name], {
        stdio: ['pipe', 'ignore', 'ignore', fd],
        cwd: '/',
        env: { ...process.env, ...plain },
      }),
    );
    if (child !== undefined) return new WaitingFlock(fd, child);
    freeDescriptor(fd);
    return undefined;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Hands the descriptor over: the caller frees it. */
  claim(): number {
    this.#isClaimed = true;
    return this.fd;
  }

  /** Has the lock taken. Resolves like {@link flock}. Call it once. */
  async lock(): Promise<number | null> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), commandMsMax);
    this.#child.ref();
    this.#child.stdin?.end('\n');
    try {
      return await this.#exit;
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    if (this.isAlive) this.#child.kill('SIGKILL');
    if (!this.#isClaimed) freeDescriptor(this.claim());
  }
}

/** The place of flock(1). Looked up by the first lock, because the system tries each directory of PATH again for each process. */
let program: string | undefined;

/**
 * Returns the path of a program in an absolute directory of PATH, or undefined when no such directory has the program.
 */
function onPath(name: string): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(':').filter((directory) => directory.startsWith('/'));
  return directories.map((directory) => `${directory}/${name}`).find(isRunnable);
}

function isRunnable(file: string): boolean {
  return attemptOr(false, isOfSystem, () => {
    files.accessSync(file, constants.X_OK);
    return true;
  });
}
