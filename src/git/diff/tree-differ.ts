// Runs git's differ in a persistent process. Starting a process takes several times as long as comparing two trees that
// differ in one file. Returns git's own bytes, or undefined after a failure. After a failure, the caller starts another
// git process for this one comparison. The error of the second process explains the failure. tree-diff.ts parses the
// output. This module caches no result.
import { randomBytes } from 'node:crypto';
import { CheckpointdError } from '../../base/errors.ts';
import { GitChild, type TakeAnswer } from '../process/child.ts';
import type { GitPlace } from '../process/environment.ts';
import { isSilence } from '../process/silence.ts';

/** The arguments for every comparison, in a persistent process or in a process of its own. */
export const diffArguments: readonly string[] = [
  'diff-tree',
  '-r',
  '-M',
  '-l1000', // the same limit for all versions: git's default was 400 before 2.34 and is now 1000
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
];

/** Sets a fixed length for shortened ids. By default the length depends on the number of objects in a store. */
export const diffSettings: Readonly<Record<string, string>> = { 'core.abbrev': '7' };

// A process is replaced after this many comparisons, because `diff-tree` never frees a root tree that it has read.
const asksMax = 32;
/**
 * The time limit of a comparison, which may read every content of two large trees. If the system reports whether git is
 * working, the daemon stops only a git process that does nothing.
 */
const patienceMs = 600_000;

interface Running {
  readonly child: GitChild;
  asks: number;
  isBusy: boolean;
}

/**
 * The differ of one git dir. Code that removes objects from the git dir must call {@link TreeDiffer.renew}, because a
 * running process may still see the removed objects.
 */
export class TreeDiffer {
  readonly #place: GitPlace;
  readonly #running = new Map<string, Running>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(gitDir: string) {
    this.#place = { gitDir, settings: diffSettings };
  }

  /** The ids of the processes, for tests that kill these processes. */
  get pids(): number[] {
    return [...this.#running.values()].flatMap(({ child }) => child.pid ?? []);
  }

  /**
   * Returns the output of `git diff-tree` with this format for two trees.
   *
   * Cuts the output after `bytesMax` bytes. Returns undefined when the process failed, or when it is busy with another
   * comparison, which may take long.
   * @throws AbortError. When the output is cut or the call is aborted, ends the process, because no caller reads the
   * rest of the output.
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
      // If a line is not an id, git prints the line unchanged. At such a line, git also flushes all earlier output.
      const end = `end ${randomBytes(16).toString('hex')}\n`;
      const question = Buffer.from(`${from} ${to}\n${end}`, 'latin1');
      const head = Buffer.from(`${from} ${to}`, 'latin1');
      const take = takeUntil(end, head.length + 1 + bytesMax, abandon);
      const answer = await running.child.ask(question, take, patienceMs).catch(unanswered);
      signal?.throwIfAborted();
      // The output begins with a head, which consists of the two ids. The head is missing when git could not read one
      // of the two trees. One byte follows the head: a newline, or in later versions a NUL.
      if (answer === undefined || !answer.subarray(0, head.length).equals(head)) return undefined;
      return answer.subarray(head.length + 1);
    } finally {
      signal?.removeEventListener('abort', abandon);
      running.isBusy = false;
    }
  }

  /**
   * Ends the processes. A comparison that is running still gets its output, and later comparisons start new processes.
   */
  async renew(): Promise<void> {
    for (const [key, { child }] of this.#running) this.#end(key, child);
    await Promise.all(this.#ending);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.renew();
  }

  /** Ends the processes at once. Called when the daemon is about to die. */
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

/**
 * The process died, or git is missing. In both cases, the caller starts git for this one comparison. If this start
 * fails too, its error gives the reason.
 */
function unanswered(error: unknown): undefined {
  if (!(error instanceof CheckpointdError) || isSilence(error)) throw error;
}

/**
 * Takes the output up to the final line, but at most `bytesMax` bytes. A content cannot contain this line by chance.
 * Only one comparison runs at a time, so this line is always the end of that comparison's output.
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
