// Shows the conversation at a checkpoint: the user's messages, the agent's answers, and the tools that the agent used.
import { defineComponent, ref, shallowRef, watch } from 'vue';
import type { HistoryEntry } from '../../protocol/types.ts';
import { InertText } from './parts/inert-text.tsx';
import { useComparison } from './state/comparison.ts';
import { useLink } from './state/link.ts';
import { useTimeline } from './state/timeline.ts';
import { LinkError } from './wire.ts';

const shownMax = 200;
const textMax = 20_000;

export const ConversationPane = defineComponent(() => {
  const timeline = useTimeline();
  const comparison = useComparison();
  const element = ref<HTMLElement>();
  const entries = shallowRef<readonly HistoryEntry[]>();
  const earlier = ref(0);
  const failure = ref<string>();
  let loads = 0;

  async function load(): Promise<void> {
    loads += 1;
    const own = loads;
    const tag = comparison.checkpoint?.id;
    try {
      const { found, total } = await historyAt(timeline.session, tag);
      if (own !== loads) return;
      entries.value = found.slice(-shownMax);
      earlier.value = Math.max(0, total - entries.value.length);
      failure.value = undefined;
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (own === loads) failure.value = error.message;
    }
  }
  watch(
    [() => comparison.checkpoint?.id, () => timeline.session, () => timeline.presentVersion],
    () => void load(),
    {
      immediate: true,
    },
  );

  // Scrolls to the end, where the newest message is.
  watch(
    [entries, () => comparison.message],
    () => element.value?.scrollTo({ top: element.value.scrollHeight }),
    {
      flush: 'post',
    },
  );

  return () => (
    <div ref={element} class="conversation" tabindex={0} role="region" aria-label="Conversation">
      {failure.value === undefined ? null : <p class="problem">{failure.value}</p>}
      {earlier.value > 0 ? (
        <p class="dim">{earlier.value.toLocaleString('en')} earlier entries are not shown.</p>
      ) : null}
      {entries.value?.length === 0 && failure.value === undefined && comparison.message === undefined ? (
        <p class="dim">No message has been recorded up to this point.</p>
      ) : null}
      {entries.value?.map((entry) => (
        <Exchange key={entry.id} of={entry} />
      ))}
      {comparison.message === undefined ? null : (
        <blockquote class="prompt">
          <h3>{comparison.checkpoint?.kind === 'tool' ? 'The tool' : 'This turn'}</h3>
          <InertText text={comparison.message.slice(0, textMax)} isLong={true} blanks="kept" />
        </blockquote>
      )}
    </div>
  );
});

interface History {
  readonly found: readonly HistoryEntry[];
  readonly total: number;
}

/** Reads the history of the conversation at a checkpoint, or the current history. */
async function historyAt(session: string, tag: string | undefined): Promise<History> {
  const found: HistoryEntry[] = [];
  const at = tag === undefined ? {} : { tag };
  for (let cursor: string | undefined; ; ) {
    const from = cursor === undefined ? {} : { cursor };
    const page = await useLink().ask('conversation/history', { session, ...at, ...from });
    found.push(...page.entries);
    cursor = page.nextCursor;
    if (cursor === undefined) return { found, total: page.historyLength };
  }
}

const Exchange = (props: { readonly of: HistoryEntry }) => {
  const { user, assistant } = props.of;
  const { toolUses = [] } = assistant;
  const { toolResults = [] } = user;
  return (
    <div class="exchange">
      {user.content === undefined || user.content === '' ? null : (
        <div class="said user">
          <h3>User</h3>
          <Said text={user.content} />
        </div>
      )}
      {toolResults.length === 0 ? null : <p class="dim">Results of {toolResults.length} tools</p>}
      {assistant.content === undefined || assistant.content === '' ? null : (
        <div class="said">
          <h3>Agent</h3>
          <Said text={assistant.content} />
        </div>
      )}
      {toolUses.map((tool) => (
        <p class="tool-use">
          <span class="chip">
            <InertText text={tool.name} />
          </span>
        </p>
      ))}
    </div>
  );
};

const Said = (props: { readonly text: string }) => (
  <div class="said-text">
    <InertText text={props.text.slice(0, textMax)} isLong={true} blanks="kept" />
    {props.text.length > textMax ? (
      <span class="dim"> … {props.text.length - textMax} more characters</span>
    ) : null}
  </div>
);
