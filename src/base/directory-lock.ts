// A kernel lock on a directory in the file system. The lock also works between containers that share only this
// directory. The lock ends with the process. Node has no call for this lock, so flock(1) takes the lock on our
// descriptor. The lock is advisory: it affects only processes that also take it. Taking the lock never waits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { attemptOr, isOfSystem } from './attempt.ts';
import { systemCode } from './errors.ts';
import { constants, files, freeDescriptor } from './files.ts';
import { passSeam } from './seam.ts';

export type DirectoryLock =
  | { readonly is: 'locked'; readonly release: () => void }
  /** Another process has the lock. */
  | { readonly is: 'busy' }
  /** This machine has no flock(1), or the file system does not support the lock. */
  | { readonly is: 'unavailable'; readonly because: string };

const commandMsMax = 5_000;

/**
 * Takes the lock of the directory at `path`.
 * @throws the system's error when `path` is missing or is not a directory; a symbolic link is not a directory
 */
export async function lockDirectory(path: string): Promise<DirectoryLock> {
  if (process.platform === 'win32') return { is: 'unavailable', because: 'there is no flock on this system' };
  const fd = files.openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  let isLocked = false;
  try {
    const exit = await flock(fd);
    isLocked = exit === 0;
    if (isLocked) return { is: 'locked', release: () => freeDescriptor(fd) };
    if (exit === 1) return { is: 'busy' };
    return { is: 'unavailable', because: `flock ended with ${exit}` };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    program = undefined; // flock(1) may have been moved since its path was cached
    return { is: 'unavailable', because: `flock could not be run (${systemCode(error)})` };
  } finally {
    if (!isLocked) freeDescriptor(fd);
  }
}

/** Returns 0 when the lock was taken, 1 when another process has the lock, and any other value when flock failed. */
async function flock(fd: number): Promise<number | null> {
  passSeam('spawn', 'flock');
  program ??= onPath('flock');
  const child = spawn(program ?? 'flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', fd],
    cwd: '/',
    env: { ...process.env, LC_ALL: 'C' }, // without a locale, flock reads fewer files and starts twice as fast
    timeout: commandMsMax,
    killSignal: 'SIGKILL',
  });
  const [exit] = (await once(child, 'exit')) as [number | null];
  return exit;
}

/** The path of flock(1). Without this cache, the system would search all directories of PATH for each new process. */
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
