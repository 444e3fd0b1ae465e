// Shows one checkpoint or the current state. Also shows the compared state and the available actions.
import { computed, defineComponent, ref, watch } from 'vue';
import type { Checkpoint } from '../../protocol/types.ts';
import { About } from './about.tsx';
import { ChangesPane } from './changes.tsx';
import { ConversationPane } from './conversation.tsx';
import { goBack } from './keys.ts';
import { Icon } from './parts/icon.tsx';
import { InertText } from './parts/inert-text.tsx';
import { isRevertible, restoreOf, revertOf } from './reverting.ts';
import { useChanging } from './state/changing.ts';
import { useComparison } from './state/comparison.ts';
import { useTimeline } from './state/timeline.ts';
import { type Tab, useView } from './state/view.ts';
import { timeOf } from './text.ts';
import { labelOf, Stats } from './timeline.tsx';

const tabs: readonly (readonly [Tab, string])[] = [
  ['changes', 'Changes'],
  ['conversation', 'Conversation'],
  ['about', 'About'],
];

/** Moves to the next or previous tab with the arrow keys. */
function turnTab({ key }: KeyboardEvent): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const view = useView();
  const next = by === undefined ? undefined : tabs[tabs.findIndex(([name]) => name === view.tab) + by];
  if (next === undefined) return;
  [view.tab] = next;
  document.getElementById(`tab-${view.tab}`)?.focus();
}

export const CheckpointPane = () => {
  const comparison = useComparison();
  const view = useView();
  return comparison.checkpoint === undefined && !view.isPresent ? (
    <div class="empty">Choose a checkpoint.</div>
  ) : (
    <article class="checkpoint" aria-labelledby="checkpoint-title">
      <Head />
      <div class="tabs">
        <div class="tab-list" role="tablist" aria-label="About this checkpoint" onKeydown={turnTab}>
          {tabs.map(([name, label]) => (
            <button
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={view.tab === name}
              tabindex={view.tab === name ? 0 : -1}
              aria-controls="tab-panel"
              onClick={() => (view.tab = name)}
            >
              {label}
            </button>
          ))}
        </div>
        <CompareWith />
      </div>
      <div class="tab-panel" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${view.tab}`}>
        {view.tab === 'changes' ? (
          <ChangesPane />
        ) : view.tab === 'conversation' ? (
          <ConversationPane />
        ) : (
          <About />
        )}
      </div>
    </article>
  );
};

const kinds: Readonly<Record<string, string>> = {
  restore: 'a restore',
  safety: 'saved before a restore',
  tool: 'a tool',
  turn: 'a turn',
};

/**
 * The button that leads from the details back to the timeline. Only a narrow window shows this button. The button gets
 * the focus when the details appear.
 */
const Back = defineComponent(() => {
  const view = useView();
  const button = ref<HTMLElement>();
  watch(
    () => view.isDetail,
    (isDetail) => isDetail && button.value?.focus(),
    { flush: 'post' },
  );
  return () => (
    <button
      ref={button}
      type="button"
      class="narrow-only bare"
      aria-label="Back to the timeline"
      onClick={() => void goBack()}
    >
      <Icon name="back" />
    </button>
  );
});

const Head = () => {
  const comparison = useComparison();
  const changing = useChanging();
  const { checkpoint, message } = comparison;
  const title = (message ?? checkpoint?.description)?.split('\n')[0] ?? 'The work tree as it is';
  return (
    <header class="checkpoint-head">
      <Back />
      <div class="grow">
        <h2 id="checkpoint-title">
          <span class="tag">{checkpoint === undefined ? 'now' : labelOf(checkpoint)}</span>{' '}
          <InertText text={title} isLong={true} />
        </h2>
        {checkpoint === undefined ? (
          <p class="facts dim">
            {comparison.isLoading ? 'Comparing…' : 'The comparison is updated when files change.'}
          </p>
        ) : (
          <Facts of={checkpoint} />
        )}
      </div>
      <UndoRedo />
      {checkpoint === undefined || !isRevertible(checkpoint) ? null : (
        <button
          type="button"
          id="revert"
          title={`Revert the changes of this ${checkpoint.kind}, and keep all later changes (v)`}
          onClick={() => changing.begin(revertOf(checkpoint))}
        >
          <Icon name="revert" />
          <span class="wide-only">Revert…</span>
        </button>
      )}
      {checkpoint === undefined ? null : (
        <button
          type="button"
          class="primary"
          id="restore"
          title="Restore the work tree to this checkpoint (r)"
          onClick={() => changing.begin(restoreOf(checkpoint))}
        >
          <Icon name="restore" />
          Restore…
        </button>
      )}
    </header>
  );
};

const Facts = (props: { readonly of: Checkpoint }) => {
  const { id, kind, toolName, timestamp, stats, detached, name } = props.of;
  const isHead = id === useTimeline().head;
  return (
    <p class="facts dim">
      <time datetime={timestamp}>{timeOf(timestamp)}</time>
      <span>
        {kind === 'tool' && toolName !== undefined ? (
          <InertText text={`by ${toolName}`} />
        ) : (
          (kinds[kind] ?? kind)
        )}
      </span>
      <Stats of={stats} />
      {name === undefined ? null : (
        <span class="chip">
          <InertText text={name} />
        </span>
      )}
      {isHead ? <span class="chip here">here</span> : null}
      {detached === true ? <span class="chip">on a branch that was left</span> : null}
    </p>
  );
};

const UndoRedo = defineComponent(() => {
  const changing = useChanging();
  const timeline = useTimeline();
  const hasRestores = computed(() => timeline.checkpoints.some(({ kind }) => kind === 'restore'));
  return () =>
    hasRestores.value ? (
      <>
        <button
          type="button"
          onClick={() => changing.begin({ does: 'undo' })}
          title="Undo the last restore or revert (u)"
        >
          <Icon name="undo" />
          <span class="wide-only">Undo…</span>
        </button>
        <button type="button" onClick={() => changing.begin({ does: 'redo' })} title="Redo what was undone">
          <Icon name="redo" />
          <span class="wide-only">Redo…</span>
        </button>
      </>
    ) : null;
});

/**
 * The maximum length of the list, which contains only the newest checkpoints. To compare with an older checkpoint, the
 * user presses `c` in the timeline.
 */
const offeredMax = 300;

const CompareWith = defineComponent(() => {
  const comparison = useComparison();
  const timeline = useTimeline();
  const view = useView();
  const offered = computed(() => {
    const newest = timeline.checkpoints
      .filter(({ kind }) => kind !== 'safety')
      .slice(-offeredMax)
      .reverse();
    const chosen = view.base === undefined ? undefined : timeline.byId.get(view.base);
    return chosen === undefined || newest.includes(chosen) ? newest : [chosen, ...newest];
  });
  return () => {
    const { checkpoint } = comparison;
    const previous = checkpoint === undefined ? undefined : timeline.previousOf(checkpoint);
    const usual = view.isPresent
      ? 'the current checkpoint'
      : previous === undefined
        ? 'nothing'
        : `previous, ${labelOf(previous)}`;
    return (
      <label class="compare">
        <Icon name="compare" />
        <span class="wide-only">Compared with</span>
        <select
          id="compare"
          aria-label="Compared with"
          value={view.base ?? ''}
          onChange={(event) => (view.base = (event.target as HTMLSelectElement).value || undefined)}
        >
          <option value="">{usual}</option>
          {offered.value.map((each) => (
            <option value={each.id}>{`${labelOf(each)}  ${each.description.slice(0, 50)}`}</option>
          ))}
        </select>
      </label>
    );
  };
});
