// Searches for the text of the search field in messages, tools, tags, names and ids. If the text has a slash, it is
// treated as a path: the daemon then finds the changes of this path.
import { defineStore } from 'pinia';
import { computed, ref, watch } from 'vue';
import type { Checkpoint } from '../../../protocol/types.ts';
import { useLink } from './link.ts';
import { useTimeline } from './timeline.ts';
import { useView } from './view.ts';

const pauseMs = 200;
const historyMax = 1000;

export const useSearch = defineStore('search', () => {
  const view = useView();
  const link = useLink();
  const timeline = useTimeline();
  /** The checkpoints in which the path changed. Undefined when the text is not a path or the search is running. */
  const holders = ref<ReadonlySet<string>>();
  const text = computed(() => view.query.trim().toLowerCase());
  const path = computed(() => {
    const wanted = view.query.trim();
    return wanted.includes('/') || wanted.startsWith('path:')
      ? wanted.replace(/^path:|^\.?\//, '')
      : undefined;
  });
  let searches = 0;

  watch([path, () => timeline.session, () => timeline.checkpoints.length], ([wanted]) => {
    searches += 1;
    const own = searches;
    if (wanted === undefined || wanted === '') {
      holders.value = undefined;
      return;
    }
    setTimeout(() => own === searches && void findHolders(wanted, own), pauseMs);
  });

  async function findHolders(wanted: string, own: number): Promise<void> {
    const params = { session: timeline.session, path: wanted, limit: historyMax };
    try {
      const { entries } = await link.ask('ledger/history', params);
      if (own === searches) holders.value = new Set(entries.flatMap(({ checkpoint }) => checkpoint ?? []));
    } catch {
      // The daemon refuses some paths, for example paths outside the work tree. No checkpoint has these paths.
      if (own === searches) holders.value = new Set();
    }
  }

  const matches = computed(() => {
    const wanted = text.value;
    if (wanted === '') return undefined;
    const known = holders.value;
    if (known !== undefined && known.size > 0) return ({ id }: Checkpoint) => known.has(id);
    return ({ id, tag, formerTag, name, toolName, description, kind }: Checkpoint): boolean =>
      [id, tag, formerTag, name, toolName, description, kind].some((each) =>
        each?.toLowerCase().includes(wanted),
      );
  });
  const note = computed(() =>
    holders.value !== undefined && holders.value.size > 0 ? 'that changed this path' : undefined,
  );

  return { matches, note };
});
