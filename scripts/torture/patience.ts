// How long an answer may take. A hang is time that passes while the daemon and its children could run: on a machine
// that is busy with other work they wait for a processor, and that is no hang. The kernel tells how long each
// thread has waited for one (Linux; elsewhere all time counts).
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** However starved, an answer that takes this many times as long is taken for one that never comes. */
const starvedMost = 9;
const lookMs = 100;

/** By the clock, `ms` of patience come to an end after this, and a little later whatever they wait for. */
export function longestWait(ms: number): number {
  return ms * (starvedMost + 1);
}

/** The answer has not come in time. */
export class Impatience extends Error {}

/**
 * Waits for an answer as long as `ms` in which the program could run. `starved` tells for how many milliseconds its
 * threads have waited for a processor since it was asked last; `now` tells the time.
 *
 * @throws Impatience
 */
export async function patiently<T>(
  answer: Promise<T>,
  ms: number,
  starved: () => number,
  now: () => number = () => performance.now(),
): Promise<T> {
  const over = Promise.allSettled([answer]).then(() => true);
  const began = now();
  let last = began;
  let ran = 0;
  for (;;) {
    if (await Promise.race([wait(lookMs, false), over])) return answer;
    const time = now();
    ran += Math.max(0, time - last - starved());
    last = time;
    if (ran > ms || time - began > ms * starvedMost)
      throw new Impatience(`no answer within ${ms} ms (${Math.round(time - began)} ms by the clock)`);
  }
}

/** For {@link patiently}: what the threads of a process and of its children have waited since the last call. */
export function starvationOf(pid: number): () => number {
  let known = delaysBelow(pid);
  return () => {
    const now = delaysBelow(pid);
    let ns = 0;
    for (const [thread, delay] of now) ns += delay - (known.get(thread) ?? 0);
    known = now;
    return ns / 1e6;
  };
}

/** Thread → nanoseconds that it waited for a processor, of a process and all below it. */
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
    return []; // it ended while we looked
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
