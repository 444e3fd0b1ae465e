// Records the daemon's reports about its automatic pushes after turns: the result of the last push, and the other
// machines that have continued the session.
import { defineStore } from 'pinia';
import { shallowRef, watch } from 'vue';
import type { RemoteDidPushParams } from '../../../protocol/types.ts';
import { useLink } from './link.ts';
import { useTimeline } from './timeline.ts';

export interface BackgroundPush extends RemoteDidPushParams {
  readonly at: number;
}

export const usePushed = defineStore('pushed', () => {
  const timeline = useTimeline();
  const last = shallowRef<BackgroundPush>();
  /**
   * Other machines that have continued this session. The daemon finds the lines of these machines on the remote when it
   * pushes.
   */
  const others = shallowRef<ReadonlySet<string>>(new Set());

  /** Keeps `last` and `others` up to date with the daemon's events. */
  function follow(): void {
    const wire = useLink().linked();
    wire.on('remote/didPush', (event) => {
      if (event.session === timeline.session) last.value = { ...event, at: Date.now() };
    });
    wire.on('remote/didFindLine', ({ session, line }) => {
      if (session === timeline.session) others.value = new Set([...others.value, line.writer]);
    });
  }
  watch(
    () => timeline.session,
    () => {
      [last.value, others.value] = [undefined, new Set()];
    },
  );
  return { last, others, follow };
});
