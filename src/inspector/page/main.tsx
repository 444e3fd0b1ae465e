// Starts the page: exchanges the link, connects, and shows the session of the directory in which the command was run.
import { createPinia } from 'pinia';
import { createApp, watchEffect } from 'vue';
import { ownErrors } from '../own-methods.ts';
import { App, Closed } from './app.tsx';
import { enteredSecret } from './entry.ts';
import { listenToKeys } from './keys.ts';
import { workTreeName } from './sessions.ts';
import { useLink } from './state/link.ts';
import { usePushed } from './state/pushed.ts';
import { follow, useBeside, useTimeline } from './state/timeline.ts';
import { useView } from './state/view.ts';
import { plainText } from './text.ts';
import { LinkError, type WireLink } from './wire.ts';
import './style.css';

async function begin(): Promise<void> {
  const secret = await enteredSecret();
  if (secret === undefined) {
    createApp(Closed).mount('#app');
    return;
  }
  const app = createApp(App);
  app.use(createPinia());
  const [link, timeline, view] = [useLink(), useTimeline(), useView()];
  const wire = link.open(secret);
  app.mount('#app');
  for (const each of [timeline, useBeside()]) follow(each);
  usePushed().follow();
  listenToKeys();
  watchEffect(() => void (view.selected ??= timeline.head));
  watchEffect(() => void (document.title = titleOf(timeline.info?.workspace)));
  await timeline.show(await firstSession(wire));
}

function titleOf(workspace: string | undefined): string {
  return workspace === undefined ? 'checkpointd' : `${plainText(workTreeName(workspace))} · checkpointd`;
}

/**
 * Returns the session to show first. If a connection breaks before the answer arrives, asks again. @throws LinkError
 * when the page has stopped trying to connect
 */
async function firstSession(wire: WireLink): Promise<string> {
  for (;;)
    try {
      return (await wire.ask('inspector/hello', {})).session;
    } catch (error) {
      const isGone = error instanceof LinkError && error.kind === ownErrors.gone;
      if (!isGone || useLink().state === 'refused') throw error;
    }
}

// Ignores a refused connection, because the page itself shows the state of the connection.
begin().catch((error: unknown) => {
  if (!(error instanceof Error)) throw error;
});
