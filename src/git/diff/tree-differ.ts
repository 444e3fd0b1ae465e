// Asks git's differ through a process that stays: starting one takes several times as long as comparing two trees that
// differ in a file. It answers in git's own bytes or not at all; the caller then runs git once, which also says what
// is wrong. It reads nothing of the answer (tree-diff.ts does) and keeps no result.
import { randomBytes } from 'node:crypto';
import { CheckpointdError } from '../../base/errors.ts';
import { GitChild, type TakeAnswer } from '../process/child.ts';
import type { GitPlace } from '../process/environment.ts';
import { isSilence } from '../process/silence.ts';

/** The arguments of every comparison, in any process. */
export const diffArguments: readonly string[] = [
  'diff-tree',
  '-r',
  '-M',
  '-l1000', // the limit is 400 in git before 2.34 and 1000 since; the same for all
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
];

/** The length of shortened ids would else depend on how many objects a store holds. */
export const diffSettings: Readonly<Record<string, string>> = { 'core.abbrev': '7' };

// `diff-tree` keeps every root tree that it was shown, so a process is asked so often and then replaced.
const asksMax = 32;
/** A comparison may read every content of two large trees; where the system tells that git works, it may work on. */
const patienceMs = 600_000;

interface Running {
  readonly child: GitChild;
  asks: number;
  isBusy: boolean;
}

/**
 * The differ of one git dir. A module that removes objects there closes and reopens it: a process may still
 * see them.
 */
export class TreeDiffer {
  readonly #place: GitPlace;
  readonly #running = new Map<string, Running>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(gitDir: string) {
    this.#place = { gitDir, settings: diffSettings };
  }

  /** For tests that kill them. */
  get pids(): number[] {
    return [...this.#running.values()].flatMap(({ child }) => child.pid ?? []);
  }

  /**
   * The output of `git diff-tree` with this format for two trees.
   *
   * Of an answer that is longer than `bytesMax` the beginning, of so many bytes. Undefined when it cannot be had here:
   * another question is open (which may take long), or the process failed.
   * @throws AbortError; the process is ended then, and after a beginning, as what is left of its answer has no reader.
   */
  async ask(
    format: readonly string[],
    from: string,
    to: string,
    signal?: AbortSignal,
    bytesMax = Number.POSITIVE_INFINITY,
  ): Promise<Buffer | undefined> {
    signal?.throwIfAborted();
    const key = format.join(' ');
    const running = this.#current(key, format);
    if (running === undefined) return undefined;
    running.isBusy = true;
    running.asks += 1;
    const abandon = (): void => {
      this.#running.delete(key);
      running.child.kill();
    };
    signal?.addEventListener('abort', abandon, { once: true });
    try {
      // A line that is no id is said again, and what was written before it is flushed.
      const end = `end ${randomBytes(16).toString('hex')}\n`;
      const question = Buffer.from(`${from} ${to}\n${end}`, 'latin1');
      const head = Buffer.from(`${from} ${to}`, 'latin1');
      const take = takeUntil(end, head.length + 1 + bytesMax, abandon);
      const answer = await running.child.ask(question, take, patienceMs).catch(unanswered);
      signal?.throwIfAborted();
      // No head: git could not read one of the two. It is followed by one byte, a newline or, in time, a NUL.
      if (answer === undefined || !answer.subarray(0, head.length).equals(head)) return undefined;
      return answer.subarray(head.length + 1);
    } finally {
      signal?.removeEventListener('abort', abandon);
      running.isBusy = false;
    }
  }

  /** Ends the processes; asks that are open get their answers, later ones start new processes. */
  async renew(): Promise<void> {
    for (const [key, { child }] of this.#running) this.#end(key, child);
    await Promise.all(this.#ending);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.renew();
  }

  /** Ends the processes at once, for a dying daemon. */
  kill(): void {
    this.#isClosed = true;
    for (const { child } of this.#running.values()) child.kill();
  }

  #current(key: string, format: readonly string[]): Running | undefined {
    if (this.#isClosed) return undefined;
    const found = this.#running.get(key);
    if (found?.isBusy === true) return undefined;
    if (found !== undefined && found.asks < asksMax) return found;
    if (found !== undefined) this.#end(key, found.child);
    const child = new GitChild(this.#place, [...diffArguments, '--stdin', ...format]);
    const running = { child, asks: 0, isBusy: false };
    this.#running.set(key, running);
    return running;
  }

  #end(key: string, child: GitChild): void {
    this.#running.delete(key);
    const ending = child.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

/** The process died, or there is no git: the one that is run instead will say so. */
function unanswered(error: unknown): undefined {
  if (!(error instanceof CheckpointdError) || isSilence(error)) throw error;
}

/**
 * Everything before a last line that no content can guess, or `bytesMax` of it. One question is open at a
 * time, so that line ends it all.
 */
function takeUntil(end: string, bytesMax: number, onCut: () => void): TakeAnswer<Buffer> {
  const mark = Buffer.from(end, 'latin1');
  return (received) => {
    const length = received.length - mark.length;
    const isWhole = length >= 0 && received.subarray(length).equals(mark);
    if (!isWhole && received.length <= bytesMax + mark.length) return undefined;
    if (!isWhole) onCut();
    return { value: Buffer.from(received.subarray(0, Math.min(length, bytesMax))), length: received.length };
  };
}
