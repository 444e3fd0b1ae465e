// Lists one directory of the work tree: its names, kinds and stamps. Reuses the listing of an earlier scan when that
// listing is certainly still valid. A listing omits only names that no capture ever takes (git's own directories, the
// daemon's storage, temporary files of a restore). Follows no link.
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
  type Stats,
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
import { areNamesSettled, type FileClock } from './settled.ts';

/** The reason why a name cannot be captured. */
type WalkProblem =
  | 'unreadable'
  | 'nameTooLong'
  | 'socket'
  | 'fifo'
  | 'device'
  | 'nestedGitDirectory'
  | 'temporaryName';

/**
 * One name in a directory. The scan that makes this entry also fills in all its fields. Later scans share the entry and
 * never change it.
 */
export interface WalkedEntry {
  readonly kind: 'file' | 'link' | 'directory' | WalkProblem;
  /** The stamp of the file when its name was listed, or, later, when its content was read. */
  stamp: Stamp | undefined;
  /** True when the ignore rules exclude the name. Undefined until git answers, or if git gives no answer. */
  ignored: boolean | undefined;
  /** True when the capture takes the file, enters the directory, or reports the problem. */
  taken: boolean;
  /** The content that was read while the file had `stamp`. */
  blob: BlobId | undefined;
  /** True when an equal stamp in a later scan proves an equal content. */
  settled: boolean;
  /** The time when a scan first saw this stamp, in seconds of a monotonic clock; 0 until the content is read. */
  seenAt: number;
  /**
   * True when the group's permissions may be the mask of an access list. Set only if the group has rights that other
   * users do not have.
   */
  isListed?: boolean | undefined;
  /** The number of names of the file, if the file has several names. */
  readonly links?: number;
  /** The reason why the content was not read. */
  unread?: ReadProblem;
}

/**
 * The reason why the content of a listed file was not captured. `undecided`: git did not say whether a rule ignores the
 * path. `elsewhere`: a directory above the file was replaced during the scan.
 */
type ReadProblem = 'unreadable' | 'nameTooLong' | 'tooLarge' | 'unstable' | 'elsewhere' | 'undecided';

/**
 * Decides which names of a directory the capture takes. `rules`: all names that no ignore rule excludes. `ignored`:
 * only tracked or included names, and names of the previous snapshot. `included`: all names, because of the caller's
 * globs. `alsoIncluded`: all names, in a directory that a restore is about to overwrite or delete. `git`: only
 * tracked names, in a git directory.
 */
export type TakeMode = 'rules' | 'ignored' | 'included' | 'alsoIncluded' | 'git';

/** The data that a directory inherits from its parent directory. */
export interface Inherited {
  readonly path: TreePath;
  readonly mode: TakeMode;
  readonly scope: IgnoreScope;
  readonly chain: RuleChain;
  /** The directory in the snapshot on which the capture builds. */
  readonly previous: Directory | undefined;
  /** Paths to capture even if a rule ignores them. `true` means a file or a whole directory. */
  readonly alsoInclude: PathTree | undefined;
}

/**
 * A sub-directory. Later scans reuse the string `path`, because making and hashing it again would take much of the time
 * of a check.
 */
export interface Subdirectory {
  readonly name: string;
  readonly path: TreePath;
}

export interface WalkedDirectory {
  readonly path: TreePath;
  readonly inherited: Inherited;
  /** The stamp of the directory just before its names were read. */
  readonly stamp: Stamp;
  /** The rules for the names in the directory, including its own `.gitignore`. */
  readonly scope: IgnoreScope;
  readonly chain: RuleChain;
  readonly entries: Map<string, WalkedEntry>;
  /**
   * True when an equal stamp in a later scan proves that the names are unchanged. On some file systems, a change of
   * names may leave the directory's times unchanged. On these file systems, this field is false.
   */
  readonly isSettled: boolean;
  /** True when the directory is not the root and contains a `.git`, which a later scan has to check again. */
  readonly hasGit: boolean;
  /**
   * True when the directory is the same as in an earlier scan and in `inherited.previous`. The directory's
   * sub-directories may differ.
   */
  readonly isUnchanged: boolean;
  /** The sub-directories to scan. Set after the names were selected. */
  below: readonly Subdirectory[];
  /** {@link WalkedEntry.isListed} for the directory itself. */
  isListed?: boolean | undefined;
  /** The directory in the finished tree. A later scan may use this directory as `inherited.previous`. */
  made?: Directory | undefined;
  /**
   * Present if this is a git directory that is not named `.git`. The value says how the scan recognised the directory.
   * `content`: by its contents. `pointer`: a `.git` file or a `commondir` points to the directory. From such a git
   * directory, a capture takes only files that an enclosing repository tracks (fixtures).
   */
  readonly gitDirectory?: 'content' | 'pointer' | undefined;
  /**
   * The reason why the directory could not be listed. A directory with a failure has no entries, and its contents are
   * unknown.
   */
  readonly failure?: 'unreadable' | 'nameTooLong' | 'unstable';
  /** The directory itself, if its entries are in columns. */
  readonly known?: InColumns;
}

