// Lets the user step back and forth through the history of one file. Shows every content that the file has in a
// checkpoint, compared with the previous content.
import { computed, defineComponent, onBeforeUnmount, onMounted, type Ref, ref, shallowRef, watch } from 'vue';
import type { Checkpoint, LedgerEntry, PathRef } from '../../protocol/types.ts';
import { type Shown, type Sides, shownOf } from './diff/contents.ts';
import { FileDifference } from './diff/difference.tsx';
import { goBack } from './keys.ts';
import { Icon } from './parts/icon.tsx';
import { PathName } from './parts/inert-text.tsx';
import { useLink } from './state/link.ts';
import { useTimeline } from './state/timeline.ts';
import { useView } from './state/view.ts';
import { timeOf } from './text.ts';
import { labelOf } from './timeline.tsx';

const entriesMax = 1000;
const frameMs = 900;

export const FileHistory = defineComponent(() => {
  const view = useView();
  const { entries, at, shown, failure, go } = useHistory();
  const timeline = useTimeline();
  const holder = computed(() => {
    const id = entries.value[at.value]?.checkpoint;
    return id === undefined ? undefined : timeline.byId.get(id);
  });
  return () => {
    const { history } = view;
    if (history === undefined) return <div class="empty">Open a file and choose “History”.</div>;
    const current = entries.value[at.value];
    return (
      <section class="file-history" aria-label="History of a file">
        <header class="file-head">
          <button
            type="button"
            class="bare"
            aria-label="Back to the checkpoint"
            onClick={() => void goBack()}
          >
            <Icon name="back" />
          </button>
          <span class="file-title">
            <PathName of={history} />
          </span>
          {current === undefined ? null : (
            <span class="dim">{`${at.value + 1} of ${entries.value.length} · ${wordsOf(current, holder.value)}`}</span>
          )}
        </header>
        <Player at={at.value} last={entries.value.length - 1} holder={holder.value} go={go} />
        {failure.value !== undefined ? (
          <div class="empty problem">{failure.value}</div>
        ) : entries.value.length === 0 ? (
          <div class="empty">No checkpoint shows a change of this file.</div>
        ) : (
          <FileDifference path={history.path} shown={shown.value} />
        )}
      </section>
    );
  };
});

function wordsOf(
  { timestamp, content, author, toolName }: LedgerEntry,
  holder: Checkpoint | undefined,
): string {
  const by = `${content === undefined ? 'deleted ' : ''}by the ${author}${toolName === undefined ? '' : ` (${toolName})`}`;
  return [holder === undefined ? '' : labelOf(holder), timeOf(timestamp), by].join(' · ');
}

interface PlayedHistory {
  readonly entries: Ref<readonly LedgerEntry[]>;
  readonly at: Ref<number>;
  readonly shown: Ref<Shown | undefined>;
  readonly failure: Ref<string | undefined>;
  readonly go: (to: number) => void;
}

/** Reads the history of the file that the view names, and the difference at the current place in the history. */
function useHistory(): PlayedHistory {
  const timeline = useTimeline();
  const view = useView();
  const entries = shallowRef<readonly LedgerEntry[]>([]);
  const at = ref(0);
  const shown = shallowRef<Shown>();
  const failure = ref<string>();
  let running = new AbortController();

  async function read(): Promise<void> {
    const { history } = view;
    if (history === undefined) return;
    const isAtEnd = at.value >= entries.value.length - 1;
    entries.value = await changesOf(timeline.session, history);
    if (isAtEnd) at.value = Math.max(0, entries.value.length - 1);
    await load();
  }
  async function load(): Promise<void> {
    running.abort();
    const own = new AbortController();
    running = own;
    const [now, before] = [entries.value[at.value], entries.value[at.value - 1]];
    const holder = now?.checkpoint === undefined ? undefined : timeline.byId.get(now.checkpoint);
    if (holder === undefined || view.history === undefined) return;
    const from = before?.checkpoint ?? timeline.previousOf(holder)?.id;
    const sides = { session: timeline.session, from, to: holder.id };
    try {
      const next = await differenceIn(sides, view.history, own.signal);
      if (own === running) shown.value = next;
    } catch (error) {
      // The user's next step cancels the request. A cancelled request is not a failure.
      if (own === running) throw error;
    }
  }
  const told = (doing: Promise<void>): Promise<void> =>
    doing.then(
      () => void (failure.value = undefined),
      (error: unknown) => void (failure.value = error instanceof Error ? error.message : String(error)),
    );
  const go = (to: number): void => void (at.value = Math.min(entries.value.length - 1, Math.max(0, to)));

  const subject = [() => view.history, () => timeline.session, () => timeline.checkpoints.length];
  watch(subject, () => void told(read()), { immediate: true });
  watch(at, () => void told(load()));
  return { entries, at, shown, failure, go };
}

