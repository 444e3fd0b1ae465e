// Manages what the page shows: the selected checkpoint, the state to compare with, the open file, and display options.
import { defineStore } from 'pinia';
import { computed, ref, watch } from 'vue';
import type { PathRef } from '../../../protocol/types.ts';

/** The id that stands for the current work tree instead of a checkpoint. */
export const present = 'present';

export type Tab = 'changes' | 'conversation' | 'about';
export type Room = 'checkpoints' | 'store' | 'wire' | 'file';
export type Theme = 'system' | 'light' | 'dark';

function kept<T extends string>(name: string, fallback: T): T {
  return (localStorage.getItem(`checkpointd-${name}`) as T | null) ?? fallback;
}

/**
 * True when both paths name the same file. Two paths that are not UTF-8 may look the same although their bytes differ.
 */
export const isSameFile = ({ path, pathBytes }: PathRef, other: PathRef | undefined): boolean =>
  path === other?.path && pathBytes === other.pathBytes;

export const useView = defineStore('view', () => {
  const room = ref<Room>('checkpoints');
  const tab = ref<Tab>('changes');
  /** The id of the selected checkpoint, or `present`. */
  const selected = ref<string>();
  /**
   * The earlier state of the comparison. When undefined, the earlier state is the checkpoint before the selected
   * checkpoint.
   */
  const base = ref<string>();
  const file = ref<PathRef>();
  /** The path of the file whose history is shown. */
  const history = ref<PathRef>();
  const query = ref('');
  const showsNoise = ref(kept<'yes' | 'no'>('noise', 'no') === 'yes');
  const isSideBySide = ref(kept<'side' | 'unified'>('diff', 'unified') === 'side');
  /** True to show all equal lines in a difference. */
  const isUnfolded = ref(false);
  const theme = ref<Theme>(kept('theme', 'system'));
  /** True when a narrow window shows the details. Such a window shows only one column at a time. */
  const isDetail = ref(false);
  const isHelp = ref(false);
  /** True to show the timeline of a second session beside the first timeline. */
  const isBeside = ref(false);

  watch(
    theme,
    (now) => {
      localStorage.setItem('checkpointd-theme', now);
      document.documentElement.dataset['theme'] = now;
    },
    { immediate: true },
  );
  watch(showsNoise, (now) => localStorage.setItem('checkpointd-noise', now ? 'yes' : 'no'));
  watch(isSideBySide, (now) => localStorage.setItem('checkpointd-diff', now ? 'side' : 'unified'));

  function select(id: string): void {
    if (id !== selected.value) file.value = undefined;
    selected.value = id;
    room.value = 'checkpoints';
  }

  /** Selects a checkpoint. A narrow window then shows the checkpoint's details instead of the timeline. */
  function open(id: string): void {
    select(id);
    isDetail.value = true;
  }

  const isPresent = computed(() => selected.value === present);

  const shown = {
    room,
    tab,
    selected,
    base,
    file,
    history,
    query,
    showsNoise,
    isSideBySide,
    isUnfolded,
    theme,
  };
  return { ...shown, isDetail, isHelp, isBeside, isPresent, select, open };
});
