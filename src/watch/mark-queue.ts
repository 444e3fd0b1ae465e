// The marks of a watching thread on their way to the main thread. The queue gathers marks while the main thread is
// busy and sends one batch at a time. It detects when the kernel may have dropped events, which the kernel does not
// report.
import { attemptOr, isOfSystem } from '../base/attempt.ts';
import { files } from '../base/files.ts';
import type { TreePath } from '../tree/tree-path.ts';

/** Error codes of a system without more watches, descriptors or memory. Any other code concerns one path. */
export const limitCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Why events may be lost: too many in one turn, a blocked loop, or more marks than the queue stores. */
export type LossCause = 'events' | 'stall' | 'marks';

export interface MarkQueueOptions {
  /** `isEverything`: any path may have changed, and none is listed. */
  readonly send: (paths: readonly TreePath[], isEverything: boolean) => void;
  readonly onLoss: (cause: LossCause) => void;
}

/** More marks than this, gathered while the main thread is busy, become "everything". */
const marksMax = 5000;
/** A loop that was blocked this long may have lost events. */
const stallMsMax = 250;
const probeMs = 200;
/**
 * The probe ends after this many checks in a row that found the loop idle, so that an idle thread is never woken up.
 */
const idleLooksMax = 10;
/** A loop is idle when it spent less than this share of the time between two checks in code. */
const idleShare = 0.25;
/**
 * The kernel drops events silently when its queue is full. More than this share of the queue in one turn counts as a
 * possible loss.
 */
const queueShare = 0.25;
const queueDefault = 16_384;

export class MarkQueue {
  readonly #options: MarkQueueOptions;
  readonly #eventsMax = Math.ceil(kernelQueue() * queueShare);
  #marks = new Set<TreePath>();
  #isEverything = false;
  #isAwaited = false;
  #isArmed = false;
  #eventsInTurn = 0;
  #isProbed = false;
  #probe: NodeJS.Timeout | undefined;
  #idleLooks = 0;

  constructor(options: MarkQueueOptions) {
    this.#options = options;
  }

  /** True while a timer looks for stalls. */
  get isProbing(): boolean {
    return this.#probe !== undefined;
  }

  /** Counts one event of the kernel, whether or not it leads to a mark. */
  count(): void {
    if (this.#eventsInTurn === 0) {
      setImmediate(() => (this.#eventsInTurn = 0));
      this.busy();
    }
    this.#eventsInTurn += 1;
    if (this.#eventsInTurn === this.#eventsMax) this.#options.onLoss('events');
  }

  /**
   * Reports blocks of this thread's loop from now on. An idle loop is not probed, because no code of this thread can
   * block it. If the kernel's queue fills up all the same, the next turn reads all of it and {@link count} notices.
   */
  probeLoop(): void {
    this.#isProbed = true;
    this.busy();
  }

  /** Starts to look for blocks until the loop is idle again. Call it at the start of work that may take long. */
  busy(): void {
    this.#idleLooks = 0;
    if (!this.#isProbed || this.isProbing) return;
    let last = performance.now();
    let used = performance.eventLoopUtilization();
    const probe = setInterval(() => {
      const now = performance.now();
      if (now - last > probeMs + stallMsMax) this.#options.onLoss('stall');
      last = now;
      const { utilization } = performance.eventLoopUtilization(used);
      used = performance.eventLoopUtilization();
      this.#idleLooks = utilization < idleShare ? this.#idleLooks + 1 : 0;
      if (this.#idleLooks < idleLooksMax) return;
      clearInterval(probe);
      this.#probe = undefined;
    }, probeMs);
    this.#probe = probe.unref();
  }

  add(path: TreePath): void {
    if (this.#isEverything) return;
    this.#marks.add(path);
    this.#arm();
    if (this.#marks.size > marksMax) this.#options.onLoss('marks');
  }

  /** Replaces all marks by "everything": any path may have changed. */
  everything(): void {
    this.#isEverything = true;
    this.#marks = new Set();
    this.#arm();
  }

  /** Notes that the main thread has processed the last batch. */
  taken(): void {
    this.#isAwaited = false;
    this.#sendNext();
  }

  /**
   * Sends the present marks even while a batch is unanswered: the message that the caller sends next must come after
   * them.
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

/** Returns how many events the kernel keeps for one reader. */
function kernelQueue(): number {
  // The system is not Linux.
  return attemptOr(queueDefault, isOfSystem, () => {
    const text = files.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8');
    return Number(text) || queueDefault;
  });
}
