// The work tree is the directory of which the daemon makes checkpoints. The daemon opens the work tree once, by its
// canonical path and its identity. One function opens any directory in the work tree, even if the directory's path is
// longer than PATH_MAX. This module reads no files and does not decide which files are captured.
import { Buffer } from 'node:buffer';
import { homedir } from 'node:os';
import { basename, dirname, join, parse } from 'node:path';
import { attempt, attemptOr, hasCode, isOfSystem } from '../base/attempt.ts';
import { type DirectoryIdentity, directoryAt, isSameDirectory } from '../base/directory-identity.ts';
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { identityOf, type Stamp } from '../base/file-stamp.ts';
import { constants, files, openPath } from '../base/files.ts';
import { bytesOf, fromText, type TreePath, toText } from '../tree/tree-path.ts';
import { mountAt, readMounts, shownWithin } from './mounts.ts';

export interface WorkTree {
  /** The canonical absolute path, with every link resolved. */
  readonly root: string;
  /** `dev:ino` of the root, read when the work tree was opened. */
  readonly identity: string;
  /** The identity of the root. {@link requireWorkTree} compares the identity of the current root with this identity. */
  readonly rootIdentity?: RootIdentity;
  /** If the work tree is a protected directory that the client allowed: the name of this protected directory. */
  readonly protectedPlace?: string | undefined;
}

interface OpenWorkTreeOptions {
  readonly allowProtected?: boolean;
  /** The user's home directory, for tests. */
  readonly home?: string;
}

/**
 * Opens the work tree at an absolute path.
 * @throws WorkTreeMissing, NotADirectory, WorkTreeUnreadable, ProtectedWorkTree. The check for protected directories
 * uses the canonical path, so links, `..`, letter case and trailing slashes cannot hide a protected directory.
 */
export function openWorkTree(path: string, options: OpenWorkTreeOptions = {}): WorkTree {
  const root = canonical(path);
  const identity = requireRoot(root);
  const place = protectedPlace(root, options.home);
  if (place !== undefined && !options.allowProtected) {
    throw new CheckpointdError(
      'ProtectedWorkTree',
      `${root} is ${place}. checkpointd needs your permission for this place, so that no session starts there by accident. Open a project directory, or pass allowProtected.`,
      { details: { path: root, place } },
    );
  }
  if (/(^|[\\/])\.git([\\/]|$)/i.test(root)) {
    throw new CheckpointdError(
      'ProtectedWorkTree',
      `${root} is inside a git directory, whose contents belong to git. Open the work tree that has this git directory.`,
      { details: { path: root, place: '.git' } },
    );
  }
  if (isBareRepository(root)) {
    throw new CheckpointdError(
      'ProtectedWorkTree',
      `${root} is itself a git directory, whose contents belong to git: a restore would remove its commits. Make a work tree with "git worktree add", and open that work tree.`,
      { details: { path: root, place: 'a git directory' } },
    );
  }
  return { root, identity, rootIdentity: rootIdentityAt(root), protectedPlace: place };
}

/**
 * True for a directory that git recognises as a bare repository. Such a directory cannot be a work tree, unless it has
 * its own `.git`. A directory below a bare repository may be a work tree.
 */
function isBareRepository(root: string): boolean {
  const exists = (name: string): boolean => files.existsSync(join(root, name));
  return ['HEAD', 'objects', 'refs'].every(exists) && !exists('.git');
}

/**
 * Returns `dev:ino` of the directory that is at a canonical path now.
 * @throws WorkTreeMissing, NotADirectory (also for a link that replaced the directory), WorkTreeUnreadable.
 */
export function requireRoot(root: string): string {
  try {
    const stats = files.lstatSync(root, { bigint: true });
    if (!stats.isDirectory()) {
      throw new CheckpointdError(
        'NotADirectory',
        `${root} is not a directory. Give the project's directory.`,
        {
          details: { path: root },
        },
      );
    }
    mustBeReadable(root);
    return identityOf(stats);
  } catch (error) {
    throw workTreeError(root, error);
  }
}

/**
 * Checks that the work tree is still at its path. A new directory at this path also counts as the work tree.
 * @throws the errors of {@link requireRoot}; WorkTreeMissing when another file system is mounted there.
 */
export function requireWorkTree({ root, rootIdentity }: WorkTree): void {
  requireRoot(root);
  try {
    if (rootIdentity !== undefined) refuseOtherMount(root, rootIdentity);
  } catch (error) {
    throw workTreeError(root, error);
  }
}

/**
 * Tries to read the directory instead of calling `access`. `access` checks the rights of the real user, but later calls
 * use the rights of the effective user.
 */
function mustBeReadable(root: string): void {
  if (process.platform === 'win32') return files.accessSync(root, constants.R_OK);
  files.closeSync(files.openSync(root, constants.O_RDONLY | constants.O_DIRECTORY));
  files.lstatSync(`${root}/.`);
  return undefined;
}

