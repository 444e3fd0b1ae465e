// Connects one client: combines the strict reader, the admission, the one-write writer and vscode-jsonrpc's dispatch
// queue. The connection dispatches one message per turn of the event loop, in order. After the last message, the
// connection reports the end of input. This module handles frames and messages, and is independent of methods.
import type { Readable } from 'node:stream';
import {
  createMessageConnection,
  type Message,
  type MessageConnection,
  ResponseError,
} from 'vscode-jsonrpc/node';
import type { Effects } from '../../base/errors.ts';
import { within } from '../../base/within.ts';
import { type FrameLimits, frameLimits } from '../../wire/frame-parser.ts';
import { type WireError, wireError } from '../error-response.ts';
import { Admission, inFlightMax, type RequestId, refusal } from './admission.ts';
import { type FrameOutput, OneWriteWriter } from './one-write-writer.ts';
import { type ReaderEnd, StrictReader } from './strict-reader.ts';

/**
 * The connection waits at most this many times for a client that still reads. A client that reads very slowly must not
 * delay the end for ever.
 */
const drainRoundsMax = 10;

export type RequestOutcome =
  | {
      readonly result: unknown;
      /** The effects of the request. If the result is too large to send, the error response reports these effects. */
      readonly effects: Effects;
    }
  | { readonly error: WireError };

/** The reason why a connection ended. `outputClosed` means that the client no longer reads. */
export type ConnectionEnd = ReaderEnd | 'outputClosed';

export interface ConnectionPorts {
  readonly input: Readable;
  readonly output: FrameOutput;
  /** Runs a request. Must not reject. The client's `$/cancelRequest` aborts the signal `cancel`. */
  readonly onRequest: (method: string, params: unknown, cancel: AbortSignal) => Promise<RequestOutcome>;
  readonly wantsNotification: (method: string) => boolean;
  readonly onNotification: (method: string, params: unknown) => void;
  /** Called once, after all earlier messages were dispatched. */
  readonly onEnd: (end: ConnectionEnd) => void;
  readonly limits?: FrameLimits & { readonly inFlightMax: number };
}

// The limit for unread output. A client may write all its requests before it reads an answer, and this must not cause a
// deadlock. Therefore the limit is large. For example, 100,000 refusals are 25 MB.
const pendingBytesMax = 32 * 1024 * 1024;
const undispatchedMax = 1024;

export class Connection {
  readonly #ports: ConnectionPorts;
  readonly #admission: Admission;
  readonly #writer: OneWriteWriter;
  readonly #reader: StrictReader;
  readonly #messages: MessageConnection;
  readonly #effects = new WeakMap<object, Effects>();
  readonly #idleWaiters: (() => void)[] = [];
  #undispatched = 0;
  #readerEnd: ReaderEnd | undefined;
  #ended = false;
  #waitsForOutput = false;

