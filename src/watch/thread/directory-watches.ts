// Single directories watched beside chokidar, in the same loop: those in which a capture found what had not been told.
// It does not follow what is made in them: a directory is watched from the next time that something is found there.
import { join as joinNative } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { type FSWatcher, files, watchDirectory } from '../../base/files.ts';
import { nameOf, type TreePath, toText } from '../../tree/tree-path.ts';
import { limitCodes } from './messages.ts';

/** Beyond them the one that was watched first is let go: it is watched again when that is found to be wrong. */
const watchesMax = 1000;

export interface DirectoryListener {
  changed(type: string, name: string | undefined, absolute: string): void;
  failed(error: unknown): void;
}

export class DirectoryWatches {
  readonly #root: string;
  readonly #listener: DirectoryListener;
  /** Those renewed last come last. */
  readonly #handles = new Map<TreePath, FSWatcher>();

  /** The root is an absolute path. */
  constructor(root: string, listener: DirectoryListener) {
    this.#root = root;
    this.#listener = listener;
  }

  /** How many it holds. */
  get size(): number {
    return this.#handles.size;
  }

  /** Ends them all. */
  close(): void {
    for (const [directory, handle] of this.#handles) this.#close(directory, handle);
  }

  /**
   * Watches a directory from now on, as it stands there now: one that is watched already gets a new handle, since the
   * old one may be of what stood there before. The new one comes first, so that nothing falls between.
   */
  watch(directory: TreePath): void {
    const absolute = joinNative(this.#root, toText(directory));
    const before = this.#handles.get(directory);
    this.#handles.delete(directory);
    try {
      const handle = watchDirectory(absolute, (type, name) => {
        this.#listener.changed(type, name ?? undefined, absolute);
        if (type === 'rename' && name === nameOf(directory)) this.#closeIfGone(directory, handle, absolute);
      });
      handle.on('error', () => this.#close(directory, handle)); // elsewhere than on Linux, when it is removed
      this.#handles.set(directory, handle);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      // Gone, or not to be watched (too long a path): then its changes are found by captures, each time.
      if (limitCodes.has(code)) this.#listener.failed(error);
    }
    before?.close();
    for (const [oldest, handle] of this.#handles) {
      if (this.#handles.size <= watchesMax) break;
      this.#close(oldest, handle);
    }
  }

  /** A directory that goes tells its own name, and so does one in it that is called the same. */
  #closeIfGone(directory: TreePath, handle: FSWatcher, absolute: string): void {
    if (!files.existsSync(absolute)) this.#close(directory, handle);
  }

  #close(directory: TreePath, handle: FSWatcher): void {
    handle.close();
    if (this.#handles.get(directory) === handle) this.#handles.delete(directory);
  }
}
