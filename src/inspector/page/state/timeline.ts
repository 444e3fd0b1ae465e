// Manages the checkpoints of the shown session and of the second session, and updates them with the daemon's events.
import { defineStore } from 'pinia';
import { computed, ref, shallowRef, watch } from 'vue';
import type { Checkpoint, SessionGetResult } from '../../../protocol/types.ts';
import { LinkError } from '../wire.ts';
import { useLink } from './link.ts';

const pageItems = 1000;
const quietMs = 150;
const watchMs = 500;

/** The session that the page shows. */
export const useTimeline = defineStore('timeline', sessionTimeline);
/**
 * The second session, whose timeline is beside the first timeline. When there is no second session, `session` is empty.
 */
export const useBeside = defineStore('beside', sessionTimeline);
export type ShownTimeline = ReturnType<typeof useTimeline> | ReturnType<typeof useBeside>;

// biome-ignore lint/nursery/useExplicitType: Pinia derives the type of a store from its setup.
function sessionTimeline() {
  const link = useLink();
  const session = ref('');
  const info = shallowRef<SessionGetResult>();
  const checkpoints = shallowRef<readonly Checkpoint[]>([]);
  const isLoading = ref(true);
  const failure = ref<string>();
  /** The number of paths that may have changed since the last capture. */
  const dirtyPaths = ref(0);
  /** A counter that grows whenever the work tree may have changed. */
  const presentVersion = ref(0);
  const head = computed(() => info.value?.head?.id);
  const byId = computed(() => new Map(checkpoints.value.map((each) => [each.id, each])));
  const byTag = computed(() => new Map(checkpoints.value.map((each) => [each.tag, each])));
  let loads = 0;
  let refreshing: ReturnType<typeof setTimeout> | undefined;

  /** Shows a session. With an empty id, shows no session. Drops the data of the previous session. */
  async function show(wanted: string): Promise<void> {
    loads += 1;
    [session.value, checkpoints.value, info.value, failure.value] = [wanted, [], undefined, undefined];
    if (wanted !== '') await load();
  }

  /** Reads all data of the session again. Ignores the data if a later call has begun. */
  async function load(): Promise<void> {
    loads += 1;
    const own = loads;
    isLoading.value = true;
    try {
      for await (const [found, isAll] of growing(session.value)) {
        if (own !== loads) return;
        // Shows a partial result only if it has more checkpoints than the list on the screen. So if this list is empty,
        // the first page of checkpoints is shown at once.
        if (isAll || checkpoints.value.length < found.length) checkpoints.value = found;
      }
      // The session is read last, so that its state is not older than any checkpoint in the list.
      const now = await link.ask('session/get', { session: session.value });
      if (own !== loads) return;
      [info.value, dirtyPaths.value, failure.value] = [now, now.watcher.dirtyPaths, undefined];
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (own === loads) failure.value = error.message;
    } finally {
      if (own === loads) isLoading.value = false;
    }
  }

  /** After a short time without events, reads all data of the session again. */
  function loadSoon(): void {
    clearTimeout(refreshing);
    refreshing = setTimeout(() => void load(), quietMs);
  }

  function add(checkpoint: Checkpoint): void {
    checkpoints.value = withNew(checkpoints.value, checkpoint);
    if (info.value !== undefined) info.value = { ...info.value, head: checkpoint };
    dirtyPaths.value = 0;
    presentVersion.value += 1;
  }

  /** Returns the checkpoint with which the daemon compared this checkpoint for its statistics. */
  function previousOf({ previousTag, parent, id }: Checkpoint): Checkpoint | undefined {
    const byItsTag = previousTag === undefined ? undefined : byTag.value.get(previousTag);
    const found = byItsTag ?? (parent === undefined ? undefined : byId.value.get(parent));
    return found?.id === id ? undefined : found;
  }

  const known = { session, info, checkpoints, isLoading, failure, dirtyPaths, presentVersion, head, byId };
  return { ...known, show, load, loadSoon, add, previousOf };
}

/** Lists the checkpoints of a session page by page. After each page, yields all checkpoints so far. */
async function* growing(
  session: string,
): AsyncGenerator<readonly [found: readonly Checkpoint[], isAll: boolean]> {
  let found: readonly Checkpoint[] = [];
  let cursor: string | undefined;
  do {
    const from = cursor === undefined ? {} : { cursor };
    const page = await useLink().ask('checkpoint/list', {
      session,
      kind: 'every',
      limit: pageItems,
      ...from,
    });
    found = [...found, ...page.checkpoints];
    cursor = page.nextCursor;
    yield [found, cursor === undefined];
  } while (cursor !== undefined);
}

/**
 * Returns the list with a new checkpoint. If an older checkpoint has the same tag, the older checkpoint loses the tag.
 */
function withNew(all: readonly Checkpoint[], checkpoint: Checkpoint): readonly Checkpoint[] {
  const { id, tag } = checkpoint;
  const others = all.map((each) => {
    if (tag === undefined || each.tag !== tag) return each;
    const { tag: former, ...rest } = each;
    return { ...rest, formerTag: former };
  });
  return [...others.filter((each) => each.id !== id), checkpoint];
}

/** Keeps a timeline up to date with the daemon's events. */
export function follow(timeline: ShownTimeline): void {
  const wire = useLink().linked();
  const isOurs = (event: { readonly session: string }): boolean => event.session === timeline.session;
  wire.on('checkpoint/didCreate', (event) => isOurs(event) && timeline.add(event.checkpoint));
  wire.on('checkpoint/didRestore', (event) => {
    if (!isOurs(event)) return;
    timeline.presentVersion += 1;
    timeline.loadSoon();
  });
  wire.on('worktree/didChange', (event) => {
    if (!isOurs(event)) return;
    timeline.dirtyPaths = event.dirtyPaths;
    timeline.presentVersion += 1;
  });
  watch(
    () => useLink().reached,
    () => timeline.session !== '' && timeline.loadSoon(),
  );
  let awaiting: ReturnType<typeof setTimeout> | undefined;
  // No event reports the start of the watcher. So the page asks for the watcher's state repeatedly, until the watcher
  // has started.
  watch(
    () => timeline.info,
    (info) => {
      clearTimeout(awaiting);
      const state = info?.watcher.state;
      if (info === undefined || state === 'live' || state === 'unwatched') return;
      awaiting = setTimeout(() => void readAgain(timeline, info), watchMs);
    },
    { immediate: true },
  );
}

/**
 * Reads the session's state and its current checkpoint again. Ignores the answer if the page shows another session
 * meanwhile. @throws LinkError
 */
export async function readSessionHead(): Promise<void> {
  const timeline = useTimeline();
  const { session } = timeline;
  const info = await useLink().ask('session/get', { session });
  if (timeline.session === session) timeline.info = info;
}

/**
 * Reads the data of the session again. Ignores the answer if newer data was read meanwhile. Also ignores a lost
 * connection.
 */
async function readAgain(timeline: ShownTimeline, info: SessionGetResult): Promise<void> {
  try {
    const now = await useLink().ask('session/get', { session: info.session });
    if (timeline.info === info) timeline.info = now;
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
  }
}
