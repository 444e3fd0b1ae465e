// One directory as it stands: names, kinds and stamps, in one look. It decides nothing beyond what no capture ever
// takes (git's own directories, our storage, names of temporary files of a restore) and follows no link.
import { type Stamp, stampOf } from '../base/file-stamp.ts';
import { files, filesAsync, lstatOpened, readOpenDirectory, readOpenDirectoryAsync } from '../base/files.ts';
import type { BlobId } from '../base/ids.ts';
import type { Slices } from '../base/slices.ts';
import { isRestoreTemporary } from '../tree/globs.ts';
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
import { extendChain, type IgnoreScope, type PathTree, type RuleChain } from './ignore/ignore-rules.ts';
import { type FileClock, isSettled, stampGrainMs } from './settled.ts';

/** Why something that stands there cannot be taken as a file. */
export type WalkProblem =
  | 'unreadable'
  | 'nameTooLong'
  | 'socket'
  | 'fifo'
  | 'device'
  | 'nestedGitDirectory'
  | 'temporaryName';

/** What stands under one name. Filled in while its scan runs; then shared by later scans and never changed. */
export interface WalkedEntry {
  readonly kind: 'file' | 'link' | 'directory' | WalkProblem;
  /** As it was listed, or as it was when its content was read. */
  stamp: Stamp | undefined;
  /** The verdict of the ignore rules; undefined until asked, and where git gave no answer. */
  ignored: boolean | undefined;
  /** Whether the capture takes it (a directory: looks into it; a problem: reports it). */
  taken: boolean;
  /** The content that was read under `stamp`. */
  blob: BlobId | undefined;
  /** Whether an equal stamp in a later scan proves an equal content. */
  settled: boolean;
  /** When this stamp was first seen: seconds of a clock that never jumps; 0 until its content was read. */
  seenAt: number;
  /** Of a file whose group may do more than others: whether that may be the mask of an access list; see permissions.ts. */
  isListed?: boolean;
  /** How many names a file has, where there are several. */
  readonly links?: number;
  /** Why its content could not be had; set by whoever reads it. */
  unread?: ReadProblem;
}

/** Why the content of a listed file was not taken. `undecided`: git did not say whether a rule ignores the path; `elsewhere`: it was reached through another directory. */
export type ReadProblem = 'unreadable' | 'nameTooLong' | 'tooLarge' | 'unstable' | 'elsewhere' | 'undecided';

/** A part of a snapshot that an earlier capture made. */
export interface KeptDirectory {
  readonly entries: ReadonlyMap<string, KeptDirectory | { readonly blob: BlobId }>;
}

/**
 * Why names in a directory are taken: `rules` ask the ignore rules; `ignored` only what is tracked, kept or
 * included; `included` and `alsoIncluded` everything, by the caller's globs or because a restore would displace it;
 * `git` only what is tracked, in a git directory.
 */
export type TakeMode = 'rules' | 'ignored' | 'included' | 'alsoIncluded' | 'git';

/** What a directory inherits from the way down to it. */
export interface Inherited {
  readonly path: TreePath;
  readonly mode: TakeMode;
  readonly scope: IgnoreScope;
  readonly chain: RuleChain;
  /** The same directory in the previous snapshot. */
  readonly kept: KeptDirectory | undefined;
  /** What must be captured here whatever the rules say; `true` is a file or a whole directory. */
  readonly alsoInclude: PathTree | undefined;
}

/** A sub-directory. Its path is kept over scans, because to join and hash it anew is a good part of a look at it. */
export interface Subdirectory {
  readonly name: string;
  readonly path: TreePath;
}

export interface WalkedDirectory {
  readonly path: TreePath;
  readonly inherited: Inherited;
  /** Seen before the names were read. */
  readonly stamp: Stamp;
  /** The rules that hold for the names in it, its own `.gitignore` included. */
  readonly scope: IgnoreScope;
  readonly chain: RuleChain;
  readonly entries: Map<string, WalkedEntry>;
  /** Whether an equal stamp in a later scan proves that the names are the same, where directories keep times. */
  readonly isSettled: boolean;
  /** A `.git` stands in it (the root's aside), which a later scan has to look at again. */
  readonly hasGit: boolean;
  /** Nothing in it, sub-directories aside, differs from an earlier scan and from `inherited.kept` (see unchanged-listing.ts). */
  readonly isUnchanged: boolean;
  /** The sub-directories that are taken; set once they are judged. */
  below: readonly Subdirectory[];
  /** As {@link WalkedEntry.isListed}, of the directory itself. */
  isListed?: boolean;
  /** What the finished scan made of it, which a later one gets as `inherited.kept`; set by whoever builds the tree. */
  made?: KeptDirectory | undefined;
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
  /** Whether a `.git` file or a `commondir` is known to point to this directory. */
  isPointedTo(directory: TreePath): boolean;
  /** The same directory in an earlier scan, whose verdicts and contents may still hold. */
  before(path: TreePath): WalkedDirectory | undefined;
  /** Storage of ours inside the work tree, never looked into. */
  readonly leftOut: ReadonlySet<string>;
  /** The clock that stamps the files, as it was when the scan began. */
  readonly clock: FileClock;
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
    const before = options.before(path);
    const verdictsHold =
      before?.chain.key === chain.key &&
      before.inherited.mode === inherited.mode &&
      before.gitDirectory === undefined;
    for (const name of names) {
      if (options.slices.isDue()) await options.slices.pause();
      if (options.leftOut.has(join(path, name))) continue;
      const entry = lookAt(name, inherited.mode, opened);
      if (entry === undefined) continue;
      const old = before?.entries.get(name);
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

/** A storage with sessions on other work trees is theirs. Its marker decides: others name their sessions as we do. */
function storageBy(path: TreePath, entries: ReadonlyMap<string, WalkedEntry>, reached: ReachedPath) {
  for (const [name, { kind }] of path === rootPath ? [] : entries) {
    if (kind !== 'directory' || !/^ses_[0-9a-z]{26}$/.test(name)) continue;
    const marker = insideQuickly(reached, `${name}/checkpointd/session.json`);
    if (files.lstatSync(marker, { throwIfNoEntry: false })?.isFile() === true) return 'content' as const;
  }
  return undefined;
}

/** What a directory looks like now; undefined when it is gone or cannot be reached. */
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

/** One name; undefined for what is silently left out (git's own directories) and for what has just vanished. */
function lookAt(name: string, mode: TakeMode, opened: OpenedPath): WalkedEntry | undefined {
  if (isGitName(name)) {
    // In a directory that must be saved whole, an unsaved `.git` has to be said: a restore must not displace it. A
    // `git~1` or a `.GIT` is said everywhere, because it may be somebody's file and no tree can hold it.
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

function entryOf(kind: WalkedEntry['kind'], stamp: Stamp | undefined): WalkedEntry {
  return { kind, stamp, ignored: undefined, taken: false, blob: undefined, settled: false, seenAt: 0 };
}

function isDirectoryKind(entry: WalkedEntry): boolean {
  return entry.kind === 'directory';
}

/** Of a directory that could not even be looked at. */
const noStamp: Stamp = { mtimeNs: 0n, ctimeNs: 0n, size: -1, ino: -1, dev: -1, mode: 0 };
