// Keeps the event loop alive under long synchronous work: no slice of ours lasts longer than the budget.
import { setImmediate } from 'node:timers/promises';

const sliceMsMax = 20;

/** Gives the event loop a turn whenever the current slice has lasted long enough, and honours a cancel there. */
export class Slices {
  #startedMs = performance.now();
  readonly #signal: AbortSignal | undefined;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** True when it is time to await {@link pause}; cheap enough for every turn of a loop. */
  isDue(): boolean {
    return performance.now() - this.#startedMs >= sliceMsMax;
  }

  /** Yields once. @throws AbortError (the signal's reason) when the work was cancelled meanwhile. */
  async pause(): Promise<void> {
    this.#signal?.throwIfAborted();
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#startedMs = performance.now();
  }
}
