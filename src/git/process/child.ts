// Runs a persistent git process, which answers queries in order: `cat-file --batch`, `check-ignore --stdin`,
// `update-ref --stdin`. After a process has died or hung, the next query starts a new process. After the start, this
// module sends the unanswered queries once more, if they may be repeated. The caller's `TakeAnswer` finds the end of
// each answer. This module does not interpret answers and caches nothing.
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { ended } from '../../base/turns.ts';
import type { GitPlace } from './environment.ts';
import { type GitProcess, gitFailure, openGit } from './run.ts';
import { SilenceTimer, silenceMsMax, silent } from './silence.ts';

/**
 * Takes one answer from the beginning of the output that git has written so far.
 *
 * Returns the value, and how many bytes the answer takes. While the answer is incomplete, returns how many bytes must
 * arrive before the next call. The buffer can then grow to the needed size in one step. Returns undefined when this
 * number is unknown.
 */
export type TakeAnswer<T> = (
  received: Buffer,
) => { readonly value: T; readonly length: number } | number | undefined;

interface ChildOptions {
  /**
   * True when repeating a query does no harm. If repeating a query does no harm, unanswered queries are sent once more,
   * to the next process. Default: false.
   */
  readonly replay?: boolean;
  /** A process that has an unanswered query and does nothing for this time is killed and replaced. Default: 4 s. */
  readonly patienceMs?: number;
  /**
   * A process that gets no query is idle. An idle process is ended after this time, or at the latest after twice this
   * time. Default: 20 s.
   */
  readonly restMs?: number;
}

const restMsDefault = 20_000;

/**
 * True when the system reports whether a process without output is working. On other systems, each query has its own
 * time limit.
 */
const sees = process.platform === 'linux';

/** The default time limit of a query, in ms. A query that is repeated once still ends within ten seconds. */
const patienceMsDefault = 4000;

interface Ask {
  readonly question: Uint8Array;
  readonly take: TakeAnswer<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly patienceMs: number;
  triesLeft: number;
}

/**
 * The received bytes that no caller has taken yet, in one buffer. A full buffer doubles its size. If each chunk were
 * joined to all earlier bytes, an answer of a hundred megabytes would be copied two thousand times.
 */
class Received {
  #bytes: Buffer = Buffer.alloc(0);
  #room: Buffer = Buffer.alloc(0);

