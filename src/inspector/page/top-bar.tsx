// The bar at the top: which session, how well it is reached, and the rooms of the page.
import { computed, defineComponent, onMounted, shallowRef, watch } from 'vue';
import type { InspectedSession } from '../own-methods.ts';
import { Icon, type IconName } from './parts/icon.tsx';
import { showSession } from './sessions.ts';
import { useLink } from './state/link.ts';
import { usePushed } from './state/pushed.ts';
import { useTimeline } from './state/timeline.ts';
import { type Room, type Theme, useView } from './state/view.ts';
import { plainText, sinceWords, timeOf } from './text.ts';

const rooms: readonly (readonly [Room, string, IconName])[] = [
  ['checkpoints', 'Checkpoints', 'history'],
  ['store', 'Store', 'store'],
  ['wire', 'Wire', 'wire'],
];

const nextTheme: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const themeIcons: Readonly<Record<Theme, IconName>> = { system: 'screen', light: 'sun', dark: 'moon' };

export const TopBar = defineComponent(() => {
  const view = useView();
  const link = useLink();
  async function openWindow(): Promise<void> {
    const { fragment } = await link.ask('inspector/link', {});
    window.open(`/${fragment}`, '_blank', 'noopener');
  }
  return () => (
    <header class="top">
      <h1 class="hidden">Inspector of checkpoints</h1>
      <SessionPicker />
      <LinkDot />
      <PushChip />
      <nav class="rooms" aria-label="Rooms">
        {rooms.map(([room, label, icon]) => (
          <button
            type="button"
            aria-current={view.room === room ? 'page' : undefined}
            title={label}
            onClick={() => (view.room = room)}
          >
            <Icon name={icon} />
            <span class="wide-only">{label}</span>
          </button>
        ))}
      </nav>
      <button
        type="button"
        class="bare"
        title="Open another window"
        aria-label="Open another window"
        onClick={() => void openWindow()}
      >
        <Icon name="window" />
      </button>
      <button
        type="button"
        class="bare"
        title={`Colours: ${view.theme}`}
        aria-label={`Colours: ${view.theme}. Change`}
        onClick={() => (view.theme = nextTheme[view.theme])}
      >
        <Icon name={themeIcons[view.theme]} />
      </button>
      <button
        type="button"
        class="bare"
        title="Keys (?)"
        aria-label="Keys"
        onClick={() => (view.isHelp = true)}
      >
        <Icon name="help" />
      </button>
    </header>
  );
});

const SessionPicker = defineComponent(() => {
  const link = useLink();
  const timeline = useTimeline();
  const sessions = shallowRef<readonly InspectedSession[]>([]);
  async function read(): Promise<void> {
    sessions.value = (await link.ask('inspector/sessions', {})).sessions;
  }
  onMounted(() => void read());
  // A session that was imported meanwhile is in the list, too.
  watch(
    () => timeline.session,
    () => void read(),
  );
  const name = (path: string): string => plainText(path.slice(path.lastIndexOf('/') + 1) || path);
  const words = ({ workspace, agent, firstPrompt, lastUsedMs }: InspectedSession): string => {
    const said = firstPrompt === undefined ? '' : ` · “${plainText(firstPrompt).slice(0, 40)}”`;
    return `${name(workspace)} · ${agent}${said} · ${sinceWords(lastUsedMs)}`;
  };
  return () => (
    <label class="session">
      <span class="hidden">Session</span>
      <select
        id="session"
        title={timeline.info === undefined ? '' : plainText(timeline.info.workspace)}
        value={timeline.session}
        onFocus={() => void read()}
        onChange={(event) => void showSession((event.target as HTMLSelectElement).value)}
      >
        {sessions.value.map((each) => (
          <option value={each.session}>{words(each)}</option>
        ))}
      </select>
    </label>
  );
});

const LinkDot = defineComponent(() => {
  const link = useLink();
  const timeline = useTimeline();
  const state = computed((): readonly [look: string, words: string] => {
    if (link.state !== 'open') return ['bad', link.state === 'refused' ? 'Not connected' : 'Connecting…'];
    if (link.lost.has(timeline.session)) return ['bad', 'The daemon has ended; connecting again'];
    const watch = timeline.info?.watcher.state;
    if (watch === undefined) return ['wait', 'Reading'];
    return watch === 'live' ? ['good', 'Live'] : ['wait', `Watch: ${watch}`];
  });
  return () => (
    <span class={['link-dot', state.value[0]]} role="status" title={state.value[1]}>
      <span class="link-words">{state.value[1]}</span>
    </span>
  );
});

/** The last push of the background, and what it found. Its words are read out when they change. */
const PushChip = defineComponent(() => {
  const pushed = usePushed();
  const view = useView();
  return () => {
    const { last, others } = pushed;
    const isGood = last?.error === undefined;
    const what =
      last === undefined
        ? ''
        : isGood
          ? `Pushed to ${plainText(last.remote)} ${timeOf(last.at)}`
          : `Not pushed to ${plainText(last.remote)}`;
    const also = others.size === 0 ? '' : ' · another machine continues this session';
    return (
      <span class="push-chip" role="status">
        {last === undefined ? null : (
          <button
            type="button"
            class={['bare', isGood ? '' : 'problem']}
            title={isGood ? what : plainText(last.error?.message ?? '')}
            onClick={() => (view.room = 'store')}
          >
            <Icon name="push" />
            <span class="wide-only">{what + also}</span>
          </button>
        )}
      </span>
    );
  };
});
