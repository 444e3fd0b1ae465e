// Looks at everything in the quiet after captures: so that the next one may look at less, and to find what no watch
// tells. A capture that begins ends one that runs. It knows when, and nothing of how.

/** After the captures of one step of an agent the next ones follow within this. */
const idleMsUsual = 2000;
/** Before any capture may look at less there is nothing to wait for but the answer. */
const firstMs = 50;
/** One that takes long waits longer, so that a huge work tree keeps no processor busy after each capture. */
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

  /** A capture that comes while the first one runs waits for it: it is nearer its end than one that begins anew. */
  async untilFirst(signal: AbortSignal | undefined): Promise<void> {
    if (this.#first === undefined) return;
    signal?.throwIfAborted();
    const given = new Promise<void>((resolve) =>
      signal?.addEventListener('abort', () => resolve(), { once: true }),
    );
    await Promise.race([this.#first, given]);
    signal?.throwIfAborted();
  }

  /** A capture begins: beside it nothing is looked at, since it would read the same files once more. */
  captureBegins(): void {
    this.#captures += 1;
    this.interrupt();
  }

  /** And ends; what it has left to look at is said by {@link after}. */
  captureEnds(): void {
    this.#captures -= 1;
  }

  interrupt(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  /** A scan is wanted: at once, or when it stays quiet. While a capture runs nothing is: when that ends it is asked again. */
  after(isFirst: boolean): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#captures > 0) return;
    const ms = isFirst ? Math.min(firstMs, this.#idleMs) : Math.max(this.#idleMs, waitPerScan * this.#tookMs);
    this.#timer = setTimeout(() => this.#run(isFirst), ms).unref();
  }

  /** Ends the one that runs; the next capture asks for another. */
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