  constructor(ports: ConnectionPorts) {
    this.#ports = ports;
    const limits = ports.limits ?? { ...frameLimits, inFlightMax };
    this.#admission = new Admission(ports.wantsNotification, limits.inFlightMax);
    this.#writer = new OneWriteWriter(ports.output, {
      address: (message) => this.#address(message),
      tooLarge: (message, bytes) => this.#tooLarge(message, bytes, limits.bodyBytesMax),
      bodyBytesMax: limits.bodyBytesMax,
    });
    this.#reader = new StrictReader(ports.input, {
      admission: this.#admission,
      refuse: (response) => this.#writer.writeAsIs(response),
      onEnd: (end) => this.#endReading(end),
      onMessage: (message) => {
        if (!isCancel(message)) this.#undispatched += 1;
      },
      afterChunk: () => this.#keepBounds(),
      limits,
    });
    this.#messages = createMessageConnection(this.#reader, this.#writer, undefined, {
      messageStrategy: { handleMessage: (message, next) => this.#dispatch(message, next) },
    });
    this.#messages.onError(() => this.#end('outputClosed'));
    this.#messages.onRequest((method, params, token) => this.#request(method, params, token));
    this.#messages.onNotification((method, params) => this.#ports.onNotification(method, params));
  }

  get inFlight(): number {
    return this.#admission.inFlight;
  }

  listen(): void {
    this.#messages.listen();
  }

  /**
   * Queues a notification. The notification is sent before every response that is queued later. If the client has too
   * much unread output, drops the notification and returns false. Responses are never dropped: there cannot be too many
   * of them, because the number of running requests is limited.
   */
  notify(method: string, params: object): boolean {
    if (this.#writer.pendingBytes > pendingBytesMax) return false;
    void this.#messages.sendNotification(method, params);
    return true;
  }

  /**
   * Resolves when every request has its response and all frames are sent. Also resolves when the client has read
   * nothing for `msMax`; as long as the client reads, the wait continues.
   */
  async drain(msMax: number): Promise<void> {
    const drained = this.#answered().then(() => this.#writer.drained());
    let pending = this.#writer.pendingBytes;
    for (let round = 0; round < drainRoundsMax; round += 1) {
      if (await within(msMax, drained)) return;
      if (this.#writer.pendingBytes >= pending) return;
      pending = this.#writer.pendingBytes;
    }
  }

  #dispatch(message: Message, next: (message: Message) => void | Promise<void>): void | Promise<void> {
    if (!isCancel(message)) this.#undispatched -= 1;
    const handled = next(message);
    this.#keepBounds();
    if (this.#undispatched === 0 && this.#readerEnd !== undefined) this.#end(this.#readerEnd);
    return handled;
  }

  async #request(
    method: string,
    params: unknown,
    token: { isCancellationRequested: boolean; onCancellationRequested(listener: () => void): unknown },
  ): Promise<unknown> {
    const cancel = new AbortController();
    if (token.isCancellationRequested) cancel.abort();
    else token.onCancellationRequested(() => cancel.abort());
    const outcome = await this.#ports.onRequest(method, params, cancel.signal);
    if ('result' in outcome) {
      const { result, effects } = outcome;
      if (effects !== 'none' && typeof result === 'object' && result !== null)
        this.#effects.set(result, effects);
      return result;
    }
    return new ResponseError(outcome.error.code, outcome.error.message, outcome.error.data);
  }

  /** Replaces the internal number in the library's response by the client's id. Removes the number from the table. */
  #address(message: Message): Message {
    if (!('id' in message) || 'method' in message || typeof message.id !== 'number') return message;
    const id = this.#admission.release(message.id);
    return id === undefined ? message : this.#released({ ...message, id } as Message);
  }

  #released(message: Message): Message {
    // Code that waits for the last response continues only in a later microtask, and the response is written before
    // that microtask runs.
    if (this.#admission.inFlight === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
    return message;
  }

  #answered(): Promise<void> {
    if (this.#admission.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** Stops reading while the client has too much unread output, or while too many messages are queued. */
  #keepBounds(): void {
    if (this.#waitsForOutput) return;
    if (this.#writer.pendingBytes > pendingBytesMax) {
      this.#waitsForOutput = true;
      this.#reader.pause();
      void this.#resumeOnceRead();
    } else if (this.#undispatched > undispatchedMax) this.#reader.pause();
    else this.#reader.resume();
  }

  async #resumeOnceRead(): Promise<void> {
    await this.#writer.drained();
    this.#waitsForOutput = false;
    this.#keepBounds();
  }

  #endReading(end: ReaderEnd): void {
    this.#readerEnd = end;
    if (this.#undispatched === 0) this.#end(end);
  }

  #end(end: ConnectionEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ports.onEnd(end);
  }

  #tooLarge(message: Message, bytes: number | undefined, bytesMax: number): Message {
    const size = bytes === undefined ? 'too large to measure' : `${bytes} bytes`;
    const text = `The answer would be ${size}; the limit is ${bytesMax}. Ask for fewer pages, paths or ranges.`;
    const { id = null, result } = message as { readonly id?: RequestId; readonly result?: unknown };
    const effects = (typeof result === 'object' && result !== null && this.#effects.get(result)) || 'none';
    const details = { bytesMax, bytes };
    return refusal(id, wireError('ResponseTooLarge', text, { effects, details }));
  }
}

/**
 * True for a message that cancels a request. The library handles this message at once and never dispatches it, so it is
 * not counted.
 */
function isCancel(message: Message): boolean {
  return 'method' in message && message.method === '$/cancelRequest';
}
