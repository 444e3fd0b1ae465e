// Reads a regular file that another program may have written. Never waits for another program: does not open a FIFO or
// a terminal. This module changes nothing.
import { devNull } from 'node:os';
import { attempt, attemptOr, isOfSystem } from './attempt.ts';
import { systemCode } from './errors.ts';
import { constants, files } from './files.ts';
import type { Slices } from './slices.ts';

/**
 * Returns the bytes of a regular file, or undefined for any other entry. If `isLinkRead` is true, follows symbolic
 * links. If false, also returns undefined for a link.
 * @throws system errors, including ENOENT
 */
export function readRegularFile(path: string | Buffer, isLinkRead = true): Buffer | undefined {
  const stats = isLinkRead ? files.statSync(path) : files.lstatSync(path);
  if (!stats.isFile()) return undefined;
  const follow = isLinkRead ? 0 : constants.O_NOFOLLOW;
  // Another program may have replaced the file since the check. With these flags, opening never blocks. After the
  // opening, the descriptor shows which kind of entry was opened.
  const fd = files.openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | follow);
  try {
    return files.fstatSync(fd).isFile() ? files.readFileSync(fd) : undefined;
  } finally {
    files.closeSync(fd);
  }
}

const chunkBytesMax = 1 << 20;

/** Reads an open file, up to the size that the file has at the beginning. Pauses for the event loop. */
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
 * @throws system errors that are not about this file: too many open files, a failing disk
 */
export function readIfPresent(path: string | Buffer, isLinkRead = true): Buffer | undefined {
  // Between the check and the opening, another program may remove the file or replace it with a socket.
  return attempt(
    (error) => isAbsence(error) || /^(ESTALE|ENXIO)$/.test(systemCode(error) ?? ''),
    () => readRegularFile(path, isLinkRead),
  );
}

/** True for an error that is about the file. False for errors of a failing disk or of a system without resources. */
export function isAbsence(error: unknown): boolean {
  const absences = /^(ENOENT|ENOTDIR|EACCES|EPERM|ELOOP|ENAMETOOLONG|EINVAL|EISDIR)$/;
  return absences.test(systemCode(error) ?? '');
}

/**
 * True when a program that reads this entry would wait for ever for another program. Examples are a FIFO and a terminal.
 * False for a missing entry, a directory or the null device.
 */
export function isWaitedFor(path: string): boolean {
  return attemptOr(false, isOfSystem, () => {
    const stats = files.statSync(path);
    if (stats.isCharacterDevice()) return stats.rdev !== files.statSync(devNull).rdev;
    return stats.isFIFO();
  });
}
