// Shows the bar at the top, with the shown session, the state of the connection, and the views of the page.
import { computed, defineComponent, watch } from 'vue';
import { Icon, type IconName } from './parts/icon.tsx';
import { sessionWords, showSession } from './sessions.ts';
import { useLink } from './state/link.ts';
import { usePushed } from './state/pushed.ts';
import { useSessions } from './state/sessions.ts';
import { useTimeline } from './state/timeline.ts';
import { type Room, type Theme, useView } from './state/view.ts';
import { plainText, timeOf } from './text.ts';
import { LinkError } from './wire.ts';

const rooms: readonly (readonly [Room, string, IconName])[] = [
  ['checkpoints', 'Checkpoints', 'history'],
  ['store', 'Store', 'store'],
  ['wire', 'Wire', 'wire'],
];

const nextTheme: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const themeIcons: Readonly<Record<Theme, IconName>> = { system: 'screen', light: 'sun', dark: 'moon' };

export const TopBar = () => {
  const view = useView();
  const link = useLink();
  /** Ignores a lost connection, because the page itself shows the state of the connection. */
  async function openWindow(): Promise<void> {
    try {
      const { fragment } = await link.ask('inspector/link', {});
      window.open(`/${fragment}`, '_blank', 'noopener');
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
    }
  }
  return (
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
      <BarButton
        icon="beside"
        isWideOnly
        title="Show another session beside this one (b)"
        isPressed={view.isBeside}
        press={() => (view.isBeside = !view.isBeside)}
      />
      <BarButton icon="window" title="Open another window" press={() => void openWindow()} />
      <BarButton
        icon={themeIcons[view.theme]}
        title={`Colours: ${view.theme}. Change`}
        press={() => (view.theme = nextTheme[view.theme])}
      />
      <BarButton icon="help" title="Keys (?)" press={() => (view.isHelp = true)} />
    </header>
  );
};

interface BarButtonProps {
  readonly icon: IconName;
  readonly title: string;
  readonly press: () => void;
  readonly isPressed?: boolean;
  readonly isWideOnly?: boolean;
}

const BarButton = ({ icon, title, press, isPressed, isWideOnly }: BarButtonProps) => (
  <button
    type="button"
    class={['bare', isWideOnly === true ? 'wide-only' : '']}
    title={title}
    aria-pressed={isPressed}
    onClick={press}
  >
    <Icon name={icon} />
  </button>
);

const SessionPicker = defineComponent(() => {
  const [link, timeline, sessions] = [useLink(), useTimeline(), useSessions()];
  // Reads the list again when the page shows a different session. A session that was just imported may be missing in
  // the old list.
  watch([() => timeline.session, () => link.reached], () => void sessions.read(), { immediate: true });
  return () => (
    <label class="session">
      <span class="hidden">Session</span>
      <select
        id="session"
        title={timeline.info === undefined ? '' : plainText(timeline.info.workspace)}
        value={timeline.session}
        onFocus={() => void sessions.read()}
        onChange={(event) => void showSession((event.target as HTMLSelectElement).value)}
      >
        {sessions.all?.map((each) => (
          <option value={each.session}>{sessionWords(each)}</option>
        ))}
      </select>
    </label>
  );
});

const LinkDot = defineComponent(() => {
  const link = useLink();
  const timeline = useTimeline();
  const state = computed((): readonly [style: string, words: string] => {
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

/** Shows the last automatic push and its findings. Screen readers read out the text when it changes. */
const PushChip = () => {
  const pushed = usePushed();
  const view = useView();
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
