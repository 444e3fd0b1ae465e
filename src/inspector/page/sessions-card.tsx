// Lists the sessions of the storage with their sizes on disk, the most recently used session first.
import { defineComponent, ref, shallowRef, watch } from 'vue';
import type { SessionSummary } from '../../protocol/types.ts';
import { InertText } from './parts/inert-text.tsx';
import { showSession, workTreeName } from './sessions.ts';
import { useLink } from './state/link.ts';
import { useRemoteLines } from './state/remote-lines.ts';
import { useTimeline } from './state/timeline.ts';
import { countOf, plainText, sinceWords, sizeOf } from './text.ts';
import { messageOf } from './wire.ts';

const pageItems = 200;

export const SessionsCard = defineComponent(() => {
  const [link, timeline, lines] = [useLink(), useTimeline(), useRemoteLines()];
  const sessions = shallowRef<readonly SessionSummary[]>();
  const hasMore = ref(false);
  const failure = ref<string>();
  async function read(): Promise<void> {
    try {
      const page = await link.ask('session/list', { via: timeline.session, limit: pageItems });
      [sessions.value, hasMore.value] = [page.sessions, page.nextCursor !== undefined];
      failure.value = undefined;
    } catch (error) {
      failure.value = messageOf(error);
    }
  }
  const reasons = [() => timeline.session, () => timeline.checkpoints.length, () => lines.imported];
  watch(reasons, () => void read(), { immediate: true });

  return () => {
    const all = sessions.value ?? [];
    const bytes = all.reduce((sum, each) => sum + (each.bytes ?? 0), 0);
    const words = `${countOf(all.length, 'session')}, ${sizeOf(bytes)}${hasMore.value ? ', and more' : ''}`;
    return (
      <section class="card sessions">
        <h2>
          Sessions of this storage{' '}
          <span class="dim">{sessions.value === undefined ? 'Reading…' : words}</span>
        </h2>
        {failure.value === undefined ? null : <p class="problem">{failure.value}</p>}
        <div class="table" tabindex={0} role="region" aria-label="Sessions of this storage">
          <table>
            <thead>
              <tr>
                <th scope="col">Work tree</th>
                <th scope="col">Conversation</th>
                <th scope="col" class="number">
                  Checkpoints
                </th>
                <th scope="col" class="number">
                  On disk
                </th>
                <th scope="col">After its end</th>
                <th scope="col">Last used</th>
              </tr>
            </thead>
            <tbody>
              {all.map((each) => (
                <SessionLine key={each.session} of={each} isShown={each.session === timeline.session} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
    );
  };
});

const SessionLine = (props: { readonly of: SessionSummary; readonly isShown: boolean }) => {
  const { session, workspace, conversationId, checkpoints, bytes, retention, lastUsedAt } = props.of;
  const name = workTreeName(workspace);
  return (
    <tr aria-current={props.isShown ? 'true' : undefined} data-session={session}>
      <th scope="row">
        {props.isShown ? (
          <InertText text={name} />
        ) : (
          <button
            type="button"
            class="link"
            title={`Show this session: ${plainText(workspace)}`}
            onClick={() => void showSession(session)}
          >
            <InertText text={name} />
          </button>
        )}
        {props.isShown ? <span class="chip here">shown</span> : null}
      </th>
      <td>
        <InertText text={conversationId ?? session} />
      </td>
      <td class="number">{checkpoints?.toLocaleString('en') ?? ''}</td>
      <td class="number">{bytes === undefined ? '' : sizeOf(bytes)}</td>
      <td>{retention === 'keep' ? 'kept' : 'removed'}</td>
      <td>{sinceWords(Date.parse(lastUsedAt))}</td>
    </tr>
  );
};
