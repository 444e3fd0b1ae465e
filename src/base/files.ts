// The only access to the file system: node:fs, with a seam where tests inject faults. No other module imports node:fs
// (the linter checks this). The calls behave as in node:fs: nothing is retried or hidden. There is only one exception:
// this module makes nested directories itself.
import fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { passSeam } from './seam.ts';

export type { BigIntStats, Dir, Dirent, Stats } from 'node:fs';
export const constants = fs.constants;

/** The only directory below which this process may write. Undefined when the process may write anywhere. */
let writable: string | undefined;

/**
 * From now on, every call that would write outside this directory fails, as on a read-only file system. A process can
 * still write to files that it has already opened. Returns a function that allows all calls again.
 */
export function confineWrites(directory: string): () => void {
  writable = `${directory}/`;
  return () => {
    writable = undefined;
  };
}

const writingFlags =
  fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC;
const writingCalls = new Set(['chmod', 'mkdir', 'rm', 'rmdir', 'unlink', 'utimes', 'writeFile']);
/** The calls that write to the path in their second argument. */
const bringingCalls = new Set(['copyFile', 'link', 'rename', 'symlink']);

/** Checks whether a call may write. @throws EROFS for a call that would write outside the allowed directory */
function refuseWrite(confines: string, call: string, [first, second]: readonly unknown[]): void {
  const isOpening = call === 'open' && second !== undefined && second !== 'r';
  const isWritten = isOpening && (typeof second !== 'number' || (second & writingFlags) !== 0);
  const path = bringingCalls.has(call) ? second : isWritten || writingCalls.has(call) ? first : undefined;
  const name = path instanceof Uint8Array ? Buffer.from(path).toString('latin1') : path;
  if (typeof name !== 'string' || name.startsWith(confines)) return;
  throw Object.assign(new Error(`EROFS: this process only reads, ${call} '${name}'`), { code: 'EROFS' });
}

/**
 * Wraps a function, so that each call passes the seam. Keeps the type with all overloads. The constraint `never[]`
 * accepts functions with any parameters.
 */
function through<F extends (...args: never[]) => unknown>(call: string, original: F): F {
  const wrapped = (...args: never[]): unknown => {
    if (writable !== undefined) refuseWrite(writable, call, args);
    passSeam(call, args[0], args[1]);
    return original(...args);
  };
  return wrapped as F;
}

/**
 * Makes a directory. With `recursive`, makes one missing directory after the other. Node's own recursive call reports
 * ENOENT on a read-only file system, and runs for ever below /proc.
 */
function mkdirSync(path: string | Buffer, { recursive, ...options }: fs.MakeDirectoryOptions = {}): void {
  if (recursive !== true || typeof path !== 'string') {
    fs.mkdirSync(path, { recursive, ...options });
    return;
  }
  const found = (at: string): fs.Stats | undefined => fs.statSync(at, { throwIfNoEntry: false });
  if (found(path)?.isDirectory() === true) return;
  const missing = [path];
  for (let at = dirname(path); found(at) === undefined && dirname(at) !== at; at = dirname(at))
    missing.push(at);
  for (const directory of missing.reverse()) {
    try {
      fs.mkdirSync(directory, options);
    } catch (error) {
      // Another process may have made the directory meanwhile.
      if (found(directory)?.isDirectory() !== true) throw error;
    }
  }
}

/**
 * Synchronous calls, named as in node:fs. Use these calls for one small step. A loop over many paths must pause for the
 * event loop.
 */
