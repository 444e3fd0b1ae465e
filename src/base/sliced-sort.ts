// Sorts as many items as a directory or a tree may have without holding the event loop: runs that are short enough to
// be sorted in one go, and then merged. For short lists it is the ordinary sort.
import type { Slices } from './slices.ts';

/** So many items are sorted without a pause: a few milliseconds. */
const runLength = 4096;

/** The items by their keys, as `<` orders them; equal keys stay in the order in which they came. */
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
