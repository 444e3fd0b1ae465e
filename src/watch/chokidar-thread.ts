// The thread of chokidar (chokidar-tree.ts). chokidar's walk of a large tree blocks its event loop for seconds, and
// the loop must be free to read the kernel's queue while the daemon captures. chokidar-watch.ts decides when to
// restart.
import { parentPort, workerData } from 'node:worker_threads';
import { systemCode } from '../base/errors.ts';
import { invariant } from '../base/invariant.ts';
import { isRestoreTemporary } from '../tree/globs.ts';
import { fromText, isGitName, join, nameOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import { ChokidarTree } from './chokidar-tree.ts';
import type { ChokidarOrder, FromChokidar, ToChokidar } from './chokidar-watch.ts';
import { limitCodes, MarkQueue } from './mark-queue.ts';

const port = parentPort;
invariant(port !== null, 'this file is the start of a thread');
const order = workerData as ChokidarOrder;
const send = (message: FromChokidar): void => port.postMessage(message);
let ignored: ReadonlySet<TreePath> = new Set(order.ignored);

const queue = new MarkQueue({
  send: (paths, isEverything) => send({ kind: 'marks', paths, isEverything, directories: tree.directories }),
  // A lost event may be about a new directory, which chokidar then does not watch.
  onLoss: (cause) => (cause === 'events' ? send({ kind: 'tooMany' }) : queue.everything()),
});
const tree = new ChokidarTree(order.root, isOutside, { changed: mark, failed });

function mark(type: string, name: string | undefined, watchedPath: string): void {
  queue.count();
  const directory = within(watchedPath);
  if (directory === undefined) return;
  // A removed directory reports its own name: its mark covers everything below it.
  const isSelf = name === undefined || name === '' || (type === 'rename' && name === nameOf(directory));
  if (!isSelf && (isGitName(name) || isRestoreTemporary(name))) return;
  const isText = !isSelf && !name.includes('\uFFFD');
  queue.add(isText ? join(directory, fromText(name)) : directory);
}

function failed(error: unknown): void {
  const code = systemCode(error) ?? String(error);
  send({ kind: 'failed', code, isLimit: limitCodes.has(code) });
}

/** Returns the path inside the work tree, or undefined for a path outside: one kind of event names the parent. */
function within(absolute: string): TreePath | undefined {
  const { root } = order;
  if (absolute === root) return rootPath;
  const prefix = root.endsWith('/') ? root : `${root}/`;
  const slashed = process.platform === 'win32' ? absolute.replaceAll('\\', '/') : absolute;
  return slashed.startsWith(prefix.replaceAll('\\', '/'))
    ? fromText(slashed.slice(prefix.length))
    : undefined;
}

function isOutside(absolute: string): boolean {
  const path = within(absolute);
  if (path === undefined || path === rootPath) return false;
  return absolute === order.storage || isGitName(nameOf(path)) || ignored.has(path);
}

port.on('message', (message: ToChokidar) => {
  queue.busy();
  if (message.kind === 'taken') queue.taken();
  else ignored = new Set(message.paths);
});
try {
  await tree.start();
  send({ kind: 'live', directories: tree.directories });
  queue.probeLoop();
} catch (error) {
  failed(error);
}
