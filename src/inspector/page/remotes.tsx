// Shows the remotes of the storage. For each remote, shows the plan of a push, the daemon's last automatic push, and
// the sessions on the remote.
import { defineComponent, watch } from 'vue';
import { inWords } from '../../client/reasons.ts';
import type { LeftPath, Remote, RemotePushResult } from '../../protocol/types.ts';
import { InertText, PathName } from './parts/inert-text.tsx';
import { LinesThere } from './remote-lines.tsx';
import { usePushed } from './state/pushed.ts';
import { usePushing } from './state/pushing.ts';
import { useRemoteLines } from './state/remote-lines.ts';
import { useTimeline } from './state/timeline.ts';
import { countOf, plainText, sizeOf, timeOf } from './text.ts';

const leftMax = 200;

export const RemotesCard = defineComponent(() => {
  const [pushing, lines] = [usePushing(), useRemoteLines()];
  const timeline = useTimeline();
  watch(
    () => timeline.session,
    () => void pushing.read(),
    { immediate: true },
  );
  return () => {
    const { remotes, stage, remote, failure } = pushing;
    return (
      <section class="card remotes">
        <h2>Remotes</h2>
        {remotes?.length === 0 ? (
          <p class="dim">
            There are no remotes. <code>checkpointd remote add &lt;name&gt; &lt;address&gt;</code> adds one.
          </p>
        ) : null}
        {(remotes ?? []).map((each) => (
          <div class="remote" data-remote={each.name}>
            <RemoteLine of={each} />
            <LastPush of={each} />
            {stage !== 'none' && each.name === remote ? <Push /> : null}
            {lines.stage !== 'none' && each.name === lines.remote ? <LinesThere /> : null}
          </div>
        ))}
        {stage === 'none' && failure !== undefined ? <p class="problem">{failure}</p> : null}
      </section>
    );
  };
});

/** Shows the daemon's last automatic push, and its time. */
const LastPush = (props: { readonly of: Remote }) => {
  const { last, others } = usePushed();
  if (last === undefined || last.remote !== props.of.name) return null;
  const { error, pushed, leftCount = 0, at } = last;
  const kept = leftCount === 0 ? '' : ` ${countOf(leftCount, 'path')} not sent.`;
  return (
    <>
      <p class={['last-push', error === undefined ? 'dim' : 'problem']}>
        {error === undefined
          ? `${timeOf(at)}: pushed after a turn${pushed ? '' : ', nothing new'}.${kept}`
          : `${timeOf(at)}: the push after a turn failed: ${plainText(error.message)}`}
      </p>
      {[...others].map((writer) => (
        <p>Another machine continues this session: {plainText(writer)}</p>
      ))}
    </>
  );
};

const RemoteLine = (props: { readonly of: Remote }) => {
  const { name, url } = props.of;
  const [pushing, lines] = [usePushing(), useRemoteLines()];
  return (
    <p class="remote-line">
      <strong>
        <InertText text={name} />
      </strong>
      <span class="dim grow">
        <InertText text={url} />
      </span>
      <button
        type="button"
        aria-label={`Sessions of ${plainText(name)}`}
        title="List the sessions that the remote has, to fetch or import them"
        onClick={() => void lines.read(name)}
      >
        Sessions…
      </button>
      <button
        type="button"
        disabled={pushing.stage === 'planning' || pushing.stage === 'running'}
        aria-label={`Push to ${plainText(name)}`}
        title="Send this session to the remote: shows first what would be sent"
        onClick={() => void pushing.plan(name)}
      >
        Push…
      </button>
    </p>
  );
};

const Push = () => {
  const { stage, result, failure, confirm, close } = usePushing();
  const isPlan = stage === 'asking';
  return (
    <div class="push">
      <p role="status" class={stage === 'failed' ? 'problem' : ''}>
        {stage === 'planning'
          ? 'Comparing with the remote…'
          : stage === 'running'
            ? 'Pushing…'
            : (failure ?? (result === undefined ? '' : sentWords(result, isPlan)))}
      </p>
      {(isPlan || stage === 'done') && result !== undefined ? <Left of={result} isPlan={isPlan} /> : null}
      <div class="buttons start">
        {isPlan ? (
          <button type="button" class="primary confirm" onClick={() => void confirm()}>
            Push {result?.added === 0 ? '' : countOf(result?.added ?? 0, 'checkpoint')}
          </button>
        ) : null}
        <button type="button" onClick={close}>
          {stage === 'planning' || stage === 'running' ? 'Stop' : isPlan ? 'Cancel' : 'Close'}
        </button>
      </div>
    </div>
  );
};

function sentWords({ pushed, added, checkpoints, bytes }: RemotePushResult, isPlan: boolean): string {
  if (!isPlan && !pushed) return 'The remote had everything already.';
  if (isPlan && added === 0) return `The remote has all ${countOf(checkpoints, 'checkpoint')} already.`;
  const what = `${added} of ${countOf(checkpoints, 'checkpoint')} and the conversation, ${sizeOf(bytes)}`;
  return isPlan ? `Would send ${what}. The inspector cannot undo a push.` : `Sent ${what}.`;
}

const Left = (props: { readonly of: RemotePushResult; readonly isPlan: boolean }) => {
  const { left, leftCount, others, warnings = [] } = props.of;
  const why = ({ because, rule }: LeftPath): string =>
    rule === undefined ? inWords(because) : `${inWords(because)}: ${plainText(rule)}`;
  return (
    <>
      {leftCount === 0 ? null : (
        <section class="list" data-list="left">
          <h3>
            {props.isPlan ? 'Would stay' : 'Stayed'} on this machine{' '}
            <span class="count">{leftCount.toLocaleString('en')}</span>
          </h3>
          <ul>
            {left.slice(0, leftMax).map((each) => (
              <li>
                <PathName of={each} /> <span class="dim">{why(each)}</span>
              </li>
            ))}
            {leftCount > Math.min(left.length, leftMax) ? <li class="dim">and more</li> : null}
          </ul>
        </section>
      )}
      {others.map(({ writer }) => (
        <p>Another machine continues this session: {plainText(writer)}</p>
      ))}
      {warnings.map((warning) => (
        <p class="problem">{plainText(warning)}</p>
      ))}
    </>
  );
};
