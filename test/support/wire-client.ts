// A client for tests. The client starts the daemon (or any program), exchanges frames, and always ends the daemon. The
// client has its own strict parser. The client checks every frame with the schema: received frames must be valid, and
// the daemon must refuse an invalid request. Frames that the test sends as raw bytes are not checked.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type {
  EventOf,
  InitializeParams,
  InitializeResult,
  NotificationMethod,
  ParamsOf,
  RequestMethod,
  ResultOf,
} from '../../src/protocol/types.ts';
import {
  normalParams,
  validateErrorData,
  validateParams,
  validateResult,
} from '../../src/protocol/validators.ts';
import { packageFile, programFile } from '../../src/wire/places.ts';
import { recordSent, undeclaredIn } from './declarations.ts';
import { type Frame, frameOf, type Id, WireFailure } from './frames.ts';

/** The path of the daemon's program in this checkout. The package has the program at the same path. */
export const daemonEntry = programFile();

/**
 * Returns the path of a daemon with faults, for tests. Such a daemon is built by scripts/bundle.ts, in the same way as
 * the daemon itself.
 */
export const testProgram = (name: 'planned-daemon' | 'faulty-daemon' | 'killed-daemon'): string =>
  packageFile(`dist/test-programs/${name}.cjs`);

/** The command of a daemon that opens files named `slow-…` and `stuck-…` slowly (faulty-daemon.ts). */
export const slowNamesCommand: readonly [string, ...string[]] = [
  process.execPath,
  testProgram('faulty-daemon'),
  '--fault=slowNames',
];

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface WireOptions {
  /** The program and its arguments. By default, this Node with the compiled daemon. */
  readonly command?: readonly [string, ...string[]];
  /** Arguments that follow the path of the daemon's program. */
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The time in milliseconds after which `request`, `next` and `exit` fail the test. By default 30 s. */
  readonly timeoutMs?: number;
  /** True if results, errors and events must match the schema. By default true. */
  readonly validate?: boolean;
}

interface Waiter {
  readonly wanted: (frame: Frame) => boolean;
  readonly resolve: (frame: Frame) => void;
  readonly reject: (error: Error) => void;
}

export class WireClient {
  readonly process: ChildProcessWithoutNullStreams;
  readonly exited: Promise<Exit>;
  /** All received frames, in order. */
  readonly frames: Frame[] = [];
  /** Faults in the received data: bytes that are no frame, and frames that do not match the schema. */
  readonly violations: string[] = [];
  /** Received fields and error kinds that the protocol does not declare. */
  readonly undeclared: string[] = [];
  stderr = '';
  readonly #timeoutMs: number;
  readonly #validate: boolean;
  readonly #waiters = new Set<Waiter>();
  readonly #methodOf = new Map<Id, string>();
  /** The ids of invalid requests, which the daemon must refuse. */
  readonly #misfits = new Set<Id>();
  #rest: Buffer = Buffer.alloc(0);
  #lastId = 0;

