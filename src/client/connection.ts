// One connection to a daemon: requests with their answers, cancellation, progress and notifications. The
// connection loads no library, because every command waits for it, and trusts only complete frames. The
// connection mentions no method except those of JSON-RPC itself.
import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import type * as Wire from '../protocol/types.ts';
import { FrameParser } from '../wire/frame-parser.ts';
import { CheckpointdGoneError, CheckpointdRequestError } from './client-error.ts';

/** The connection of a client to its daemon, started by the client or running before: two streams and an end. */
export interface DaemonLink {
  /** The stream that the daemon reads. */
  readonly input: Writable;
  /** The stream that the daemon writes. */
  readonly output: Readable;
  /** Resolves when the daemon cannot be reached any more, with the reason as text. Never rejects. */
  readonly ended: Promise<string>;
  /** The daemon's process id, if this process started it. */
  readonly pid: number | undefined;
  /** Decides whether the daemon keeps this process alive. At first the daemon does not. */
  keepAlive(isWanted: boolean): void;
  /** Ends the daemon, or the connection to it, at once. */
  kill(): void;
  /** Waits this long for the end, then forces it. Returns the exit code of a daemon that this process started. */
  end(patienceMs: number): Promise<number | null>;
}

export interface RequestOptions {
  /**
   * Cancels the request. The request then rejects with `RequestCancelled` and has changed nothing, or
   * resolves with its result if it had already committed. `AbortSignal.timeout(ms)` makes a time limit.
   */
  readonly signal?: AbortSignal;
  readonly onProgress?: (value: Wire.ProgressValue) => void;
}

/** How long a daemon that has stopped reading may take to end. The daemon's end explains more than the broken pipe. */
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
  /** Resolves with the reason why no more requests will be answered. */
  readonly #end: Promise<CheckpointdGoneError>;
  #tellEnd: (why: CheckpointdGoneError) => void = () => undefined;
  #gone: CheckpointdGoneError | undefined;
  #broken: NodeJS.Timeout | undefined;
  #lastId = 0;
  #holds = 0;

  constructor(link: DaemonLink) {
    this.#link = link;
    this.#end = new Promise((resolve) => (this.#tellEnd = resolve));
    const parser = new FrameParser((body) => this.#take(body));
    link.output.on('data', (chunk: Buffer) => {
      if (this.#gone !== undefined) return;
      parser.push(chunk);
      if (parser.fault !== undefined) this.#distrust(parser.fault);
    });
    link.output.on('error', () => undefined); // `ended` follows
    link.input.on('error', () => this.#expectEnd());
    void link.ended.then((why) => this.#fail(why));
  }

  /** Sends a request. @throws CheckpointdRequestError; CheckpointdGoneError when the daemon is gone */
  async request<M extends Wire.RequestMethod>(
    method: M,
    params: Wire.ParamsOf<M>,
    { signal, onProgress }: RequestOptions = {},
  ): Promise<Wire.ResultOf<M>> {
    if (this.#gone !== undefined) throw this.#gone;
    this.#lastId += 1;
    const id = this.#lastId;
    const cancel = (): void => void this.#send({ method: '$/cancelRequest', params: { id } });
    const release = this.#hold();
    try {
      return await new Promise<Wire.ResultOf<M>>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, onProgress });
        void this.#send({
          id,
          method,
          params: onProgress === undefined ? params : { ...params, workDoneToken: id },
        });
        // Listens only now, because the cancel of a request must follow it.
        if (signal?.aborted === true) cancel();
        else signal?.addEventListener('abort', cancel, { once: true });
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
      release();
    }
  }

  /** Sends a notification, and resolves when it is written. @throws CheckpointdGoneError when the daemon is gone */
  async notify<M extends Wire.NotificationMethod>(method: M, params: Wire.EventOf<M>): Promise<void> {
    if (this.#gone !== undefined) throw this.#gone;
    const release = this.#hold();
    try {
      if (!(await this.#send({ method, params }))) throw await this.#end;
    } finally {
      release();
    }
  }

  /** Listens to an event. Returns a function that stops listening. */
  on<E extends Wire.NotificationMethod>(event: E, listener: (params: Wire.EventOf<E>) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    const each = (params: never): void => listener(params);
    listeners.add(each);
    return () => listeners.delete(each);
  }

  /** Closes the connection in order, without waiting. */
  leave(): void {
    if (this.#gone !== undefined) return;
    void this.#send({ id: 0, method: 'shutdown', params: {} });
    void this.#send({ method: 'exit' });
    this.#link.input.end();
    this.#fail('the connection was closed');
  }

  /** Makes the daemon keep this process alive until the returned function is called. */
  #hold(): () => void {
    this.#holds += 1;
    if (this.#holds === 1) this.#link.keepAlive(true);
    return () => {
      this.#holds -= 1;
      if (this.#holds === 0) this.#link.keepAlive(false);
    };
  }

  /**
   * Sends a message. Resolves to false when the message could not be written. Messages of one turn of the
   * event loop leave together.
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
    if (typeof message === 'string') return this.#distrust(message);
    // Handles one message per turn of the event loop: code that waits for an answer continues before the next event.
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

  /** Ends the connection, because nothing after a fault can be trusted. */
  #distrust(fault: string): void {
    this.#fail(`the daemon sent an invalid frame: ${fault}`);
    this.#link.kill();
  }

  /** Waits for the end: the pipe breaks before the process ends. Ends a daemon that continues without reading. */
  #expectEnd(): void {
    this.#broken ??= setTimeout(() => {
      this.#fail(`the connection broke, and the daemon did not end within ${brokenMs / 1000} s`);
      this.#link.kill();
    }, brokenMs).unref();
  }

  #fail(why: string): void {
    if (this.#gone !== undefined) return;
    // Answers that arrived before the end still count.
    while (this.#arrived.length > 0) this.#deliver();
    clearTimeout(this.#broken);
    this.#gone = new CheckpointdGoneError(why);
    this.#tellEnd(this.#gone);
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }
}

/** Returns the message, or the problem with the body as text. */
function messageIn(body: Buffer): Message | string {
  if (!isUtf8(body)) return 'a body that is not UTF-8';
  try {
    const message: unknown = JSON.parse(body.toString('utf8'));
    const isMessage = typeof message === 'object' && message !== null && 'jsonrpc' in message;
    return isMessage ? (message as Message) : 'a body that is no JSON-RPC message';
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `a body that is not JSON (${error.message})`;
  }
}
