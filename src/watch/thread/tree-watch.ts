// chokidar over a work tree, directories only. A large tree is watched in parts, one after the other; what is born
// later below the seams between them is watched like the rest. It tells what chokidar tells and keeps no marks.
import { once } from 'node:events';
import { type ChokidarOptions, type FSWatcher, watch } from 'chokidar';
import { directoriesIn, planWatch, type WatchPlan } from './watch-plan.ts';

export interface TreeListener {
  /** One event of the kernel; `directory` is the absolute path of the one that was watched. */
  changed(type: string, name: string | undefined, directory: string): void;
  failed(error: unknown): void;
}

export class TreeWatch {
  readonly #root: string;
  readonly #isOutside: (path: string) => boolean;
  readonly #listener: TreeListener;
  /** The upper directories that stand where they stood at the start. */
  #upper = new Set<string>();
  /** By the subtree's path: who watches it. */
  readonly #subtrees = new Map<string, FSWatcher>();
  #grown: FSWatcher | undefined;
  #directories = 0;
  readonly #watchers: FSWatcher[] = [];

  constructor(root: string, isOutside: (path: string) => boolean, listener: TreeListener) {
    this.#root = root;
    this.#isOutside = isOutside;
    this.#listener = listener;
  }

  /** How many directories are watched, more or less: chokidar learns of what goes with a delay. */
  get directories(): number {
    return this.#directories;
  }

  /** Resolves when every directory is watched; not at all after a failure. */
  async start(): Promise<void> {
    const plan = planWatch(this.#root, this.#isOutside);
    if (plan.upper.length === 0) {
      const whole = this.#watch([this.#root]);
      await once(whole, 'ready');
      const isWithin = (path: string): boolean => path === this.#root || path.startsWith(`${this.#root}/`);
      this.#directories = Object.keys(whole.getWatched()).filter(isWithin).length;
      return;
    }
    this.#directories = plan.size;
    await this.#watchUpper(plan);
    for (const part of plan.parts) {
      const watcher = this.#watch(part);
      for (const path of part) if (this.#subtrees.has(path)) this.#subtrees.set(path, watcher);
      await once(watcher, 'ready');
    }
  }

  /** No handle is left when this resolves. */
  async close(): Promise<void> {
    await Promise.all(this.#watchers.map((watcher) => watcher.close()));
  }

  async #watchUpper({ upper, parts }: WatchPlan): Promise<void> {
    this.#upper = new Set(upper);
    const watcher = this.#watch(upper, { depth: 0 });
    for (const path of parts.flat()) this.#subtrees.set(path, watcher);
    watcher.on('addDir', (path) => this.#watchBorn(path));
    watcher.on('unlinkDir', (path) => this.#forget(path));
    await once(watcher, 'ready');
    // Born after they were listed and before they were watched: nobody tells of these.
    for (const directory of upper) for (const path of directoriesIn(directory)) this.#watchBorn(path);
  }

  /** Watches a subtree that was born below an upper directory. */
  #watchBorn(path: string): void {
    if (this.#upper.has(path) || this.#subtrees.has(path) || this.#isOutside(path)) return;
    this.#grown ??= this.#watch([], { ignoreInitial: false });
    this.#subtrees.set(path, this.#grown);
    this.#grown.add(path);
  }

  /** One that comes back is watched anew: a watch is of what stood there. */
  #forget(path: string): void {
    this.#upper.delete(path);
    this.#subtrees.get(path)?.unwatch(path);
    this.#subtrees.delete(path);
  }

  #watch(paths: readonly string[], special: ChokidarOptions = {}): FSWatcher {
    const watcher = watch([...paths], {
      ignored: (path, stats) => (stats !== undefined && !stats.isDirectory()) || this.#isOutside(path),
      followSymlinks: false, // a link loop gave 10,000 events under 41 paths
      atomic: false, // else `*~` and `.*.swp` are never told
      ignoreInitial: true,
      ignorePermissionErrors: false,
      ...special,
    });
    this.#watchers.push(watcher);
    watcher.on('raw', (type, name, details) => this.#listener.changed(type, name, watchedPathOf(details)));
    watcher.on('error', (error) => this.#listener.failed(error));
    // Upper directories tell of subtrees that others watch and count.
    if (special.depth === undefined) watcher.on('addDir', () => (this.#directories += 1));
    watcher.on('unlinkDir', () => (this.#directories -= 1));
    return watcher;
  }
}

function watchedPathOf(details: unknown): string {
  return typeof details === 'object' && details !== null && 'watchedPath' in details
    ? String(details.watchedPath)
    : '';
}