/**
 * Turns a failed system call on the root into an error with a remedy for the client. Returns other errors unchanged.
 */
export function workTreeError(root: string, error: unknown): unknown {
  const code = systemCode(error);
  const facts = { details: { path: root, code }, cause: error };
  if (code === 'ENOENT') {
    return new CheckpointdError(
      'WorkTreeMissing',
      `The work tree ${root} does not exist. Create it, or open another work tree.`,
      facts,
    );
  }
  if (code === 'ENOTDIR') {
    return new CheckpointdError(
      'NotADirectory',
      `${root} is not a directory. Give the project's directory.`,
      facts,
    );
  }
  if (
    code === 'EACCES' ||
    code === 'EPERM' ||
    code === 'EIO' ||
    code === 'ELOOP' ||
    code === 'ENAMETOOLONG'
  ) {
    return new CheckpointdError(
      'WorkTreeUnreadable',
      `The work tree ${root} cannot be read (${code}). Check its permissions.`,
      facts,
    );
  }
  return error;
}

function canonical(path: string): string {
  if (path.includes('\0')) {
    throw new CheckpointdError('WorkTreeMissing', 'A path cannot contain a NUL character.');
  }
  let bytes: Buffer;
  try {
    bytes = files.realpathSync(path, { encoding: 'buffer' });
  } catch (error) {
    throw workTreeError(path, error);
  }
  const root = bytes.toString('utf8');
  if (!Buffer.from(root, 'utf8').equals(bytes)) {
    throw new CheckpointdError(
      'WorkTreeUnreadable',
      `The canonical path of ${path} is not UTF-8. Rename the directories above the work tree.`,
    );
  }
  return root;
}

/**
 * Refuses a storage directory inside the work tree, because captures would capture the storage.
 * @throws StorageInsideWorkTree
 */
export function refuseStorageInside(tree: WorkTree, storageDirectory: string): void {
  const within = storageWithin(tree, storageDirectory);
  if (within === undefined) return;
  const place = within === '' ? '' : ` as ${toText(within)}`;
  throw new CheckpointdError(
    'StorageInsideWorkTree',
    `The storage directory ${storageDirectory} lies inside the work tree ${tree.root}${place}. Choose a storage directory outside the work tree.`,
    { details: { storageDirectory, workTree: tree.root } },
  );
}

/**
 * Returns the path of a storage directory (existing or not) relative to the work tree, or undefined when the directory
 * is outside.
 *
 * Compares the identity of each directory above the storage with the work tree, so that links and letter case cannot
 * hide the work tree. On Linux also detects bind mounts.
 */
export function storageWithin(tree: WorkTree, storageDirectory: string): TreePath | undefined {
  const missing: string[] = [];
  const real = existingPart(storageDirectory, missing);
  const identity = identityOf(files.statSync(real, { bigint: true }));
  const shown = shownWithin(readMounts(), real, tree.root).filter((path) => isAt(path, identity));
  for (const path of [real, ...shown]) {
    const below = namesBelow(tree, path);
    if (below !== undefined) return fromText([...below, ...missing].join('/'));
  }
  return undefined;
}

/**
 * Returns the names that lead from the work tree's root to a path, or undefined when no directory above the path is the
 * root.
 */
function namesBelow(tree: WorkTree, path: string): string[] | undefined {
  const names: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    if (identityOf(files.statSync(at, { bigint: true })) === tree.identity) return names;
    if (dirname(at) === at) return undefined;
    names.unshift(basename(at));
  }
}

/** True when the path leads to the directory with this identity. */
function isAt(path: string, identity: string): boolean {
  return attemptOr(false, isOfSystem, () => identityOf(files.statSync(path, { bigint: true })) === identity);
}

/**
 * Returns the canonical path of the nearest existing directory at or above the path. The rest of the path is missing:
 * adds its names to `below`.
 */
function existingPart(path: string, below: string[]): string {
  let rest = path;
  for (;;) {
    try {
      return files.realpathSync(rest);
    } catch (error) {
      const parent = dirname(rest);
      if (systemCode(error) !== 'ENOENT' || parent === rest) throw error;
      below.unshift(basename(rest));
      rest = parent;
    }
  }
}

/** PATH_MAX is 4,096 bytes with the final NUL. A name in the directory needs at most 255 bytes more, and a slash. */
const reachMax = 4096 - 1 - 256;

/** A directory, at any depth, that system calls can reach by `prefix`. */
export interface ReachedPath {
  /** The bytes of a path to the directory, as latin1, without a final slash. */
  readonly prefix: string;
  release(): void;
  /** True when the opened file has this name in the directory. False when a directory on the path was replaced. */
  isAt?(fd: number, name: string): boolean;
}

