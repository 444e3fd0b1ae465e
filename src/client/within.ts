// An answer that is waited for no longer than it is worth; it cancels nothing.
import { setTimeout as delay } from 'node:timers/promises';
import { CheckpointdGoneError } from './client-error.ts';

/** The answer, if it comes in time. @throws CheckpointdGoneError */
export async function within<T>(ms: number, answer: Promise<T>, complaint: string): Promise<T> {
  const timer = new AbortController();
  const late = delay(ms, undefined, { signal: timer.signal }).then(
    () => {
      throw new CheckpointdGoneError(`${complaint} within ${ms / 1000} s`);
    },
    // The timer was stopped, because the answer came.
    () => answer,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    timer.abort();
    late.catch(() => undefined);
    answer.catch(() => undefined);
  }
}
