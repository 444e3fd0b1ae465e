// What captures rest on: the main thread's side of the directories that they hold (watch/thread/held-directories.ts).
// It keeps the log of what those handles tell, apart from what chokidar tells: of a directory that is held every change
// is in that log, from the moment when it was held on. Whoever holds directories begins with a position of the log.
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { ChangeLog, type LossReason } from './change-log.ts';
import type { Fence } from './fence.ts';
import type { FromThread, ToThread } from './thread/messages.ts';

interface Asked {
  readonly paths: readonly TreePath[];
  readonly answer: (missing: readonly TreePath[]) => void;
}

/** What a capture needs to know what changed since another one. */
export interface HeldTree {
  /** What the handles told. */
  readonly changes: ChangeLog;
  /** Whether directories can be held now. */
  readonly isReady: boolean;
  /** Gives directories handles before they are read, parents first; resolves with those that got none. */
  hold(paths: readonly TreePath[]): Promise<readonly TreePath[]>;
  /** True once every change made before this call is in {@link changes}. */
  fence(): Promise<boolean>;
  /** Lets all handles go: a later capture begins anew. */
  release(): void;
  /** What is mounted where, as the system says it; what is mounted over a directory no handle tells. */
  mounts(): string;
}

export class HeldWatch implements HeldTree {
  readonly changes = new ChangeLog();
  readonly #fence: Fence | undefined;
  readonly #log: Log;
  readonly #asked = new Map<number, Asked>();
  #say: ((message: ToThread) => void) | undefined;
  #count = 0;
  /** The system's limit was reached: it would be reached again. */
  #isGivenUp = false;

  constructor(fence: Fence | undefined, log: Log) {
    this.#fence = fence;
    this.#log = log;
  }

  get isReady(): boolean {
    return this.#say !== undefined && this.#fence !== undefined && !this.#isGivenUp;
  }

  /** A thread was started that holds nothing yet. */
  started(say: (message: ToThread) => void): void {
    this.#say = say;
    this.changes.start();
  }

  /** The thread is gone, and every handle with it. */
  stopped(reason: LossReason): void {
    this.#say = undefined;
    this.changes.stop(reason);
    for (const { paths, answer } of this.#asked.values()) answer(paths);
    this.#asked.clear();
  }

  hold(paths: readonly TreePath[]): Promise<readonly TreePath[]> {
    const say = this.#say;
    if (say === undefined || !this.isReady) return Promise.resolve(paths);
    this.#count += 1;
    const id = this.#count;
    return new Promise((answer) => {
      this.#asked.set(id, { paths, answer });
      say({ kind: 'hold', id, paths });
    });
  }

  async fence(): Promise<boolean> {
    return this.isReady && this.#fence !== undefined && (await this.#fence.pass());
  }

  release(): void {
    this.changes.lose('suspect');
    this.#say?.({ kind: 'release' });
  }

  mounts(): string {
    try {
      return files.readFileSync('/proc/self/mountinfo', 'utf8');
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return ''; // no Linux: nothing is held there
    }
  }

  hear(message: FromThread & { kind: 'marks' | 'held' | 'notHeld' }): void {
    switch (message.kind) {
      case 'marks':
        for (const path of message.held) this.changes.mark(path);
        if (message.isHeldEverything) this.changes.lose('overflow');
        return;
      case 'held':
        this.#asked.get(message.id)?.answer(message.missing);
        this.#asked.delete(message.id);
        return;
      case 'notHeld':
        this.#isGivenUp = true;
        this.changes.stop('unwatched');
        this.#log.warn(
          `Captures look at everything: the system's limit of watches is reached (${message.code}). On Linux raise fs.inotify.max_user_watches.`,
        );
    }
  }
}
