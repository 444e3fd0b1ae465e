// A session that somebody opens or leaves at this very moment: it is free, or can be joined, a moment later.
import { setTimeout as delay } from 'node:timers/promises';
import { CheckpointdRequestError } from '../client/client-error.ts';

const pauseMs = 50;

/** Tries until it is not busy any more. @throws StoreBusy when it still is after so long */
export async function whileBusy<T>(patienceMs: number, attempt: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error) || performance.now() > endMs) throw error;
      await delay(pauseMs);
    }
  }
}

/** A daemon that has shut down refuses every request as invalid; ours is none otherwise. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof CheckpointdRequestError &&
    ['StoreBusy', 'StoreUnavailable', 'InvalidRequest'].includes(error.kind)
  );
}
