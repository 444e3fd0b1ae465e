// Reads contents before their turn: while the caller uses one content, the store reads the next contents. The
// number and the total size of these contents are limited. A large content is read in chunks, and only when
// its turn comes. This module only reads.
import type { BlobId } from '../base/ids.ts';
import { ended } from '../base/turns.ts';
import type { Contents } from './snapshot-store.ts';

/** The maximum number of contents that are requested before their turn. */
const aheadMax = 128;
/** The maximum total size of these contents in bytes. */
const aheadBytesMax = 2 << 20;
/** A content above this size in bytes is not read ahead. */
const smallBytesMax = 64 << 10;

export class ReadAhead {
  readonly #contents: Contents;
  readonly #blobs: readonly BlobId[];
  readonly #sizes: readonly number[];
  /** The pending reads, keyed by the position of the content in the list. */
  readonly #asked = new Map<number, Promise<readonly Uint8Array[]>>();
  /** The total size of the pending reads in bytes. */
  #askedBytes = 0;
  #next = 0;

  /** `blobs` are the contents in the order of their turns, with their `sizes`. */
  constructor(contents: Contents, blobs: readonly BlobId[], sizes: readonly number[]) {
    this.#contents = contents;
    this.#blobs = blobs;
    this.#sizes = sizes;
  }

  /**
   * Moves on to this turn. Drops the contents of earlier turns. When few contents are left, requests the contents of
   * the next turns at once, because the store answers many requests faster than single ones.
   */
  turnTo(turn: number): void {
    if (this.#asked.delete(turn - 1)) this.#askedBytes -= this.#sizeOf(turn - 1);
    if (this.#next - turn > aheadMax / 2 || this.#askedBytes > aheadBytesMax / 2) return;
    for (; this.#next < Math.min(turn + aheadMax, this.#blobs.length); this.#next += 1) {
      const blob = this.#blobs[this.#next];
      const size = this.#sizeOf(this.#next);
      if (blob === undefined || size > smallBytesMax) continue;
      if (this.#askedBytes + size > aheadBytesMax) return;
      const whole = gather(this.#contents.read(blob));
      void ended(whole); // `read` reports a failure when the turn of the content comes
      this.#asked.set(this.#next, whole);
      this.#askedBytes += size;
    }
  }

  #sizeOf(turn: number): number {
    return this.#sizes[turn] ?? Number.POSITIVE_INFINITY;
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
