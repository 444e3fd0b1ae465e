// Runs chokidar over the directories of a work tree and watches each directory separately. If chokidar watched the
// whole tree, it would open all directories at the same time, and need 60 KB for each directory. Opening a few hundred
// directories at a time needs a quarter of this memory.
import { EventEmitter, once } from 'node:events';
import { basename, dirname } from 'node:path';
import { FSWatcher } from 'chokidar';
import { attemptAsync, isMissing } from '../base/attempt.ts';
import { filesAsync, type Stats } from '../base/files.ts';
import { isObject } from '../base/json.ts';
import { isRestoreTemporary } from '../tree/globs.ts';

interface TreeListener {
  /** One event of the kernel; `directory` is the absolute path of the watched directory. */
  changed(type: string, name: string | undefined, directory: string): void;
  /**
   * Called before the tree closes handles. `handles` is the number of handles that the tree closes in this turn of
   * the loop.
   */
  closed(handles: number): void;
  failed(error: unknown): void;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly below: Set<string>;
  /** Undefined until chokidar has examined the directory. */
  identity: string | undefined;
}

/** The number of directories that are opened at the same time. */
export const batchMax = 200;
/**
 * Persistent handles are not used on Linux. If several watchers of a thread watch the same path, they share chokidar's
 * persistent handle. So a session could get another session's handle on a directory that has since been replaced. On
 * other systems, a handle can report errors. Chokidar processes these errors only for persistent handles.
 */
const isPersistent = process.platform !== 'linux';

/**
 * True when the event may be about a sub-directory. Linux reports a new, removed or renamed entry as `rename`, and a
 * write as `change`. Other systems may merge events. An entry with a temporary name of a restore is a file, or a
 * directory that needs no watch.
 */
function isAboutNames(type: string, name: string | undefined): boolean {
  if (process.platform !== 'linux' || name === undefined || name === '') return true;
  return type === 'rename' && !isRestoreTemporary(name);
}

type ListingOptions = Parameters<FSWatcher['_readdirp']>[1];

/**
 * A variant of chokidar that lists only sub-directories and does not examine files. Chokidar itself gets the stats of
 * every file, which takes 2.5 times as much processor time. The watch needs no stats: the kernel reports directories by
 * name. Chokidar also lists a directory after every event, although a write changes no name. Chokidar has no options
 * for this, so the class overrides a method that chokidar marks as its own. If chokidar renames the method, the compiler
 * refuses `override`, and the tests that count the system calls fail.
 */
class DirectoryWatcher extends FSWatcher {
  /** The directories whose sub-directories may have changed since they were listed. */
  readonly #changed = new Set<string>();

  /** Records an event of the kernel. Chokidar requests the listing just before it reports the event. */
  heard(type: string, name: string | undefined, directory: string): void {
    if (isAboutNames(type, name)) this.#changed.add(directory);
  }

  override _readdirp(...[root, options]: Parameters<FSWatcher['_readdirp']>) {
    if (!this._closers.has(root)) return this.#list(root, options);
    const listing = new EventEmitter();
    // By then, `heard` has got the event for which chokidar requests this listing.
    setImmediate(() => this.#listIfChanged(root, options, listing));
    return listing as ReturnType<FSWatcher['_readdirp']>;
  }

  /** Answers a request for the listing of a watched directory. Reads the directory only if its names may have changed. */
  #listIfChanged(root: string, options: ListingOptions, listing: EventEmitter): void {
    if (!this.#changed.delete(root)) {
      for (const path of this._getWatchedDir(root).getChildren())
        listing.emit('data', { path, stats: knownDirectory });
      listing.emit('end');
      return;
    }
    this.#list(root, options)
      ?.on('data', (entry) => listing.emit('data', entry))
      .on('error', (error) => listing.emit('error', error))
      .once('end', () => listing.emit('end'));
  }

  #list(root: string, options: ListingOptions): ReturnType<FSWatcher['_readdirp']> {
    const isTaken = options?.directoryFilter;
    const stream = super._readdirp(root, {
      ...options,
      type: 'directories',
      alwaysStat: false,
      fileFilter: () => false,
      directoryFilter: (entry) => {
        Object.assign(entry, { stats: entry.dirent }); // has the methods of stats that chokidar calls
        return typeof isTaken !== 'function' || isTaken(entry);
      },
    });
    // Some file systems do not name the directories. Node then gets the stats of every entry, and the whole listing
    // fails if an entry has just disappeared. Chokidar would take this listing for an empty one.
    stream?.on('warn', (error: NodeJS.ErrnoException) => {
      if (error.syscall === 'lstat') this.emit('error', error);
    });
    return stream;
  }
}

/** The only method of stats that chokidar calls for a sub-directory that it knows. */
const knownDirectory = { isSymbolicLink: (): boolean => false };

export class ChokidarTree {
  readonly #root: string;
  readonly #isOutside: (path: string) => boolean;
  readonly #listener: TreeListener;
  readonly #watchers: FSWatcher[] = [];
  readonly #watched = new Map<string, Watched>();
  /**
   * Additional watchers, each for a directory that replaced an earlier directory at the same path. Such a watcher also
   * watches all directories below the new directory.
   */
  readonly #renewed = new Map<string, FSWatcher>();
  /** Directories that were found but are not watched yet. Undefined after all directories are watched. */
  #found: string[] | undefined = [];
  #isClosed = false;

