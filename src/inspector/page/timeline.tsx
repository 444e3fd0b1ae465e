// Shows the timeline. The turns and tools form a tree. After a restore, the checkpoints that the restore left behind
// are shown as a branch. The current state is at the end.
import { type ComputedRef, computed, defineComponent, ref } from 'vue';
import type { Checkpoint } from '../../protocol/types.ts';
import { Icon } from './parts/icon.tsx';
import { InertText } from './parts/inert-text.tsx';
import { VirtualList } from './parts/virtual-list.tsx';
import { laneMax, type Rows, type TimelineRow, timelineRows } from './rows.ts';
import { useSearch } from './state/search.ts';
import { useTimeline } from './state/timeline.ts';
import { present, useView } from './state/view.ts';
import { countOf, plainText, timeOf } from './text.ts';

export const rowHeight = 34;
const laneWidth = 12;
const middle = rowHeight / 2;

export const listId = 'timeline';

export function focusTimeline(): void {
  document.getElementById(listId)?.focus({ preventScroll: true });
}

/** Returns the x coordinate of a lane. */
const xOf = (lane: number): number => 10 + lane * laneWidth;

interface LanesProps {
  readonly row: TimelineRow;
  readonly lanes: number;
  readonly isHead: boolean;
  /**
   * True for a row between the head and the current state. A dashed line runs through these rows, from the head to the
   * current state.
   */
  readonly isBehindHead: boolean;
}

const Lanes = (props: LanesProps) => {
  const { lane, isReached, goesOn, passing, branches, checkpoint } = props.row;
  const x = xOf(lane);
  const lines = [
    ...passing.map((each) => `M${xOf(each)} 0V${rowHeight}`),
    ...(isReached ? [`M${x} 0V${middle}`] : []),
    ...(goesOn ? [`M${x} ${middle}V${rowHeight}`] : []),
    ...branches.map(
      (each) => `M${x} ${middle}C${x} ${rowHeight} ${xOf(each)} ${middle} ${xOf(each)} ${rowHeight}`,
    ),
  ];
  const radius = props.row.depth === 1 ? 3.5 : 4.5;
  return (
    <svg class="lanes" width={xOf(props.lanes) + 6} height={rowHeight} aria-hidden="true" focusable="false">
      <path d={lines.join('')} />
      {props.isHead || props.isBehindHead ? (
        <path d={`M${xOf(0)} ${props.isHead ? middle : 0}V${rowHeight}`} class="dashed" />
      ) : null}
      {checkpoint.kind === 'restore' ? (
        <rect
          x={x - 4}
          y={middle - 4}
          width="8"
          height="8"
          class="dot"
          transform={`rotate(45 ${x} ${middle})`}
        />
      ) : (
        <circle
          cx={x}
          cy={middle}
          r={radius}
          class={['dot', props.isHead ? 'head' : '', lane > 0 ? 'aside' : '']}
        />
      )}
    </svg>
  );
};

export const Stats = (props: { readonly of: Checkpoint['stats'] }) => {
  const { added, modified, deleted } = props.of;
  const isSame = added + modified + deleted === 0;
  const words = isSame ? 'no file changed' : `${added} added, ${modified} modified, ${deleted} deleted`;
  return (
    <span class={['stats', isSame ? 'dim' : '']} title={words} role="img">
      {isSame ? '–' : null}
      {added > 0 ? <span class="added">+{added}</span> : null}
      {modified > 0 ? <span class="modified">~{modified}</span> : null}
      {deleted > 0 ? <span class="deleted">−{deleted}</span> : null}
    </span>
  );
};

/** Returns the label of a checkpoint: its tag, else its name, else its kind. */
export function labelOf({ tag, formerTag, kind, name }: Checkpoint): string {
  if (tag !== undefined) return tag;
  if (formerTag !== undefined) return `${formerTag}′`;
  if (kind === 'safety') return 'saved';
  return kind === 'restore' ? 'restore' : (name ?? kind);
}

interface ShownRows {
  readonly shown: ComputedRef<Rows>;
  /** The index of the selected row. The current state has the index after the last row. */
  readonly at: ComputedRef<number>;
  readonly isFolded: (id: string) => boolean;
  readonly fold: (id: string) => void;
  readonly go: (index: number) => void;
}

