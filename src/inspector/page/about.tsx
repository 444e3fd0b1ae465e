// Shows the facts of a checkpoint: its ids, its sizes, the checkpoint before it, and the paths that its capture left
// out.
import { inWords } from '../../client/reasons.ts';
import { PathName } from './parts/inert-text.tsx';
import { useComparison } from './state/comparison.ts';
import { useTimeline } from './state/timeline.ts';
import { useView } from './state/view.ts';
import { labelOf } from './timeline.tsx';

export const About = () => {
  const comparison = useComparison();
  const timeline = useTimeline();
  const view = useView();
  const link = (id: string | undefined) => {
    const found = id === undefined ? undefined : timeline.byId.get(id);
    if (found === undefined || id === undefined) return id;
    return (
      <button type="button" class="link" onClick={() => view.select(id)}>
        {labelOf(found)}
      </button>
    );
  };
  const { checkpoint, skipped } = comparison;
  if (checkpoint === undefined)
    return <div class="about dim">No checkpoint contains the current state yet.</div>;
  const { id, parent, snapshot, commit, seq, timestamp, historyLength, previousTag, damaged } = checkpoint;
  const facts: readonly (readonly [string, unknown])[] = [
    ['Id', <code>{id}</code>],
    ['Order', seq],
    ['Time', <time datetime={timestamp}>{new Date(timestamp).toLocaleString('en-GB')}</time>],
    ['Previous checkpoint', link(parent)],
    ['Changes counted since', previousTag],
    ['Entries in the conversation', historyLength],
    ['Snapshot', <code>{snapshot}</code>],
    ['Commit', commit === undefined ? undefined : <code>{commit}</code>],
    ['Damaged', damaged === true ? 'yes; “Verify” in the store panel lists what is lost' : undefined],
  ];
  return (
    <div class="about" tabindex={0} role="region" aria-label="About this checkpoint">
      <dl>
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <>
              <dt>{name}</dt>
              <dd>{value as string}</dd>
            </>
          ),
        )}
      </dl>
      {skipped.length === 0 ? null : (
        <>
          <h3>Left out</h3>
          <ul>
            {skipped.map((each) => (
              <li>
                <PathName of={each} /> <span class="dim">{inWords(each.reason)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
};
