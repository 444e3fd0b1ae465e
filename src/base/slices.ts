// Keeps the event loop alive under long synchronous work: no slice of ours lasts longer than the budget.
import { setImmediate } from 'node:timers/promises';

/** Short, since a request takes several turns of the event loop, and waits at each for a slice of every running work. */
const sliceMsMax = 8;
/** Shorter still for work that no client waits for. */
const backgroundSliceMsMax = 3;

/** Gives the event loop a turn whenever the current slice has lasted long enough, and honours a cancel there. */
export class Slices {
  #startedMs = performance.now();
  readonly #signal: AbortSignal | undefined;
  readonly #msMax: number;

  constructor(signal?: AbortSignal, msMax = sliceMsMax) {
    this.#signal = signal;
    this.#msMax = msMax;
  }

  /** Slices of work that nobody waits for. */
  static inBackground(signal?: AbortSignal): Slices {
    return new Slices(signal, backgroundSliceMsMax);
  }

  /** True when it is time to await {@link pause}; cheap enough for every turn of a loop. */
  isDue(): boolean {
    return performance.now() - this.#startedMs >= this.#msMax;
  }

  /** Yields once. @throws AbortError (the signal's reason) when the work was cancelled meanwhile. */
  async pause(): Promise<void> {
    this.#signal?.throwIfAborted();
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#startedMs = performance.now();
  }
}
