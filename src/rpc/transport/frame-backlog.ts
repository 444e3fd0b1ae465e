// What a slow client has not read yet, kept small. A stream keeps an object, a string and a callback for every
// write; 100,000 refused requests were 120 MB that way and are 25 MB as packed bytes. It never drops, reorders or
// bounds anything: who fills it looks at `pendingBytes`.

/** What is needed of a stream; process.stdout, sockets and PassThrough have it. */
export interface FrameOutput {
  write(text: string, encoding: 'utf8', done: (error?: Error | null) => void): boolean;
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
  readonly writableLength: number;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

const slabBytes = 64 * 1024;

/** Frames go straight to the output, one write each, until it lags; then they wait in slabs. */
export class FrameBacklog {
  readonly #output: FrameOutput;
  readonly #slabs: Buffer[] = [];
  readonly #whenEmpty: (() => void)[] = [];
  /** The slab being filled, and how far. */
  #slab: Buffer | undefined;
  #slabUsed = 0;
  #waitingBytes = 0;
  #unwritten = 0;
  #isBroken = false;

  constructor(output: FrameOutput) {
    this.#output = output;
    output.on('error', () => {
      this.#isBroken = true;
      this.#slabs.length = 0;
      this.#slab = undefined;
      this.#waitingBytes = 0;
      this.#tellEmpty();
    });
  }

  /** Bytes (of text still in the stream: characters) that have not left the process. */
  get pendingBytes(): number {
    return this.#waitingBytes + this.#output.writableLength;
  }

  write(frame: string): void {
    if (this.#isBroken) return;
    if (this.#waitingBytes > 0 || this.#output.writableLength >= slabBytes) {
      this.#keep(frame);
      return;
    }
    this.#unwritten += 1;
    this.#output.write(frame, 'utf8', this.#written);
  }

  /** Calls once everything has left the process, or can no longer leave. */
  onceEmpty(listener: () => void): void {
    if (this.#isBroken || (this.#unwritten === 0 && this.#waitingBytes === 0)) listener();
    else this.#whenEmpty.push(listener);
  }

  #keep(frame: string): void {
    const bytes = Buffer.byteLength(frame);
    this.#waitingBytes += bytes;
    if (this.#slab !== undefined && this.#slabUsed + bytes > slabBytes) this.#closeSlab();
    if (bytes > slabBytes) {
      this.#slabs.push(Buffer.from(frame));
      return;
    }
    this.#slab ??= Buffer.allocUnsafeSlow(slabBytes);
    this.#slabUsed += this.#slab.write(frame, this.#slabUsed);
  }

  #closeSlab(): void {
    if (this.#slab === undefined) return;
    this.#slabs.push(this.#slab.subarray(0, this.#slabUsed));
    this.#slab = undefined;
    this.#slabUsed = 0;
  }

  readonly #written = (): void => {
    this.#unwritten -= 1;
    while (this.#waitingBytes > 0 && this.#output.writableLength < slabBytes) {
      if (this.#slabs.length === 0) this.#closeSlab();
      const slab = this.#slabs.shift();
      if (slab === undefined) break;
      this.#waitingBytes -= slab.length;
      this.#unwritten += 1;
      this.#output.write(slab, this.#written);
    }
    if (this.#unwritten === 0 && this.#waitingBytes === 0) this.#tellEmpty();
  };

  #tellEmpty(): void {
    for (const listener of this.#whenEmpty.splice(0)) listener();
  }
}
