// Parses bytes strictly into frames (LSP base protocol 0.9). This module allocates memory only for bytes that have
// arrived, not for a length that a header declares. The module never buffers more than its limits allow. After a fault,
// the parser does not search for the next frame, because the following bytes may mean anything. The parser does not
// decode or check bodies.

export interface FrameLimits {
  readonly headerBytesMax: number;
  readonly bodyBytesMax: number;
}

/**
 * The limits of the protocol. A header has two short lines, and a body has at most the size of the largest response.
 */
export const frameLimits: FrameLimits = { headerBytesMax: 4096, bodyBytesMax: 64 * 1024 * 1024 };

/**
 * Receives one complete frame. `foreignCharset` names a charset other than UTF-8. A body with a foreign charset must
 * not be decoded.
 */
type FrameSink = (body: Buffer, foreignCharset: string | undefined) => void;

interface FrameHeader {
  readonly length: number;
  readonly foreignCharset: string | undefined;
}

const terminator = Buffer.from('\r\n\r\n');
const firstGrowth = 64 * 1024;
// Matches invalid characters: all except printable ASCII, a line feed without a carriage return, and a carriage return
// without a line feed. Noise without the end of a header is therefore refused when it arrives, and not after 4 KiB.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression must match control characters.
const impure = /[^\t\r\n\x20-\x7e]|(?<!\r)\n|\r(?!\n|$)/;
// Matches the beginning of a possible header line. A client may send JSON without a header. Without this check, such a
// client would get no error and wait for ever.
const headerBeginning = /^[!#$%&'*+.^_`|~0-9A-Za-z-]*(?::|$)/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;

const noise = 'the header has invalid characters';

/** True when the text cannot be a header or the beginning of a header. */
function isNoise(text: string): boolean {
  return (
    impure.test(text) || !text.split('\r\n').every((line) => headerBeginning.test(line.replace(/\r$/, '')))
  );
}

/** Parses a header block without the terminator. Returns a text with the problem when the header is invalid. */
function parseHeader(text: string, bodyBytesMax: number): FrameHeader | string {
  // Adds the line end before matching, so that a stray `\r` before the line end is found. The result must not depend on
  // how the bytes arrive.
  if (isNoise(`${text}\r\n`)) return noise;
  let length: number | undefined;
  let foreignCharset: string | undefined;
  for (const line of text.split('\r\n')) {
    const [, name, value = ''] = headerLine.exec(line) ?? [];
    if (name === undefined) return 'a header line is not "Name: value"';
    if (name.toLowerCase() === 'content-length') {
      if (length !== undefined) return 'Content-Length is given twice';
      if (!/^\d+$/.test(value)) return 'Content-Length is not a decimal number';
      length = Number(value);
      if (length > bodyBytesMax) return `Content-Length is over the limit of ${bodyBytesMax} bytes`;
    } else if (name.toLowerCase() === 'content-type') {
      const charset = /charset="?([^";\s]+)/i.exec(value)?.[1] ?? 'utf-8';
      if (!/^utf-?8$/i.test(charset)) foreignCharset = charset;
    }
  }
  return length === undefined ? 'Content-Length is missing' : { length, foreignCharset };
}

export class FrameParser {
  readonly #limits: FrameLimits;
  readonly #sink: FrameSink;
  #fault: string | undefined;
  /** The beginning of an incomplete header. */
  #partialHeader = '';
  #header: FrameHeader | undefined;
  /**
   * The received part of a body. The capacity of the buffer grows with the received bytes, to at most twice their
   * number.
   */
  #body: Buffer | undefined;
  #bodyBytes = 0;

  constructor(sink: FrameSink, limits: FrameLimits = frameLimits) {
    this.#sink = sink;
    this.#limits = limits;
  }

  /** The reason why the frames cannot be read any more, as text for the client. All later bytes are ignored. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Accepts the next bytes, and passes every complete frame to the sink at once, in order. */
  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.#fault === undefined; ) {
      at = this.#header === undefined ? this.#takeHeader(chunk, at) : this.#takeBody(this.#header, chunk, at);
    }
  }

  #takeHeader(chunk: Buffer, from: number): number {
    const kept = this.#partialHeader.length;
    const room = this.#limits.headerBytesMax - kept;
    const found = kept === 0 ? chunk.indexOf(terminator, from) : -1;
    const to = found >= 0 ? found + terminator.length : chunk.length;
    const text = this.#partialHeader + chunk.toString('latin1', from, Math.min(to, from + room));
    const end = text.indexOf('\r\n\r\n', Math.max(0, kept - 3));
    if (end >= 0) {
      this.#partialHeader = '';
      this.#begin(parseHeader(text.slice(0, end), this.#limits.bodyBytesMax));
      return from + end + terminator.length - kept;
    }
    if (isNoise(text)) this.#fault = noise;
    else if (text.length >= this.#limits.headerBytesMax) {
      this.#fault = `the header has no end within ${this.#limits.headerBytesMax} bytes`;
    }
    this.#partialHeader = text;
    return chunk.length;
  }

  #begin(header: FrameHeader | string): void {
    if (typeof header === 'string') this.#fault = header;
    else if (header.length === 0) this.#sink(Buffer.alloc(0), header.foreignCharset);
    else this.#header = header;
  }

  #takeBody(header: FrameHeader, chunk: Buffer, from: number): number {
    const missing = header.length - this.#bodyBytes;
    const to = Math.min(chunk.length, from + missing);
    if (this.#body === undefined && to - from === missing) {
      this.#finish(chunk.subarray(from, to), header);
      return to;
    }
    this.#grow(header.length, this.#bodyBytes + to - from);
    this.#bodyBytes += chunk.copy(this.#body as Buffer, this.#bodyBytes, from, to);
    if (this.#bodyBytes === header.length)
      this.#finish((this.#body as Buffer).subarray(0, header.length), header);
    return to;
  }

  #grow(declared: number, needed: number): void {
    const capacity = this.#body?.length ?? 0;
    if (needed <= capacity) return;
    const grown = Buffer.allocUnsafeSlow(Math.min(declared, Math.max(needed, 2 * capacity, firstGrowth)));
    this.#body?.copy(grown, 0, 0, this.#bodyBytes);
    this.#body = grown;
  }

  #finish(body: Buffer, header: FrameHeader): void {
    this.#header = undefined;
    this.#body = undefined;
    this.#bodyBytes = 0;
    this.#sink(body, header.foreignCharset);
  }
}
