// Queues the marks of one session in a watching thread until they are sent to the main thread. While the main thread is
// busy, the queue gathers marks. The queue sends one batch at a time.
import type { TreePath } from '../tree/tree-path.ts';

/**
 * The error codes that mean that the system has no more watches, descriptors or memory. Any other code concerns only
 * one path.
 */
export const limitCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Returns a text that names the reached limit, for a code in {@link limitCodes}. */
export function reachedLimit(code: string): string {
  const limit = code === 'EMFILE' ? 'inotify instances or open files' : 'watches';
  return `the system's limit of ${limit} is reached (${code})`;
}

/** Returns a text that explains how to raise the reached limit. */
export function remedyOf(code: string): string {
  return code === 'EMFILE'
    ? 'On Linux raise fs.inotify.max_user_instances, or ulimit -n of the daemon.'
    : 'On Linux raise fs.inotify.max_user_watches.';
}

interface MarkQueueOptions {
  /** `isEverything`: any path may have changed, and no path is listed. */
  readonly send: (paths: readonly TreePath[], isEverything: boolean) => void;
  /** Called when there are more marks than the queue can store. */
  readonly onFull: () => void;
}

/**
 * The maximum number of marks that the queue gathers while the main thread is busy. When there are more marks,
 * "everything" replaces them.
 */
const marksMax = 5000;

export class MarkQueue {
  readonly #options: MarkQueueOptions;
  #marks = new Set<TreePath>();
  #isEverything = false;
  #isAwaited = false;
  #isArmed = false;

  constructor(options: MarkQueueOptions) {
    this.#options = options;
  }

  add(path: TreePath): void {
    if (this.#isEverything) return;
    this.#marks.add(path);
    this.#arm();
    if (this.#marks.size > marksMax) this.#options.onFull();
  }

  /** Replaces all marks by "everything": any path may have changed. */
  everything(): void {
    this.#isEverything = true;
    this.#marks = new Set();
    this.#arm();
  }

  /** Records that the main thread has processed the last batch. */
  taken(): void {
    this.#isAwaited = false;
    this.#sendNext();
  }

  /**
   * Sends the gathered marks even if the main thread has not processed the last batch yet. The caller's next message
   * must come after these marks.
   */
  flush(): void {
    if (this.#marks.size === 0 && !this.#isEverything) return;
    this.#isAwaited = true;
    this.#options.send([...this.#marks], this.#isEverything);
    this.#marks = new Set();
    this.#isEverything = false;
  }

  /** Sends at most one batch in a turn of the loop. */
  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => {
      this.#isArmed = false;
      this.#sendNext();
    });
  }

  #sendNext(): void {
    if (!this.#isAwaited) this.flush();
  }
}