/** A directory whose entries are in columns (known-rows.ts). The entries are made only when a scan needs them. */
export interface InColumns extends WalkedDirectory {
  /** True when there is a row for each name, and the rules exclude none of the names. */
  readonly isWhole: boolean;
  /** The rows of this directory: from `start` up to, but not including, `end`. */
  readonly start: number;
  readonly end: number;
  nameAt(row: number): string;
  isDirectoryAt(row: number): boolean;
  /** The device of the directory and of all names in the rows. */
  readonly device: number;
  /** True when the directory itself still has the recorded stamp. */
  hasStamp(stats: Stats): boolean;
  /** True when the name still has the recorded stamp. For a sub-directory, compares only its identity. */
  isSame(row: number, stats: Stats): boolean;
  has(name: string): boolean;
  /**
   * Returns this directory as a listing of a new scan that has found no difference in it. May complete this object
   * instead of making another one, if no other scan uses this object.
   */
  unchanged(inherited: Inherited, chain: RuleChain, isSettled: boolean): WalkedDirectory;
  /** Returns a plain object with all properties, so that a caller can copy it with changes. */
  plain(): WalkedDirectory;
}

export interface ListingOptions {
  readonly tree: WorkTree;
  /** Returns the scope of the repository whose `.git` is in this directory, or undefined if there is none. */
  enterRepository(directory: TreePath): Promise<{ scope: IgnoreScope; chain: RuleChain } | undefined>;
  /** True when the scan has found a `.git` file or a `commondir` that points to this directory. */
  isPointedTo(directory: TreePath): boolean;
  /** The listings of an earlier scan, with verdicts and contents that may still be valid. */
  readonly earlier: Pick<Listings, 'get'>;
  /** The paths of the daemon's storage inside the work tree. These paths are never scanned. */
  readonly leftOut: ReadonlySet<string>;
  /** The time when the scan began, by the clock that stamps the files. */
  readonly clock: FileClock;
  /**
   * Returns true when the scan must check the files of a directory. Otherwise the scan compares only the directory's
   * own stamp.
   */
  checksFiles(directory: TreePath): boolean;
  /** Returns true for a path when the watcher proves that the path has not changed since the earlier scan. */
  readonly isUnwritten?: ((path: TreePath) => boolean) | undefined;
  /** Divides the work into slices, because one directory may contain a hundred thousand names. */
  readonly slices: Slices;
}

const fresh = { isUnchanged: false, below: [] };

/** A directory of at least this size is listed off the event loop, because listing it takes tens of milliseconds. */
const hugeDirectoryBytes = 1 << 20;

/**
 * Lists one directory. Returns undefined when the directory was replaced by another entry.
 * @throws WorkTreeMissing, NotADirectory, WorkTreeUnreadable when the root itself fails; errors that are not about the
 * directory, such as EMFILE and ENOMEM.
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
    stamp = stampOfDirectory(inside(reached, ''));
    opened = openReached(reached, stamp);
    const names = await readNames(opened, inside(reached, ''), stamp.size);
    if (path !== rootPath && inherited.mode === 'rules' && names.includes('.git')) {
      const entered = await options.enterRepository(path);
      if (entered !== undefined) ({ scope, chain } = entered);
    }
    if (names.includes('.gitignore')) chain = extendChain(chain, path, opened);
    const entries = await listedEntries(names, chain, inherited, opened, options);
    const facts = {
      isSettled: areNamesSettled(stamp, options.clock),
      hasGit: path !== rootPath && names.includes('.git'),
    };
    const gitDirectory = gitDirectoryBy(path, entries, options) ?? storageBy(path, entries, opened);
    return { path, inherited, stamp, scope, chain, entries, gitDirectory, ...facts, ...fresh };
  } catch (error) {
    const isExchanged = error instanceof Exchanged;
    if (path === rootPath && !isExchanged) throw workTreeError(options.tree.root, error);
    const failure = isExchanged ? 'unstable' : problemOf(error);
    if (failure === 'gone') return undefined;
    if (isExchanged) stamp = undefined; // this directory is always listed again
    const facts = { isSettled: false, hasGit: false, ...fresh };
    return { path, inherited, stamp: stamp ?? noStamp, scope, chain, entries: new Map(), ...facts, failure };
  } finally {
    opened?.release();
    reached?.release();
  }
}

/**
 * Returns the entries of a listed directory. Reuses an earlier entry without a check if the watcher proves that the
 * file is unchanged. Reuses an earlier verdict if the same rules apply.
 */
