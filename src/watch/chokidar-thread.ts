// The thread of chokidar (chokidar-tree.ts) for all sessions. Chokidar has its own thread because its walk through a
// large tree blocks the event loop. This walk must not block the daemon. Also, captures run in the daemon and must
// not delay the reading of the kernel's queue. chokidar-watch.ts decides when to restart.
import { systemCode } from '../base/errors.ts';
import { isRestoreTemporary } from '../tree/globs.ts';
import { fromText, isGitName, join, nameOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import { ChokidarTree } from './chokidar-tree.ts';
import type { ChokidarOrder, FromChokidar, ToChokidar } from './chokidar-watch.ts';
import type { LoopProbe, LossCause } from './loop-probe.ts';
import { limitCodes, MarkQueue } from './mark-queue.ts';
import { serveSeats, type WatchedSeat } from './thread-seats.ts';

class ChokidarSeat implements WatchedSeat<ToChokidar> {
  readonly #order: ChokidarOrder;
  readonly #send: (message: FromChokidar) => void;
  readonly #probe: LoopProbe;
  readonly #queue: MarkQueue;
  readonly #tree: ChokidarTree;
  #ignored: ReadonlySet<TreePath>;
  #isLive = false;

  constructor(order: ChokidarOrder, send: (message: FromChokidar) => void, probe: LoopProbe) {
    this.#order = order;
    this.#send = send;
    this.#probe = probe;
    this.#ignored = new Set(order.ignored);
    this.#queue = new MarkQueue({
      send: (paths, isEverything) =>
        send({ kind: 'marks', paths, isEverything, directories: this.#tree.directories }),
      onFull: () => this.#queue.everything(),
    });
    this.#tree = new ChokidarTree(order.root, (path) => this.#isOutside(path), {
      changed: (type, name, directory) => this.#mark(type, name, directory),
      closed: (handles) => probe.count(handles),
      failed: (error) => this.#failed(error),
    });
    void this.#start();
  }

  hear(message: ToChokidar): void {
    if (message.kind === 'taken') this.#queue.taken();
    else this.#ignored = new Set(message.paths);
  }

  lose(cause: LossCause): void {
    // If an event was lost, there may be a new directory that chokidar does not watch.
    if (cause === 'events') this.#send({ kind: 'tooMany' });
    else if (this.#isLive) this.#queue.everything();
  }

  close(): Promise<void> {
    return this.#tree.close();
  }

  async #start(): Promise<void> {
    try {
      await this.#tree.start();
      this.#isLive = true;
      this.#send({ kind: 'live', directories: this.#tree.directories });
    } catch (error) {
      this.#failed(error);
    }
  }

  #mark(type: string, name: string | undefined, watchedPath: string): void {
    this.#probe.count();
    const directory = this.#within(watchedPath);
    if (directory === undefined) return;
    // The event for a removed directory has the directory's own name. A mark of a directory covers everything below the
    // directory.
    const isSelf = name === undefined || name === '' || (type === 'rename' && name === nameOf(directory));
    if (!isSelf && (isGitName(name) || isRestoreTemporary(name))) return;
    const isText = !isSelf && !name.includes('\uFFFD');
    this.#queue.add(isText ? join(directory, fromText(name)) : directory);
  }

  #failed(error: unknown): void {
    const code = systemCode(error) ?? String(error);
    this.#send({ kind: 'failed', code, isLimit: limitCodes.has(code) });
  }

  /**
   * Returns the path inside the work tree, or undefined for a path outside. One kind of event reports the parent of
   * the watched directory, and this parent may be outside.
   */
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
    return absolute === this.#order.storage || isGitName(nameOf(path)) || this.#ignored.has(path);
  }
}

serveSeats<ChokidarOrder, ToChokidar, FromChokidar>(
  (order, send, probe) => new ChokidarSeat(order, send, probe),
);
