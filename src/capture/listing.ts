// One directory of the work tree: its names, kinds and stamps in one look, or the listing of an earlier scan where that
// is proven to hold still. A listing decides nothing beyond what no capture ever takes (git's own directories, the
// daemon's storage, names of temporary files of a restore) and follows no link.
import type { Lookup } from '../base/changed-map.ts';
import { systemCode } from '../base/errors.ts';
import { isStampOf, type Stamp, stampOf } from '../base/file-stamp.ts';
import {
  type BigIntStats,
  files,
  filesAsync,
  lstatOpened,
  readOpenDirectory,
  readOpenDirectoryAsync,
} from '../base/files.ts';
import type { BlobId } from '../base/ids.ts';
import type { Slices } from '../base/slices.ts';
import { isRestoreTemporary } from '../tree/globs.ts';
import type { Directory } from '../tree/tree.ts';
import { isGitName, join, rootPath, type TreePath } from '../tree/tree-path.ts';
import { problemOf } from '../work-tree/stable-read.ts';
import {
  Exchanged,
  inside,
  insideQuickly,
  type OpenedPath,
  openReached,
  type ReachedPath,
  reachPath,
  type WorkTree,
  workTreeError,
} from '../work-tree/work-tree.ts';
import { extendChain, type IgnoreScope, type PathTree, type RuleChain } from './ignore-rules.ts';
import { type FileClock, isSettled, stampGrainMs } from './settled.ts';

/** Why what lies under a name cannot be taken as a file. */
export type WalkProblem =
  | 'unreadable'
  | 'nameTooLong'
  | 'socket'
  | 'fifo'
  | 'device'
  | 'nestedGitDirectory'
  | 'temporaryName';

/** The entry of one name. Its scan fills it in; later scans share it and never change it. */
export interface WalkedEntry {
  readonly kind: 'file' | 'link' | 'directory' | WalkProblem;
  /** The stamp when the name was listed, or when its content was read. */
  stamp: Stamp | undefined;
  /** The verdict of the ignore rules; undefined until asked, and where git gave no answer. */
  ignored: boolean | undefined;
  /** True when the capture takes it (a directory: looks into it; a problem: reports it). */
  taken: boolean;
  /** The content that was read under `stamp`. */
  blob: BlobId | undefined;
  /** True when an equal stamp in a later scan proves an equal content. */
  settled: boolean;
  /** When this stamp was first seen: seconds of a clock that never jumps; 0 until its content was read. */
  seenAt: number;
  /**
   * True when the group's permissions may be the mask of an access list; asked only where they exceed those
   * of others.
   */
  isListed?: boolean;
  /** The number of names of a file that has several. */
  readonly links?: number;
  /** The reason why its content was not taken. */
  unread?: ReadProblem;
}

/**
 * Why the content of a listed file was not taken. `undecided`: git did not say whether a rule ignores the path;
 * `elsewhere`: it was reached through another directory.
 */
export type ReadProblem = 'unreadable' | 'nameTooLong' | 'tooLarge' | 'unstable' | 'elsewhere' | 'undecided';

/**
 * Why names in a directory are taken: `rules` ask the ignore rules; `ignored` only what is tracked, included
 * or in the previous snapshot; `included` and `alsoIncluded` everything, by the caller's globs or because a
 * restore would displace it; `git` only what is tracked, in a git directory.
 */
export type TakeMode = 'rules' | 'ignored' | 'included' | 'alsoIncluded' | 'git';

/** The facts that a directory inherits from the directories above it. */
export interface Inherited {
  readonly path: TreePath;
  readonly mode: TakeMode;
  readonly scope: IgnoreScope;
  readonly chain: RuleChain;
  /** The directory in the snapshot that the capture builds on. */
  readonly previous: Directory | undefined;
  /** Paths to capture even if a rule ignores them; `true` is a file or a whole directory. */
  readonly alsoInclude: PathTree | undefined;
}

