// Starts the threads that watch (watch/thread/watcher-thread.ts, watch/held/held-thread.ts): what they may take, and
// what they may not touch. What they say is watch/watcher.ts's and watch/held/held-watch.ts's.
import { Worker } from 'node:worker_threads';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** The kernel keeps so many events for one reader and drops the rest without a word; a quarter of it is too near. */
const queueShare = 0.25;
const queueDefault = 16_384;

export interface ThreadListener<Message> {
  heard(message: Message): void;
  crashed(error: unknown): void;
  ended(code: number): void;
}

export interface ThreadProgram {
  readonly name: string;
  readonly program: URL;
  readonly heapMb: number;
}

/** Starts one; it keeps no process alive. @throws what the system refuses. */
export function startThread<Message>(
  order: object,
  listener: ThreadListener<Message>,
  { name, program, heapMb }: ThreadProgram,
): Worker {
  const thread = new Worker(program, {
    name,
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
    execArgv: [],
    // Standard output is the wire: nothing of the thread's may reach it.
    stdout: true,
    stderr: true,
  });
  thread.on('message', (message: Message) => listener.heard(message));
  thread.on('error', (error) => listener.crashed(error));
  thread.on('exit', (code) => listener.ended(code));
  thread.unref(); // last: to listen to its messages takes the reference again
  return thread;
}

/** The ends of one owner's threads: whoever closes waits for all of them, also of those that were given up before. */
export class ThreadEnds {
  readonly #ending = new Set<Promise<unknown>>();

  /** Ends a thread, if there is one; resolves when none is left. */
  async end(thread: Worker | undefined): Promise<void> {
    if (thread !== undefined) {
      const ended = thread.terminate().finally(() => this.#ending.delete(ended));
      this.#ending.add(ended);
    }
    await Promise.all(this.#ending);
  }
}

/** So many events in one turn of a loop, and there may have been more. */
export function queueShareOf(): number {
  return Math.ceil(queueLimit() * queueShare);
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
