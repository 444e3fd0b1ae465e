// Reads contents before their turn: while the caller uses one content, the store reads the next contents. The
// number and the total size of these contents are limited. A large content is read in chunks, and only when
// its turn comes. This module only reads.
import type { BlobId } from '../base/ids.ts';
import { ended } from '../base/turns.ts';
import type { Contents } from './snapshot-store.ts';

const aheadMax = 32;
/** A content above this size in bytes is not read ahead. */
const smallBytesMax = 64 << 10;

export class ReadAhead {
  readonly #contents: Contents;
  readonly #blobs: readonly BlobId[];
  readonly #sizes: readonly number[];
  /** The pending reads, keyed by the position of the content in the list. */
  readonly #asked = new Map<number, Promise<readonly Uint8Array[]>>();
  #next = 0;

  /** `blobs` are the contents in the order of their turns, with their `sizes`. */
  constructor(contents: Contents, blobs: readonly BlobId[], sizes: readonly number[]) {
    this.#contents = contents;
    this.#blobs = blobs;
    this.#sizes = sizes;
  }

  /** Moves on to this turn. Drops the contents of earlier turns, and requests the contents of the next turns. */
  turnTo(turn: number): void {
    this.#asked.delete(turn - 1);
    for (; this.#next < Math.min(turn + aheadMax, this.#blobs.length); this.#next += 1) {
      const blob = this.#blobs[this.#next];
      const size = this.#sizes[this.#next] ?? Number.POSITIVE_INFINITY;
      if (blob === undefined || size > smallBytesMax) continue;
      const whole = gather(this.#contents.read(blob));
      void ended(whole); // `read` reports a failure when the turn of the content comes
      this.#asked.set(this.#next, whole);
    }
  }

  async *read(turn: number): AsyncIterable<Uint8Array> {
    const asked = this.#asked.get(turn);
    if (asked !== undefined) yield* await asked;
    else {
      const blob = this.#blobs[turn];
      if (blob !== undefined) yield* this.#contents.read(blob);
    }
  }
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}