/** A sub-directory. Later scans reuse its path, since joining and hashing it again is a good part of a look at it. */
export interface Subdirectory {
  readonly name: string;
  readonly path: TreePath;
}

export interface WalkedDirectory {
  readonly path: TreePath;
  readonly inherited: Inherited;
  /** The stamp before the names were read. */
  readonly stamp: Stamp;
  /** The rules that hold for the names in it, its own `.gitignore` included. */
  readonly scope: IgnoreScope;
  readonly chain: RuleChain;
  readonly entries: Map<string, WalkedEntry>;
  /** True when an equal stamp in a later scan proves that the names are the same, where directories keep times. */
  readonly isSettled: boolean;
  /** True when it holds a `.git` (the root's aside), which a later scan has to look at again. */
  readonly hasGit: boolean;
  /** True when nothing in it, sub-directories aside, differs from an earlier scan and from `inherited.previous`. */
  readonly isUnchanged: boolean;
  /** The sub-directories that are taken; set once they are judged. */
  below: readonly Subdirectory[];
  /** {@link WalkedEntry.isListed} for the directory itself. */
  isListed?: boolean;
  /** The directory of the tree that the finished scan built; a later scan may get it as `inherited.previous`. */
  made?: Directory | undefined;
  /**
   * A git directory under another name than `.git`: by what is in it, or because a `.git` file or `commondir` points
   * to it. No capture takes what is in one, but for what an enclosing repository tracks there (fixtures).
   */
  readonly gitDirectory?: 'content' | 'pointer' | undefined;
  /** Why it could not be listed; then it has no entries and what it holds is unknown. */
  readonly failure?: 'unreadable' | 'nameTooLong' | 'unstable';
}

export interface ListingOptions {
  readonly tree: WorkTree;
  /** Enters the repository whose `.git` stands in this directory, if it is one. */
  enterRepository(directory: TreePath): Promise<{ scope: IgnoreScope; chain: RuleChain } | undefined>;
  /** True when a `.git` file or a `commondir` is known to point to this directory. */
  isPointedTo(directory: TreePath): boolean;
  /** Listings of an earlier scan, whose verdicts and contents may still hold. */
  readonly earlier: Pick<Listings, 'get'>;
  /** Storage of the daemon inside the work tree, never looked into. */
  readonly leftOut: ReadonlySet<string>;
  /** The clock that stamps the files, as it was when the scan began. */
  readonly clock: FileClock;
  /** True when files in a directory are looked at; else its own times, and so its names, are enough. */
  looksAtFiles(directory: TreePath): boolean;
  /** True for a path at which the watch proves that nothing has changed since the earlier scan. */
  readonly isUnwritten?: (path: TreePath) => boolean;
  /** One directory may hold a hundred thousand names. */
  readonly slices: Slices;
}

const fresh = { isUnchanged: false, below: [] };

/** A directory whose own size says that listing it takes tens of milliseconds is listed off the event loop. */
const hugeDirectoryBytes = 1 << 20;

/**
 * Lists one directory; undefined when it is none any more.
 *
 * @throws WorkTreeMissing, NotADirectory, WorkTreeUnreadable when the root itself fails; other errors (EMFILE,
 * ENOMEM) as they are, because they say nothing about the directory.
 */