export const files = {
  accessSync: through('access', fs.accessSync),
  chmodSync: through('chmod', fs.chmodSync),
  closeSync: through('close', fs.closeSync),
  copyFileSync: through('copyFile', fs.copyFileSync),
  existsSync: through('exists', fs.existsSync),
  fchmodSync: through('fchmod', fs.fchmodSync),
  fstatSync: through('fstat', fs.fstatSync),
  fsyncSync: through('fsync', fs.fsyncSync),
  ftruncateSync: through('ftruncate', fs.ftruncateSync),
  linkSync: through('link', fs.linkSync),
  lstatSync: through('lstat', fs.lstatSync),
  mkdirSync: through('mkdir', mkdirSync),
  openSync: through('open', fs.openSync),
  opendirSync: through('opendir', fs.opendirSync),
  readSync: through('read', fs.readSync),
  readdirSync: through('readdir', fs.readdirSync),
  readFileSync: through('readFile', fs.readFileSync),
  readlinkSync: through('readlink', fs.readlinkSync),
  realpathSync: through('realpath', fs.realpathSync.native),
  renameSync: through('rename', fs.renameSync),
  rmdirSync: through('rmdir', fs.rmdirSync),
  rmSync: through('rm', fs.rmSync),
  statSync: through('stat', fs.statSync),
  statfsSync: through('statfs', fs.statfsSync),
  symlinkSync: through('symlink', fs.symlinkSync),
  unlinkSync: through('unlink', fs.unlinkSync),
  lutimesSync: through('utimes', fs.lutimesSync),
  writeSync: through('write', fs.writeSync),
  writeFileSync: through('writeFile', fs.writeFileSync),
};

/**
 * Closes a descriptor that has a lock. A real close frees the lock even when the close fails. A failure that a test
 * simulates would not free the lock, so this call does not pass the seam.
 */
export const freeDescriptor = (fd: number): void => fs.closeSync(fd);

/** Asynchronous calls, named as in node:fs/promises. */
export const filesAsync = {
  /** Syncs the file behind a descriptor that a synchronous call opened. A sync may take seconds. */
  fsync: through('fsync', promisify(fs.fsync)),
  lstat: through('lstat', fs.promises.lstat),
  mkdir: through('mkdir', fs.promises.mkdir),
  open: through('open', fs.promises.open),
  readFile: through('readFile', fs.promises.readFile),
  readdir: through('readdir', fs.promises.readdir),
  rename: through('rename', fs.promises.rename),
  rm: through('rm', fs.promises.rm),
  stat: through('stat', fs.promises.stat),
  unlink: through('unlink', fs.promises.unlink),
  /** Writes to a descriptor that a synchronous call opened. Resolves with the number of written bytes. */
  write: promisify((fd: number, bytes: Uint8Array, done: (error: Error | null, written: number) => void) =>
    fs.write(fd, bytes, done),
  ),
  writeFile: through('writeFile', fs.promises.writeFile),
};

/**
 * Linux's O_PATH, which Node does not define. With this flag, a process opens a symbolic link instead of the link's
 * target. The process can also open a file that it must not read.
 */
const pathOnly = 0o10000000;

/**
 * Opens the entry at a path without reading it. The descriptor refers to this entry even when another entry replaces it
 * at the path. Does not follow a symbolic link at the path. Linux only.
 */
export const openPath = through('openPath', (path: string | Buffer): number =>
  fs.openSync(path, pathOnly | fs.constants.O_NOFOLLOW),
);

/**
 * Returns the stats of a file in an open directory. `address` is the file's path below `/proc/self/fd`. The seam gets
 * the ordinary path (`directory` and `name`), because tests use this path to choose the call that must fail.
 */
export function lstatOpened(address: string | Buffer, directory: string, name: string): fs.BigIntStats {
  passSeam('lstat', { toString: () => `${directory}/${name}` });
  return fs.lstatSync(address, { bigint: true });
}

/** Lists an open directory, even when another entry is now at its path. Passes `path` to the seam. Linux only. */
export function readOpenDirectory(fd: number, path: Buffer): string[] {
  passSeam('readdir', path);
  return fs.readdirSync(`/proc/self/fd/${fd}`, { encoding: 'latin1' });
}

/** Lists a directory like {@link readOpenDirectory}, but off the event loop. */
export function readOpenDirectoryAsync(fd: number, path: Buffer): Promise<string[]> {
  passSeam('readdir', path);
  return fs.promises.readdir(`/proc/self/fd/${fd}`, { encoding: 'latin1' });
}

/**
 * Watches one directory with `fs.watch`. The daemon uses this function for its directory handles, for fences and for
 * claims of sessions. For everything else, the daemon uses chokidar.
 */
export const watchDirectory = through('watch', fs.watch);
export type { FSWatcher } from 'node:fs';
