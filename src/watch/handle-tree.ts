// The open handles of a work tree, one for each directory. A directory that was just made, moved or replaced has no
// handle, and neither have the directories below it. A capture then opens new handles. So a handle always belongs to
// the directory that existed when the handle was opened. Names are bytes. The tree opens handles only on request.
import { basename } from 'node:path';
import { attempt, hasCode, isOfSystem } from '../base/attempt.ts';
import { identityKey } from '../base/directory-identity.ts';
import { type FSWatcher, files, watchDirectory } from '../base/files.ts';
import { isRestoreTemporary, restoreTemporaryPrefix } from '../tree/globs.ts';
import { join, nameOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import { limitCodes } from './mark-queue.ts';

interface HandleListener {
  /** Called for each event of the kernel, whether or not the event marks a path. */
  counted(): void;
  /** The path may have changed. The path of a directory stands for everything below the directory. */
  changed(path: TreePath): void;
  failed(error: unknown): void;
}

interface Watched {
  readonly path: TreePath;
  readonly below: Map<string, Watched>;
  handle: FSWatcher | undefined;
  isClosed: boolean;
}

/**
 * The maximum number of handles that are closed in one turn of the loop. The kernel queues an event for each closed
 * handle, and too many events could fill the queue that all sessions share.
 */
const closedAtOnce = 500;

export class HandleTree {
  readonly #root: Buffer;
  readonly #rootName: string;
  readonly #listener: HandleListener;
  #tree: Watched | undefined;
  /** A key that identifies the directory which was the root when the watch began. */
  #rootKey: string | undefined;
  #size = 0;
  /**
   * The handles that were closed in this turn. The events of these handles are counted, too, because a high number of
   * events shows an overflow.
   */
  readonly #closing: FSWatcher[] = [];

  /** The root is an absolute path. */
  constructor(root: string, listener: HandleListener) {
    this.#root = Buffer.from(root, 'utf8');
    this.#rootName = Buffer.from(basename(root), 'utf8').toString('latin1');
    this.#listener = listener;
  }

  /** The number of directories with a handle. */
  get size(): number {
    return this.#size;
  }

  /**
   * Opens a handle on each directory that has no handle, parents first. Returns the directories that still have no
   * handle, because they are missing, too deep, or below a directory without a handle.
   * @throws the system's error when the limit on watches is reached
   */
  open(paths: readonly TreePath[]): TreePath[] {
    return paths.filter((path) => !this.#open(path));
  }

  closeAll(): void {
    if (this.#tree !== undefined) this.#close(this.#tree);
    this.#tree = undefined;
  }

  /** Resolves when no handle is left after {@link closeAll}. */
  async closed(): Promise<void> {
    while (this.#closing.length > 0) await new Promise(setImmediate);
  }

  #open(path: TreePath): boolean {
    if (path === rootPath) {
      if (this.#tree === undefined) this.#openRoot();
      return this.#tree !== undefined;
    }
    const cut = path.lastIndexOf('/');
    const above = this.#find(path.slice(0, Math.max(cut, 0)));
    const name = path.slice(cut + 1);
    if (above === undefined) return false;
    if (above.below.has(name)) return true;
    const watched = this.#watch(path);
    if (watched !== undefined) above.below.set(name, watched);
    return watched !== undefined;
  }

  #openRoot(): void {
    this.#tree = this.#watch(rootPath);
    this.#rootKey = this.#tree && this.#keyOfRoot();
  }

  #find(path: string): Watched | undefined {
    let at = this.#tree;
    if (path === '') return at;
    for (const name of path.split('/')) at = at?.below.get(name);
    return at;
  }

  #watch(path: TreePath): Watched | undefined {
    const watched: Watched = { path, below: new Map(), handle: undefined, isClosed: false };
    const absolute = Buffer.concat([this.#root, Buffer.from(path === '' ? '' : `/${path}`, 'latin1')]);
    // The directory is missing, unreadable or too deep, so it has no handle. Every capture checks the directory without
    // a handle.
    const isUnwatched = (error: unknown): boolean => isOfSystem(error) && !hasCode(...limitCodes)(error);
    watched.handle = attempt(isUnwatched, () =>
      watchDirectory(absolute, { encoding: 'latin1' }, (type, name) =>
        this.#onEvent(watched, type, name ?? ''),
      ),
    );
    if (watched.handle === undefined) return undefined;
    watched.handle.on('error', (error) => this.#listener.failed(error));
    this.#size += 1;
    return watched;
  }

  #onEvent(watched: Watched, type: string, name: string): void {
    this.#listener.counted();
    if (watched.isClosed) return;
    if (name === '' || (type === 'rename' && this.#isSelf(watched, name))) {
      this.#listener.changed(watched.path);
      if (watched.path === rootPath) this.closeAll();
      else this.#closeAt(watched.path);
      return;
    }
    if (type === 'rename') {
      const below = watched.below.get(name);
      watched.below.delete(name);
      if (below !== undefined) this.#close(below);
    }
    // A restore may make thousands of temporary names. One mark stands for all temporary names in a directory.
    const changed = isRestoreTemporary(name) ? restoreTemporaryPrefix : name;
    this.#listener.changed(join(watched.path, changed));
  }

  /**
   * True when the event has the directory's name, and may therefore be about the directory itself. Such an event may
   * also be about an entry with this name.
   */
  #isSelf({ path }: Watched, name: string): boolean {
    if (path !== rootPath) return name === nameOf(path);
    return name === this.#rootName && this.#keyOfRoot() !== this.#rootKey;
  }

  #keyOfRoot(): string | undefined {
    return attempt(isOfSystem, () => identityKey(files.lstatSync(this.#root, { bigint: true })));
  }

  #closeAt(path: TreePath): void {
    const cut = path.lastIndexOf('/');
    const above = this.#find(path.slice(0, Math.max(cut, 0)));
    const watched = above?.below.get(path.slice(cut + 1));
    if (watched === undefined) return;
    above?.below.delete(path.slice(cut + 1));
    this.#close(watched);
  }

  #close(watched: Watched): void {
    watched.isClosed = true;
    this.#size -= 1;
    if (watched.handle !== undefined) this.#closeLater(watched.handle);
    for (const below of watched.below.values()) this.#close(below);
  }

  #closeLater(handle: FSWatcher): void {
    if (this.#closing.length === 0) setImmediate(() => this.#closeSome());
    this.#closing.push(handle);
  }

  #closeSome(): void {
    for (const handle of this.#closing.splice(0, closedAtOnce)) handle.close();
    if (this.#closing.length > 0) setImmediate(() => this.#closeSome());
  }
}