export async function listDirectory(
  inherited: Inherited,
  options: ListingOptions,
): Promise<WalkedDirectory | undefined> {
  const { path } = inherited;
  let { scope, chain } = inherited;
  let stamp: Stamp | undefined;
  let reached: ReachedPath | undefined;
  let opened: OpenedPath | undefined;
  try {
    reached = reachPath(options.tree, path);
    stamp = look(inside(reached, ''));
    opened = openReached(reached, stamp);
    const names = await readNames(opened, inside(reached, ''), stamp.size);
    if (path !== rootPath && inherited.mode === 'rules' && names.includes('.git')) {
      const entered = await options.enterRepository(path);
      if (entered !== undefined) ({ scope, chain } = entered);
    }
    if (names.includes('.gitignore')) chain = extendChain(chain, path, opened);
    const entries = new Map<string, WalkedEntry>();
    const facts = {
      isSettled: isSettled(stamp, options.clock, stampGrainMs),
      hasGit: path !== rootPath && names.includes('.git'),
    };
    const earlier = options.earlier.get(path);
    const verdictsHold =
      earlier?.chain.key === chain.key &&
      earlier.inherited.mode === inherited.mode &&
      earlier.gitDirectory === undefined;
    for (const name of names) {
      if (options.slices.isDue()) await options.slices.pause();
      if (options.leftOut.has(join(path, name))) continue;
      const old = earlier?.entries.get(name);
      const entry =
        old !== undefined && holdsUnseen(old, join(path, name), options)
          ? entryOf(old.kind, old.stamp)
          : lookAt(name, inherited.mode, opened);
      if (entry === undefined) continue;
      if (old !== undefined && verdictsHold && isDirectoryKind(old) === isDirectoryKind(entry)) {
        entry.ignored = old.ignored;
      }
      entries.set(name, entry);
    }
    const gitDirectory = gitDirectoryBy(path, entries, options) ?? storageBy(path, entries, opened);
    return { path, inherited, stamp, scope, chain, entries, gitDirectory, ...facts, ...fresh };
  } catch (error) {
    const isExchanged = error instanceof Exchanged;
    if (path === rootPath && !isExchanged) throw workTreeError(options.tree.root, error);
    const failure = isExchanged ? 'unstable' : problemOf(error);
    if (failure === 'gone') return undefined;
    if (isExchanged) stamp = undefined; // it is listed again, whatever is seen of it
    const facts = { isSettled: false, hasGit: false, ...fresh };
    return { path, inherited, stamp: stamp ?? noStamp, scope, chain, entries: new Map(), ...facts, failure };
  } finally {
    opened?.release();
    reached?.release();
  }
}

/** The work tree itself was opened as such: one that looks like a git directory has a `.git` of its own. */
function gitDirectoryBy(
  path: TreePath,
  entries: ReadonlyMap<string, WalkedEntry>,
  options: ListingOptions,
): WalkedDirectory['gitDirectory'] {
  if (path === rootPath) return undefined;
  const kindOf = (name: string): WalkedEntry['kind'] | undefined => entries.get(name)?.kind;
  const hasHead = kindOf('HEAD') === 'file' || kindOf('HEAD') === 'link';
  if (hasHead && kindOf('objects') === 'directory' && kindOf('refs') === 'directory') return 'content';
  return options.isPointedTo(path) ? 'pointer' : undefined;
}

/** A storage of another daemon is not captured. Its marker decides, since other programs may name directories alike. */
function storageBy(path: TreePath, entries: ReadonlyMap<string, WalkedEntry>, reached: ReachedPath) {
  for (const [name, { kind }] of path === rootPath ? [] : entries) {
    if (kind !== 'directory' || !/^ses_[0-9a-z]{26}$/.test(name)) continue;
    const marker = insideQuickly(reached, `${name}/checkpointd/session.json`);
    if (files.lstatSync(marker, { throwIfNoEntry: false })?.isFile() === true) return 'content' as const;
  }
  return undefined;
}

/** Returns the present stamp of a directory; undefined when it is gone or cannot be reached. */
export function lookAgain(tree: WorkTree, path: TreePath): Stamp | undefined {
  let reached: ReachedPath | undefined;
  try {
    reached = reachPath(tree, path);
    return look(inside(reached, ''));
  } catch (error) {
    if (path === rootPath) throw workTreeError(tree.root, error);
    problemOf(error);
    return undefined;
  } finally {
    reached?.release();
  }
}