function useRows(): ShownRows {
  const timeline = useTimeline();
  const view = useView();
  const search = useSearch();
  const folded = ref<ReadonlySet<string>>(new Set());
  const shown = computed(() =>
    timelineRows(timeline.checkpoints, {
      head: timeline.head,
      showsNoise: view.showsNoise || search.matches !== undefined,
      folded: folded.value,
      matches: search.matches,
    }),
  );
  const at = computed(() => {
    const { rows } = shown.value;
    if (view.selected === present) return rows.length;
    return rows.findIndex(({ checkpoint }) => checkpoint.id === view.selected);
  });
  function fold(id: string): void {
    const next = new Set(folded.value);
    if (!next.delete(id)) next.add(id);
    folded.value = next;
  }
  const go = (index: number): void => view.select(shown.value.rows[index]?.checkpoint.id ?? present);
  return { shown, at, isFolded: (id) => folded.value.has(id), fold, go };
}

export const TimelinePane = defineComponent(() => {
  const [timeline, view] = [useTimeline(), useView()];
  const { shown, at, isFolded, fold, go } = useRows();
  const lanes = computed(() => shown.value.rows.reduce((most, { lane }) => Math.max(most, lane), 0));
  const headAt = computed(() =>
    shown.value.rows.findIndex(({ checkpoint }) => checkpoint.id === timeline.head),
  );
  function onKey(event: KeyboardEvent): void {
    const { checkpoint, folded } = shown.value.rows[at.value] ?? {};
    const id = folded === undefined ? undefined : checkpoint?.id;
    if (event.key === 'Enter') view.isDetail = true;
    else if (event.key === 'ArrowLeft' && id !== undefined && !isFolded(id)) fold(id);
    else if (event.key === 'ArrowRight' && id !== undefined && isFolded(id)) fold(id);
    else return;
    event.preventDefault();
  }
  return () => {
    const { rows, tops, noise } = shown.value;
    const row = (index: number) =>
      index === rows.length ? (
        <PresentRow index={index} lanes={lanes.value} position={tops + 1} />
      ) : (
        <CheckpointRow
          key={rows[index]?.checkpoint.id ?? index}
          id={`${listId}-${index}`}
          of={rows[index] as TimelineRow}
          lanes={lanes.value}
          head={timeline.head}
          isBehindHead={headAt.value >= 0 && index > headAt.value}
          isSelected={rows[index]?.checkpoint.id === view.selected}
          isBase={rows[index]?.checkpoint.id === view.base}
          canFold={rows[index]?.folded !== undefined}
          tops={tops + 1}
          fold={fold}
          open={view.open}
        />
      );
    return (
      <section class="timeline" aria-label="Timeline">
        <TimelineHead count={rows.length} noise={noise} />
        <VirtualList
          id={listId}
          role="tree"
          label="Checkpoints, oldest first"
          count={rows.length + 1}
          rowHeight={rowHeight}
          active={at.value}
          sticks={true}
          row={row}
          go={go}
          press={onKey}
        />
      </section>
    );
  };
});

const TimelineHead = (props: { readonly count: number; readonly noise: number }) => {
  const timeline = useTimeline();
  const view = useView();
  const search = useSearch();
  const { count, noise } = props;
  const words = timeline.isLoading && count === 0 ? 'Loading…' : countOf(count, 'checkpoint');
  return (
    <div class="timeline-head">
      <SearchField />
      <div class="timeline-facts">
        <span role="status">
          {words}
          {search.note === undefined ? '' : ` · ${search.note}`}
        </span>
        <label class="check">
          <input
            type="checkbox"
            checked={view.showsNoise}
            onChange={() => (view.showsNoise = !view.showsNoise)}
          />
          {noise > 0 ? `Show ${noise.toLocaleString('en')} more` : 'Show all'}
        </label>
      </div>
    </div>
  );
};