  constructor(options: WireOptions = {}) {
    const [program, ...words] = options.command ?? [process.execPath, daemonEntry];
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#validate = options.validate ?? true;
    this.process = spawn(program, [...words, ...(options.args ?? [])], {
      stdio: 'pipe',
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    this.process.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.process.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    // Writing to a daemon that has ended gives EPIPE. `exited` explains more, so this error is ignored.
    this.process.stdin.on('error', () => undefined);
    this.exited = new Promise((resolve, reject) => {
      this.process.on('error', reject);
      this.process.on('close', (code, signal) => {
        for (const waiter of this.#waiters)
          waiter.reject(new Error(`the daemon ended (${code ?? signal}); ${this.stderr}`));
        resolve({ code, signal });
      });
    });
  }

  /** Returns the parameters of all notifications of this method that were received up to now. */
  events<M extends NotificationMethod>(method: M): EventOf<M>[] {
    return this.frames.filter((frame) => frame.method === method).map((frame) => frame.params as EventOf<M>);
  }

  /** Sends a request and waits for its answer. @throws WireFailure */
  request<M extends RequestMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    return this.send(method, params).answer as Promise<ResultOf<M>>;
  }

  /** Sends any request, even one that the types do not allow. Returns the answer, and the id for a cancel request. */
  send(method: string, params?: unknown): { readonly id: number; readonly answer: Promise<unknown> } {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#methodOf.set(id, method);
    const answer = this.next((frame) => frame.id === id && frame.method === undefined).then((frame) => {
      if (frame.error !== undefined) throw new WireFailure(method, frame.error);
      return frame.result;
    });
    recordSent(method, params);
    if (this.#validate && validateParams(method, normalParams(structuredClone(params))).length > 0)
      this.#misfits.add(id);
    this.write(frameOf({ jsonrpc: '2.0', id, method, params }));
    return { id, answer };
  }

  notify(method: string, params?: unknown): void {
    recordSent(method, params);
    this.write(frameOf({ jsonrpc: '2.0', method, params }));
  }

  cancel(id: Id): void {
    this.notify('$/cancelRequest', { id });
  }

  /** Writes raw bytes. */
  write(bytes: Buffer | string): void {
    this.process.stdin.write(bytes);
  }

  /** Sends this message unchanged, and waits for the answer with its id. */
  async raw(message: object | string): Promise<Frame> {
    const before = this.frames.length;
    this.write(frameOf(message));
    const id = typeof message === 'object' && 'id' in message ? message.id : null;
    return this.next((frame) => frame.method === undefined && (frame.id === id || frame.id === null), before);
  }

  /**
   * Returns the first frame, beginning at index `from`, for which `wanted` returns true. If no received frame matches,
   * waits for the next frames. By default, only later frames count.
   */
  next(wanted: (frame: Frame) => boolean, from: number = this.frames.length): Promise<Frame> {
    const already = this.frames.slice(from).find(wanted);
    if (already !== undefined) return Promise.resolve(already);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(
          new Error(`nothing came within ${this.#timeoutMs} ms; last: ${JSON.stringify(this.frames.at(-1))}`),
        );
      }, this.#timeoutMs);
      const finish = <T>(how: (value: T) => void): ((value: T) => void) => {
        return (value) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          how(value);
        };
      };
      const waiter: Waiter = { wanted, resolve: finish(resolve), reject: finish(reject) };
      this.#waiters.add(waiter);
    });
  }

  async initialize(params: InitializeParams = {}): Promise<InitializeResult> {
    const result = await this.request('initialize', params);
    this.notify('initialized', {});
    return result;
  }

  /** Ends the daemon with shutdown and exit. Returns how the process ended. */
  async close(): Promise<Exit> {
    await this.request('shutdown', {});
    this.notify('exit');
    return this.exit();
  }

  /** Closes the input and waits for the end of the process. */
  endInput(): Promise<Exit> {
    this.process.stdin.end();
    return this.exit();
  }

  /** Waits until the process ends by itself. */
  async exit(): Promise<Exit> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`still running after ${this.#timeoutMs} ms`)),
        this.#timeoutMs,
      );
    });
    try {
      return await Promise.race([this.exited, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Kills the process in any state. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    this.process.kill(signal);
    return this.exited;
  }

  #receive(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const head = this.#rest.toString('latin1', at, at + 64);
      const match = /^Content-Length: (\d+)\r\n\r\n/.exec(head);
      if (match === null) {
        if (head.length >= 64 || !'Content-Length: '.startsWith(head.slice(0, 16))) {
          this.violations.push(`not a frame: ${JSON.stringify(head)}`);
          at = this.#rest.length;
        }
        break;
      }
      const from = at + match[0].length;
      const to = from + Number(match[1]);
      if (this.#rest.length < to) break;
      this.#take(this.#rest.toString('utf8', from, to));
      at = to;
    }
    this.#rest = this.#rest.subarray(at);
  }

  #take(text: string): void {
    const frame = JSON.parse(text) as Frame;
    this.frames.push(frame);
    if (this.#validate) {
      this.#check(frame);
      this.undeclared.push(...undeclaredIn(frame, this.#methodOf.get(frame.id ?? null)));
      // Raw frames may use the same id again, for any method.
      if (frame.method === undefined) this.#methodOf.delete(frame.id ?? null);
    }
    for (const waiter of this.#waiters) if (waiter.wanted(frame)) waiter.resolve(frame);
  }

  #check(frame: Frame): void {
    const issues = this.#issuesOf(frame);
    if (frame.error === undefined && frame.method === undefined && this.#misfits.has(frame.id ?? null))
      this.violations.push(
        `served although it does not fit the schema: ${this.#methodOf.get(frame.id ?? null)}`,
      );
    if (frame.jsonrpc !== '2.0') this.violations.push('a frame without "jsonrpc": "2.0"');
    if (issues.length > 0) {
      const excerpt = JSON.stringify(frame).slice(0, 500);
      this.violations.push(`does not fit the schema: ${JSON.stringify(issues)} in ${excerpt}`);
    }
  }

  #issuesOf(frame: Frame): readonly unknown[] {
    if (frame.method !== undefined) return validateParams(frame.method, structuredClone(frame.params));
    if (frame.error !== undefined) return validateErrorData(frame.error.data);
    const method = this.#methodOf.get(frame.id ?? null);
    return method === undefined ? [] : validateResult(method, frame.result);
  }
}

/** Runs a test with a client, and then ends the daemon, even if the test fails. Fails if a frame was invalid. */
export async function withClient<T>(
  run: (client: WireClient) => Promise<T>,
  options: WireOptions = {},
): Promise<T> {
  const client = new WireClient(options);
  try {
    const result = await run(client);
    const wrong = [...client.violations, ...client.undeclared];
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
    return result;
  } finally {
    await client.kill();
  }
}

/** Returns the error with which a request fails. Fails the test if the request succeeds. */
export async function failureOf(answer: Promise<unknown>): Promise<WireFailure> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof WireFailure) return error;
    throw error;
  }
  throw new Error('the request succeeded');
}
