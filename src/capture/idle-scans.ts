// Schedules the scans in the background: each looks at everything when captures have paused, so that the next capture
// may be fast, and to find changes that the watch missed. A capture that begins ends the scan that runs.

/** The captures of one step of an agent follow each other within this time. */
const idleMsUsual = 2000;
/** The first scan waits only for the answer that is under way, since no capture can be fast before it. */
const firstMs = 50;
/** A scan waits so many times as long as the last one took: a huge work tree keeps no processor busy. */
const waitPerScan = 5;

export class IdleScans {
  readonly #look: (signal: AbortSignal) => Promise<void>;
  readonly #idleMs: number;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: AbortController | undefined;
  /** The first one, while it runs. */
  #first: Promise<void> | undefined;
  #done: Promise<void> = Promise.resolve();
  #isClosed = false;
  #captures = 0;
  /** How long the last one took, or as far as it came. */
  #tookMs = 0;

  constructor(
    look: (signal: AbortSignal) => Promise<void>,
    failed: (error: unknown) => void,
    idleMs = idleMsUsual,
  ) {
    this.#look = look;
    this.#failed = failed;
    this.#idleMs = idleMs;
  }

  /** Has a capture wait for the first scan while that runs: it is nearer its end than a scan that begins again. */
  async untilFirst(signal: AbortSignal | undefined): Promise<void> {
    if (this.#first === undefined) return;
    signal?.throwIfAborted();
    const given = new Promise<void>((resolve) =>
      signal?.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([this.#first, given]);
    signal?.throwIfAborted();
  }

  /** Notes that a capture begins. No scan runs beside it, since it would read the same files once more. */
  captureBegins(): void {
    this.#captures += 1;
    this.interrupt();
  }

  /** Notes that a capture has ended; {@link after} asks for the next scan. */
  captureEnds(): void {
    this.#captures -= 1;
  }

  interrupt(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  /**
   * Starts a scan at once, or when no capture follows. Does nothing while a capture runs, which asks again at
   * its end.
   */
  after(isFirst: boolean): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#captures > 0) return;
    const ms = isFirst ? Math.min(firstMs, this.#idleMs) : Math.max(this.#idleMs, waitPerScan * this.#tookMs);
    this.#timer = setTimeout(() => this.#run(isFirst), ms).unref();
  }

  /** Ends the scan that runs; the next capture asks for another. */
  async rest(): Promise<void> {
    this.interrupt();
    await this.#done;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.rest();
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
      await this.#look(signal);
    } finally {
      const ms = performance.now() - began;
      this.#tookMs = signal.aborted ? Math.max(this.#tookMs, ms) : ms;
    }
  }
}