/**
 * An open {@link ReachedPath}. Even if another directory is put at the path, names are looked up in the opened
 * directory.
 */
export interface OpenedPath extends ReachedPath {
  /** Absent on systems without descriptors for directories. */
  readonly fd?: number;
  /** The path under which the directory was opened: the prefix of the {@link ReachedPath}. */
  readonly openedAt: string;
}

/** The error when another directory has replaced the opened directory at its path. */
export class Exchanged extends Error {}

const followsDescriptors = process.platform === 'linux' && files.existsSync('/proc/self/fd');

/**
 * Opens a directory, so that names are looked up only in this directory. The directory must have the given `stamp`.
 * @throws Exchanged when the directory or a directory above it was replaced; the system's errors
 */
export function openReached(reached: ReachedPath, stamp?: Stamp): OpenedPath {
  const { prefix } = reached;
  if (!followsDescriptors) return { prefix, release: () => undefined, openedAt: prefix };
  const fd = openPath(inside(reached, ''));
  const release = (): void => files.closeSync(fd);
  try {
    const stats = files.fstatSync(fd, { bigint: true });
    const isExpected =
      stamp === undefined || (Number(stats.ino) === stamp.ino && Number(stats.dev) === stamp.dev);
    if (!isExpected || reached.isAt?.(fd, '') === false) throw new Exchanged(prefix);
    return { prefix: `/proc/self/fd/${fd}`, release, fd, openedAt: prefix };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * True when an open file or directory is at a path (bytes as latin1), and no part of the path is a link. Also true when
 * the system cannot check this: for a path longer than PATH_MAX, and on systems other than Linux. Also true for a file
 * that was removed meanwhile.
 */
function liesAt(fd: number, path: string): boolean {
  if (!followsDescriptors) return true;
  const real = attempt(hasCode('ENAMETOOLONG', 'ENOENT'), () =>
    files.readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'latin1' }),
  );
  if (real === undefined || real === path) return true;
  // Ignores letter case. A file system that ignores case reports the spelling under which the file was looked up first.
  const text = real.toLowerCase();
  const meant = path.toLowerCase();
  return text === meant || text === `${meant} (deleted)`;
}

/**
 * True when the system reports the expected path for the opened root. The system reports a different path when another
 * file system is mounted over the root.
 */
function reportsPaths(tree: WorkTree): boolean {
  if (!followsDescriptors) return false;
  if (placed.has(tree)) return true;
  const root = rootBytes(tree) || '/';
  const fd = openPath(Buffer.from(root, 'latin1'));
  try {
    const isSo = liesAt(fd, root);
    if (isSo) placed.add(tree);
    return isSo;
  } finally {
    files.closeSync(fd);
  }
}

const placed = new WeakSet<WorkTree>();

/**
 * Returns a path by which system calls reach a directory of the work tree and the names in it. On Linux, a path longer
 * than PATH_MAX is opened in several steps through `/proc/self/fd`. On other systems this function passes the long path
 * unchanged. The system then answers ENAMETOOLONG, and the caller reports this error.
 */
export function reachPath(tree: WorkTree, directory: TreePath): ReachedPath {
  const root = rootBytes(tree);
  const full = directory === '' ? root : `${root}/${directory}`;
  if (full.length <= reachMax || process.platform !== 'linux') return new ShortPath(full, tree, directory);
  let prefix = root;
  let fd = -1;
  let rest: string = directory;
  while (rest.length + prefix.length + 1 > reachMax) {
    const cut = rest.lastIndexOf('/', reachMax - prefix.length - 1);
    if (cut <= 0) break;
    const next = files.openSync(
      bytesOf(`${prefix}/${rest.slice(0, cut)}` as TreePath),
      constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
    );
    if (fd >= 0) files.closeSync(fd);
    fd = next;
    prefix = `/proc/self/fd/${fd}`;
    rest = rest.slice(cut + 1);
  }
  const lastFd = fd;
  return { prefix: `${prefix}/${rest}`, release: () => lastFd >= 0 && files.closeSync(lastFd) };
}

/** A path that needs no descriptor. A class, because a scan makes one object for each directory. */
class ShortPath implements ReachedPath {
  readonly prefix: string;
  readonly #tree: WorkTree;
  readonly #directory: TreePath;

  constructor(prefix: string, tree: WorkTree, directory: TreePath) {
    this.prefix = prefix;
    this.#tree = tree;
    this.#directory = directory;
  }

  release(): void {
    // Nothing is open.
  }

