// Keeps the event loop responsive during long synchronous work. The work is done in slices, which are limited in time.
// Each turn of the event loop runs for about one slice, even when much work is waiting.

/**
 * A request needs several turns of the event loop, and in each turn it waits for a slice. Short slices keep these waits
 * short.
 */
const sliceMsMax = 5;
/** No client waits for background work, so slices of background work are even shorter. */
const backgroundSliceMsMax = 3;

/** Paused work, in the order in which it continues. */
const paused: (() => void)[] = [];
let isResuming = false;
let turnStartedMs = 0;

/**
 * Uses only one `setImmediate` for all paused work, because Node runs all immediates in one turn. With a separate
 * `setImmediate` for each piece of work, all slices would run in one turn.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    paused.push(resolve);
    if (isResuming) return;
    isResuming = true;
    setImmediate(beginTurn);
  });
}

function beginTurn(): void {
  turnStartedMs = performance.now();
  resumeNext();
}

function resumeNext(): void {
  paused.shift()?.();
  // Node runs the callbacks of all finished promises before the next tick. So at the next tick the resumed work has
  // either paused again, or waits for something else.
  queueMicrotask(() => process.nextTick(afterSlice));
}

function afterSlice(): void {
  isResuming = paused.length > 0;
  if (!isResuming) return;
  if (performance.now() - turnStartedMs < sliceMsMax) resumeNext();
  else setImmediate(beginTurn);
}

/**
 * Lets long work pause for the event loop whenever the current slice has lasted long enough. Each pause also checks
 * whether the work was cancelled.
 */
export class Slices {
  #startedMs = performance.now();
  readonly #signal: AbortSignal | undefined;
  readonly #msMax: number;

  constructor(signal?: AbortSignal, msMax = sliceMsMax) {
    this.#signal = signal;
    this.#msMax = msMax;
  }

  /** Returns an object for background work, with shorter slices. */
  static inBackground(signal?: AbortSignal): Slices {
    return new Slices(signal, backgroundSliceMsMax);
  }

  /** True when it is time to await {@link pause}. This check is cheap enough for every iteration of a loop. */
  isDue(): boolean {
    return performance.now() - this.#startedMs >= this.#msMax;
  }

  /** Yields to the event loop once. @throws AbortError (the signal's reason) when the work was cancelled meanwhile. */
  async pause(): Promise<void> {
    this.#signal?.throwIfAborted();
    await nextTurn();
    this.#signal?.throwIfAborted();
    this.#startedMs = turnStartedMs;
  }
}

// Sorts the many items of a directory or a tree without blocking the event loop: sorts short runs, and then merges
// them. Short lists are sorted in one step.

/** The number of items that are sorted without a pause. This takes a few milliseconds. */
const runLength = 4096;

/** Sorts the items by their keys, in the order of `<`. Items with equal keys keep their order. */
export async function sortedByKey<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  slices: Slices,
): Promise<T[]> {
  let runs: Keyed<T>[][] = [];
  for (let from = 0; from < items.length; from += runLength) {
    if (slices.isDue()) await slices.pause();
    const run = items.slice(from, from + runLength).map((item) => ({ key: keyOf(item), item }));
    runs.push(run.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
  }
  while (runs.length > 1) {
    const merged: Keyed<T>[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(await merge(runs[i] ?? [], runs[i + 1] ?? [], slices));
    }
    runs = merged;
  }
  return (runs[0] ?? []).map(({ item }) => item);
}

interface Keyed<T> {
  readonly key: string;
  readonly item: T;
}

async function merge<T>(
  left: readonly Keyed<T>[],
  right: readonly Keyed<T>[],
  slices: Slices,
): Promise<Keyed<T>[]> {
  const merged: Keyed<T>[] = [];
  let from = 0;
  for (const item of left) {
    if (slices.isDue()) await slices.pause();
    for (let next = right[from]; next !== undefined && next.key < item.key; next = right[from]) {
      merged.push(next);
      from += 1;
    }
    merged.push(item);
  }
  for (; from < right.length; from += 1) {
    const next = right[from];
    if (next !== undefined) merged.push(next);
  }
  return merged;
}
