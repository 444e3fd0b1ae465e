// The index of the journal (`-shm`) that SQLite shares between all connections in memory. Where somebody cuts the file
// short, the next touch of what is no longer there ends the process (SIGBUS); so before SQLite touches it, it gets its
// length back, and zeros for a header, which SQLite knows for no index: it makes it anew from the journal, and nothing is
// lost. What is cut at the very moment of a touch is beyond this.
import { systemCode } from '../../../base/errors.ts';
import { constants, files } from '../../../base/files.ts';

/** Two copies of it, and what tells how far the journal is written back. */
const headerBytes = 136;

export class SharedIndex {
  readonly #file: string;
  #sizeMax = 0;
  /** Never closed: closing any descriptor of a file drops the locks that SQLite has on it in this process. */
  #kept: { readonly fd: number; readonly ino: bigint } | undefined;

  constructor(file: string) {
    this.#file = `${file}-shm`;
  }

  /** Gives the file its length back, where it is there and shorter than it was. */
  look(): void {
    const stats = files.lstatSync(this.#file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile()) return;
    if (Number(stats.size) >= this.#sizeMax) this.#sizeMax = Number(stats.size);
    else this.#lengthen(stats.ino);
  }

  /** After work that may have let it grow. What fails here must not make that look undone: the next look is before work. */
  note(): void {
    try {
      const stats = files.lstatSync(this.#file, { bigint: true, throwIfNoEntry: false });
      if (stats?.isFile() === true) this.#sizeMax = Math.max(this.#sizeMax, Number(stats.size));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }

  #lengthen(ino: bigint): void {
    if (this.#kept?.ino !== ino) {
      try {
        const fd = files.openSync(this.#file, constants.O_RDWR | constants.O_NOFOLLOW);
        this.#kept = { fd, ino };
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return;
        throw error;
      }
    }
    files.ftruncateSync(this.#kept.fd, this.#sizeMax);
    // A header that was spared would be believed, and the journal taken to be empty.
    files.writeSync(this.#kept.fd, Buffer.alloc(headerBytes), 0, headerBytes, 0);
  }
}
