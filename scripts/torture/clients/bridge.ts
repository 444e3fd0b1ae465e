// Drives one of this repository's clients that are written in Python or Rust. The client starts the daemon as it does
// in a user's program. A small program (bridge.py, rust/) reads one request per line, sends the request through the
// client, and writes one answer per line. When the daemon dies, this module checks that every request ends soon and
// names the reason.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { normalParams, validateParams, validateResult } from '../../../src/protocol/validators.ts';
import { type Frame, WireFailure } from '../../../test/support/frames.ts';
import type { Exit } from '../../../test/support/wire-client.ts';
import { processorWaitOf, withinRunningTime } from '../answer-time.ts';
import { Defect } from '../tally.ts';
import type { Line } from './line.ts';

/** A message that a bridge writes. */
interface Said extends Pick<Frame, 'result' | 'error'> {
  readonly id?: number;
  /** The message with which the client reports that the daemon has ended. */
  readonly gone?: string;
  /** The message of a failure that must never happen in a client. */
  readonly broken?: string;
  /** The client's report of how the daemon ended. Set when the client was closed. */
  readonly closed?: unknown;
}

interface Waiting {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface BridgeOptions {
  /** The command line that starts the bridge. The command line of the daemon follows as further arguments. */
  readonly words: readonly string[];
  readonly daemon: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly patienceMs: number;
}

/** The error with which a client reports that its daemon has ended. */
class Gone extends Error {}

export class Bridge implements Line {
  readonly violations: string[] = [];
  readonly exited: Promise<Exit>;
  readonly #options: BridgeOptions;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  #tellExit: (exit: Exit | Promise<Exit>) => void = () => undefined;
  #lastId = 0;
  #daemon: number | undefined;
  #closed: unknown;
  #why: string | undefined;
  #burial: Promise<Exit> | undefined;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.exited = new Promise((resolve) => (this.#tellExit = resolve));
    // The error is ignored here: the code that kills the daemon or waits for an answer gets the error, too.
    this.exited.catch(() => undefined);
    const [program = '', ...words] = options.words;
    this.#process = spawn(program, [...words, ...options.daemon], { stdio: 'pipe', env: options.env });
    this.#process.stdin.on('error', () => undefined);
    createInterface({ input: this.#process.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
    // A client must write nothing to stderr: tracebacks, warnings and panics are defects.
    this.#process.stderr.on('data', (chunk: Buffer) => this.violations.push(chunk.toString()));
    this.#ended = new Promise((resolve) => {
      const end = (why: string): void => {
        for (const each of this.#waiting.values()) each.reject(new Defect(`${this.#name}: ended by ${why}`));
        resolve();
      };
      this.#process.on('error', (error) => end(error.message));
      this.#process.on('close', (code, signal) => end(`${code ?? signal} ${this.violations.join(' ')}`));
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#why !== undefined;
  }

  get #name(): string {
    return `the client behind ${this.#options.words.at(-1)?.split('/').at(-1) ?? 'it'}`;
  }

  async initialize(): Promise<unknown> {
    const { pid } = (await this.#answer(0, 'initialize')) as { readonly pid: number };
    this.#daemon = pid;
    return { pid };
  }

  async ask(method: string, params: object): Promise<unknown> {
    const misfits = validateParams(method, normalParams(structuredClone(params)));
    if (misfits.length > 0) throw new Defect(`${method}: ${JSON.stringify(misfits)}`);
    const result = await this.#send(method, params);
    const issues = validateResult(method, structuredClone(result));
    if (issues.length > 0) this.violations.push(`${method}: ${JSON.stringify(issues)}`);
    return result;
  }

  async kill(): Promise<void> {
    if (this.#daemon === undefined) return this.#endBridge();
    try {
      process.kill(this.#daemon, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    await this.#bury();
  }

  async close(): Promise<void> {
    await this.#endBridge();
    if (this.#closed === undefined) throw new Defect(`${this.#name} did not end in order`);
    if (this.violations.length > 0) throw new Defect(`${this.#name}: ${this.violations.join(' ')}`);
  }

  #send(method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = this.#answer(id, method);
    this.#process.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
    return answer;
  }

  #answer(id: number, method: string): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { method, resolve, reject }));
  }

  #take({ id, result, error, gone, broken, closed }: Said): void {
    if (closed !== undefined) this.#closed = closed;
    const waiting = this.#waiting.get(id ?? -1);
    this.#waiting.delete(id ?? -1);
    if (gone !== undefined) {
      this.#why ??= gone;
      waiting?.reject(new Gone(gone));
      void this.#bury().catch(() => undefined); // `exited` reports the end of the daemon
    } else if (broken !== undefined) waiting?.reject(new Defect(`${this.#name} is broken: ${broken}`));
    else if (error !== undefined) waiting?.reject(new WireFailure(waiting.method, error));
    else waiting?.resolve(result);
  }

  #bury(): Promise<Exit> {
    if (this.#burial === undefined) {
      this.#burial = this.#dieInOrder();
      this.#tellExit(this.#burial);
    }
    return this.#burial;
  }

  /**
   * Checks a client whose daemon has ended. All requests must fail with the same message as the first failed request,
   * and closing the client must succeed.
   */
  async #dieInOrder(): Promise<Exit> {
    const started = this.#daemon !== undefined;
    if (started) await this.#awaitEnd(this.#refusal());
    await this.#endBridge();
    const why = this.#why ?? '';
    // Finds the signal in "ended with -9" or "ended with signal: 9 (SIGKILL)". Finds the exit code in "ended with 70:
    // last words" or "ended with exit status: 70".
    const [, signal, code] =
      /ended with (?:-|signal: )?(?:(?<=-|signal: )(\d+)|(?:exit status: )?(\d+))/.exec(why) ?? [];
    if (signal === '9') return { code: null, signal: 'SIGKILL' };
    if (code !== undefined) return { code: Number(code), signal: null };
    throw new Defect(`${this.#name} does not tell how its daemon ended: ${why}`);
  }

  /**
   * Repeats a request until the client reports that the daemon is gone. The client may notice this late, because
   * processes between client and daemon may end after the daemon.
   */
  async #refusal(): Promise<void> {
    for (;;) {
      try {
        await this.#send('session/list', {});
      } catch (error) {
        if (!(error instanceof Gone)) throw error;
        if (error.message !== this.#why)
          throw new Defect(`${this.#name} said "${this.#why}", then "${error.message}"`);
        return;
      }
      await wait(5);
    }
  }

  async #endBridge(): Promise<void> {
    this.#process.stdin.end();
    await this.#awaitEnd(this.#ended);
  }

  async #awaitEnd(end: Promise<void>): Promise<void> {
    try {
      await withinRunningTime(end, this.#options.patienceMs, processorWaitOf(this.pid));
    } catch (error) {
      // Kills the client's process, so that it does not keep running.
      this.#process.kill('SIGKILL');
      throw error instanceof Defect ? error : new Defect(`${this.#name} hangs: ${(error as Error).message}`);
    }
  }
}
