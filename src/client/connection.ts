// Implements one connection to a daemon: requests with their answers, cancellation, progress and notifications. This
// module imports no library, because every command has to wait until this module is loaded. After an invalid frame, the
// connection ends.
import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { isObject } from '../base/json.ts';
import type * as Wire from '../protocol/types.ts';
import { FrameParser } from '../wire/frame-parser.ts';
import { CheckpointdGoneError, CheckpointdRequestError } from './client-error.ts';

/**
 * The link between a client and a daemon: two streams, and functions that end the daemon or wait for its end. The
 * client has started the daemon itself, or has joined a running daemon.
 */
export interface DaemonLink {
  /** The stream from which the daemon reads. */
  readonly input: Writable;
  /** The stream to which the daemon writes. */
  readonly output: Readable;
  /** Resolves with the reason as text when the daemon can no longer be reached. Never rejects. */
  readonly ended: Promise<string>;
  /** The daemon's process id, if this process started it. */
  readonly pid: number | undefined;
  /** Sets whether a running daemon prevents this process from ending. The initial value is false. */
  keepAlive(isWanted: boolean): void;
  /** Ends the daemon or the connection at once. */
  kill(): void;
  /**
   * Waits up to `patienceMs` until the daemon ends, and then forces its end. Returns the exit code if this process
   * started the daemon.
   */
  end(patienceMs: number): Promise<number | null>;
}

export interface RequestOptions {
  /**
   * Cancels the request. The promise then rejects with `RequestCancelled`, and the request has changed nothing. If the
   * request had already committed, the promise resolves with the result. `AbortSignal.timeout(ms)` makes a time limit.
   */
  readonly signal?: AbortSignal;
  readonly onProgress?: (value: Wire.ProgressValue) => void;
}

/**
 * The maximum time to wait for the end of a daemon that has stopped reading. If the daemon ends in time, the error
 * gives the reason of the daemon's end. This explains more than a broken pipe.
 */
const brokenMs = 2000;

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (why: Error) => void;
  readonly onProgress: RequestOptions['onProgress'];
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Wire.ErrorData };
}

export class DaemonConnection {
  readonly #link: DaemonLink;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Set<(params: never) => void>>();
  readonly #arrived: Message[] = [];
  /** When the connection has ended, resolves with an error that contains the reason. */
  readonly #end: Promise<CheckpointdGoneError>;
  #resolveEnd: (why: CheckpointdGoneError) => void = () => undefined;
  #gone: CheckpointdGoneError | undefined;
  #broken: NodeJS.Timeout | undefined;
  #lastId = 0;
  #keepAlives = 0;