  /** Adds a chunk and returns all bytes. Never overwrites bytes that an earlier call returned. */
  with(chunk: Buffer, neededBytes: number): Buffer {
    if (this.#bytes.length === 0) return this.keep(chunk);
    const [before, length] = [this.#bytes, this.#bytes.length + chunk.length];
    let start = before.buffer === this.#room.buffer ? before.byteOffset - this.#room.byteOffset : -1;
    if (start < 0 || start + length > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(Math.max(neededBytes, 2 * length));
      before.copy(this.#room);
      start = 0;
    }
    chunk.copy(this.#room, start + before.length);
    return this.keep(this.#room.subarray(start, start + length));
  }

  keep(bytes: Buffer): Buffer {
    if (bytes.length === 0) this.#room = bytes;
    this.#bytes = bytes;
    return bytes;
  }
}

/**
 * One process and its unanswered queries. Each process has its own object, so an old process that ends late affects no
 * query of a newer process.
 */
class Dialogue {
  readonly process: GitProcess;
  readonly asks: Ask[] = [];
  readonly #received = new Received();
  #neededBytes = 1;
  readonly #timer: SilenceTimer;
  /** The reason why the process gets no more queries: it was killed, or it ended. */
  failure: unknown;

  constructor(process: GitProcess, args: readonly string[]) {
    this.process = process;
    this.#timer = new SilenceTimer({
      group: () => process.pid,
      whenUnknown: 'silent',
      onSilence: (patienceMs) => this.fail(silent(args, patienceMs)),
    });
    process.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  put(ask: Ask): void {
    this.asks.push(ask);
    if (this.asks.length === 1) this.#armTimer();
    const { stdin } = this.process;
    // Writes all queries from one turn of the event loop together.
    stdin.cork();
    process.nextTick(() => stdin.uncork());
    stdin.write(ask.question);
  }

  fail(error: unknown): void {
    this.#timer.stop();
    this.failure ??= error;
    this.process.kill('SIGKILL');
  }

  stop(): void {
    this.#timer.stop();
  }

  #receive(chunk: Buffer): void {
    if (this.failure !== undefined) return;
    let buffer = this.#received.with(chunk, this.#neededBytes);
    this.#armTimer();
    if (buffer.length < this.#neededBytes) return;
    this.#neededBytes = 1;
    try {
      for (let ask = this.asks[0]; ask !== undefined && buffer.length > 0; ask = this.asks[0]) {
        const answer = ask.take(buffer);
        if (typeof answer !== 'object') {
          this.#neededBytes = Math.max(answer ?? 0, buffer.length + 1);
          break;
        }
        this.asks.shift();
        buffer = buffer.subarray(answer.length);
        ask.resolve(answer.value as never);
      }
    } catch (error) {
      this.fail(error instanceof CheckpointdError ? error : nonsense(error));
      return;
    }
    this.#received.keep(buffer);
    this.#armTimer();
  }

  #armTimer(): void {
    const ask = this.asks[0];
    if (ask === undefined) this.#timer.stop();
    else this.#timer.restart(sees ? Math.min(ask.patienceMs, silenceMsMax) : ask.patienceMs);
  }
}

/**
 * Returns the error for an answer that could not be parsed. An unexpected answer is a failure of git, not a defect of
 * checkpointd.
 */
function nonsense(cause: unknown): CheckpointdError {
  const what = cause instanceof Error ? cause.message : String(cause);
  return new CheckpointdError('GitFailed', `git gave an unexpected answer (${what}).`, { cause });
}

/**
 * A persistent git process, started by the first query. The process ends when there is no query for some time, so that
 * an idle session has no process. If the process has ended or failed, the next query starts a new one.
 */
export class GitChild {
  readonly #place: GitPlace;
  readonly #args: readonly string[];
  readonly #options: ChildOptions;
  #dialogue: Dialogue | undefined;
  #starting: Promise<Dialogue> | undefined;
  /** The processes that still exist: the current process, and older processes that have not ended yet. */
  readonly #living = new Map<Dialogue, Promise<void>>();
  #closing = false;
  /** The timer that ends a process without queries. Undefined while no process runs. */
  #rest: NodeJS.Timeout | undefined;
  #isUsed = false;

  constructor(place: GitPlace, args: readonly string[], options: ChildOptions = {}) {
    this.#place = place;
    this.#args = args;
    this.#options = options;
  }

  /** The id of the running process, for tests and `session/get`. */
  get pid(): number | undefined {
    return this.#dialogue?.process.pid;
  }

  /**
   * Writes a query and resolves with its answer. Queries are pipelined and answered in order.
   * @throws GitFailed when the process died or did nothing for too long. It is then unknown whether the query took
   * effect.
   */
  async ask<T>(question: Uint8Array, take: TakeAnswer<T>, patienceMs?: number): Promise<T> {
    this.#isUsed = true;
    const dialogue = this.#current() ?? (await this.#start());
    return new Promise<T>((resolve, reject) => {
      const patience = patienceMs ?? this.#options.patienceMs ?? patienceMsDefault;
      const triesLeft = this.#options.replay === true ? 1 : 0;
      this.#put(dialogue, { question, take, resolve, reject, patienceMs: patience, triesLeft });
    });
  }

  /**
   * Ends the process: closes its input, sends SIGTERM after half a second and SIGKILL after another half second.
   * Unanswered queries fail.
   */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#rest);
    if (this.#starting !== undefined) await ended(this.#starting); // `ask` reports the error of a failed start
    await Promise.all([...this.#living.keys()].map((dialogue) => this.#end(dialogue)));
  }

  async #end(dialogue: Dialogue): Promise<void> {
    dialogue.process.stdin.end();
    const term = setTimeout(() => dialogue.process.kill('SIGTERM'), 500);
    const kill = setTimeout(() => dialogue.process.kill('SIGKILL'), 1000);
    await this.#living.get(dialogue);
    clearTimeout(term);
    clearTimeout(kill);
  }

  /** Checks regularly whether the process got a query since the last check. If there was no query, ends the process. */
  #watchRest(): void {
    clearTimeout(this.#rest);
    this.#isUsed = false;
    this.#rest = setTimeout(() => {
      const dialogue = this.#current();
      if (dialogue === undefined) return;
      if (this.#isUsed || dialogue.asks.length > 0) return this.#watchRest();
      this.#dialogue = undefined;
      void this.#end(dialogue);
    }, this.#options.restMs ?? restMsDefault).unref();
  }

  /** Kills the process without waiting. Called when the daemon is about to die. */
  kill(): void {
    this.#closing = true;
    clearTimeout(this.#rest);
    for (const dialogue of this.#living.keys()) dialogue.process.kill('SIGKILL');
  }

  /**
   * Returns the process for new queries. If the daemon has killed the process because it hung, returns undefined until
   * the process has ended.
   */
  #current(): Dialogue | undefined {
    return this.#dialogue?.failure === undefined ? this.#dialogue : undefined;
  }

  #put(dialogue: Dialogue, ask: Ask): void {
    if (this.#living.has(dialogue)) dialogue.put(ask);
    else this.#giveUpOrRepeat([ask], dialogue.failure);
  }

  #start(): Promise<Dialogue> {
    if (this.#closing) {
      return Promise.reject(new CheckpointdError('GitFailed', `git ${this.#args[0]} was closed.`));
    }
    this.#starting ??= this.#spawn().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #spawn(): Promise<Dialogue> {
    const process = await openGit(this.#place, this.#args);
    const dialogue = new Dialogue(process, this.#args);
    const ended = process.ended.then(({ exitCode, cause }) => this.#ended(dialogue, exitCode, cause));
    this.#living.set(dialogue, ended);
    this.#dialogue = dialogue;
    this.#watchRest();
    return dialogue;
  }

  #ended(dialogue: Dialogue, exitCode: number, cause: unknown): void {
    dialogue.stop();
    this.#living.delete(dialogue);
    if (this.#dialogue === dialogue) this.#dialogue = undefined;
    dialogue.failure ??= gitFailure(
      this.#args,
      exitCode,
      dialogue.process.stderr(),
      systemCode(cause) ?? cause,
    );
    this.#giveUpOrRepeat(dialogue.asks.splice(0), dialogue.failure);
  }

  #giveUpOrRepeat(asks: readonly Ask[], failure: unknown): void {
    const again: Ask[] = [];
    for (const ask of asks) {
      if (ask.triesLeft === 0 || this.#closing) ask.reject(failure);
      else again.push({ ...ask, triesLeft: ask.triesLeft - 1 });
    }
    if (again.length === 0) return;
    void this.#repeat(again);
  }

  async #repeat(asks: readonly Ask[]): Promise<void> {
    try {
      const dialogue = this.#current() ?? (await this.#start());
      for (const ask of asks) this.#put(dialogue, ask);
    } catch (error) {
      for (const ask of asks) ask.reject(error);
    }
  }
}

export const takeLine: TakeAnswer<string> = (received) => {
  const end = received.indexOf(10);
  return end < 0 ? undefined : { value: received.toString('latin1', 0, end), length: end + 1 };
};
