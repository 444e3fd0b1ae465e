// A handle of its own on every directory that a capture reads, opened before it is read: what captures rest on. A
// directory that is made, moved or replaced loses its handles, and those below it, until a capture asks for it anew, so
// a handle is always of what stood there when it was asked for. It knows names as bytes and follows nothing by itself.
import { basename } from 'node:path';
import { standingKey } from '../../base/directory-identity.ts';
import { systemCode } from '../../base/errors.ts';
import { type FSWatcher, files, watchDirectory } from '../../base/files.ts';
import { isRestoreTemporary, restoreTemporaryPrefix } from '../../tree/globs.ts';
import { join, nameOf, rootPath, type TreePath } from '../../tree/tree-path.ts';
import { limitCodes } from '../thread/messages.ts';

export interface HeldListener {
  /** One event of the kernel was read, whether or not it says anything new. */
  counted(): void;
  /** The path may have changed; a directory's stands for everything below it. */
  changed(path: TreePath): void;
  failed(error: unknown): void;
}

interface Held {
  readonly path: TreePath;
  readonly below: Map<string, Held>;
  handle: FSWatcher | undefined;
  isDropped: boolean;
}

export class HeldDirectories {
  readonly #root: Buffer;
  readonly #rootName: string;
  readonly #listener: HeldListener;
  #tree: Held | undefined;
  /** What stood at the root when it was held. */
  #rootKey: string | undefined;
  #size = 0;
  /** Their events are counted to the end of the turn: an overflow is known by how many there are. */
  #closing: FSWatcher[] = [];

  /** The root is an absolute path. */
  constructor(root: string, listener: HeldListener) {
    this.#root = Buffer.from(root, 'utf8');
    this.#rootName = Buffer.from(basename(root), 'utf8').toString('latin1');
    this.#listener = listener;
  }

  /** How many directories have a handle. */
  get size(): number {
    return this.#size;
  }

  /**
   * Gives each directory a handle unless it has one, parents first. Returns those that have none: gone, too deep, or
   * below one that has none.
   *
   * @throws the system's error when its limit of watches is reached
   */
  hold(paths: readonly TreePath[]): TreePath[] {
    return paths.filter((path) => !this.#hold(path));
  }

  /** Lets all go. */
  release(): void {
    if (this.#tree !== undefined) this.#drop(this.#tree);
    this.#tree = undefined;
  }

  #hold(path: TreePath): boolean {
    if (path === rootPath) {
      if (this.#tree === undefined) this.#holdRoot();
      return this.#tree !== undefined;
    }
    const cut = path.lastIndexOf('/');
    const above = this.#find(path.slice(0, Math.max(cut, 0)));
    const name = path.slice(cut + 1);
    if (above === undefined) return false;
    if (above.below.has(name)) return true;
    const held = this.#open(path);
    if (held !== undefined) above.below.set(name, held);
    return held !== undefined;
  }

  #holdRoot(): void {
    this.#tree = this.#open(rootPath);
    this.#rootKey = this.#tree && this.#keyOfRoot();
  }

  #find(path: string): Held | undefined {
    let at = this.#tree;
    if (path === '') return at;
    for (const name of path.split('/')) at = at?.below.get(name);
    return at;
  }

  #open(path: TreePath): Held | undefined {
    const held: Held = { path, below: new Map(), handle: undefined, isDropped: false };
    const absolute = Buffer.concat([this.#root, Buffer.from(path === '' ? '' : `/${path}`, 'latin1')]);
    try {
      held.handle = watchDirectory(absolute, { encoding: 'latin1' }, (type, name) =>
        this.#heard(held, type, name ?? ''),
      );
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined || limitCodes.has(code)) throw error;
      return undefined; // gone, closed to us, or too deep: looked at by every capture
    }
    held.handle.on('error', (error) => this.#listener.failed(error));
    this.#size += 1;
    return held;
  }

  #heard(held: Held, type: string, name: string): void {
    this.#listener.counted();
    if (held.isDropped) return;
    if (name === '' || (type === 'rename' && this.#isSelf(held, name))) {
      this.#listener.changed(held.path);
      if (held.path === rootPath) this.release();
      else this.#dropAt(held.path);
      return;
    }
    if (type === 'rename') {
      const below = held.below.get(name);
      held.below.delete(name);
      if (below !== undefined) this.#drop(below);
    }
    // A restore makes thousands of temporary names, so one name stands for those of a directory.
    const changed = isRestoreTemporary(name) ? restoreTemporaryPrefix : name;
    this.#listener.changed(join(held.path, changed));
  }

  /** A directory that goes tells its own name, and so does one in it that is called the same. */
  #isSelf({ path }: Held, name: string): boolean {
    if (path !== rootPath) return name === nameOf(path);
    return name === this.#rootName && this.#keyOfRoot() !== this.#rootKey;
  }

  #keyOfRoot(): string | undefined {
    try {
      return standingKey(files.lstatSync(this.#root, { bigint: true }));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  #dropAt(path: TreePath): void {
    const cut = path.lastIndexOf('/');
    const above = this.#find(path.slice(0, Math.max(cut, 0)));
    const held = above?.below.get(path.slice(cut + 1));
    if (held === undefined) return;
    above?.below.delete(path.slice(cut + 1));
    this.#drop(held);
  }

  #drop(held: Held): void {
    held.isDropped = true;
    this.#size -= 1;
    if (held.handle !== undefined) this.#closeLater(held.handle);
    for (const below of held.below.values()) this.#drop(below);
  }

  #closeLater(handle: FSWatcher): void {
    if (this.#closing.length === 0)
      setImmediate(() => {
        const closing = this.#closing;
        this.#closing = [];
        for (const one of closing) one.close();
      });
    this.#closing.push(handle);
  }
}
