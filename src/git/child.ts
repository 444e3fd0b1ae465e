// A git process that lives as long as its user and answers questions in order: `cat-file --batch`, `hash-object
// --stdin-paths`, `check-ignore --stdin`. A FIFO of asks with a timeout; when the process dies or stalls, every
// open ask fails and the next one starts a new process. It knows framing only through the `Answer` it is given.
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { passSeam } from '../base/seam.ts';
import { type GitPlace, gitEnvironment, placeArguments } from './environment.ts';
import { gitFailure, loadExeca } from './run.ts';

/**
 * Takes one answer off the front of what git has written so far.
 *
 * Returns undefined while the answer is incomplete, else the value and how many bytes it took.
 */
export type TakeAnswer<T> = (received: Buffer) => { readonly value: T; readonly length: number } | undefined;

interface Ask {
  readonly take: TakeAnswer<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

interface Process {
  readonly pid: number | undefined;
  write(bytes: Uint8Array): void;
  end(): void;
  kill(signal: NodeJS.Signals): void;
  readonly closed: Promise<void>;
}

const askTimeoutMs = 10_000;

/** A persistent git process, started with the first ask. Not poisoned by a failure: it restarts on demand. */
export class GitChild {
  readonly #place: GitPlace;
  readonly #args: readonly string[];
  #process: Process | undefined;
  #starting: Promise<Process> | undefined;
  #asks: Ask[] = [];
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #stderr = '';
  #timer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(place: GitPlace, args: readonly string[]) {
    this.#place = place;
    this.#args = args;
  }

  /** Process id while one is running; for tests and `session/get`. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /**
   * Writes a question and resolves with its answer; asks are pipelined and answered in order.
   *
   * @throws GitFailed when the process died or said nothing for ten seconds; the ask may or may not have had effect.
   */
  async ask<T>(question: Uint8Array, take: TakeAnswer<T>): Promise<T> {
    const child = this.#process ?? (await this.#start());
    return new Promise<T>((resolve, reject) => {
      this.#asks.push({ take, resolve, reject });
      this.#armTimer();
      child.write(question);
    });
  }

  /** Ends the process: end of input first, SIGTERM after half a second, SIGKILL after another. Open asks fail. */
  async close(): Promise<void> {
    this.#closing = true;
    const child = this.#process ?? (await this.#starting?.catch(() => undefined));
    if (child === undefined) return;
    child.end();
    const term = setTimeout(() => child.kill('SIGTERM'), 500);
    const kill = setTimeout(() => child.kill('SIGKILL'), 1000);
    await child.closed;
    clearTimeout(term);
    clearTimeout(kill);
  }

  /** Kills the process at once, for the end of the daemon: no await, no answer. */
  kill(): void {
    this.#closing = true;
    this.#process?.kill('SIGKILL');
  }

  #start(): Promise<Process> {
    if (this.#closing) {
      return Promise.reject(new CheckpointdError('GitFailed', `git ${this.#args[0]} was closed.`));
    }
    this.#starting ??= this.#spawn().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #spawn(): Promise<Process> {
    const execa = await loadExeca();
    passSeam('spawn', `git ${this.#args[0]}`);
    const running = execa('git', [...placeArguments(this.#place), ...this.#args], {
      env: gitEnvironment(this.#place.environment),
      extendEnv: false,
      cwd: this.#place.cwd ?? this.#place.gitDir,
      buffer: false,
      encoding: 'buffer',
      reject: false,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    running.stdin.on('error', () => {
      // EPIPE: the process is gone. The `closed` handler below tells every ask, with git's own words.
    });
    running.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    running.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-4000);
    });
    const closed = running.then((result) =>
      this.#ended(child, result.exitCode ?? -1, result.cause ?? result.code),
    );
    const child: Process = {
      pid: running.pid,
      write: (bytes) => void running.stdin.write(bytes),
      end: () => void running.stdin.end(),
      kill: (signal) => void running.kill(signal),
      closed,
    };
    this.#stderr = '';
    this.#received = [];
    this.#receivedBytes = 0;
    this.#process = child;
    return child;
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#receivedBytes += chunk.length;
    let buffer = this.#received.length === 1 ? chunk : Buffer.concat(this.#received, this.#receivedBytes);
    try {
      for (let ask = this.#asks[0]; ask !== undefined; ask = this.#asks[0]) {
        const answer = ask.take(buffer);
        if (answer === undefined) break;
        this.#asks.shift();
        buffer = buffer.subarray(answer.length);
        ask.resolve(answer.value as never);
      }
    } catch (error) {
      this.#fail(error);
      this.#process?.kill('SIGKILL');
      return;
    }
    this.#received = buffer.length === 0 ? [] : [buffer];
    this.#receivedBytes = buffer.length;
    this.#armTimer();
  }

  #armTimer(): void {
    clearTimeout(this.#timer);
    if (this.#asks.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#fail(
        new CheckpointdError(
          'GitFailed',
          `git ${this.#args[0]} did not answer within ${askTimeoutMs / 1000} seconds.`,
          { retryable: true },
        ),
      );
      this.#process?.kill('SIGKILL');
    }, askTimeoutMs);
  }

  #ended(child: Process, exitCode: number, cause: unknown): void {
    if (this.#process === child) this.#process = undefined;
    const failure = gitFailure(this.#args, exitCode, this.#stderr, systemCode(cause) ?? cause);
    this.#fail(failure);
  }

  #fail(error: unknown): void {
    clearTimeout(this.#timer);
    const asks = this.#asks;
    this.#asks = [];
    for (const ask of asks) ask.reject(error);
  }
}

/** Takes one line without its newline. */
export const takeLine: TakeAnswer<string> = (received) => {
  const end = received.indexOf(10);
  return end < 0 ? undefined : { value: received.toString('latin1', 0, end), length: end + 1 };
};
