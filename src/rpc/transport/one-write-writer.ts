// Replaces vscode-jsonrpc's writer, and writes header and body in one write. The library writes twice per message. With
// many messages, the second system call reduces the throughput to less than half. The writer also makes outgoing
// messages well-formed and checks their size. The writer never drops a message and never waits. So code that sends many
// messages must check `pendingBytes`.
import { AbstractMessageWriter, type Message, type MessageWriter } from 'vscode-jsonrpc/node';

/** The required methods of an output stream. process.stdout, sockets and PassThrough have these methods. */
export interface FrameOutput {
  write(text: string, encoding: 'utf8', done: (error?: Error | null) => void): boolean;
  write(bytes: Uint8Array, done: (error?: Error | null) => void): boolean;
  readonly writableLength: number;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

interface WriterPorts {
  /** Returns the form in which a message is written. Called once, just before the message is written. */
  readonly address: (message: Message) => Message;
  /** Returns the replacement for a message over the limit. `bytes` is absent when the size could not be measured. */
  readonly tooLarge: (message: Message, bytes: number | undefined) => Message;
  readonly bodyBytesMax: number;
}

/**
 * Matches the escape of a lone surrogate. The pattern also matches all other escapes, so that the search never
 * continues inside an escape.
 */
const escapes = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

/**
 * Returns the JSON with U+FFFD in place of each lone surrogate. JSON.stringify writes a lone surrogate as an escape
 * (`\ud800`). Clients in Rust, Neovim and Emacs refuse a whole message if it contains this escape even once.
 */
export function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\ud')) return text;
  return text.replace(escapes, (escape) => (escape.length > 2 ? '\ufffd' : escape));
}

export class OneWriteWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #backlog: FrameBacklog;
  readonly #ports: WriterPorts;
  #isBroken = false;

  constructor(output: FrameOutput, ports: WriterPorts) {
    super();
    this.#ports = ports;
    this.#backlog = new FrameBacklog(output);
    output.on('error', (error) => {
      // A stream may emit several errors when it breaks.
      if (!this.#isBroken) this.fireError(error);
      this.#isBroken = true;
    });
  }

  /** The approximate number of bytes that the client has not read yet. */
  get pendingBytes(): number {
    return this.#backlog.pendingBytes;
  }

  /**
   * Queues the frame at once, in the order of calls. Resolves when the frame is queued, not when the client has read
   * it.
   */
  write(message: Message): Promise<void> {
    this.writeAsIs(this.#ports.address(message));
    return Promise.resolve();
  }

  /** Writes a message that already has its final form. */
  writeAsIs(message: Message): void {
    if (!this.#isBroken) this.#backlog.write(this.#textOf(message));
  }

  /** Resolves when every frame was sent, or when the output is broken. */
  drained(): Promise<void> {
    return new Promise((resolve) => this.#backlog.onceEmpty(resolve));
  }

  end(): void {
    // Does nothing: the process exits after `drained`, and the output ends with the process.
  }

  #textOf(message: Message): string {
    let body: string | undefined;
    try {
      body = wellFormedJson(message);
    } catch (error) {
      // A RangeError means that the text is too long for a string, or that the value is nested too deeply for the
      // stack. All other errors are defects.
      if (!(error instanceof RangeError)) throw error;
    }
    let bytes = body === undefined ? undefined : Buffer.byteLength(body);
    if (body === undefined || bytes === undefined || bytes > this.#ports.bodyBytesMax) {
      body = wellFormedJson(this.#ports.tooLarge(message, bytes));
      bytes = Buffer.byteLength(body);
    }
    return `Content-Length: ${bytes}\r\n\r\n${body}`;
  }
}

const slabBytes = 64 * 1024;

/**
 * Stores the frames that a slow client has not read yet. While the client keeps up, each frame is written directly to
 * the output. When the client lags, frames wait in slabs of packed bytes. A stream would need an object, a string and a
 * callback for every write. The responses to 100,000 refused requests take 120 MB in a stream, and 25 MB in slabs. The
 * backlog never drops or reorders frames, and has no limit.
 */
class FrameBacklog {
  readonly #output: FrameOutput;
  readonly #slabs: Buffer[] = [];
  readonly #whenEmpty: (() => void)[] = [];
  /** The slab to which frames are added. The next field is the used length of this slab. */
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
      this.#callWhenEmpty();
    });
  }

  /** The number of bytes that were not sent yet. Text that waits in the stream is counted in characters. */
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

  /** Calls the listener when every frame was sent, or when the output is broken. */
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
    if (this.#unwritten === 0 && this.#waitingBytes === 0) this.#callWhenEmpty();
  };

  #callWhenEmpty(): void {
    for (const listener of this.#whenEmpty.splice(0)) listener();
  }
}
