// Manages a push of the session to a remote: the plan, the question to the user, and the result. A push cannot be
// undone.
import { defineStore } from 'pinia';
import { ref, shallowRef, watch } from 'vue';
import type { Remote, RemotePushResult } from '../../../protocol/types.ts';
import { messageOf } from '../wire.ts';
import { useLink } from './link.ts';
import { useTimeline } from './timeline.ts';

type PushStage = 'none' | 'planning' | 'asking' | 'running' | 'done' | 'failed';

export const usePushing = defineStore('pushing', () => {
  const link = useLink();
  const timeline = useTimeline();
  const remotes = shallowRef<readonly Remote[]>();
  const stage = ref<PushStage>('none');
  /** The name of the remote to which the session is pushed. */
  const remote = ref('');
  /** The plan. After the push, the result. */
  const result = shallowRef<RemotePushResult>();
  const failure = ref<string>();
  let running = new AbortController();

  async function read(): Promise<void> {
    try {
      ({ remotes: remotes.value } = await link.ask('remote/list', { via: timeline.session }));
    } catch (error) {
      failure.value = messageOf(error);
    }
  }

  /** Sends the request of one step. Ignores the answer if a later step has begun. */
  async function step(during: PushStage, after: PushStage, extra: Extra): Promise<void> {
    running.abort();
    const own = new AbortController();
    running = own;
    [stage.value, failure.value] = [during, undefined];
    const wanted = { session: timeline.session, remote: remote.value, ...extra };
    try {
      const now = await link.ask('remote/push', wanted, { signal: own.signal, onProgress: () => undefined });
      if (own === running) [result.value, stage.value] = [now, after];
    } catch (error) {
      if (own === running) [failure.value, stage.value] = [messageOf(error), 'failed'];
    }
  }

  async function plan(name: string): Promise<void> {
    [remote.value, result.value] = [name, undefined];
    await step('planning', 'asking', { dryRun: true });
  }
  const confirm = (): Promise<void> => step('running', 'done', { idempotencyKey: crypto.randomUUID() });
  /**
   * Cancels the running request. If the remote has already accepted the push, the next plan shows that the remote has
   * the session.
   */
  function close(): void {
    running.abort();
    running = new AbortController();
    [stage.value, failure.value] = ['none', undefined];
  }
  watch(() => timeline.session, close);
  return { remotes, stage, remote, result, failure, read, plan, confirm, close };
});

type Extra = { readonly dryRun: true } | { readonly idempotencyKey: string };
