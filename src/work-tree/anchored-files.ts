// Makes addresses of entries in a work tree. No symbolic link can redirect such an address. The addresses stay safe
// even when a program replaces a directory by a link between two system calls. On Linux an open descriptor identifies
// the root. Every directory below the root is opened with O_NOFOLLOW from its parent's descriptor. An entry has the
// address /proc/self/fd/<fd of its directory>/<name>. The caller makes the system calls. On other systems (macOS,
// Windows, no /proc) this module checks each part of the path with lstat before it returns an address. This check
// refuses existing links, but not a link that appears after the check.
import { attempt, attemptOr, hasCode } from '../base/attempt.ts';
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { constants, files } from '../base/files.ts';
import { bytesOf, isWithin, join, nameOf, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';

/**
 * The value of O_PATH on every Linux that Node supports. With O_PATH a process can open a directory that it has no
 * permission to list.
 */
const handleOnly = 0o10000000;
const openDirectory = handleOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/**
 * The maximum number of open directories, each of which needs a descriptor. Paths that are used one after the other
 * rarely share more directories than this.
 */
const openDirectoriesMax = 64;

export type Anchoring = 'descriptors' | 'paths';

/** Returns the safest of these methods that this machine supports. */
export function strongestAnchoring(): Anchoring {
  return process.platform === 'linux' && files.existsSync('/proc/self/fd') ? 'descriptors' : 'paths';
}

/**
 * The error when a path leads through a link, a file or another entry that is no directory. The error's code is
 * ENOTDIR.
 */
class NotADirectoryThere extends Error {
  readonly code = 'ENOTDIR';
}

/** An opened work tree, which uses up to 65 descriptors until it is closed. */
export class AnchoredFiles {
  readonly root: string;
  readonly anchoring: Anchoring;
  readonly #rootFd: number | undefined;
  readonly #device: bigint;
  readonly #inode: bigint;
  /** Open directories, least recently used first. */
  readonly #open = new Map<TreePath, number>();

  /** Opens the work tree without following a link at `root`. @throws WorkTreeMissing when `root` is not a directory */
  constructor(root: string, anchoring: Anchoring = strongestAnchoring()) {
    this.root = root;
    this.anchoring = anchoring;
    let fd: number | undefined;
    try {
      if (anchoring === 'descriptors') fd = files.openSync(root, openDirectory);
      const stats =
        fd === undefined ? files.lstatSync(root, { bigint: true }) : files.fstatSync(fd, { bigint: true });
      if (!stats.isDirectory()) throw new NotADirectoryThere(`not a directory: ${root}`);
      this.#device = stats.dev;
      this.#inode = stats.ino;
    } catch (error) {
      if (fd !== undefined) files.closeSync(fd);
      const code = systemCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') throw error;
      throw workTreeMissing(root, error);
    }
    this.#rootFd = fd;
  }

  /**
   * Returns a path for one system call. The call must not follow a link at the path. Use the path at once: it becomes
   * invalid after {@link openDirectoriesMax} more calls.
   * @throws the system error ENOENT or ENOTDIR when a part above is missing or is not a directory (a link to a
   * directory is not a directory)
   */
  address(path: TreePath): Buffer {
    if (this.anchoring === 'paths') return this.#checkedPath(path);
    if (path === rootPath) return Buffer.from(`/proc/self/fd/${this.#rootFd}/.`);
    return this.#below(this.#directory(parentOf(path)), nameOf(path));
  }

  isDirectory(path: TreePath): boolean {
    return attemptOr(false, hasCode('ENOENT', 'ENOTDIR', 'ELOOP'), () =>
      files.lstatSync(this.address(path)).isDirectory(),
    );
  }

  /**
   * Sets permission bits, never through a link. On Linux, this works even if the daemon has no permission to read the
   * entry. `modeFor` gets the current mode. Changes nothing and returns false when the entry is not of the given kind.
   */
  setMode(path: TreePath, kind: 'file' | 'directory', modeFor: (present: number) => number): boolean {
    const linux = this.anchoring === 'descriptors';
    const reading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
    const fd = files.openSync(this.address(path), (linux ? handleOnly : reading) | constants.O_NOFOLLOW);
    try {
      const stats = files.fstatSync(fd);
      if (kind === 'file' ? !stats.isFile() : !stats.isDirectory()) return false;
      const mode = modeFor(stats.mode & 0o7777);
      if (mode === (stats.mode & 0o7777)) return true;
      // fchmod refuses a descriptor that was opened with O_PATH, but chmod accepts the descriptor's name in /proc,
      // which leads to the same inode.
      if (linux) files.chmodSync(`/proc/self/fd/${fd}`, mode);
      else files.fchmodSync(fd, mode);
      return true;
    } finally {
      files.closeSync(fd);
    }
  }

  /**
   * Closes the cached descriptors of a directory and of all directories below it. Call this function after removing or
   * renaming the directory.
   */
  forget(directory: TreePath): void {
    for (const [path, fd] of this.#open) {
      if (!isWithin(path, directory)) continue;
      this.#open.delete(path);
      files.closeSync(fd);
    }
  }

  /** Checks that the root is still at its path. @throws WorkTreeMissing when this path leads to another directory */
  assertInPlace(): void {
    const stats = attempt(hasCode('ENOENT', 'ENOTDIR'), () => files.lstatSync(this.root, { bigint: true }));
    if (stats?.dev !== this.#device || stats.ino !== this.#inode) throw workTreeMissing(this.root);
  }

  /** Closes every descriptor. The object cannot be used afterwards. */
  close(): void {
    this.forget(rootPath);
    if (this.#rootFd !== undefined) files.closeSync(this.#rootFd);
  }

  #directory(path: TreePath): number {
    if (path === rootPath) return this.#rootFd ?? -1;
    const kept = this.#open.get(path);
    if (kept !== undefined) {
      this.#open.delete(path);
      this.#open.set(path, kept);
      return kept;
    }
    // Starts from the nearest open directory. Uses no recursion, because paths may have thousands of parts.
    let above = parentOf(path);
    while (above !== rootPath && !this.#open.has(above)) above = parentOf(above);
    let fd = above === rootPath ? (this.#rootFd ?? -1) : this.#directory(above);
    for (const name of path.slice(above === rootPath ? 0 : above.length + 1).split('/')) {
      fd = files.openSync(this.#below(fd, name), openDirectory);
      above = join(above, name);
      this.#keep(above, fd);
    }
    return fd;
  }

  #keep(path: TreePath, fd: number): void {
    this.#open.set(path, fd);
    if (this.#open.size <= openDirectoriesMax) return;
    for (const [oldest, oldFd] of this.#open) {
      this.#open.delete(oldest);
      files.closeSync(oldFd);
      return;
    }
  }

  #below(fd: number, name: string): Buffer {
    return Buffer.from(`/proc/self/fd/${fd}/${name}`, 'latin1');
  }

  #checkedPath(path: TreePath): Buffer {
    const full = (part: TreePath): Buffer => Buffer.concat([Buffer.from(`${this.root}/`), bytesOf(part)]);
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      const directory = path.slice(0, end) as TreePath;
      if (!files.lstatSync(full(directory)).isDirectory()) throw new NotADirectoryThere('not a directory');
    }
    return full(path);
  }
}

function workTreeMissing(root: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError(
    'WorkTreeMissing',
    'The work tree is gone, or another directory has replaced it. Open a session at the present path of the work tree.',
    { details: { workspace: root }, cause },
  );
}
