// The thread of the directory handles (handle-tree.ts). Its event loop does nothing else, so it reads the kernel's
// queue at once and a fence passes quickly, however busy chokidar or the daemon is.
import { parentPort, workerData } from 'node:worker_threads';
import { systemCode } from '../base/errors.ts';
import { watchDirectory } from '../base/files.ts';
import { invariant } from '../base/invariant.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { FromHandles, HandlesOrder, ToHandles } from './directory-handles.ts';
import { HandleTree } from './handle-tree.ts';
import { MarkQueue } from './mark-queue.ts';

const port = parentPort;
invariant(port !== null, 'this file is the start of a thread');
const order = workerData as HandlesOrder;
const send = (message: FromHandles): void => port.postMessage(message);

const queue = new MarkQueue({
  send: (paths, isEverything) => send({ kind: 'marks', paths, isEverything }),
  onLoss: () => {
    handles.closeAll(); // a directory may have been replaced without an event
    queue.everything();
  },
});
const handles = new HandleTree(order.root, {
  counted: () => queue.count(),
  changed: (path) => queue.add(path),
  failed,
});

function open(id: number, paths: readonly TreePath[]): void {
  let missing = paths;
  try {
    missing = handles.open(paths);
  } catch (error) {
    failed(error);
  }
  queue.flush();
  send({ kind: 'opened', id, missing });
}

function failed(error: unknown): void {
  handles.closeAll();
  send({ kind: 'limit', code: systemCode(error) ?? String(error) });
}

port.on('message', (message: ToHandles) => {
  queue.busy();
  if (message.kind === 'taken') queue.taken();
  else if (message.kind === 'open') open(message.id, message.paths);
  else handles.closeAll();
});
// This loop watches the fence's directory too, so a cookie comes after every earlier change in the kernel's queue.
const cookies = watchDirectory(order.fence, (_type, cookie) => {
  if (cookie === null) return;
  queue.flush();
  send({ kind: 'fence', cookie });
});
cookies.on('error', failed);
queue.probeLoop();
send({ kind: 'up' });
