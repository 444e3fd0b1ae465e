// Runs the server without a separate process: with streams in memory, handlers from the test, and a recorded exit code.
import { PassThrough } from 'node:stream';
import * as assert from 'uvu/assert';
import { createLog, type LogLevel } from '../../src/base/log.ts';
import { validateErrorData } from '../../src/protocol/validators.ts';
import type { Handlers, RequestContext } from '../../src/rpc/dispatch.ts';
import type { EndReason } from '../../src/rpc/ending.ts';
import { Server } from '../../src/rpc/server.ts';
import { type Frame, frameOf } from '../support/frames.ts';

/** A server, with its output, and the exit code with which it ended. */
export class ServerRig {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly logged: { readonly level: LogLevel; readonly message: string }[] = [];
  readonly frames: Frame[] = [];
  readonly stops: EndReason[] = [];
  readonly server: Server;
  readonly exited: Promise<number>;
  #rest = Buffer.alloc(0);
  #waiters: { readonly wanted: (frame: Frame) => boolean; readonly resolve: (frame: Frame) => void }[] = [];

  constructor(handlers: Partial<Handlers>, stop: () => Promise<void> = async () => undefined) {
    let exit: (code: number) => void = () => undefined;
    this.exited = new Promise((resolve) => {
      exit = resolve;
    });
    const log = createLog('debug', [(level, message) => this.logged.push({ level, message })]);
    const { input, output } = this;
    const streams = { input, output, close: () => output.end() };
    this.server = new Server({ log, exit, first: { streams, isParent: false } });
    output.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.server.listen(async () => ({
      handlers,
      stop: (reason) => {
        this.stops.push(reason);
        return stop();
      },
    }));
  }

  send(message: object | string): void {
    this.input.write(frameOf(message));
  }

  request(id: string | number, method: string, params?: unknown): Promise<Frame> {
    const answer = this.next((frame) => frame.id === id);
    this.send({ jsonrpc: '2.0', id, method, params });
    return answer;
  }

  /** Initialises the server and asks for the events of the test. */
  async initialize(params: object = {}): Promise<void> {
    await this.request('init', 'initialize', params);
  }

  /** Returns the next frame for which `wanted` returns true. */
  next(wanted: (frame: Frame) => boolean): Promise<Frame> {
    return new Promise((resolve) => this.#waiters.push({ wanted, resolve }));
  }

  #receive(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const match = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#rest.toString('latin1', 0, 64));
      if (match === null) return;
      const from = match[0].length;
      const to = from + Number(match[1]);
      if (this.#rest.length < to) return;
      const frame = JSON.parse(this.#rest.toString('utf8', from, to)) as Frame;
      this.#rest = this.#rest.subarray(to);
      this.frames.push(frame);
      const waiting = this.#waiters;
      this.#waiters = waiting.filter((waiter) => !waiter.wanted(frame));
      for (const waiter of waiting) if (waiter.wanted(frame)) waiter.resolve(frame);
    }
  }
}

/** Returns a promise, and the function with which the test resolves it. */
export function gate(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** Returns a promise that rejects when the signal is aborted, as the work of a real handler does. */
export function untilAborted(context: RequestContext): Promise<never> {
  return new Promise((_, reject) => {
    context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
  });
}

export const gc = { session: 'ses_x' };

export const gcResult = { freedBytes: 0, removed: [] } as unknown as Awaited<
  ReturnType<Handlers['store/gc']>
>;

export async function started(handlers: Partial<Handlers>, stop?: () => Promise<void>): Promise<ServerRig> {
  const server = new ServerRig(handlers, stop);
  await server.initialize({
    capabilities: { checkpointd: { events: ['session/didOpen', 'window/logMessage'] } },
  });
  return server;
}

export function kindOf(frame: Frame): string | undefined {
  if (frame.error !== undefined) assert.equal(validateErrorData(frame.error.data), []);
  return frame.error?.data?.kind;
}
