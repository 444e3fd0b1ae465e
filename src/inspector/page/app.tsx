// The whole page. The page shows either the timeline and the selected checkpoint side by side, or another view. Without
// a connection, the page explains the problem.
import { defineComponent } from 'vue';
import { BesidePane } from './beside.tsx';
import { ChangingDialog } from './changing-dialog.tsx';
import { CheckpointPane } from './checkpoint.tsx';
import { FileHistory } from './file-history.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { useLink } from './state/link.ts';
import { useTimeline } from './state/timeline.ts';
import { useView } from './state/view.ts';
import { StorePanel } from './store-panel.tsx';
import { TimelinePane } from './timeline.tsx';
import { TopBar } from './top-bar.tsx';
import { WireLog } from './wire-log.tsx';

export const App = defineComponent(() => {
  const view = useView();
  const link = useLink();
  return () =>
    link.state === 'refused' ? (
      <Closed />
    ) : (
      <div class={['app', view.isDetail ? 'detail' : '']}>
        <TopBar />
        <Trouble />
        {view.room === 'checkpoints' ? (
          <main class={['split', view.isBeside ? 'with-beside' : '']}>
            <TimelinePane />
            {view.isBeside ? <BesidePane /> : null}
            <CheckpointPane />
          </main>
        ) : (
          <main class="room">
            {view.room === 'store' ? <StorePanel /> : view.room === 'wire' ? <WireLog /> : <FileHistory />}
          </main>
        )}
        <ChangingDialog />
        <HelpDialog />
      </div>
    );
});

const Trouble = () => {
  const link = useLink();
  const timeline = useTimeline();
  const why = link.lost.get(timeline.session);
  const words =
    link.state === 'broken'
      ? 'The inspector does not answer. Trying again…'
      : why !== undefined
        ? `The daemon has ended (${why}). Connecting to the session again…`
        : timeline.failure;
  return words === undefined ? null : (
    <div class="trouble" role="alert">
      {words}
    </div>
  );
};

/** The text that the page shows instead of the session's data when there is no connection. */
export const Closed = () => (
  <main class="closed">
    <h1>This page is not connected</h1>
    <p>
      Either the inspector has ended, or this page was opened without a valid link. Each link works once, for
      one window.
    </p>
    <p>
      Run <code>checkpointd inspect</code> and open the link that it prints. In the terminal of an inspector
      that still runs, press Enter for another link.
    </p>
  </main>
);
