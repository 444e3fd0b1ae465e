// Reads a file that another program may have put there, and never waits for it: a FIFO or a terminal in its place is no
// file. It changes nothing, and does not even open what is none.
import { attempt } from './attempt.ts';
import { systemCode } from './errors.ts';
import { constants, files } from './files.ts';
import type { Slices } from './slices.ts';

/**
 * The bytes of a regular file; undefined when something else stands there. Links are followed unless `isLinkRead` is
 * false: then a link is something else.
 * @throws system errors, ENOENT among them
 */
export function readRegularFile(path: string | Buffer, isLinkRead = true): Buffer | undefined {
  const stats = isLinkRead ? files.statSync(path) : files.lstatSync(path);
  if (!stats.isFile()) return undefined;
  const follow = isLinkRead ? 0 : constants.O_NOFOLLOW;
  // It may have been exchanged since: opened so, nothing blocks, and the descriptor says what it is.
  const fd = files.openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | follow);
  try {
    return files.fstatSync(fd).isFile() ? files.readFileSync(fd) : undefined;
  } finally {
    files.closeSync(fd);
  }
}

const chunkBytesMax = 1 << 20;

/** Reads an open file to the size that it had at first, with pauses. */
export async function readInSlices(fd: number, slices: Slices): Promise<Buffer> {
  const bytes = Buffer.alloc(files.fstatSync(fd).size);
  let length = 0;
  while (length < bytes.length) {
    const got = files.readSync(fd, bytes, length, Math.min(chunkBytesMax, bytes.length - length), length);
    if (got === 0) break;
    length += got;
    if (slices.isDue()) await slices.pause();
  }
  return bytes.subarray(0, length);
}

/**
 * Reads a file that git treats as optional. Returns undefined when the file is missing or unreadable.
 * @throws system errors that say nothing of the file: too many are open, the disk fails
 */
export function readIfPresent(path: string | Buffer, isLinkRead = true): Buffer | undefined {
  // Or it was removed on its server, or became a socket, between the look and the opening.
  return attempt(
    (error) => isAbsence(error) || /^(ESTALE|ENXIO)$/.test(systemCode(error) ?? ''),
    () => readRegularFile(path, isLinkRead),
  );
}

/** Not a disk that fails or a system that has run out of something: then the file is unknown. */
export function isAbsence(error: unknown): boolean {
  const absences = /^(ENOENT|ENOTDIR|EACCES|EPERM|ELOOP|ENAMETOOLONG|EINVAL|EISDIR)$/;
  return absences.test(systemCode(error) ?? '');
}
