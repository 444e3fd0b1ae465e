// Manages the shown comparison: the two states, and the files that differ between them.
import { defineStore } from 'pinia';
import { computed, ref, shallowRef, watch } from 'vue';
import type { DiffFile, SkippedPath } from '../../../protocol/types.ts';
import type { Sides } from '../diff/contents.ts';
import { LinkError } from '../wire.ts';
import { useLink } from './link.ts';
import { useTimeline } from './timeline.ts';
import { isSameFile, useView } from './view.ts';

const baseFilesMax = 1000;

interface Found {
  readonly files: readonly DiffFile[];
  readonly isCut: boolean;
}

export const useComparison = defineStore('comparison', () => {
  const [link, timeline, view] = [useLink(), useTimeline(), useView()];
  const found = shallowRef<Found>({ files: [], isCut: false });
  const skipped = shallowRef<readonly SkippedPath[]>([]);
  const message = ref<string>();
  const isLoading = ref(false);
  const failure = ref<string>();
  let running = new AbortController();

  const files = computed(() => found.value.files);
  const isCut = computed(() => found.value.isCut);
  const checkpoint = computed(() =>
    view.selected === undefined ? undefined : timeline.byId.get(view.selected),
  );
  const sides = computed<Sides | undefined>(() => {
    const { session } = timeline;
    if (view.isPresent) return { session, from: view.base ?? timeline.head, to: undefined };
    const selected = checkpoint.value;
    if (selected === undefined) return undefined;
    const from = view.base === selected.id ? undefined : view.base;
    return { session, from: from ?? timeline.previousOf(selected)?.id, to: selected.id };
  });
  /**
   * The compared states as one text. This text changes when the user selects different states, or when the compared
   * current state changes. The page then compares again.
   */
  const key = computed(() => {
    const now = sides.value;
    if (now === undefined) return '';
    const version = now.to === undefined ? timeline.presentVersion : '';
    return `${now.session} ${now.from} ${now.to} ${version} ${link.reached}`;
  });

  // Removes the details of the previous checkpoint, because they would be wrong until the answer arrives.
  const later = (): string => `${sides.value?.session} ${sides.value?.to}`;
  watch(later, () => void ([message.value, skipped.value] = [undefined, []]));
  watch(key, () => void compare(), { immediate: true });

  async function compare(): Promise<void> {
    running.abort();
    const own = new AbortController();
    running = own;
    const wanted = sides.value;
    isLoading.value = wanted !== undefined;
    if (wanted === undefined) {
      found.value = { files: [], isCut: false };
      return;
    }
    try {
      const now = await foundIn(wanted, own.signal);
      if (own !== running) return;
      found.value = now;
      failure.value = undefined;
      if (!now.files.some((file) => isSameFile(file, view.file))) view.file = now.files[0];
      const details = await detailsOf(wanted);
      if (own === running) [message.value, skipped.value] = [details.message, details.skipped];
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (own !== running) return;
      failure.value = error.message;
      found.value = { files: [], isCut: false };
    } finally {
      if (own === running) isLoading.value = false;
    }
  }

  return { files, skipped, message, isCut, isLoading, failure, checkpoint, sides, key };
});

/** Lists the files that differ. If there is no earlier state, lists the first files of the later state. */
async function foundIn({ session, from, to }: Sides, signal: AbortSignal): Promise<Found> {
  const link = useLink();
  if (from !== undefined || to === undefined) {
    const params = { session, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const answer = await link.ask('checkpoint/diff', { ...params, format: 'stat' }, { signal });
    return { files: answer.files, isCut: answer.truncated === true };
  }
  const page = await link.ask('checkpoint/files', { session, tag: to, limit: baseFilesMax }, { signal });
  const files = page.files.map(({ path, pathBytes, size, mode }) => ({
    path,
    absolutePath: path,
    change: 'same',
    afterSize: size,
    afterMode: mode,
    ...(pathBytes === undefined ? {} : { pathBytes }),
  }));
  return { files, isCut: page.nextCursor !== undefined };
}

interface Details {
  readonly message: string | undefined;
  readonly skipped: readonly SkippedPath[];
}

async function detailsOf({ session, to }: Sides): Promise<Details> {
  if (to === undefined) return { message: undefined, skipped: [] };
  const { message, skipped } = await useLink().ask('checkpoint/get', { session, tag: to });
  return { message, skipped };
}
