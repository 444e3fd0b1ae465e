// Starts the thread that watches (watch/thread/watcher-thread.ts): what it may take, and what it may not touch. What it
// says is watch/watcher.ts's.
import { Worker } from 'node:worker_threads';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { FromThread, ThreadOrder } from './messages.ts';

const threadProgram = new URL('./watcher-thread.js', import.meta.url);
/** The kernel keeps so many events for one reader and drops the rest without a word; a quarter of it is too near. */
const queueShare = 0.25;
const queueDefault = 16_384;
/** chokidar's walk of 100,000 files in 10,000 directories takes more than 192 MB; what takes more is not watched. */
const threadHeap = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

export interface ThreadListener {
  heard(message: FromThread): void;
  crashed(error: unknown): void;
  ended(code: number): void;
}

/** Starts it; it keeps no process alive. `program`: another one, for tests. @throws what the system refuses. */
export function startThread(
  order: Omit<ThreadOrder, 'eventsMax'>,
  listener: ThreadListener,
  program: URL = threadProgram,
): Worker {
  const full: ThreadOrder = { ...order, eventsMax: Math.ceil(queueLimit() * queueShare) };
  const thread = new Worker(program, {
    name: 'watcher',
    workerData: full,
    resourceLimits: threadHeap,
    execArgv: [],
    // Standard output is the wire: nothing of the thread's may reach it.
    stdout: true,
    stderr: true,
  });
  thread.on('message', (message: FromThread) => listener.heard(message));
  thread.on('error', (error) => listener.crashed(error));
  thread.on('exit', (code) => listener.ended(code));
  thread.unref(); // last: to listen to its messages takes the reference again
  return thread;
}

function queueLimit(): number {
  try {
    const text = files.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8');
    return Number(text) || queueDefault;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return queueDefault; // not Linux
  }
}
