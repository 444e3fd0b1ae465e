// Limits the time for an answer. Time in which the daemon and its children waited for a processor does not count,
// because such a wait is no hang. The Linux kernel reports this waiting time for each thread. On other systems, the
// waiting time counts, too.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * The hard limit is the limit times this factor. After the hard limit, an answer counts as missing even if the daemon
 * never got a processor.
 */
const hardLimitFactor = 9;
const pollMs = 100;

/** Returns the longest real time, in milliseconds, that a wait with the limit `ms` can take. */
export function longestWait(ms: number): number {
  return ms * (hardLimitFactor + 1);
}

/** The error for an answer that did not come in time. */
export class AnswerTimeout extends Error {}

/**
 * Waits for an answer. Does not count time in which the program had to wait for a processor. Each call of `waitedMs`
 * returns how many milliseconds the program's threads have waited for a processor since the previous call. `now`
 * returns the time.
 * @throws AnswerTimeout
 */
export async function withinRunningTime<T>(
  answer: Promise<T>,
  ms: number,
  waitedMs: () => number,
  now: () => number = () => performance.now(),
): Promise<T> {
  const over = Promise.allSettled([answer]).then(() => true);
  const began = now();
  let last = began;
  let ran = 0;
  for (;;) {
    if (await Promise.race([wait(pollMs, false), over])) return answer;
    const time = now();
    ran += Math.max(0, time - last - waitedMs());
    last = time;
    if (ran > ms || time - began > ms * hardLimitFactor)
      throw new AnswerTimeout(`no answer within ${ms} ms (${Math.round(time - began)} ms by the clock)`);
  }
}

/**
 * Returns the function `waitedMs` for {@link withinRunningTime}. Each call returns the time that the threads of a process and of
 * its children have waited for a processor since the previous call.
 */
export function processorWaitOf(pid: number): () => number {
  let known = delaysBelow(pid);
  return () => {
    const now = delaysBelow(pid);
    let ns = 0;
    for (const [thread, delay] of now) ns += delay - (known.get(thread) ?? 0);
    known = now;
    return ns / 1e6;
  };
}

/** Returns how many nanoseconds each thread of a process and of its descendants has waited for a processor. */
function delaysBelow(pid: number): Map<string, number> {
  const found = new Map<string, number>();
  const visit = (process: string): void => {
    for (const thread of namesIn(`/proc/${process}/task`)) {
      const place = `/proc/${process}/task/${thread}`;
      found.set(thread, Number(textOf(`${place}/schedstat`).split(' ')[1] ?? 0));
      for (const child of textOf(`${place}/children`).trim().split(' ')) if (child !== '') visit(child);
    }
  };
  visit(String(pid));
  return found;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // the process ended meanwhile
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