  constructor(root: string, isOutside: (path: string) => boolean, listener: TreeListener) {
    this.#root = root;
    this.#isOutside = isOutside;
    this.#listener = listener;
  }

  /** The number of watched directories. After the removal of a directory, the number decreases only with a delay. */
  get directories(): number {
    return this.#watched.size;
  }

  /** Resolves when every directory is watched. After a failure the promise never resolves. */
  async start(): Promise<void> {
    this.#found = [this.#root];
    for (let next = [this.#root]; next.length > 0 && !this.#isClosed; next = this.#found.splice(0, batchMax))
      await once(this.#watchBatch(next), 'ready');
    this.#found = undefined;
  }

  /** Resolves when no handle is left. Other work of the event loop may run in between. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const handles = new Map<FSWatcher, number>();
    for (const { watcher } of this.#watched.values()) handles.set(watcher, (handles.get(watcher) ?? 0) + 1);
    for (const watcher of [...this.#watchers, ...this.#renewed.values()]) {
      this.#listener.closed(handles.get(watcher) ?? 0);
      const closed = watcher.close();
      watcher.on('error', () => undefined); // chokidar may report an error for a half-opened directory
      await closed;
      await new Promise(setImmediate);
    }
  }

  #watchBatch(paths: readonly string[]): FSWatcher {
    const watcher = this.#newWatcher();
    this.#watchers.push(watcher);
    for (const path of paths) this.#watch(path, watcher);
    return watcher;
  }

  #newWatcher(): FSWatcher {
    const watcher = new DirectoryWatcher({
      ignored: (path, stats) => (stats !== undefined && !stats.isDirectory()) || this.#isOutside(path),
      depth: 0,
      persistent: isPersistent,
      followSymlinks: false, // with true, a loop of links causes 10,000 events under 41 paths
      atomic: false, // with true, chokidar never reports `*~` and `.*.swp`
      ignoreInitial: false, // with false, chokidar reports the sub-directories of each directory
      ignorePermissionErrors: false,
    });
    watcher.on('raw', (type, name, details) => {
      const directory = watchedPathOf(details);
      watcher.heard(type, name, directory);
      this.#listener.changed(type, name, directory);
      // The event for a removed directory has the directory's own name. If an entry inside the directory has the
      // directory's name, a change of this entry causes an equal event.
      if (type === 'rename' && name === basename(directory))
        this.#renewReplaced(directory).catch((error: unknown) => this.#listener.failed(error));
    });
    watcher.on('error', (error) => this.#listener.failed(error));
    watcher.on('addDir', (path, stats) => this.#find(path, watcher, stats && identityOf(stats)));
    watcher.on('unlinkDir', (path) => {
      const watchers = [this.#watched.get(path)?.watcher, this.#watched.get(dirname(path))?.watcher];
      if (watchers.includes(watcher)) this.#forget(path, watcher);
    });
    return watcher;
  }

  #find(path: string, watcher: FSWatcher, identity: string | undefined): void {
    const watched = this.#watched.get(path);
    if (watched !== undefined) watched.identity ??= identity;
    else if (this.#isOutside(path) || path.includes('\uFFFD')) return;
    else if (this.#found === undefined) this.#watch(path, watcher, identity);
    else this.#found.push(path);
  }

  /**
   * Watches a directory that has replaced an earlier directory at the same path. Chokidar notices the removal of the
   * earlier directory only if it checks the path before the new directory exists. When the new handles are open,
   * reports the directory as changed, because its files may have changed before this moment.
   * @throws system errors, except for a missing path
   */
  async #renewReplaced(path: string): Promise<void> {
    const before = this.#watched.get(path);
    // if no new directory is at the path, chokidar itself notices the removal
    const now = await attemptAsync(isMissing, () => filesAsync.lstat(path));
    const isReplaced = now?.isDirectory() === true && identityOf(now) !== before?.identity;
    if (!isReplaced || before === undefined || this.#watched.get(path) !== before || this.#isClosed) return;
    this.#forget(path, this.#watched.get(dirname(path))?.watcher);
    void this.#renewed.get(path)?.close();
    const watcher = this.#newWatcher();
    this.#renewed.set(path, watcher);
    watcher.once('ready', () => this.#listener.changed('rename', basename(path), path));
    this.#watch(path, watcher);
  }

  #watch(path: string, watcher: FSWatcher, identity?: string): void {
    this.#watched.set(path, { watcher, below: new Set(), identity });
    this.#watched.get(dirname(path))?.below.add(path);
    watcher.add(path);
  }

  /**
   * Closes the handles on a removed directory and on all directories below it. A later directory at the same path
   * counts as a new directory.
   */
  #forget(path: string, noticedBy: FSWatcher | undefined): void {
    const gone = this.#watched.get(path);
    if (gone === undefined) return;
    this.#watched.delete(path);
    this.#watched.get(dirname(path))?.below.delete(path);
    // The watcher that noticed the removal closes its own handles. A call of `unwatch` would make this watcher remember
    // the path for ever.
    if (gone.watcher !== noticedBy) gone.watcher.unwatch(path);
    for (const below of gone.below) this.#forget(below, noticedBy);
  }
}

/**
 * Returns a text that identifies a directory. A later directory at the same path gets a different text, even when the
 * later directory has the same inode number.
 */
function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}

function watchedPathOf(details: unknown): string {
  return isObject(details) && 'watchedPath' in details ? String(details.watchedPath) : '';
}
