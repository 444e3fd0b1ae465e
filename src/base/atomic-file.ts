// Replaces a small file so that readers find the old or the new content at every moment, even after a kill.
// Also makes files and names survive a power cut.
import { dirname } from 'node:path';
import { attemptAsync, isMissing } from './attempt.ts';
import { constants, files, filesAsync } from './files.ts';

/** The number of syncs at the same time: the disk performs waiting syncs together. */
const syncsAtOnce = 16;

export interface AtomicWriteOptions {
  /** Permission bits of the new file. Default 0600, because the daemon's files contain the user's work. */
  readonly mode?: number;
  /** True to survive a power cut: sync the file before the rename and the directory after it. */
  readonly durable?: boolean;
}

/** Replaces `file` by `content`, which is written to a temporary file beside it and then renamed. */
export function writeAtomically(
  file: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): void {
  // The name must be unique but not secret: node:crypto would add 5 ms to the start of each hook.
  const mark = Math.floor(Math.random() * 2 ** 48).toString(16);
  const temporary = `${file}.${mark.padStart(12, '0')}.tmp`;
  const fd = files.openSync(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
    options.mode ?? 0o600,
  );
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

/** Makes the names in a directory survive a power cut. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return; // a directory cannot be opened there
  const fd = files.openSync(directory, constants.O_RDONLY);
  try {
    files.fsyncSync(fd);
  } finally {
    files.closeSync(fd);
  }
}

/**
 * Syncs files or directories, some at a time. Skips missing paths, because git's garbage collection may have removed
 * a directory that it had emptied.
 * @throws AbortError (the signal's reason) between two files, system errors
 */
export async function syncAll(paths: Iterable<string>, signal?: AbortSignal): Promise<void> {
  const left = [...paths];
  const work = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      signal?.throwIfAborted();
      const handle = await opened(path);
      if (handle === undefined) continue;
      try {
        await filesAsync.fsync(handle.fd);
      } finally {
        await handle.close();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(syncsAtOnce, left.length) }, work));
}

async function opened(path: string): Promise<Awaited<ReturnType<typeof filesAsync.open>> | undefined> {
  return attemptAsync(isMissing, () => filesAsync.open(path, 'r'));
}
