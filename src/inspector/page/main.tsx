// Starts the page: exchanges the link, connects, and shows the session of the directory in which the command was run.
import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { App, Closed } from './app.tsx';
import { enteredSecret } from './entry.ts';
import { listenToKeys } from './keys.ts';
import { useLink } from './state/link.ts';
import { usePushed } from './state/pushed.ts';
import { follow, useBeside, useTimeline } from './state/timeline.ts';
import { useView } from './state/view.ts';
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
  const { session } = await wire.ask('inspector/hello', {});
  await timeline.show(session);
  view.selected ??= timeline.head;
  document.title = `${timeline.info?.workspace.split('/').at(-1) ?? 'checkpointd'} · checkpointd`;
}

// Ignores a connection that breaks before the first answer, because the page itself shows the state of the connection.
begin().catch((error: unknown) => {
  if (!(error instanceof Error)) throw error;
});