function look(path: Buffer): Stamp {
  const stats = files.lstatSync(path, { bigint: true });
  if (!stats.isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  return stampOf(stats);
}

function readNames({ fd }: OpenedPath, path: Buffer, size: number): Promise<string[]> | string[] {
  const isHuge = size >= hugeDirectoryBytes;
  if (fd !== undefined) return isHuge ? readOpenDirectoryAsync(fd, path) : readOpenDirectory(fd, path);
  return (isHuge ? filesAsync.readdir : files.readdirSync)(path, { encoding: 'latin1' });
}

/**
 * Looks at one name; undefined for what is silently left out (git's own directories) and for what has just
 * vanished.
 */
function lookAt(name: string, mode: TakeMode, opened: OpenedPath): WalkedEntry | undefined {
  if (isGitName(name)) {
    // In a directory that must be saved whole, an unsaved `.git` has to be said: a restore must not displace it. A
    // `git~1` or a `.GIT` is said everywhere, because it may be a user's file and no tree can hold it.
    const isSilent = mode !== 'alsoIncluded' && name === '.git';
    return isSilent ? undefined : entryOf('nestedGitDirectory', undefined);
  }
  if (isRestoreTemporary(name)) return entryOf('temporaryName', undefined);
  try {
    const stats = lstatOpened(insideQuickly(opened, name), opened.openedAt, name);
    const stamp = stampOf(stats);
    if (stats.isFile()) {
      const entry = entryOf('file', stamp);
      return stats.nlink > 1n ? { ...entry, links: Number(stats.nlink) } : entry;
    }
    if (stats.isDirectory()) return entryOf('directory', stamp);
    if (stats.isSymbolicLink()) return entryOf('link', stamp);
    return entryOf(stats.isSocket() ? 'socket' : stats.isFIFO() ? 'fifo' : 'device', stamp);
  } catch (error) {
    const problem = problemOf(error);
    return problem === 'gone' ? undefined : entryOf(problem, undefined);
  }
}

/** True when the earlier entry is proven to hold without a look. The watch reports a write under one name only. */
function holdsUnseen(
  { kind, stamp, links, unread, taken, blob }: WalkedEntry,
  path: TreePath,
  { isUnwritten }: ListingOptions,
): boolean {
  const isPlain = (kind === 'file' || kind === 'link') && links === undefined && stamp !== undefined;
  const isRead = unread === undefined && (blob !== undefined || !taken);
  return isPlain && isRead && isUnwritten?.(path) === true;
}

function entryOf(kind: WalkedEntry['kind'], stamp: Stamp | undefined): WalkedEntry {
  return { kind, stamp, ignored: undefined, taken: false, blob: undefined, settled: false, seenAt: 0 };
}

function isDirectoryKind(entry: WalkedEntry): boolean {
  return entry.kind === 'directory';
}

/** The stamp of a directory that could not even be looked at. */
const noStamp: Stamp = { mtimeNs: 0n, ctimeNs: 0n, size: -1, ino: -1, dev: -1, mode: 0 };

/** The listed directories of a work tree, by their paths. */
export type Listings = Lookup<TreePath, WalkedDirectory>;

/** True when a capture left this path out, itself or with a directory above it. */
export function isLeftOut(listings: Listings, path: TreePath): boolean {
  let directory = rootPath;
  for (const name of path.split('/')) {
    const entry = listings.get(directory)?.entries.get(name);
    if (entry === undefined) return false;
    if (!entry.taken) return true;
    directory = join(directory, name);
  }
  return false;
}

/** Returns the directories that a capture left out; those below them are not listed. */
export function leftOutDirectories(listings: Listings): TreePath[] {
  const found: TreePath[] = [];
  for (const [directory, { entries }] of listings) {
    for (const [name, { kind, taken }] of entries)
      if (kind === 'directory' && !taken) found.push(join(directory, name));
  }
  return found;
}

/**
 * Returns the listing of the earlier scan where it is proven to hold still, or undefined when the directory
 * has to be listed. It looks at the names one by one and makes nothing for each: most of a work tree is like
 * that at every capture but the first. The listing holds when the same rules hold, the names are the same,
 * every file that is taken has the settled stamp under which it was read, and the previous snapshot has the
 * very directory that the earlier scan made of it.
 */
export async function unchangedListing(
  inherited: Inherited,
  options: ListingOptions,
): Promise<WalkedDirectory | undefined> {
  const earlier = options.earlier.get(inherited.path);
  if (earlier === undefined || !isComparable(earlier, inherited)) return undefined;
  const isPointedTo = earlier.gitDirectory !== 'content' && options.isPointedTo(inherited.path);
  if ((earlier.gitDirectory === 'pointer') !== isPointedTo) return undefined;
  let reached: ReachedPath | undefined;
  try {
    reached = reachPath(options.tree, inherited.path);
    if (!isStampOf(earlier.stamp, statIn(reached, ''))) return undefined;
    const chain = earlier.entries.has('.gitignore')
      ? extendChain(inherited.chain, inherited.path, reached)
      : inherited.chain;
    if (chain.key !== earlier.chain.key) return undefined;
    const isSure = earlier.isSettled && keepsTimes(options.clock, earlier.stamp.dev);
    if (!isSure && !hasSameNames(earlier, reached, options)) return undefined;
    const looks = !isSure || options.looksAtFiles(inherited.path);
    for (const [name, entry] of earlier.entries) {
      if (options.slices.isDue()) await options.slices.pause();
      if (!isProven(entry, isSure)) return undefined;
      if (holdsUnseen(entry, join(inherited.path, name), options)) continue;
      if (looks && (!isSure || isFileTaken(entry)) && !isSame(entry, statIn(reached, name))) return undefined;
    }
    return {
      ...earlier,
      inherited,
      chain,
      isUnchanged: true,
      isSettled: isSure || isSettled(earlier.stamp, options.clock, stampGrainMs),
    };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined; // listing it meets the same again, or finds it gone, and knows what that means
  } finally {
    reached?.release();
  }
}

/** True when a directory's times on this device show every change of its names. */
function keepsTimes(clock: FileClock, device: number): boolean {
  return clock.isLocal && clock.device === device;
}

function isComparable(earlier: WalkedDirectory, inherited: Inherited): boolean {
  return (
    earlier.failure === undefined &&
    !earlier.hasGit &&
    earlier.inherited.mode === inherited.mode &&
    earlier.inherited.chain.key === inherited.chain.key &&
    earlier.scope === inherited.scope &&
    earlier.made === inherited.previous &&
    earlier.inherited.alsoInclude === undefined &&
    inherited.alsoInclude === undefined
  );
}

function statIn(reached: ReachedPath, name: string): BigIntStats {
  return files.lstatSync(insideQuickly(reached, name), exact);
}

const exact = { bigint: true } as const;

function hasSameNames(earlier: WalkedDirectory, reached: ReachedPath, { leftOut }: ListingOptions): boolean {
  let known = 0;
  for (const name of files.readdirSync(insideQuickly(reached, ''), { encoding: 'latin1' })) {
    if (earlier.entries.has(name)) known += 1;
    else if (earlier.path === rootPath && name === '.git') continue;
    else if (!leftOut.has(join(earlier.path, name))) return false;
  }
  return known === earlier.entries.size;
}

function isFileTaken(entry: WalkedEntry): boolean {
  return entry.taken && (entry.kind === 'file' || entry.kind === 'link');
}

/** True when an equal stamp proves an equal entry: never for what a capture has to report, or to try again. */
function isProven(entry: WalkedEntry, areNamesSure: boolean): boolean {
  if (entry.unread === 'undecided') return false;
  if (isFileTaken(entry)) return entry.settled && entry.blob !== undefined && entry.unread === undefined;
  if (entry.kind === 'directory') return true;
  return !entry.taken && (areNamesSure || entry.kind === 'file' || entry.kind === 'link');
}

/** True when the entry is the same; a sub-directory has a listing of its own, so only its identity counts. */
function isSame({ kind, stamp }: WalkedEntry, stats: BigIntStats): boolean {
  if (stamp === undefined) return false;
  if (kind !== 'directory') return isStampOf(stamp, stats);
  return stats.isDirectory() && Number(stats.ino) === stamp.ino && Number(stats.dev) === stamp.dev;
}
