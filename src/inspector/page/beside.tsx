// Shows the timeline of a second session beside the timeline of the shown session. When the user clicks a checkpoint of
// the second session, the two sessions swap places.
import { computed, defineComponent, onBeforeUnmount, watch } from 'vue';
import { Icon } from './parts/icon.tsx';
import { VirtualList } from './parts/virtual-list.tsx';
import { type TimelineRow, timelineRows } from './rows.ts';
import { sessionWords, showSession } from './sessions.ts';
import { useLink } from './state/link.ts';
import { useSessions } from './state/sessions.ts';
import { useBeside, useTimeline } from './state/timeline.ts';
import { useView } from './state/view.ts';
import { CheckpointRow, rowHeight } from './timeline.tsx';

const listId = 'beside';

export const BesidePane = defineComponent(() => {
  const [beside, timeline, view] = [useBeside(), useTimeline(), useView()];
  const shown = computed(() =>
    timelineRows(beside.checkpoints, {
      head: beside.head,
      showsNoise: view.showsNoise,
      folded: new Set(),
      matches: undefined,
    }),
  );
  const lanes = computed(() => shown.value.rows.reduce((most, { lane }) => Math.max(most, lane), 0));
  onBeforeUnmount(() => void beside.show(''));
  async function open(id: string): Promise<void> {
    const { session } = beside;
    await showSession(session);
    // While the request ran, the user may have chosen a different session.
    if (timeline.session === session) view.open(id);
  }
  const row = (index: number) => (
    <CheckpointRow
      key={shown.value.rows[index]?.checkpoint.id ?? index}
      id={`${listId}-${index}`}
      of={shown.value.rows[index] as TimelineRow}
      lanes={lanes.value}
      head={beside.head}
      isBehindHead={false}
      isSelected={false}
      isBase={false}
      canFold={false}
      tops={shown.value.tops}
      open={(id) => void open(id)}
    />
  );

  return () => (
    <section class="timeline beside" aria-label="Timeline of another session">
      <div class="beside-head">
        <OtherSessions />
        <button
          type="button"
          class="bare"
          title="Close (b)"
          aria-label="Close the timeline of the other session"
          onClick={() => (view.isBeside = false)}
        >
          <Icon name="close" />
        </button>
      </div>
      {beside.failure === undefined ? null : <p role="alert">{beside.failure}</p>}
      <VirtualList
        id={listId}
        role="tree"
        label="Checkpoints of the other session, oldest first"
        count={shown.value.rows.length}
        rowHeight={rowHeight}
        active={-1}
        sticks={true}
        row={row}
      />
    </section>
  );
});

/** Lets the user choose the second session. The default is the most recently used session. */
const OtherSessions = defineComponent(() => {
  const [link, timeline, beside, view] = [useLink(), useTimeline(), useBeside(), useView()];
  const sessions = useSessions();
  const others = computed(() => sessions.all?.filter(({ session }) => session !== timeline.session) ?? []);
  async function showFirst(): Promise<void> {
    await sessions.read();
    const [first] = others.value;
    // While the request ran, the user may have closed the second timeline.
    if (first !== undefined && beside.session === '' && view.isBeside) await beside.show(first.session);
  }
  watch(
    () => link.reached,
    () => void showFirst(),
    { immediate: true },
  );
  return () =>
    sessions.all === undefined ? (
      <span class="dim">Reading…</span>
    ) : others.value.length === 0 ? (
      <span class="dim">There is no other session in this storage.</span>
    ) : (
      <label class="session">
        <span class="hidden">Other session to show</span>
        <select
          value={beside.session}
          onFocus={() => void sessions.read()}
          onChange={(event) => void beside.show((event.target as HTMLSelectElement).value)}
        >
          {others.value.map((each) => (
            <option value={each.session}>{sessionWords(each)}</option>
          ))}
        </select>
      </label>
    );
});