async function listedEntries(
  names: readonly string[],
  chain: RuleChain,
  { path, mode }: Inherited,
  opened: OpenedPath,
  options: ListingOptions,
): Promise<Map<string, WalkedEntry>> {
  const entries = new Map<string, WalkedEntry>();
  const earlier = options.earlier.get(path);
  const areSameRules =
    earlier?.chain.key === chain.key && earlier.inherited.mode === mode && earlier.gitDirectory === undefined;
  for (const name of names) {
    if (options.slices.isDue()) await options.slices.pause();
    if (options.leftOut.has(join(path, name))) continue;
    const old = earlier?.entries.get(name);
    const entry =
      old !== undefined && isProvenUnchanged(old, join(path, name), options)
        ? entryOf(old.kind, old.stamp)
        : entryAt(name, mode, opened);
    if (entry === undefined) continue;
    if (old !== undefined && areSameRules && isDirectoryKind(old) === isDirectoryKind(entry)) {
      entry.ignored = old.ignored;
    }
    entries.set(name, entry);
  }
  return entries;
}

/** The root is never treated as a git directory, because the client opened the root as a work tree. */
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

/**
 * Returns whether the directory is the storage of another daemon. Captures leave out such a directory. Looks for the
 * marker file, because other programs may use the same directory name.
 */
function storageBy(path: TreePath, entries: ReadonlyMap<string, WalkedEntry>, reached: ReachedPath) {
  for (const [name, { kind }] of path === rootPath ? [] : entries) {
    if (kind !== 'directory' || !/^ses_[0-9a-z]{26}$/.test(name)) continue;
    const marker = insideQuickly(reached, `${name}/checkpointd/session.json`);
    if (files.lstatSync(marker, { throwIfNoEntry: false })?.isFile() === true) return 'content' as const;
  }
  return undefined;
}

/** Returns the current stamp of a directory, or undefined when the directory is missing or unreachable. */
export function presentStamp(tree: WorkTree, path: TreePath): Stamp | undefined {
  let reached: ReachedPath | undefined;
  try {
    reached = reachPath(tree, path);
    return stampOfDirectory(inside(reached, ''));
  } catch (error) {
    if (path === rootPath) throw workTreeError(tree.root, error);
    problemOf(error);
    return undefined;
  } finally {
    reached?.release();
  }
}

