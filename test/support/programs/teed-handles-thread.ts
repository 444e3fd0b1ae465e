// Runs the thread of the directory handles, and also writes the thread's messages with their times to a file. From the
// file, a test learns which changes were reported, without relying on the main thread.
import { appendFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { FromHandles, HandlesOrder } from '../../../src/watch/directory-handles.ts';
import type { FromThread, ToThread } from '../../../src/watch/watch-thread.ts';

/** One line of the file. */
export interface Sent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: FromHandles;
}

/** Returns the path of the file for the messages about a work tree. */
export const sentFile = (root: string): string => `${root}.sent`;

const port = parentPort;
if (port !== null) {
  const roots = new Map<number, string>();
  const send = port.postMessage.bind(port);
  port.postMessage = (sent: FromThread<FromHandles>): void => {
    const root = roots.get(sent.seat);
    if (sent.kind === 'message' && root !== undefined) {
      const line: Sent = { at: Date.now(), message: sent.message };
      appendFileSync(sentFile(root), `${JSON.stringify(line)}\n`);
    }
    send(sent);
  };
  await import('../../../src/watch/handles-thread.ts');
  // The port begins to deliver messages when it gets its first listener. Therefore this listener must come after the
  // thread's own listener.
  port.on('message', (message: ToThread<HandlesOrder>) => {
    if (message.kind === 'enter') roots.set(message.seat, message.order.root);
  });
}