  isAt(fd: number, name: string): boolean {
    if (this.#directory === '' || !reportsPaths(this.#tree)) return true;
    return liesAt(fd, pathInside(this, name));
  }
}

const roots = new WeakMap<WorkTree, string>();

function rootBytes(tree: WorkTree): string {
  let root = roots.get(tree);
  if (root === undefined) {
    root = Buffer.from(tree.root, 'utf8').toString('latin1').replace(/\/$/, '');
    roots.set(tree, root);
  }
  return root;
}

/** Returns the path of a name in a reached directory as bytes; '' is the directory itself. */
export function inside(reached: ReachedPath, name: string): Buffer {
  return Buffer.from(pathInside(reached, name), 'latin1');
}

/** Returns the bytes of the path as latin1. */
function pathInside({ prefix }: ReachedPath, name: string): string {
  return name === '' ? prefix || '/' : `${prefix}/${name}`;
}

const beyondAscii = /[\u0080-\u00ff]/;

/**
 * Returns the path of a name, for loops over very many names. If the name is the same as text and as bytes, returns
 * text, which saves a copy for each name.
 */
export function insideQuickly(reached: ReachedPath, name: string): string | Buffer {
  const path = pathInside(reached, name);
  return beyondAscii.test(path) ? Buffer.from(path, 'latin1') : path;
}

// Checks that the directory at a work tree's root is the opened directory. If the user has made the directory again at
// the same path, the new directory counts as the work tree, too. The check fails when another file system is mounted at
// the root, or when a mount has disappeared and left its empty directory. The daemon must not write to such a
// directory, because it does not contain the user's files.

interface RootIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  readonly birthNs: bigint;
  readonly directory: DirectoryIdentity | undefined;
  /** The mount whose mount point is the root itself. */
  readonly mount: string | undefined;
}

function rootIdentityAt(root: string): RootIdentity {
  const { dev: device, ino: inode, birthtimeNs: birthNs } = files.lstatSync(root, { bigint: true });
  return { device, inode, birthNs, directory: directoryAt(root), mount: mountAt(readMounts(), root) };
}

/**
 * Checks the mount at the root.
 * @throws WorkTreeMissing when another file system is mounted at the root now, or when the mount has disappeared
 */
function refuseOtherMount(root: string, then: RootIdentity): void {
  const { dev, ino, birthtimeNs } = files.lstatSync(root, { bigint: true });
  if (dev === then.device && ino === then.inode && birthtimeNs === then.birthNs) return;
  const now = rootIdentityAt(root);
  // A network file system that was mounted again has a different device number, but the same directories.
  if (isBornAs(then.directory, now.directory)) return;
  const isInPlace = now.device === then.device && now.mount === then.mount;
  // A user cannot delete and recreate the root of a mount. So a new inode under the same device number means a
  // different file system.
  if (isInPlace && (now.mount === undefined || isSame(then.directory, now.directory))) return;
  throw new CheckpointdError(
    'WorkTreeMissing',
    `The file system at ${root} was unmounted or replaced after this session was opened. Nothing was read or written. Mount the earlier file system again. To use the present file system, close the session and open it again.`,
    { details: { path: root } },
  );
}

function isBornAs(then: DirectoryIdentity | undefined, now: DirectoryIdentity | undefined): boolean {
  return then?.birth !== '0' && then?.birth === now?.birth && isSame(then, now);
}

function isSame(then: DirectoryIdentity | undefined, now: DirectoryIdentity | undefined): boolean {
  return then !== undefined && now !== undefined && isSameDirectory(then, now);
}

// Decides whether a directory is protected. Hardly any user wants a checkpoint of a protected directory. For example, a
// checkpoint of a home directory can take hundreds of gigabytes. Compares paths and identities.

/**
 * Returns the name of the protected directory at a canonical path, or undefined when the directory is not protected.
 */
export function protectedPlace(canonical: string, home: string = homedir()): string | undefined {
  if (parse(canonical).root === canonical) return 'the root of a drive';
  for (const [place, name] of placesOf(home)) {
    if (isSamePlace(canonical, place)) return name;
  }
  return undefined;
}

function placesOf(home: string): [path: string, name: string][] {
  if (home === '') return [];
  return [
    [home, 'the home directory'],
    ...['Desktop', 'Documents', 'Downloads'].map((name): [string, string] => [join(home, name), `~/${name}`]),
  ];
}

/**
 * True when both paths lead to the same directory. Compares identities if both exist, so links, letter case and
 * trailing slashes do not matter.
 */
function isSamePlace(canonical: string, place: string): boolean {
  const there = identityAt(place);
  if (there !== undefined) return there === identityAt(canonical);
  const fold = process.platform === 'darwin' || process.platform === 'win32';
  return fold ? canonical.toLowerCase() === place.toLowerCase() : canonical === place;
}

function identityAt(path: string): string | undefined {
  // The path is missing or unreadable, so it does not lead to the opened directory.
  return attempt(isOfSystem, () => identityOf(files.statSync(path, { bigint: true })));
}