function stampOfDirectory(path: Buffer): Stamp {
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
 * Reads the kind and stamp of one name. Returns undefined for a git directory, which is omitted without a report, and
 * for a name that has just disappeared.
 */
function entryAt(name: string, mode: TakeMode, opened: OpenedPath): WalkedEntry | undefined {
  if (isGitName(name)) {
    // If a restore will delete the whole directory, its `.git` is reported, because the restore must not delete an
    // unsaved `.git`. A `git~1` or `.GIT` is always reported: it may be a user's file, and no tree can contain it.
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

/**
 * True when the watcher proves that the earlier entry is still valid. False for a file with several names, because the
 * watcher reports a write under only one name.
 */
function isProvenUnchanged(
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

/** The stamp of a directory whose real stamp could not be read. */
const noStamp: Stamp = { mtimeNs: 0n, ctimeNs: 0n, size: -1, ino: -1, dev: -1, mode: 0 };

/** Returns the directory as an object that a caller can copy with changes. */
export function plainDirectory(directory: WalkedDirectory): WalkedDirectory {
  return directory.known?.plain() ?? directory;
}

/** Returns the number of names in a directory. */
export function nameCount(directory: WalkedDirectory): number {
  const { known } = directory;
  return known === undefined ? directory.entries.size : known.end - known.start;
}

/** The listed directories of a work tree, by their paths. */
export type Listings = Lookup<TreePath, WalkedDirectory>;

/** The listings of an earlier scan, and the functions by which a later scan uses them. */
export type EarlierListings = Pick<Listings, 'get' | typeof Symbol.iterator>;

/** True when a capture omitted this path or a directory above it. */
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

/** Returns the topmost directories that a capture omitted. */
export function leftOutDirectories(listings: Listings): TreePath[] {
  const found: TreePath[] = [];
  for (const [path, directory] of listings) {
    if (directory.known?.isWhole === true) continue; // the capture took every name
    for (const [name, { kind, taken }] of directory.entries)
      if (kind === 'directory' && !taken) found.push(join(path, name));
  }
  return found;
}

/**
 * Returns the earlier listing if it is certainly still valid. If the listing may be outdated, returns undefined, and
 * the directory has to be listed. Compares names without allocating memory, because after the first capture most
 * directories are unchanged. The listing is valid under three conditions. The rules and the names must be as they
 * were in the earlier listing. Every captured file must have the same settled stamp as when it was read. The previous
 * snapshot must contain exactly the directory that the earlier scan made.
 */
export function unchangedListing(
  inherited: Inherited,
  options: ListingOptions,
): WalkedDirectory | undefined | Promise<WalkedDirectory | undefined> {
  const earlier = options.earlier.get(inherited.path);
  if (earlier === undefined || !isComparable(earlier, inherited)) return undefined;
  const isPointedTo = earlier.gitDirectory !== 'content' && options.isPointedTo(inherited.path);
  if ((earlier.gitDirectory === 'pointer') !== isPointedTo) return undefined;
  let reached: ReachedPath | undefined;
  try {
    reached = reachPath(options.tree, inherited.path);
    if (!hasItsStamp(earlier, reached)) return undefined;
    const chain = (earlier.known ?? earlier.entries).has('.gitignore')
      ? extendChain(inherited.chain, inherited.path, reached)
      : inherited.chain;
    if (chain.key !== earlier.chain.key) return undefined;
    // If any change of the names would have changed the directory's stamp, an equal stamp proves that the names are
    // unchanged.
    const areNamesSure = provesNames(earlier, options.clock);
    if (!areNamesSure && !hasSameNames(earlier, reached, options)) return undefined;
    const areSame = areEntriesSame(earlier, reached, areNamesSure, options);
    const settled = areNamesSure || areNamesSettled(earlier.stamp, options.clock);
    const same = (): WalkedDirectory =>
      earlier.known?.unchanged(inherited, chain, settled) ?? {
        ...earlier,
        inherited,
        chain,
        isUnchanged: true,
        isSettled: settled,
      };
    if (typeof areSame === 'boolean') return areSame ? same() : undefined;
    const waiting = reached;
    reached = undefined; // the promise releases it
    return whenSame(areSame, waiting, same);
  } catch (error) {
    return absentIfMissing(error);
  } finally {
    reached?.release();
  }
}

/** Waits for the comparison of a large directory. Returns `same()` if nothing differs. */
async function whenSame(
  areSame: Promise<boolean>,
  reached: ReachedPath,
  same: () => WalkedDirectory,
): Promise<WalkedDirectory | undefined> {
  try {
    return (await areSame) ? same() : undefined;
  } catch (error) {
    return absentIfMissing(error);
  } finally {
    reached.release();
  }
}

/**
 * Returns undefined for a system error. The caller then lists the directory, and handles the error or the missing
 * directory. Throws other errors.
 */
function absentIfMissing(error: unknown): undefined {
  if (systemCode(error) === undefined) throw error;
  return undefined;
}

/** The maximum number of rows that are compared without a pause. This takes less than two milliseconds. */
const rowsAtOnce = 500;

/**
 * True when every entry of an earlier listing is still valid. Answers at once for a small directory in columns, because
 * a promise for each directory would take as long as the check.
 */
function areEntriesSame(
  earlier: WalkedDirectory,
  reached: ReachedPath,
  areNamesSure: boolean,
  options: ListingOptions,
): boolean | Promise<boolean> {
  const checksStamps = !areNamesSure || options.checksFiles(earlier.path);
  const { known } = earlier;
  if (known === undefined || options.isUnwritten !== undefined)
    return arePlainEntriesSame(earlier, reached, areNamesSure, options);
  if (!known.isWhole || !checksStamps) return known.isWhole;
  if (known.end - known.start > rowsAtOnce) return areRowsSame(known, reached, areNamesSure, options.slices);
  return isEachRowSame(known, [known.start, known.end], reached, areNamesSure);
}

async function arePlainEntriesSame(
  earlier: WalkedDirectory,
  reached: ReachedPath,
  areNamesSure: boolean,
  options: ListingOptions,
): Promise<boolean> {
  const checksStamps = !areNamesSure || options.checksFiles(earlier.path);
  for (const [name, entry] of earlier.entries) {
    if (options.slices.isDue()) await options.slices.pause();
    if (!isProven(entry, areNamesSure)) return false;
    if (!checksStamps || isProvenUnchanged(entry, join(earlier.path, name), options)) continue;
    // An ignored name is compared, too, if the same file may have a captured name in another directory.
    const isCompared = !areNamesSure || isFileTaken(entry) || entry.links !== undefined;
    if (isCompared && !isSame(entry, statIn(reached, name))) return false;
  }
  return true;
}

/** Compares the rows of a large directory, with pauses. */
async function areRowsSame(
  known: InColumns,
  reached: ReachedPath,
  areNamesSure: boolean,
  slices: Slices,
): Promise<boolean> {
  for (let row = known.start; row < known.end; row += rowsAtOnce) {
    if (slices.isDue()) await slices.pause();
    const end = Math.min(known.end, row + rowsAtOnce);
    if (!isEachRowSame(known, [row, end], reached, areNamesSure)) return false;
  }
  return true;
}

/**
 * True when the names in these rows still have the recorded stamps. Compares columns, and makes no object for a name.
 */
function isEachRowSame(
  known: InColumns,
  [start, end]: readonly [start: number, end: number],
  reached: ReachedPath,
  areNamesSure: boolean,
): boolean {
  for (let row = start; row < end; row += 1) {
    if (areNamesSure && known.isDirectoryAt(row)) continue;
    if (!known.isSame(row, files.lstatSync(insideQuickly(reached, known.nameAt(row))))) return false;
  }
  return true;
}

/**
 * True when an unchanged stamp proves that the directory's names are unchanged since the listing. On the directory's
 * device, every change of names must change the stamp.
 */
export function provesNames(directory: WalkedDirectory, clock: FileClock): boolean {
  return directory.isSettled && clock.isLocal && clock.device === deviceOf(directory);
}

/** Returns the device of a directory. Makes no stamp for a directory in columns. */
export function deviceOf(directory: WalkedDirectory): number {
  return directory.known?.device ?? directory.stamp.dev;
}

function isComparable(earlier: WalkedDirectory, inherited: Inherited): boolean {
  const before = earlier.inherited;
  return (
    earlier.failure === undefined &&
    !earlier.hasGit &&
    before.mode === inherited.mode &&
    before.chain.key === inherited.chain.key &&
    earlier.scope === inherited.scope &&
    earlier.made === inherited.previous &&
    before.alsoInclude === undefined &&
    inherited.alsoInclude === undefined
  );
}

/** True when the directory itself has the stamp of its earlier listing. */
function hasItsStamp(earlier: WalkedDirectory, reached: ReachedPath): boolean {
  const { known } = earlier;
  if (known !== undefined) return known.hasStamp(files.lstatSync(insideQuickly(reached, '')));
  return isStampOf(earlier.stamp, statIn(reached, ''));
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

/**
 * True when an equal stamp proves that the entry is unchanged. False for every entry that a capture has to
 * report or to read again.
 */
function isProven(entry: WalkedEntry, areNamesSure: boolean): boolean {
  if (entry.unread === 'undecided') return false;
  if (isFileTaken(entry)) return entry.settled && entry.blob !== undefined && entry.unread === undefined;
  if (entry.kind === 'directory') return true;
  return !entry.taken && (areNamesSure || entry.kind === 'file' || entry.kind === 'link');
}

/**
 * True when the entry is unchanged. For a sub-directory, compares only its identity, because the sub-directory has its
 * own listing.
 */
function isSame({ kind, stamp }: WalkedEntry, stats: BigIntStats): boolean {
  if (stamp === undefined) return false;
  if (kind !== 'directory') return isStampOf(stamp, stats);
  return stats.isDirectory() && Number(stats.ino) === stamp.ino && Number(stats.dev) === stamp.dev;
}
