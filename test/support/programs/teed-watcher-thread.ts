// The watcher's thread as it is, which also writes down what it sends and when: so a test can tell a change that was
// told from one that was not, whatever the main thread makes of it.
import { appendFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread, ThreadOrder } from '../../../src/watch/thread/messages.ts';

/** One line of the file. */
export interface Sent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: FromThread;
}

/** Where the thread of a work tree writes. */
export const sentFile = (root: string): string => `${root}.sent`;

const port = parentPort;
if (port !== null) {
  const { root } = workerData as ThreadOrder;
  const send = port.postMessage.bind(port);
  port.postMessage = (message: FromThread): void => {
    const line: Sent = { at: Date.now(), message };
    appendFileSync(sentFile(root), `${JSON.stringify(line)}\n`);
    send(message);
  };
  await import('../../../src/watch/thread/watcher-thread.ts');
}
