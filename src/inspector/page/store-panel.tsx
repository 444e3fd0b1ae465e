// Shows the store and the daemon of the session: the sizes on disk, statistics of captures, and the state of the
// watcher.
import { defineComponent, ref, shallowRef, watch } from 'vue';
import type {
  SessionGetResult,
  StoreGcResult,
  StoreUsageResult,
  StoreVerifyResult,
  WorktreeStatusResult,
} from '../../protocol/types.ts';
import { RemotesCard } from './remotes.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { useLink } from './state/link.ts';
import { readSessionHead, useTimeline } from './state/timeline.ts';
import { countOf, plainText, sizeOf, timeOf } from './text.ts';
import { LinkError, messageOf } from './wire.ts';

type Facts = readonly (readonly [string, string | number | undefined])[];

const Figures = (props: { readonly title: string; readonly facts: Facts }) => (
  <section class="card">
    <h2>{props.title}</h2>
    <dl>
      {props.facts.map(([name, value]) =>
        value === undefined ? null : (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ),
      )}
    </dl>
  </section>
);

export const StorePanel = defineComponent(() => {
  const link = useLink();
  const timeline = useTimeline();
  const usage = shallowRef<StoreUsageResult>();
  const status = shallowRef<WorktreeStatusResult>();
  const failure = ref<string>();

  let reads = 0;
  /** Reads all figures. Ignores the answers if a later call has begun. */
  async function read(): Promise<void> {
    reads += 1;
    const own = reads;
    const { session } = timeline;
    try {
      const found = await Promise.all([
        link.ask('store/usage', { session }),
        link.ask('worktree/status', { session }),
        readSessionHead(),
      ]);
      if (own === reads) [usage.value, status.value, failure.value] = [found[0], found[1], undefined];
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (own === reads) failure.value = error.message;
    }
  }
  watch([() => timeline.session, () => timeline.checkpoints], () => void read(), { immediate: true });

  return () => {
    const { info } = timeline;
    if (failure.value !== undefined) return <div class="empty problem">{failure.value}</div>;
    if (info === undefined || usage.value === undefined) return <div class="empty">Reading…</div>;
    return (
      <div class="cards" tabindex={0} role="region" aria-label="Store and daemon">
        <Figures title="Session" facts={sessionFacts(info)} />
        <Figures title="Store" facts={storeFacts(usage.value)} />
        <Figures title="Captures" facts={captureFacts(status.value)} />
        <Figures title="Watch" facts={watchFacts(info)} />
        <Figures title="Daemon" facts={daemonFacts(info)} />
        <Upkeep done={() => void read()} />
        <RemotesCard />
        <SessionsCard />
      </div>
    );
  };
});

const sessionFacts = (info: SessionGetResult): Facts => [
  ['Work tree', plainText(info.workspace)],
  ['Conversation', plainText(info.conversationId)],
  ['Session', info.session],
  ['Strategy', info.strategy],
  ['Imported from', info.origin === undefined ? undefined : plainText(info.origin.remote)],
  ['When it ends', info.retention === 'keep' ? 'kept' : 'removed'],
  ['Survives', info.durability === 'power' ? 'a power cut' : 'a crash of the daemon'],
  ['Open since', timeOf(info.openedAt)],
  ['Checkpoints', info.checkpoints.enabled ? 'enabled' : (info.checkpoints.message ?? 'disabled')],
];

const storeFacts = ({ bytes, blobs, checkpoints, path }: StoreUsageResult): Facts => [
  ['On disk', sizeOf(bytes)],
  ['Contents', blobs.toLocaleString('en')],
  ['Checkpoints stored', checkpoints.toLocaleString('en')],
  ['Place', path === undefined ? undefined : plainText(path)],
];

const captureFacts = (status: WorktreeStatusResult | undefined): Facts => [
  ['Fast captures', status?.captures?.fast],
  ...(status?.captures?.cold ?? []).map(
    ({ reason, count }) => [`Full, because ${coldWords[reason] ?? reason}`, count] as const,
  ),
];

const watchFacts = ({ watcher }: SessionGetResult): Facts => [
  ['State', watcher.state],
  ['Why', watcher.reason === undefined ? undefined : plainText(watcher.reason)],
  ['Directories', watcher.watchedDirectories.toLocaleString('en')],
  ['Paths touched since the last capture', watcher.dirtyPaths],
  ['Lost events', watcher.overflows],
  ['Drifts', watcher.drifts ?? 0],
];

const daemonFacts = ({ queue, cache, unfinishedRestore }: SessionGetResult): Facts => [
  ['Queue', `${queue.length} of ${queue.capacity}`],
  ['Running', queue.running ?? 'nothing'],
  ['Statistics cache', `${cache.size} of ${cache.maxSize}`],
  ['Answered from the cache', `${cache.hits} of ${cache.hits + cache.misses}`],
  ['Unfinished restore', unfinishedRestore === true ? 'yes' : undefined],
];

const coldWords: Readonly<Record<string, string>> = {
  alsoInclude: 'ignored files are included',
  audit: 'a regular check was due',
  first: 'the capture was the first one',
  ignoreRules: 'ignore rules changed',
  overflow: 'events were lost',
  requested: 'a client requested a full capture',
  suspect: 'the watch had missed changes',
  unproven: 'a fast capture was not safe',
  unwatched: 'nothing is watched',
};

const Upkeep = defineComponent(
  (props: { readonly done: () => void }) => {
    const link = useLink();
    const timeline = useTimeline();
    const isBusy = ref(false);
    const words = ref<string>();
    async function run<T>(ask: () => Promise<T>, describe: (result: T) => string): Promise<void> {
      isBusy.value = true;
      try {
        words.value = describe(await ask());
        props.done();
      } catch (error) {
        words.value = messageOf(error);
      } finally {
        isBusy.value = false;
      }
    }
    const verify = (): Promise<void> =>
      run(
        () => link.ask('store/verify', { session: timeline.session }),
        ({ ok, problems }: StoreVerifyResult) =>
          ok
            ? 'Every checkpoint can be restored completely.'
            : `${countOf(problems.length, 'problem')} found: ${problems
                .map(({ kind, what }) => `${kind} ${what}`)
                .slice(0, 5)
                .join(', ')}`,
      );
    const collect = (): Promise<void> =>
      run(
        () => link.ask('store/gc', { session: timeline.session, idempotencyKey: crypto.randomUUID() }),
        ({ bytesFreed, checkpointsRemoved }: StoreGcResult) =>
          `${sizeOf(bytesFreed)} freed, ${countOf(checkpointsRemoved, 'checkpoint')} removed.`,
      );
    return () => (
      <section class="card">
        <h2>Upkeep</h2>
        <p class="dim">
          Verify reads all stored contents and reports damage. Collect deletes data that no checkpoint needs.
          It deletes listed checkpoints only when the limits of the session require this.
        </p>
        <div class="buttons start">
          <button type="button" disabled={isBusy.value} onClick={() => void verify()}>
            Verify
          </button>
          <button type="button" disabled={isBusy.value} onClick={() => void collect()}>
            Collect
          </button>
        </div>
        <p role="status">{isBusy.value ? 'Working…' : words.value}</p>
      </section>
    );
  },
  { props: ['done'] },
);
