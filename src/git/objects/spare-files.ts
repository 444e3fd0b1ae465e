// Empty files that stand ready for what is written next into a repository of ours. Making a file is the dearest step of
// storing something small: the file system looks for a free inode, which takes 0.05 ms, and ten times that shortly after
// many files were deleted. So it is done while nobody waits.
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** Enough for a checkpoint of one edit four directories down. */
const sparesMax = 12;
/** After the last use, and between two files: a request that comes then waits for one at most. */
const restMs = 50;
const stepMs = 5;

interface SpareFile {
  readonly path: string;
  readonly fd: number;
}

export class SpareFiles {
  readonly #directory: string;
  #spares: SpareFile[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `directory` is private and on the file system of the repository; what a kill leaves in it is removed at the next open. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Writes a file that is there whole or not at all, in the place of one that is there. False when it was not written,
   * because no spare file is ready or for a reason that whoever then makes one of its own will meet again.
   */
  put(file: string, content: string | Uint8Array, directoryMode?: number): boolean {
    this.#refillSoon();
    const spare = this.#spares.pop();
    if (spare === undefined) return false;
    try {
      try {
        files.writeFileSync(spare.fd, content);
      } finally {
        files.closeSync(spare.fd);
      }
      this.#rename(spare.path, file, directoryMode);
      return true;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      remove(spare.path);
      return false;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { path, fd } of this.#spares) {
      files.closeSync(fd);
      remove(path);
    }
    this.#spares = [];
  }

  #rename(from: string, to: string, directoryMode: number | undefined): void {
    try {
      files.renameSync(from, to);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || directoryMode === undefined) throw error;
      files.mkdirSync(dirname(to), { mode: directoryMode });
      files.renameSync(from, to);
    }
  }

  #refillSoon(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#refill(), restMs).unref();
  }

  #refill(): void {
    if (this.#spares.length >= sparesMax) return;
    const path = join(this.#directory, `spare-${randomBytes(6).toString('hex')}`);
    try {
      this.#spares.push({ path, fd: files.openSync(path, 'wx', 0o400) });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return; // a full disk, say: the next use asks again, and whoever finds none makes its own
    }
    this.#timer = setTimeout(() => this.#refill(), stepMs).unref();
  }
}

function remove(path: string): void {
  try {
    files.unlinkSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error; // gone, or the next open removes it
  }
}
