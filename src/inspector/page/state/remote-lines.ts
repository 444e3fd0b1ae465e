// Manages the sessions on a remote: lists and fetches them, and imports a session.
import { defineStore } from 'pinia';
import { ref, shallowRef, watch } from 'vue';
import type { RemoteLine, RemoteSessionsResult, SessionImportResult } from '../../../protocol/types.ts';
import { LinkError } from '../wire.ts';
import { useLink } from './link.ts';
import { useTimeline } from './timeline.ts';

type LinesStage = 'none' | 'reading' | 'shown' | 'fetching' | 'importing' | 'failed';

export const useRemoteLines = defineStore('remoteLines', () => {
  const link = useLink();
  const timeline = useTimeline();
  const stage = ref<LinesStage>('none');
  const remote = ref('');
  const there = shallowRef<RemoteSessionsResult>();
  /** The line (a session on the remote) that the user is about to import. */
  const chosen = shallowRef<RemoteLine>();
  const imported = shallowRef<SessionImportResult>();
  /** The result of the last fetch, or the message of a failure. */
  const words = ref<string>();
  let running = new AbortController();

  /** Runs one step. Ignores the result if a later step has begun. */
  async function step(during: LinesStage, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    running.abort();
    const own = new AbortController();
    running = own;
    [stage.value, words.value] = [during, undefined];
    try {
      await work(own.signal);
      if (own === running) stage.value = 'shown';
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      if (own === running) [stage.value, words.value] = ['failed', error.message];
    }
  }
  const wanted = () => ({ via: timeline.session, remote: remote.value });

  async function read(name: string): Promise<void> {
    close();
    remote.value = name;
    await step('reading', async (signal) => {
      there.value = await link.ask('remote/sessions', wanted(), { signal });
    });
  }
  const fetchAll = (): Promise<void> =>
    step('fetching', async (signal) => {
      const key = { idempotencyKey: crypto.randomUUID() };
      const options = { signal, onProgress: () => undefined };
      const { updated, refused } = await link.ask('remote/fetch', { ...wanted(), ...key }, options);
      there.value = await link.ask('remote/sessions', wanted(), { signal });
      const wrong = refused.length === 0 ? '' : ` ${refused.length} refused.`;
      words.value = `${updated.length === 0 ? 'Nothing new.' : `${updated.length} new.`}${wrong}`;
    });
  const confirm = ({ session, writer }: RemoteLine, workspace: string): Promise<void> =>
    step('importing', async (signal) => {
      const key = { idempotencyKey: crypto.randomUUID() };
      const options = { signal, onProgress: () => undefined };
      const line = { ...wanted(), session, writer, workspace, ...key };
      imported.value = await link.ask('session/import', line, options);
      chosen.value = undefined;
    });
  function close(): void {
    running.abort();
    running = new AbortController();
    [stage.value, words.value] = ['none', undefined];
    [there.value, chosen.value, imported.value] = [undefined, undefined, undefined];
  }
  watch(() => timeline.session, close);
  return { stage, remote, there, chosen, imported, words, read, fetchAll, confirm, close };
});
