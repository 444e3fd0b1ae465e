// Replaces vscode-jsonrpc's reader by a strict reader: frames have limits, bodies must be valid UTF-8, and each fault
// gets one answer. The library's own reader waits for 99 GB when a header announces 99 GB. After invalid bytes, the
// library's reader ignores every later request. The strict reader continues after a bad body, because it knows the
// length of the frame. After a fault in the framing itself, the reader stops for ever.
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import {
  AbstractMessageReader,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
} from 'vscode-jsonrpc/node';
import { type FrameLimits, FrameParser, frameLimits } from '../../wire/frame-parser.ts';
import { wireError } from '../error-response.ts';
import { type Admission, idToAnswer, type Refusal, type RequestId, refusal } from './admission.ts';
import { excessOf, outermostLevel } from './json-bounds.ts';

/** The reason why no more messages arrive. `endOfInput` can also mean that reading the input failed. */
export type ReaderEnd = 'endOfInput' | 'framing';

interface ReaderPorts {
  readonly admission: Admission;
  /** Sends an error response at once, before queued messages. */
  readonly refuse: (response: Refusal) => void;
  /** Called once. */
  readonly onEnd: (end: ReaderEnd) => void;
  /** Called before each accepted message. */
  readonly onMessage?: (message: Message) => void;
  /** Called after each chunk. The function may call {@link StrictReader.pause}. */
  readonly afterChunk?: () => void;
  readonly limits?: FrameLimits;
}

type Decoded = { readonly value: unknown } | { readonly fault: string; readonly id?: RequestId | null };

function decode(body: Buffer, foreignCharset: string | undefined): Decoded {
  if (foreignCharset !== undefined) return { fault: 'The body must be UTF-8.' };
  // Invalid bytes are refused and not replaced, because a replacement character would silently become part of a path or
  // a message.
  if (!isUtf8(body)) return { fault: 'The body is not valid UTF-8.' };
  const fault = excessOf(body);
  if (fault !== undefined) return { fault, id: idToAnswer(outermostLevel(body)) };
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    // The parser's own message is not sent, because the message quotes the body, which may contain secrets.
    return { fault: 'The body is not valid JSON.' };
  }
}

export class StrictReader extends AbstractMessageReader implements MessageReader {
  readonly #input: Readable;
  readonly #ports: ReaderPorts;
  readonly #parser: FrameParser;
  #callback: DataCallback | undefined;
  #ended = false;

  constructor(input: Readable, ports: ReaderPorts) {
    super();
    this.#input = input;
    this.#ports = ports;
    this.#parser = new FrameParser((body, charset) => this.#take(body, charset), ports.limits ?? frameLimits);
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    this.#input.on('data', (chunk: Buffer) => this.#push(chunk));
    this.#input.on('end', () => this.#end('endOfInput'));
    this.#input.on('close', () => this.#end('endOfInput'));
    this.#input.on('error', () => this.#end('endOfInput'));
    return { dispose: () => this.#input.pause() };
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    this.#input.resume();
  }

  #push(chunk: Buffer): void {
    if (this.#ended) return;
    this.#parser.push(chunk);
    if (this.#parser.fault !== undefined) {
      const message = `The frames cannot be read any more: ${this.#parser.fault}. The connection ends.`;
      this.#ports.refuse(refusal(null, wireError('ParseError', message)));
      this.#end('framing');
    }
    this.#ports.afterChunk?.();
  }

  #take(body: Buffer, foreignCharset: string | undefined): void {
    const decoded = decode(body, foreignCharset);
    if ('fault' in decoded) {
      this.#ports.refuse(refusal(decoded.id ?? null, wireError('ParseError', decoded.fault)));
      return;
    }
    const verdict = this.#ports.admission.judge(decoded.value);
    if ('pass' in verdict) {
      this.#ports.onMessage?.(verdict.pass);
      this.#callback?.(verdict.pass);
    } else if ('refuse' in verdict) this.#ports.refuse(verdict.refuse);
  }

  /**
   * Reports the end. After the report, the reader reads and discards all further input, so that it does not block a
   * client that still writes.
   */
  #end(end: ReaderEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ports.onEnd(end);
  }
}
