// A git process that lives as long as its user and answers questions in order: `cat-file --batch`, `check-ignore --stdin`,
// `update-ref --stdin`. A FIFO of asks per process; a process that dies or
// stalls is replaced by the next ask, and where asks may be repeated they are, once. It knows framing only through
// the `TakeAnswer` it is given, and it keeps no cache.
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { ended } from '../../base/turns.ts';
import type { GitPlace } from './environment.ts';
import { type GitProcess, gitFailure, openGit } from './run.ts';
import { SilenceTimer, silenceMsMax, silent } from './silence.ts';

/**
 * Takes one answer off the front of what git has written so far.
 *
 * Returns the value and how many bytes it took; or, while the answer is incomplete, the number of bytes that must
 * be there before it is worth asking again (room for a large answer is then made once), or undefined when that is not
 * known.
 */
export type TakeAnswer<T> = (
  received: Buffer,
) => { readonly value: T; readonly length: number } | number | undefined;

export interface ChildOptions {
  /** Asks may be repeated without harm: the open ones are put to the next process once. Default: false. */
  readonly replay?: boolean;
  /** How long a process with an open ask may do nothing before it is killed and replaced. Default: 4 s. */
  readonly patienceMs?: number;
}

/** True when the system tells that a silent process works; where it does not, each ask says how long it may take. */
const sees = process.platform === 'linux';

/** So short that a second try, where there is one, ends within ten seconds as well. */
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
 * The received bytes that no caller has taken yet, in one piece. Its room doubles: joining again at every
 * chunk would copy an answer of a hundred megabytes two thousand times.
 */
class Received {
  #bytes: Buffer = Buffer.alloc(0);
  #room: Buffer = Buffer.alloc(0);

  /** All of it with one more chunk. Bytes that were given out before are never overwritten. */
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

/** One process and the asks that it has not answered; a late end of an old one touches no newer ask. */
class Dialogue {
  readonly process: GitProcess;
  readonly asks: Ask[] = [];
  readonly #received = new Received();
  #neededBytes = 1;
  readonly #timer: SilenceTimer;
  /** Why it is no longer asked: we killed it, or it ended. */
  failure: unknown;

  constructor(process: GitProcess, args: readonly string[]) {
    this.process = process;
    this.#timer = new SilenceTimer({
      group: () => process.pid,
      unseen: 'silent',
      onSilence: (patienceMs) => this.fail(silent(args, patienceMs)),
    });
    process.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  put(ask: Ask): void {
    this.asks.push(ask);
    if (this.asks.length === 1) this.#armTimer();
    this.process.stdin.write(ask.question);
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

/** Fails the question whose answer a reader could not parse: an unexpected answer of git is no defect of checkpointd. */
function nonsense(cause: unknown): CheckpointdError {
  const what = cause instanceof Error ? cause.message : String(cause);
  return new CheckpointdError('GitFailed', `git gave an unexpected answer (${what}).`, { cause });
}

/** A persistent git process, started with the first ask. Not poisoned by a failure: it restarts on demand. */
export class GitChild {
  readonly #place: GitPlace;
  readonly #args: readonly string[];
  readonly #options: ChildOptions;
  #dialogue: Dialogue | undefined;
  #starting: Promise<Dialogue> | undefined;
  /** Processes that have not ended yet: the present one, and killed ones on their way out. */
  readonly #living = new Map<Dialogue, Promise<void>>();
  #closing = false;

  constructor(place: GitPlace, args: readonly string[], options: ChildOptions = {}) {
    this.#place = place;
    this.#args = args;
    this.#options = options;
  }

  /** Process id while one is running; for tests and `session/get`. */
  get pid(): number | undefined {
    return this.#dialogue?.process.pid;
  }

  /**
   * Writes a question and resolves with its answer; asks are pipelined and answered in order.
   * @throws GitFailed when the process died or said nothing for the ask's patience; where asks are not replayed,
   * the ask may or may not have had its effect.
   */
  async ask<T>(question: Uint8Array, take: TakeAnswer<T>, patienceMs?: number): Promise<T> {
    const dialogue = this.#current() ?? (await this.#start());
    return new Promise<T>((resolve, reject) => {
      const patience = patienceMs ?? this.#options.patienceMs ?? patienceMsDefault;
      const triesLeft = this.#options.replay === true ? 1 : 0;
      this.#put(dialogue, { question, take, resolve, reject, patienceMs: patience, triesLeft });
    });
  }

  /** Ends the process: end of input first, SIGTERM after half a second, SIGKILL after another. Open asks fail. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#starting !== undefined) await ended(this.#starting); // `ask` reports a failed start
    const ends = [...this.#living].map(async ([dialogue, ended]) => {
      dialogue.process.stdin.end();
      const term = setTimeout(() => dialogue.process.kill('SIGTERM'), 500);
      const kill = setTimeout(() => dialogue.process.kill('SIGKILL'), 1000);
      await ended;
      clearTimeout(term);
      clearTimeout(kill);
    });
    await Promise.all(ends);
  }

  /** Kills the process at once, for the end of the daemon: no await, no answer. */
  kill(): void {
    this.#closing = true;
    for (const dialogue of this.#living.keys()) dialogue.process.kill('SIGKILL');
  }

  /** The process to ask, unless it was given up (killed for silence) and is only on its way out. */
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
