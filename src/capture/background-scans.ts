// Schedules the background scans. A background scan scans everything in a pause between captures. After the scan, the
// next capture may be fast. A fast capture reads only changed files. The scan also finds changes that the watcher
// missed. When a capture begins, a running background scan ends.

/** The longest pause between two captures within the same step of an agent. */
const usualDelayMs = 2000;
/**
 * The delay before the first scan. No capture can be fast before the first scan. So the first scan begins as soon as
 * the daemon has sent the current answer.
 */
const firstMs = 50;
/**
 * The delay before a scan is at least the duration of the last scan, multiplied by this number. Therefore, the scans of
 * a huge work tree do not keep a processor busy.
 */
const waitPerScan = 5;

export class BackgroundScans {
  readonly #scan: (signal: AbortSignal) => Promise<void>;
  readonly #delayMs: number;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: AbortController | undefined;
  /** The first background scan, while it runs. */
  #first: Promise<void> | undefined;
  #done: Promise<void> = Promise.resolve();
  #isClosed = false;
  #captures = 0;
  /** The duration of the last scan, even if that scan was ended early. */
  #tookMs = 0;

  constructor(
    scan: (signal: AbortSignal) => Promise<void>,
    failed: (error: unknown) => void,
    delayMs = usualDelayMs,
  ) {
    this.#scan = scan;
    this.#failed = failed;
    this.#delayMs = delayMs;
  }

  /** If the first scan is running, waits until it ends. Waiting is faster than a new scan. */
  async untilFirst(signal: AbortSignal | undefined): Promise<void> {
    if (this.#first === undefined) return;
    signal?.throwIfAborted();
    const given = new Promise<void>((resolve) =>
      signal?.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([this.#first, given]);
    signal?.throwIfAborted();
  }

  /**
   * Must be called when a capture begins. Ends the background scan, because the background scan and the capture would
   * read the same files.
   */
  captureBegins(): void {
    this.#captures += 1;
    this.interrupt();
  }

  /** Records that a capture has ended. {@link schedule} schedules the next scan. */
  captureEnds(): void {
    this.#captures -= 1;
  }

  interrupt(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  /**
   * Schedules a scan. The first scan starts almost at once, and any other scan in the next pause between captures. Does
   * nothing during a capture, because each capture calls this function when it ends.
   */
  schedule(isFirst: boolean): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#captures > 0) return;
    const ms = isFirst
      ? Math.min(firstMs, this.#delayMs)
      : Math.max(this.#delayMs, waitPerScan * this.#tookMs);
    this.#timer = setTimeout(() => this.#run(isFirst), ms).unref();
  }

  /** Ends the running scan. The next capture schedules another scan. */
  async stop(): Promise<void> {
    this.interrupt();
    await this.#done;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.stop();
  }

  #run(isFirst: boolean): void {
    const running = new AbortController();
    this.#running = running;
    this.#done = this.#done
      .then(() => (running.signal.aborted ? undefined : this.#timed(running.signal)))
      .catch((error: unknown) => {
        if (!running.signal.aborted) this.#failed(error);
      });
    if (!isFirst) return;
    const first = this.#done.finally(() => {
      if (this.#first === first) this.#first = undefined;
    });
    this.#first = first;
  }

  async #timed(signal: AbortSignal): Promise<void> {
    const began = performance.now();
    try {
      await this.#scan(signal);
    } finally {
      const ms = performance.now() - began;
      this.#tookMs = signal.aborted ? Math.max(this.#tookMs, ms) : ms;
    }
  }
}
