// Manages the hunks that the user has picked in the files of the shown comparison. One revert reverses all picked
// hunks.
import { defineStore } from 'pinia';
import { computed, ref, watch } from 'vue';
import type { DiffFile, HunkRef } from '../../../protocol/types.ts';
import { refOf } from '../diff/contents.ts';
import { useComparison } from './comparison.ts';

export const usePicked = defineStore('picked', () => {
  const comparison = useComparison();
  /** The picked hunks, keyed by file and id, in the order in which the user picked them. */
  const all = ref<ReadonlyMap<string, HunkRef>>(new Map());
  const hunks = computed(() => [...all.value.values()]);
  const files = computed(() => new Set(hunks.value.map(keyOfFile)).size);

  const has = (file: DiffFile, id: string): boolean => all.value.has(keyOf({ ...refOf(file), id }));
  const countIn = (file: DiffFile): number =>
    hunks.value.filter((each) => keyOfFile(each) === keyOfFile(file)).length;

  function toggle(file: DiffFile, id: string): void {
    const hunk = { ...refOf(file), id };
    const next = new Map(all.value);
    if (!next.delete(keyOf(hunk))) next.set(keyOf(hunk), hunk);
    all.value = next;
  }
  /** Removes hunks that were reverted. */
  function drop(reverted: readonly HunkRef[]): void {
    const next = new Map(all.value);
    for (const hunk of reverted) next.delete(keyOf(hunk));
    all.value = next;
  }
  const clear = (): void => void (all.value = new Map());
  // A comparison of different states has different hunks, so the picked hunks are dropped.
  watch(() => `${comparison.sides?.session} ${comparison.sides?.from} ${comparison.sides?.to}`, clear);
  return { all, hunks, files, has, countIn, toggle, drop, clear };
});

type Named = Pick<HunkRef, 'path' | 'pathBytes'>;

function keyOfFile({ path, pathBytes = '' }: Named): string {
  return `${path}\0${pathBytes}`;
}

function keyOf(hunk: HunkRef): string {
  return `${keyOfFile(hunk)}\0${hunk.id}`;
}