/** Lists the changes of a path that are in checkpoints. */
async function changesOf(session: string, { path, pathBytes }: PathRef): Promise<readonly LedgerEntry[]> {
  const bytes = pathBytes === undefined ? {} : { pathBytes };
  const { entries } = await useLink().ask('ledger/history', { session, path, ...bytes, limit: entriesMax });
  const { byId } = useTimeline();
  return entries.filter(({ checkpoint }) => checkpoint !== undefined && byId.has(checkpoint));
}

/** Returns the difference of the file. If the file did not change or has no earlier state, returns the whole file. */
async function differenceIn(sides: Sides, { path, pathBytes }: PathRef, signal: AbortSignal): Promise<Shown> {
  const { session, from, to } = sides;
  const ref = pathBytes === undefined ? { path } : { path, pathBytes };
  const whole = { ...ref, absolutePath: path, change: 'same' };
  if (from === undefined || to === undefined) return shownOf({ ...sides, from: undefined }, whole, signal);
  const wanted = { session, from, to, paths: [ref], format: 'stat' } as const;
  const { files } = await useLink().ask('checkpoint/diff', wanted, { signal });
  const [file] = files;
  return file === undefined
    ? shownOf({ ...sides, from: undefined }, whole, signal)
    : shownOf(sides, file, signal);
}

interface PlayerProps {
  readonly at: number;
  readonly last: number;
  readonly holder: Checkpoint | undefined;
  readonly go: (to: number) => void;
}

const Player = defineComponent(
  (props: PlayerProps) => {
    const view = useView();
    const playing = ref<ReturnType<typeof setInterval>>();
    function pause(): void {
      clearInterval(playing.value);
      playing.value = undefined;
    }
    function toggle(): void {
      if (playing.value !== undefined) return pause();
      if (props.at >= props.last) props.go(0);
      playing.value = setInterval(() => (props.at >= props.last ? pause() : props.go(props.at + 1)), frameMs);
    }
    onBeforeUnmount(pause);
    const slider = ref<HTMLElement>();
    onMounted(() => slider.value?.focus());
    return () => {
      const { at, last, holder, go } = props;
      const isPlaying = playing.value !== undefined;
      return (
        <div class="player">
          <button type="button" aria-label="Earlier" disabled={at <= 0} onClick={() => go(at - 1)}>
            <Icon name="back" />
          </button>
          <button type="button" aria-label={isPlaying ? 'Pause' : 'Play'} onClick={toggle}>
            {isPlaying ? 'Ⅱ' : <Icon name="play" />}
          </button>
          <button type="button" aria-label="Later" disabled={at >= last} onClick={() => go(at + 1)}>
            <Icon name="next" />
          </button>
          <input
            ref={slider}
            type="range"
            min={0}
            max={Math.max(0, last)}
            value={at}
            aria-label="Version of the file"
            aria-valuetext={holder === undefined ? '' : `${labelOf(holder)}, ${timeOf(holder.timestamp)}`}
            onInput={(event) => go(Number((event.target as HTMLInputElement).value))}
          />
          {holder === undefined ? null : (
            <button type="button" onClick={() => view.select(holder.id)}>
              Open [{labelOf(holder)}]
            </button>
          )}
        </div>
      );
    };
  },
  { props: ['at', 'last', 'holder', 'go'] },
);