  constructor(link: DaemonLink) {
    this.#link = link;
    this.#end = new Promise((resolve) => (this.#resolveEnd = resolve));
    const parser = new FrameParser((body) => this.#take(body));
    link.output.on('data', (chunk: Buffer) => {
      if (this.#gone !== undefined) return;
      parser.push(chunk);
      if (parser.fault !== undefined) this.#endOnInvalid(parser.fault);
    });
    link.output.on('error', () => undefined); // `ended` follows
    link.input.on('error', () => this.#expectEnd());
    void link.ended.then((why) => this.#fail(why));
  }

  /** Sends a request. @throws CheckpointdRequestError; CheckpointdGoneError when the daemon has ended */
  async request<M extends Wire.RequestMethod>(
    method: M,
    params: Wire.ParamsOf<M>,
    { signal, onProgress }: RequestOptions = {},
  ): Promise<Wire.ResultOf<M>> {
    if (this.#gone !== undefined) throw this.#gone;
    this.#lastId += 1;
    const id = this.#lastId;
    const cancel = (): void => void this.#send({ method: '$/cancelRequest', params: { id } });
    const release = this.#keepAlive();
    try {
      return await new Promise<Wire.ResultOf<M>>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, onProgress });
        void this.#send({
          id,
          method,
          params: onProgress === undefined ? params : { ...params, workDoneToken: id },
        });
        // Listens to the signal only after the request was sent, because the daemon must get the request before its
        // cancellation.
        if (signal?.aborted === true) cancel();
        else signal?.addEventListener('abort', cancel, { once: true });
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
      release();
    }
  }

  /**
   * Sends a notification. Resolves when the notification is written. @throws CheckpointdGoneError when the daemon has
   * ended
   */
  async notify<M extends Wire.NotificationMethod>(method: M, params: Wire.EventOf<M>): Promise<void> {
    if (this.#gone !== undefined) throw this.#gone;
    const release = this.#keepAlive();
    try {
      if (!(await this.#send({ method, params }))) throw await this.#end;
    } finally {
      release();
    }
  }

  /** Adds a listener for an event. Returns a function that removes the listener. */
  on<E extends Wire.NotificationMethod>(event: E, listener: (params: Wire.EventOf<E>) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    const each = (params: never): void => listener(params);
    listeners.add(each);
    return () => listeners.delete(each);
  }

  /** Closes the connection with `shutdown` and `exit`, without waiting for answers. */
  leave(): void {
    if (this.#gone !== undefined) return;
    void this.#send({ id: 0, method: 'shutdown', params: {} });
    void this.#send({ method: 'exit' });
    this.#link.input.end();
    this.#fail('the connection was closed');
  }

  /** Lets the daemon keep this process alive until the caller calls the returned function. */
  #keepAlive(): () => void {
    this.#keepAlives += 1;
    if (this.#keepAlives === 1) this.#link.keepAlive(true);
    return () => {
      this.#keepAlives -= 1;
      if (this.#keepAlives === 0) this.#link.keepAlive(false);
    };
  }

  /**
   * Sends a message. Resolves to false when the message could not be written. Messages that are sent in the same turn
   * of the event loop are written together.
   */
  #send(message: object): Promise<boolean> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const { input } = this.#link;
    input.cork();
    process.nextTick(() => input.uncork());
    return new Promise((resolve) =>
      input.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, (error) =>
        resolve(error == null),
      ),
    );
  }

  #take(body: Buffer): void {
    const message = messageIn(body);
    if (typeof message === 'string') return this.#endOnInvalid(message);
    // Delivers one message per turn of the event loop. A caller that waits for an answer thus continues before the next
    // event is delivered.
    if (this.#arrived.push(message) === 1) setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    const message = this.#arrived.shift();
    if (message === undefined) return;
    if (this.#arrived.length > 0) setImmediate(() => this.#deliver());
    const { id, method, params, result, error } = message;
    if (method === '$/progress') {
      const { token, value } = params as Wire.ProgressParams;
      this.#waiting.get(Number(token))?.onProgress?.(value);
    }
    if (typeof method === 'string') {
      for (const listener of this.#listeners.get(method) ?? []) listener(params as never);
      return;
    }
    const waiting = this.#waiting.get(Number(id));
    if (waiting === undefined) return;
    this.#waiting.delete(Number(id));
    if (error === undefined) waiting.resolve(result as never);
    else waiting.reject(new CheckpointdRequestError(error.code, error.message, error.data));
  }

  /** Ends the connection, because no later frame can be trusted after a fault. */
  #endOnInvalid(fault: string): void {
    this.#fail(`the daemon sent an invalid frame: ${fault}`);
    this.#link.kill();
  }

  /**
   * Waits for the daemon's end, because the pipe breaks shortly before the process ends. Kills a daemon that has
   * stopped reading but does not end.
   */
  #expectEnd(): void {
    this.#broken ??= setTimeout(() => {
      this.#fail(`the connection broke, and the daemon did not end within ${brokenMs / 1000} s`);
      this.#link.kill();
    }, brokenMs).unref();
  }

  #fail(why: string): void {
    if (this.#gone !== undefined) return;
    // Delivers the answers that arrived before the end.
    while (this.#arrived.length > 0) this.#deliver();
    clearTimeout(this.#broken);
    this.#gone = new CheckpointdGoneError(why);
    this.#resolveEnd(this.#gone);
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }
}

/** Returns the message, or a text that describes the problem with the body. */
function messageIn(body: Buffer): Message | string {
  if (!isUtf8(body)) return 'a body that is not UTF-8';
  try {
    const message: unknown = JSON.parse(body.toString('utf8'));
    const isMessage = isObject(message) && 'jsonrpc' in message;
    return isMessage ? message : 'a body that is no JSON-RPC message';
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `a body that is not JSON (${error.message})`;
  }
}
