// Writes the content of a new file and leaves holes where the content is zeros. A sparse file (the image of a disk, a
// database) then takes no more room after a restore than before. It decides nothing about names and modes.
import { files } from '../base/files.ts';

/** The size of the smallest hole: file systems allocate at least this many bytes at once. */
const blockBytes = 4096;
const zeros = Buffer.alloc(blockBytes);

export class SparseWriter {
  readonly #fd: number;
  /** The length of the content so far, holes included. */
  #length = 0;
  /** The length of the file so far. */
  #written = 0;

  /** `fd`: an empty file that is open for writing. */
  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Appends the next part of the content. */
  append(chunk: Uint8Array): void {
    let pending = 0;
    for (let at = 0; at < chunk.length; ) {
      const next = Math.min(chunk.length, at + blockBytes - ((this.#length + at) % blockBytes));
      if (zeros.compare(chunk, at, next, 0, next - at) === 0) {
        this.#write(chunk.subarray(pending, at), this.#length + pending);
        pending = next;
      }
      at = next;
    }
    this.#write(chunk.subarray(pending), this.#length + pending);
    this.#length += chunk.length;
  }

  /** Gives the file its full length when its content ends in a hole. Call it once, after the last part. */
  finish(): void {
    if (this.#written < this.#length) files.ftruncateSync(this.#fd, this.#length);
  }

  #write(part: Uint8Array, position: number): void {
    for (let at = 0; at < part.length; ) {
      at += files.writeSync(this.#fd, part, at, part.length - at, position + at);
    }
    if (part.length > 0) this.#written = position + part.length;
  }
}
