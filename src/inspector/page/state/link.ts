// Manages this page's connection to the server: its state, and the sessions that the server cannot reach.
import { defineStore } from 'pinia';
import { reactive, ref, shallowRef } from 'vue';
import {
  type AnswerOf,
  type AskOptions,
  type LinkState,
  type Method,
  type Params,
  WireLink,
} from '../wire.ts';

export const useLink = defineStore('link', () => {
  const state = ref<LinkState>('connecting');
  /**
   * A counter that grows with each message in the log. Components watch the counter, because the log itself is not
   * reactive.
   */
  const logged = ref(0);
  /**
   * Maps a session to the reason why its daemon cannot be reached. Sessions with a reachable daemon are not in the map.
   */
  const lost = reactive(new Map<string, string>());
  const wire = shallowRef<WireLink>();
  /**
   * A counter that grows whenever the page connects to the inspector, or the inspector connects to the daemon of a
   * session. The page may have missed earlier events, so it reads all shown data again.
   */
  const reached = ref(0);

  function open(secret: string): WireLink {
    let isDue = false;
    const onLog = (): void => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        logged.value += 1;
      });
    };
    const onState = (now: LinkState): void => {
      state.value = now;
      if (now === 'open') reached.value += 1;
    };
    const link = new WireLink(secret, onState, onLog);
    link.on('inspector/didLose', ({ session, why }) => lost.set(session, why));
    link.on('inspector/didReach', ({ session }) => {
      lost.delete(session);
      reached.value += 1;
    });
    wire.value = link;
    return link;
  }

  function linked(): WireLink {
    if (wire.value === undefined) throw new Error('the link has not been opened');
    return wire.value;
  }

  const ask = <M extends Method>(method: M, params: Params<M>, options?: AskOptions): Promise<AnswerOf<M>> =>
    linked().ask(method, params, options);

  return { state, logged, lost, reached, wire, open, linked, ask };
});
