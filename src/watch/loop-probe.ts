// Detects that the kernel may have dropped events of a watching thread. The kernel does not report dropped events.
// There are two signs: one turn of the loop had too many events, or the loop was blocked. All sessions of the thread
// share one queue of the kernel, so lost events may concern any of these sessions.
import { attemptOr, isOfSystem } from '../base/attempt.ts';
import { files } from '../base/files.ts';

/** Why events may be lost: too many events in one turn, or a blocked loop. */
export type LossCause = 'events' | 'stall';

/** When the loop was blocked for this time in ms, events may have been lost. */
const stallMsMax = 250;
const probeMs = 200;
/**
 * When this many checks in a row have found the loop idle, the checks end. The checks must not keep waking up an idle
 * thread.
 */
const idleChecksMax = 10;
/** A loop is idle when it ran code for less than this share of the time between two checks. */
const idleShare = 0.25;
/**
 * The kernel drops events silently when its queue is full. When one turn reads more than this share of the queue,
 * events may have been lost.
 */
const queueShare = 0.25;
const queueDefault = 16_384;

export class LoopProbe {
  readonly #onLoss: (cause: LossCause) => void;
  readonly #eventsMax = Math.ceil(kernelQueue() * queueShare);
  #eventsInTurn = 0;
  #isProbed = false;
  #probe: NodeJS.Timeout | undefined;
  #idleChecks = 0;

  constructor(onLoss: (cause: LossCause) => void) {
    this.#onLoss = onLoss;
  }

  /** True while a timer checks whether the loop is blocked. */
  get isProbing(): boolean {
    return this.#probe !== undefined;
  }

  /**
   * Counts events of the kernel, whether or not they lead to a mark. Each closed handle also counts as an event: the
   * kernel queues an event that Node does not report.
   */
  count(events = 1): void {
    if (this.#eventsInTurn === 0) {
      setImmediate(() => (this.#eventsInTurn = 0));
      this.busy();
    }
    const before = this.#eventsInTurn;
    this.#eventsInTurn += events;
    if (before < this.#eventsMax && this.#eventsInTurn >= this.#eventsMax) this.#onLoss('events');
  }

  /**
   * From now on, reports each time that this thread's loop is blocked. While the loop is idle, no checks run, because
   * no code of the thread can block the loop. If the kernel's queue fills up anyway, the next turn reads the whole
   * queue, and {@link count} detects the overflow.
   */
  start(): void {
    this.#isProbed = true;
    this.busy();
  }

  /**
   * Starts to check whether the loop is blocked. The checks end when the loop is idle again. Call this function at the
   * start of work that may take long.
   */
  busy(): void {
    this.#idleChecks = 0;
    if (!this.#isProbed || this.isProbing) return;
    let last = performance.now();
    let used = performance.eventLoopUtilization();
    const probe = setInterval(() => {
      const now = performance.now();
      if (now - last > probeMs + stallMsMax) this.#onLoss('stall');
      last = now;
      const { utilization } = performance.eventLoopUtilization(used);
      used = performance.eventLoopUtilization();
      this.#idleChecks = utilization < idleShare ? this.#idleChecks + 1 : 0;
      if (this.#idleChecks < idleChecksMax) return;
      clearInterval(probe);
      this.#probe = undefined;
    }, probeMs);
    this.#probe = probe.unref();
  }
}

/** Returns the maximum number of events that the kernel queues for one reader. */
function kernelQueue(): number {
  // Only Linux has this file.
  return attemptOr(queueDefault, isOfSystem, () => {
    const text = files.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8');
    return Number(text) || queueDefault;
  });
}
