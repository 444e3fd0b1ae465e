// Shows the log: the last messages between this page and the daemon, the newest message last. The user can filter the
// messages.
import { computed, defineComponent, ref } from 'vue';
import { InertText } from './parts/inert-text.tsx';
import { VirtualList } from './parts/virtual-list.tsx';
import { useLink } from './state/link.ts';
import { countOf, sizeOf } from './text.ts';
import type { Logged } from './wire.ts';

const rowHeight = 26;

const ways: Readonly<Record<Logged['kind'], string>> = { request: '→', answer: '←', error: '✕', event: '•' };

export const WireLog = defineComponent(() => {
  const link = useLink();
  const filter = ref('');
  const kinds = ref<ReadonlySet<Logged['kind']>>(new Set(['request', 'answer', 'error', 'event']));
  const chosen = ref<number>();
  const shown = computed((): readonly Logged[] => {
    // The log is not reactive, but the counter `logged` is. This function reads the counter, so Vue computes the
    // function's value again when the log grows.
    if (link.logged < 0) return [];
    const wanted = filter.value.trim().toLowerCase();
    const fits = ({ method, text }: Logged): boolean =>
      wanted === '' || `${method} ${text}`.toLowerCase().includes(wanted);
    return link.linked().log.filter((each) => kinds.value.has(each.kind) && fits(each));
  });
  const at = computed(() => shown.value.findIndex(({ number }) => number === chosen.value));
  const toggle = (kind: Logged['kind']): void => void (kinds.value = toggled(kinds.value, kind));
  const row = (index: number) => {
    const message = shown.value[index] as Logged;
    return (
      <MessageRow
        key={message.number}
        of={message}
        index={index}
        count={shown.value.length}
        isChosen={message.number === chosen.value}
        choose={() => (chosen.value = message.number)}
      />
    );
  };
  return () => (
    <div class="wire-log">
      <WireHead
        filter={filter.value}
        kinds={kinds.value}
        count={shown.value.length}
        toggle={toggle}
        setFilter={(text) => (filter.value = text)}
      />
      <VirtualList
        id="wire"
        role="listbox"
        label="Messages, oldest first"
        count={shown.value.length}
        rowHeight={rowHeight}
        active={at.value}
        sticks={true}
        row={row}
        go={(index) => (chosen.value = shown.value[index]?.number)}
      />
      {at.value < 0 ? null : (
        <pre class="message-text" tabindex={0} role="region" aria-label="The message">
          <InertText text={pretty(shown.value[at.value]?.text ?? '')} isLong={true} blanks="kept" />
        </pre>
      )}
    </div>
  );
});

interface WireHeadProps {
  readonly filter: string;
  readonly kinds: ReadonlySet<Logged['kind']>;
  readonly count: number;
  readonly toggle: (kind: Logged['kind']) => void;
  readonly setFilter: (text: string) => void;
}

const WireHead = (props: WireHeadProps) => (
  <div class="wire-head">
    <input
      type="search"
      placeholder="Filter by method or text"
      aria-label="Filter messages by method or text"
      value={props.filter}
      onInput={(event) => props.setFilter((event.target as HTMLInputElement).value)}
    />
    {(['request', 'answer', 'error', 'event'] as const).map((kind) => (
      <label class="check">
        <input type="checkbox" checked={props.kinds.has(kind)} onChange={() => props.toggle(kind)} />
        {`${kind}s`}
      </label>
    ))}
    <span class="dim">{countOf(props.count, 'message')}</span>
  </div>
);

interface MessageRowProps {
  readonly of: Logged;
  readonly index: number;
  readonly count: number;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

const MessageRow = (props: MessageRowProps) => {
  const { at: when, kind, method, id, ms, bytes } = props.of;
  return (
    <div
      id={`wire-${props.index}`}
      class={['message-row', kind]}
      role="option"
      aria-posinset={props.index + 1}
      aria-setsize={props.count}
      aria-selected={props.isChosen}
      onClick={props.choose}
    >
      <time>{new Date(when).toLocaleTimeString('en-GB')}</time>
      <span class="way" title={kind} role="img">
        {ways[kind]}
      </span>
      <span class="method">{method}</span>
      <span class="dim">{id === undefined ? '' : `#${id}`}</span>
      <span class="dim number">
        {ms === undefined ? '' : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`}
      </span>
      <span class="dim number">{sizeOf(bytes)}</span>
    </div>
  );
};

function toggled<T>(all: ReadonlySet<T>, one: T): ReadonlySet<T> {
  return all.has(one) ? new Set([...all].filter((each) => each !== one)) : new Set([...all, one]);
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text; // it was cut
  }
}
