// The thread that watches: chokidar (watch/thread/tree-watch.ts) with an event loop of its own. Its walk of a large tree
// takes seconds of a loop, and its loop must be free to read the kernel's queue while the daemon captures. It gathers
// marks and sends them in batches, one at a time; what they mean, and when to start anew, is watch/watcher.ts's.
import { parentPort, workerData } from 'node:worker_threads';
import { systemCode } from '../../base/errors.ts';
import { watchDirectory } from '../../base/files.ts';
import { invariant } from '../../base/invariant.ts';
import { isRestoreTemporary } from '../../tree/globs.ts';
import { fromText, isGitName, join, nameOf, rootPath, type TreePath } from '../../tree/tree-path.ts';
import { DirectoryWatches } from './directory-watches.ts';
import { probeLoop } from './loop-probe.ts';
import { MarksToTell } from './marks-to-tell.ts';
import type { FromThread, ThreadOrder, ToThread } from './messages.ts';
import { type TreeListener, TreeWatch } from './tree-watch.ts';

class ThreadWatch {
  readonly #order: ThreadOrder;
  readonly #send: (message: FromThread) => void;
  readonly #tree: TreeWatch;
  readonly #beside: DirectoryWatches;
  #leftOut: ReadonlySet<TreePath>;
  readonly #marks: MarksToTell;
  #events = 0;
  #eventsInTurn = 0;

  constructor(order: ThreadOrder, send: (message: FromThread) => void) {
    this.#order = order;
    this.#send = send;
    this.#leftOut = new Set(order.leftOut);
    this.#marks = new MarksToTell((paths, isEverything) => this.#tell(paths, isEverything));
    const listener: TreeListener = {
      changed: (type, name, absolute) => this.#mark(type, name, absolute),
      failed: (error) => this.#failed(error),
    };
    this.#tree = new TreeWatch(order.root, (path) => this.#isOutside(path), listener);
    this.#beside = new DirectoryWatches(order.root, listener);
  }

  start(): void {
    void this.#tree.start().then(
      () => this.#live(),
      (error: unknown) => this.#failed(error),
    );
    this.#watchFence();
  }

  /** In this loop, and so behind every change of the work tree in the kernel's one queue. */
  #watchFence(): void {
    if (this.#order.fence === undefined) return;
    try {
      const cookies = watchDirectory(this.#order.fence, (_type, cookie) => {
        if (cookie !== null) this.#fence(cookie);
      });
      cookies.on('error', (error) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
  }

  #fence(cookie: string): void {
    this.#marks.tellNow();
    this.#send({ kind: 'fence', cookie });
  }

  #failed(error: unknown): void {
    this.#send({ kind: 'failed', code: systemCode(error) ?? String(error) });
  }

  hear(message: ToThread): void {
    switch (message.kind) {
      case 'taken':
        this.#marks.taken();
        return;
      case 'leftOut':
        this.#leftOut = new Set(message.leftOut);
        return;
      case 'mend':
        for (const directory of message.directories) this.#beside.watch(directory);
        this.#send({ kind: 'mended', paths: message.paths });
    }
  }

  #live(): void {
    this.#send({ kind: 'live', directories: this.#tree.directories });
    probeLoop(() => this.#marks.everything());
  }

  #mark(type: string, name: string | undefined, watchedPath: string): void {
    this.#events += 1;
    this.#countTurn();
    const directory = this.#within(watchedPath);
    if (directory === undefined) return;
    // A directory that goes tells its own name: the mark on it holds for all below.
    const isSelf = name === undefined || name === '' || (type === 'rename' && name === nameOf(directory));
    if (!isSelf && (isGitName(name) || isRestoreTemporary(name))) return;
    const isText = !isSelf && !name.includes('\uFFFD');
    if (!this.#marks.add(isText ? join(directory, fromText(name)) : directory)) this.#marks.everything();
  }

  /** The kernel drops events without a word, so a turn with many of them counts as one where some were dropped. */
  #countTurn(): void {
    if (this.#eventsInTurn === 0) setImmediate(() => (this.#eventsInTurn = 0));
    this.#eventsInTurn += 1;
    if (this.#eventsInTurn === this.#order.eventsMax) this.#send({ kind: 'tooMany' });
  }

  #tell(paths: readonly TreePath[], isEverything: boolean): void {
    const facts = { events: this.#events, directories: this.#tree.directories };
    this.#send({ kind: 'marks', paths, isEverything, ...facts });
  }

  /** The path inside the work tree, or undefined for the one event kind that names its parent. */
  #within(absolute: string): TreePath | undefined {
    const { root } = this.#order;
    if (absolute === root) return rootPath;
    const prefix = root.endsWith('/') ? root : `${root}/`;
    const slashed = process.platform === 'win32' ? absolute.replaceAll('\\', '/') : absolute;
    return slashed.startsWith(prefix.replaceAll('\\', '/'))
      ? fromText(slashed.slice(prefix.length))
      : undefined;
  }

  #isOutside(absolute: string): boolean {
    const path = this.#within(absolute);
    if (path === undefined || path === rootPath) return false;
    return absolute === this.#order.storage || isGitName(nameOf(path)) || this.#leftOut.has(path);
  }
}

const port = parentPort;
invariant(port !== null, 'this file is the start of a thread');
const threadWatch = new ThreadWatch(workerData as ThreadOrder, (message) => port.postMessage(message));
port.on('message', (message: ToThread) => threadWatch.hear(message));
threadWatch.start();