const SearchField = () => {
  const view = useView();
  return (
    <label class="search">
      <Icon name="search" />
      <span class="hidden">Search by message, tool, tag or path</span>
      <input
        id="search"
        type="search"
        placeholder="Message, tool, tag or path/"
        autocomplete="off"
        spellcheck={false}
        value={view.query}
        onInput={(event) => (view.query = (event.target as HTMLInputElement).value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
};

interface RowProps {
  /** The id of the element. */
  readonly id: string;
  readonly of: TimelineRow;
  readonly lanes: number;
  /** The id of the session's current checkpoint. */
  readonly head: string | undefined;
  readonly isBehindHead: boolean;
  readonly isSelected: boolean;
  /** True when the checkpoint is the earlier state of the comparison. */
  readonly isBase: boolean;
  readonly canFold: boolean;
  /** The number of rows of the tree that are not tools. */
  readonly tops: number;
  readonly fold?: (id: string) => void;
  readonly open: (id: string) => void;
}

export const CheckpointRow = (props: RowProps) => {
  const { checkpoint, depth, folded = 0 } = props.of;
  const { id, kind, description, toolName, timestamp, stats, detached, name } = checkpoint;
  const isHead = id === props.head;
  const classes = ['row', kind, depth === 1 ? 'tool' : '', detached === true ? 'detached' : ''];
  return (
    <div
      id={props.id}
      class={classes}
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={props.of.position}
      aria-setsize={props.of.siblings ?? props.tops}
      aria-selected={props.isSelected}
      aria-expanded={props.canFold ? folded === 0 : undefined}
      data-tag={labelOf(checkpoint)}
      onClick={() => props.open(id)}
    >
      <Lanes
        row={props.of}
        lanes={Math.min(props.lanes, laneMax)}
        isHead={isHead}
        isBehindHead={props.isBehindHead}
      />
      <Fold isFolded={props.canFold ? folded > 0 : undefined} fold={() => props.fold?.(id)} />
      <span class="tag">{kind === 'restore' ? '' : labelOf(checkpoint)}</span>
      <span class="message" title={plainText(description)}>
        {name === undefined ? null : (
          <span class="chip">
            <InertText text={name} isLong={true} />
          </span>
        )}
        <InertText
          text={kind === 'tool' && toolName !== undefined ? describe(checkpoint) : description}
          isLong={true}
        />
        {folded > 0 ? <span class="dim"> · {countOf(folded, 'tool')}</span> : null}
      </span>
      {detached === true ? <span class="hidden">on a branch that was left</span> : null}
      {isHead ? <span class="chip here">here</span> : null}
      {props.isBase ? <span class="chip">from</span> : null}
      <Stats of={stats} />
      <time datetime={timestamp}>{timeOf(timestamp)}</time>
    </div>
  );
};

/** Shows the sign that the user clicks to hide or show the tools of a turn. Other rows have an empty place. */
const Fold = (props: { readonly isFolded: boolean | undefined; readonly fold: () => void }) => {
  if (props.isFolded === undefined) return <span class="fold" />;
  function press(event: MouseEvent): void {
    event.stopPropagation();
    props.fold();
  }
  return (
    <span class="fold" aria-hidden="true" onClick={press}>
      <Icon name={props.isFolded ? 'folded' : 'unfolded'} />
    </span>
  );
};

/**
 * Returns the text for the row of a tool. Omits the word "Tool", because the indentation already marks the row as a
 * tool.
 */
function describe({ toolName = '', description }: Checkpoint): string {
  const rest = description.replace(/^Tool: /, '');
  return rest.startsWith(toolName) ? rest : `${toolName} · ${rest}`;
}

const PresentRow = (props: { readonly index: number; readonly lanes: number; readonly position: number }) => {
  const timeline = useTimeline();
  const view = useView();
  return (
    <div
      id={`${listId}-${props.index}`}
      class="row present"
      role="treeitem"
      aria-level={1}
      aria-posinset={props.position}
      aria-setsize={props.position}
      aria-selected={view.selected === present}
      data-tag="now"
      onClick={() => view.open(present)}
    >
      <svg
        class="lanes"
        width={xOf(Math.min(props.lanes, laneMax)) + 6}
        height={rowHeight}
        aria-hidden="true"
      >
        <path d={`M${xOf(0)} 0V${middle - 5}`} class="dashed" />
        <circle cx={xOf(0)} cy={middle} r="4.5" class="dot open" />
      </svg>
      <span class="fold" />
      <span class="tag">now</span>
      <span class="message">
        {timeline.dirtyPaths > 0
          ? `${countOf(timeline.dirtyPaths, 'path')} touched since the last capture`
          : 'The work tree'}
      </span>
    </div>
  );
};
