// A small file that is either the old one or the new one, at every instant and after every kill.
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { constants, files } from './files.ts';

export interface AtomicWriteOptions {
  /** Permission bits of the new file. Default 0600: what the daemon keeps is the user's work. */
  readonly mode?: number;
  /** Also survive a power cut: sync the file before the rename and the directory after it. */
  readonly durable?: boolean;
}

/** Replaces `file` by `content`: written under a temporary name beside it, then renamed. */
export function writeAtomically(
  file: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
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
  const fd = files.openSync(directory, constants.O_RDONLY);
  try {
    files.fsyncSync(fd);
  } finally {
    files.closeSync(fd);
  }
}
