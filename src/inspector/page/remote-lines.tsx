// Lists the sessions that a remote has, and imports a session into a work tree of this machine.
import { computed, defineComponent, onMounted, ref } from 'vue';
import type { RemoteLine } from '../../protocol/types.ts';
import { InertText } from './parts/inert-text.tsx';
import { showSession } from './sessions.ts';
import { useRemoteLines } from './state/remote-lines.ts';
import { useSessions } from './state/sessions.ts';
import { useTimeline } from './state/timeline.ts';
import { countOf, plainText, sinceWords, sizeOf } from './text.ts';

const linesMax = 200;

export const LinesThere = () => {
  const lines = useRemoteLines();
  const { stage, there, words, imported } = lines;
  const isBusy = stage === 'reading' || stage === 'fetching' || stage === 'importing';
  return (
    <div class="push lines">
      <p role="status" class={stage === 'failed' ? 'problem' : ''}>
        {busyWords[stage] ?? words ?? ''}
      </p>
      {imported === undefined ? null : (
        <p role="status" class="imported">
          Imported {countOf(imported.checkpoints, 'checkpoint')} and the conversation. No file was changed.{' '}
          <button type="button" class="link" onClick={() => void showSession(imported.session)}>
            Open the session
          </button>
        </p>
      )}
      {there === undefined ? null : <Lines of={there.lines} />}
      {(there?.refused ?? []).map(({ ref: name, message }) => (
        <p class="problem">
          {plainText(name)}: {plainText(message)}
        </p>
      ))}
      <div class="buttons start">
        {there === undefined || there.lines.length === 0 ? null : (
          <button type="button" class="fetch" disabled={isBusy} onClick={() => void lines.fetchAll()}>
            Fetch all
          </button>
        )}
        <button type="button" onClick={() => lines.close()}>
          {isBusy ? 'Stop' : 'Close'}
        </button>
      </div>
    </div>
  );
};

const busyWords: Readonly<Record<string, string>> = {
  fetching: 'Fetching and verifying…',
  importing: 'Importing…',
  reading: 'Asking the remote…',
};

const Lines = (props: { readonly of: readonly RemoteLine[] }) => {
  const lines = useRemoteLines();
  return props.of.length === 0 ? (
    <p class="dim">The remote has no sessions.</p>
  ) : (
    <ul class="there" aria-label="Sessions of the remote">
      {props.of.slice(0, linesMax).map((line) => (
        <li data-line={line.session}>
          <LineThere of={line} />
          {lines.chosen === line ? <Import of={line} /> : null}
        </li>
      ))}
      {props.of.length > linesMax ? <li class="dim">and {props.of.length - linesMax} more</li> : null}
    </ul>
  );
};

const LineThere = (props: { readonly of: RemoteLine }) => {
  const lines = useRemoteLines();
  const { title, workspace, own, writer, checkpoints, bytes, updatedAt } = props.of;
  const said = title ?? workspace;
  return (
    <div class="line">
      <div class="grow">
        <strong>
          <InertText text={said} isLong={true} />
        </strong>
        <p class="dim">
          <InertText text={workspace} /> · {own ? 'this machine' : `writer ${plainText(writer)}`} ·{' '}
          {countOf(checkpoints, 'checkpoint')} · {sizeOf(bytes)} · {sinceWords(Date.parse(updatedAt))}
        </p>
      </div>
      <button
        type="button"
        aria-label={`Import ${plainText(said)}`}
        onClick={() => (lines.chosen = props.of)}
      >
        Import…
      </button>
    </div>
  );
};

/** Asks for the work tree. Offers only work trees that already have a session. */
const Import = defineComponent(
  (props: { readonly of: RemoteLine }) => {
    const [lines, sessions, timeline] = [useRemoteLines(), useSessions(), useTimeline()];
    const offered = computed(() => {
      const own = timeline.info?.workspace;
      const all = sessions.all?.map(({ workspace }) => workspace) ?? [];
      return [...new Set(own === undefined ? all : [own, ...all])];
    });
    const wanted = ref(offered.value[0] ?? '');
    onMounted(() => void sessions.read());
    return () => (
      <div class="import">
        <label class="author">
          <span>For the work tree</span>
          <select
            value={wanted.value}
            onChange={(event) => (wanted.value = (event.target as HTMLSelectElement).value)}
          >
            {offered.value.map((each) => (
              <option value={each}>{plainText(each)}</option>
            ))}
          </select>
        </label>
        <p class="dim">
          The import makes a new session with the checkpoints and the conversation. Only a later restore
          changes files.
        </p>
        <div class="buttons start">
          <button
            type="button"
            class="primary confirm"
            disabled={lines.stage !== 'shown' && lines.stage !== 'failed'}
            onClick={() => void lines.confirm(props.of, wanted.value)}
          >
            Import
          </button>
          <button type="button" onClick={() => (lines.chosen = undefined)}>
            Cancel
          </button>
        </div>
      </div>
    );
  },
  { props: ['of'] },
);
