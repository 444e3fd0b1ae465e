// The thread of the directory handles, which also writes its messages and their times to a file. So a test can
// distinguish reported and unreported changes without relying on the main thread.
import { appendFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromHandles, HandlesOrder } from '../../../src/watch/directory-handles.ts';

/** One line of the file. */
export interface Sent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: FromHandles;
}

/** Returns the file to which the thread of a work tree writes. */
export const sentFile = (root: string): string => `${root}.sent`;

const port = parentPort;
if (port !== null) {
  const { root } = workerData as HandlesOrder;
  const send = port.postMessage.bind(port);
  port.postMessage = (message: FromHandles): void => {
    const line: Sent = { at: Date.now(), message };
    appendFileSync(sentFile(root), `${JSON.stringify(line)}\n`);
    send(message);
  };
  await import('../../../src/watch/handles-thread.ts');
}
