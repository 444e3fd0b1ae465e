// A few questions to a daemon that runs, for whoever lives for a moment: it opens no session, hears no event, loads no
// library and waits for one answer where it has several questions. What it cannot do (progress, cancelling, starting a
// daemon) the client can; whoever meets a failure here asks that one, and is told by it.
import { isUtf8 } from 'node:buffer';
import type * as Wire from '../protocol/types.ts';
import { FrameParser } from '../rpc/transport/frame-parser.ts';
import { CheckpointdGoneError, CheckpointdRequestError } from './client-error.ts';
import { DaemonSocket } from './daemon-socket.ts';

/** A daemon that is busier than that is asked by the client, which waits for longer. */
const answerMs = 2000;

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (why: Error) => void;
}

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Wire.ErrorData };
}

export class DaemonGlance {
  /** How `initialize` ended, for {@link server}. */
  readonly #hello: Promise<() => Wire.InitializeResult>;
  readonly #socket: DaemonSocket;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;
  #why: CheckpointdGoneError | undefined;

  /**
   * Goes to the daemon that listens there. The first questions are sent before it has answered who it is: it takes
   * them in their order.
   * @throws CheckpointdGoneError when the place is not private to this user
   */
  constructor(path: string, clientInfo: Wire.ClientInfo) {
    this.#socket = DaemonSocket.connecting(path);
    const parser = new FrameParser((body) => this.#take(body));
    this.#socket.output.on('data', (chunk: Buffer) => {
      parser.push(chunk);
      if (parser.fault !== undefined) this.#end(`the daemon sent what is no frame: ${parser.fault}`);
    });
    void this.#socket.ended.then((why) => this.#end(why));
    const capabilities = { checkpointd: { events: [] } };
    this.#hello = this.ask('initialize', { processId: process.pid, clientInfo, capabilities }).then(
      (result) => () => result,
      (error: unknown) => () => {
        throw error;
      },
    );
    this.#send({ method: 'initialized', params: {} });
  }

  /**
   * What the daemon says of itself. What else it answers may be used when that is known.
   * @throws as {@link ask}
   */
  async server(): Promise<Wire.InitializeResult> {
    const end = await this.#hello;
    return end();
  }

  /** @throws CheckpointdRequestError; CheckpointdGoneError where the daemon is gone, or takes long */
  async ask<M extends Wire.RequestMethod>(method: M, params: Wire.ParamsOf<M>): Promise<Wire.ResultOf<M>> {
    if (this.#why !== undefined) throw this.#why;
    const release = this.#socket.hold();
    const late = setTimeout(() => this.#end(`the daemon did not answer within ${answerMs} ms`), answerMs);
    try {
      return await new Promise<Wire.ResultOf<M>>((resolve, reject) => {
        this.#asked += 1;
        this.#waiting.set(this.#asked, { resolve, reject });
        this.#send({ id: this.#asked, method, params });
      });
    } finally {
      clearTimeout(late);
      release();
    }
  }

  /** Hangs up in order, and waits for nothing. */
  leave(): void {
    if (this.#why !== undefined) return;
    this.#send({ id: 0, method: 'shutdown', params: {} });
    this.#send({ method: 'exit' });
    this.#socket.input.end();
    this.#fail('the connection was closed');
  }

  /** What is sent at once leaves at once. */
  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const { input } = this.#socket;
    input.cork();
    input.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    process.nextTick(() => input.uncork());
  }

  #take(body: Buffer): void {
    const message = answerIn(body);
    if (message === undefined) return this.#end('the daemon sent what is no message');
    const { id, result, error } = message;
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) return; // a line of its log, or the answer to our leaving
    this.#waiting.delete(id as number);
    if (error === undefined) waiting.resolve(result as never);
    else waiting.reject(new CheckpointdRequestError(error.code, error.message, error.data));
  }

  #end(why: string): void {
    this.#fail(why);
    this.#socket.kill();
  }

  #fail(why: string): void {
    this.#why ??= new CheckpointdGoneError(why);
    for (const { reject } of this.#waiting.values()) reject(this.#why);
    this.#waiting.clear();
  }
}

/** Undefined for what is no message. */
function answerIn(body: Buffer): Answer | undefined {
  if (!isUtf8(body)) return undefined;
  try {
    const message: unknown = JSON.parse(body.toString('utf8'));
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
