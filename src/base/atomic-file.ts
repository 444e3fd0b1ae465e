// Replaces a small file. At every moment, readers find either the old or the new content, even after a kill. This
// module also syncs files and directories, so that their contents and names survive a power cut.
import { dirname } from 'node:path';
import { attempt, isMissing } from './attempt.ts';
import { constants, files, filesAsync } from './files.ts';

/**
 * The number of concurrent syncs. The disk can perform several waiting syncs together. Each sync needs a thread of Node,
 * so a daemon starts this number of threads instead of Node's usual four.
 */
export const syncsAtOnce = 10;

interface AtomicWriteOptions {
  /** Permission bits of the new file. Default 0600, because the daemon's files contain the user's work. */
  readonly mode?: number;
  /**
   * True when the new content must survive a power cut. In this case, the daemon syncs the file before the rename, and
   * the directory after the rename.
   */
  readonly durable?: boolean;
}

/**
 * Replaces the content of `file`. Writes `content` to a temporary file in the same directory, and then renames that
 * file.
 */
export function writeAtomically(
  file: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): void {
  const { fd, temporary } = openTemporary(file, options.mode);
  try {
    files.writeFileSync(fd, content);
    if (options.durable) files.fsyncSync(fd);
  } catch (error) {
    files.rmSync(temporary, { force: true });
    throw error;
  } finally {
    files.closeSync(fd);
  }
  files.renameSync(temporary, file);
  if (options.durable) syncDirectory(dirname(file));
}

/**
 * Replaces the content of `file` durably, as {@link writeAtomically} does, but without blocking the event loop. Renames
 * the temporary file only when `others` has resolved. The disk can sync the file together with the files of `others`.
 */
export async function writeDurablyAfter(
  file: string,
  content: string,
  others: () => Promise<unknown>,
): Promise<void> {
  const { fd, temporary } = openTemporary(file);
  try {
    try {
      files.writeFileSync(fd, content);
      // Waits for both results even after a failure, because a running sync needs the descriptor.
      const [own, other] = await Promise.allSettled([filesAsync.fsync(fd), others()]);
      if (other.status === 'rejected') throw other.reason;
      if (own.status === 'rejected') throw own.reason;
    } finally {
      files.closeSync(fd);
    }
  } catch (error) {
    files.rmSync(temporary, { force: true });
    throw error;
  }
  files.renameSync(temporary, file);
  await syncDirectoryAsync(dirname(file));
}

function openTemporary(file: string, mode = 0o600): { readonly fd: number; readonly temporary: string } {
  // The name must be unique, but need not be secret. This code does not use node:crypto, because loading it would add 5
  // ms to the start of each hook.
  const mark = Math.floor(Math.random() * 2 ** 48).toString(16);
  const temporary = `${file}.${mark.padStart(12, '0')}.tmp`;
  const fd = files.openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  return { fd, temporary };
}

/** Syncs a directory, so that the names in it survive a power cut. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return; // Windows cannot open a directory
  const fd = files.openSync(directory, constants.O_RDONLY);
  try {
    files.fsyncSync(fd);
  } finally {
    files.closeSync(fd);
  }
}

/** Syncs a directory as {@link syncDirectory} does, without blocking the event loop. */
export async function syncDirectoryAsync(directory: string): Promise<void> {
  if (process.platform === 'win32') return; // Windows cannot open a directory
  const fd = files.openSync(directory, constants.O_RDONLY);
  try {
    await filesAsync.fsync(fd);
  } finally {
    files.closeSync(fd);
  }
}

/**
 * Syncs files or directories in the given order, a few at a time. Skips missing paths, because git's garbage collection
 * may have removed an empty directory.
 * @throws system errors, and AbortError (the signal's reason) if the work is cancelled between two files
 */
export async function syncAll(paths: Iterable<string>, signal?: AbortSignal): Promise<void> {
  const left = [...paths].reverse();
  const work = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      signal?.throwIfAborted();
      const fd = opened(path);
      if (fd === undefined) continue;
      try {
        await filesAsync.fsync(fd);
      } finally {
        files.closeSync(fd);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(syncsAtOnce, left.length) }, work));
}

function opened(path: string): number | undefined {
  return attempt(isMissing, () => files.openSync(path, constants.O_RDONLY));
}

/**
 * After two changes within this time, a file may still have the stamp of the first change. File times can be coarse:
 * FAT counts in steps of two seconds.
 */
const restlessMs = 10_000;

/**
 * Syncs paths that seldom change. Skips a path that has not changed since its last sync, because even syncing an
 * unchanged path waits for the disk.
 */
export class RarelyChangedPaths {
  /** The stamp that each path had before its last successful sync. */
  readonly #synced = new Map<string, string>();

  /** Syncs all `changing` paths, and each `steady` path that may have changed. Works like {@link syncAll}. */
  async sync(changing: readonly string[], steady: Iterable<string>, signal?: AbortSignal): Promise<void> {
    const due = new Map<string, string | undefined>();
    for (const path of steady) {
      const stamp = oldStampOf(path);
      if (stamp === undefined || this.#synced.get(path) !== stamp) due.set(path, stamp);
    }
    await syncAll([...changing, ...due.keys()], signal);
    for (const [path, stamp] of due) {
      if (stamp === undefined) this.#synced.delete(path);
      else this.#synced.set(path, stamp);
    }
  }
}

/**
 * Returns the stamp of a path that has not changed for some time. Returns undefined for a path that changed recently or
 * is missing.
 */
function oldStampOf(path: string): string | undefined {
  const stats = files.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  const changedMs = Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n);
  if (Math.abs(Date.now() - changedMs) < restlessMs) return undefined;
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
