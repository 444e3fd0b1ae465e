// Builds the result of a scan from its listings. The result consists of the tree for the store, with permission bits,
// and the report of the paths that the tree does not contain. Unchanged directories come from the snapshot on which the
// capture builds, so the store's work depends on the size of the change.
import { groupHasMoreRights, ownerBits, withAccessLists } from '../base/access-lists.ts';
import { systemCode } from '../base/errors.ts';
import { isSameStamp, isStampOf, type Stamp } from '../base/file-stamp.ts';
import { files } from '../base/files.ts';
import type { Slices } from '../base/slices.ts';
import {
  type Directory,
  type DirectoryNode,
  type EntryMode,
  type FileNode,
  isDirectory,
} from '../tree/tree.ts';
import { byBytes, isInOrBelow, join, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import { inside, type ReachedPath, reachPath, type WorkTree } from '../work-tree/work-tree.ts';
import type { Listings, WalkedDirectory, WalkedEntry } from './listing.ts';
import { type FileClock, isSettled, tickMs } from './settled.ts';
import type { SkippedPath } from './snapshot-sink.ts';

/**
 * Builds the tree of everything that was captured and read. Omits empty directories. `reachable`: all directories,
 * parents first. `unsettled`: the directories whose sub-directories may have disappeared.
 */
export async function buildTree(
  reachable: readonly WalkedDirectory[],
  unsettled: readonly WalkedDirectory[],
  listings: Pick<Listings, 'get'>,
  slices: Slices,
): Promise<Directory> {
  const differing = new Set(unsettled.map(({ path }) => path));
  // Builds each directory after its sub-directories. A promise for each directory would take most of the time.
  for (let at = reachable.length - 1; at >= 0; at -= 1) {
    if (slices.isDue()) await slices.pause();
    const walked = reachable[at];
    if (walked === undefined) continue;
    const { path, inherited } = walked;
    // An unchanged directory has the same files and names as in the snapshot, so it differs only if a directory below it
    // does.
    const isSame = walked.isUnchanged && !differing.has(path);
    walked.made = isSame ? inherited.previous : madeOf(walked, listings);
    if (walked.made !== inherited.previous && path !== rootPath) differing.add(parentOf(path));
  }
  return listings.get(rootPath)?.made ?? { entries: new Map() };
}

/** Returns the tree of a directory whose sub-directories are built. */
function madeOf(walked: WalkedDirectory, listings: Pick<Listings, 'get'>): Directory | undefined {
  const below = new Map(walked.below.map(({ name, path }) => [name, listings.get(path)?.made]));
  return assemble(walked, walked.inherited.previous, below);
}

/**
 * Builds one directory. If the previous snapshot has an equal directory, returns that object. Returns undefined for an
 * empty directory.
 */
export function assemble(
  walked: WalkedDirectory,
  previous: Directory | undefined,
  below: ReadonlyMap<string, Directory | undefined>,
): Directory | undefined {
  const entries = new Map<string, DirectoryNode>();
  let isSame = previous !== undefined;
  for (const [name, entry] of walked.entries) {
    if (!entry.taken) continue;
    const old = previous?.entries.get(name);
    const node = entry.kind === 'directory' ? below.get(name) : fileNode(entry, old);
    if (node === undefined) continue;
    entries.set(name, node);
    if (node !== old) isSame = false;
  }
  const permissions = walked.path === rootPath ? undefined : permissionsOf(walked, walked.stamp.mode, 0o755);
  if (isSame && previous?.entries.size === entries.size && previous.permissions === permissions)
    return previous;
  return entries.size === 0 ? undefined : { entries, permissions };
}

/** Returns the node of a file whose content is known. If the node would equal `old`, returns `old`. */
export function fileNode(entry: WalkedEntry, old: DirectoryNode | undefined): FileNode | undefined {
  const { stamp, blob, kind } = entry;
  if (stamp === undefined || blob === undefined) return undefined;
  const mode: EntryMode = kind === 'link' ? '120000' : (stamp.mode & 0o100) === 0 ? '100644' : '100755';
  const usual = mode === '100755' ? 0o755 : 0o644;
  const permissions = kind === 'link' ? undefined : permissionsOf(entry, stamp.mode, usual);
  if (old !== undefined && !isDirectory(old)) {
    if (old.blob === blob && old.mode === mode && old.permissions === permissions) return old;
  }
  return permissions === undefined ? { mode, blob } : { mode, blob, permissions };
}

/**
 * Returns the permission bits to record. For a file that may have an access list, returns only the owner's bits. The
 * group bits of such a file are the mask of the list and grant nothing by themselves.
 */
function permissionsOf(
  { isListed }: Pick<WalkedEntry, 'isListed'>,
  mode: number,
  usual: number,
): number | undefined {
  const permissions = strictPermissions(mode, usual);
  return permissions !== undefined && isListed === true ? permissions & ownerBits : permissions;
}

/**
 * Returns the permission bits if any bit of the usual mode is missing (0600, 0444, 0700), because a restore must not
 * add the missing bit. Otherwise returns undefined. Also returns undefined on Windows, which has no such permissions.
 */
function strictPermissions(mode: number, usual: number): number | undefined {
  if (process.platform === 'win32') return undefined;
  return (mode & usual) === usual ? undefined : mode & 0o7777;
}

interface AccessOptions {
  readonly tree: WorkTree;
  readonly earlier: Pick<Listings, 'get'>;
  readonly slices: Slices;
}

interface Asked {
  readonly path: TreePath;
  readonly stamp: Stamp;
  readonly of: WalkedDirectory | WalkedEntry;
}

/**
 * Marks the entries that may have an access list. Returns the paths of the entries that were not marked before. If an
 * entry has the same stamp as in an earlier scan, reuses the earlier answer.
 */
export async function markAccessLists(
  directories: Iterable<WalkedDirectory>,
  { tree, earlier, slices }: AccessOptions,
): Promise<TreePath[]> {
  const asked: Asked[] = [];
  const ask = (
    path: TreePath,
    of: WalkedDirectory | WalkedEntry,
    old: WalkedDirectory | WalkedEntry | undefined,
    usual: number,
  ): void => {
    const { stamp } = of;
    if (stamp === undefined || !groupHasMoreRights(stamp.mode)) return;
    if (strictPermissions(stamp.mode, usual) === undefined) return;
    if (old?.isListed !== undefined && old.stamp !== undefined && isSameStamp(old.stamp, stamp))
      of.isListed = old.isListed;
    else asked.push({ path, stamp, of });
  };
  for (const directory of directories) {
    if (slices.isDue()) await slices.pause();
    const old = earlier.get(directory.path);
    if (directory.path !== rootPath && directory.failure === undefined)
      ask(directory.path, directory, old, 0o755);
    if (directory.isUnchanged) continue;
    for (const [name, entry] of directory.entries) {
      if (entry.kind !== 'file' || entry.blob === undefined) continue;
      const usual = ((entry.stamp?.mode ?? 0) & 0o100) === 0 ? 0o644 : 0o755;
      ask(join(directory.path, name), entry, old?.entries.get(name), usual);
    }
  }
  const root = Buffer.from(`${tree.root}/`);
  const isListed = await withAccessLists(
    asked.map(({ path }) => Buffer.concat([root, Buffer.from(path, 'latin1')])),
  );
  for (const { of, stamp } of asked) of.isListed = isListed(stamp.ino);
  return asked.flatMap(({ path, of }) => (of.isListed === true ? [path] : []));
}

/** The paths that a scan did not capture, and the paths whose captured content may be wrong. */
interface ScanReport {
  readonly skipped: readonly SkippedPath[];
  /** Directories and files whose current state is unknown, because they are unreadable. */
  readonly unknown: readonly TreePath[];
  /** Databases to which a program wrote while the scan read them. */
  readonly torn: readonly TreePath[];
}

interface ReportOptions {
  readonly tree: WorkTree;
  readonly clock: FileClock;
}

export interface ScanResult extends ScanReport {
  readonly root: Directory;
  readonly listings: Listings;
  /** True when a scan without a sink stopped early because it found something new. */
  readonly isStopped: boolean;
  readonly files: number;
  readonly read: number;
  /** Paths with an access list. Only the owner's permissions are recorded for these paths. */
  readonly ownerOnly: readonly TreePath[];
}

/** Makes the report of a scan, directory by directory. */
export class ReportBuilder {
  readonly #skipped: SkippedPath[] = [];
  readonly #unknown: TreePath[] = [];
  readonly #torn: TreePath[] = [];
  readonly #scan: ReportOptions;

  constructor(scan: ReportOptions) {
    this.#scan = scan;
  }

  skip(path: TreePath, reason: SkippedPath['reason']): void {
    this.#skipped.push({ path, reason });
  }

  add(directory: WalkedDirectory): void {
    if (directory.failure !== undefined) {
      this.skip(directory.path, directory.failure);
      this.#unknown.push(directory.path);
    }
    if (directory.gitDirectory !== undefined && directory.inherited.mode !== 'git')
      this.skip(directory.path, 'nestedGitDirectory');
    if (directory.isUnchanged) return; // an unchanged directory has nothing to report
    let hasJournal = false;
    for (const [name, entry] of directory.entries) {
      hasJournal ||= journalName.test(name);
      const reason = entry.taken ? reasonOf(entry) : undecided(entry);
      if (reason === undefined) continue;
      const path = join(directory.path, name);
      this.skip(path, reason);
      if (unknownReasons.has(reason)) this.#unknown.push(path);
    }
    if (hasJournal) this.#torn.push(...tornDatabases(directory, this.#scan));
  }

  sorted(): ScanReport {
    this.#skipped.sort((a, b) => byBytes(a.path, b.path));
    return { skipped: this.#skipped, unknown: this.#unknown.sort(byBytes), torn: this.#torn.sort(byBytes) };
  }
}

/** The suffixes of the journals that SQLite writes beside a database. */
const journalName = /-(?:wal|journal)$/;

const unknownReasons: ReadonlySet<SkippedPath['reason']> = new Set([
  'unreadable',
  'nameTooLong',
  'unstable',
  'undecided',
]);

function undecided({ unread }: WalkedEntry): SkippedPath['reason'] | undefined {
  return unread === 'undecided' ? unread : undefined;
}

function reasonOf(entry: WalkedEntry): SkippedPath['reason'] | undefined {
  if (entry.kind === 'directory') return undefined;
  if (entry.kind !== 'file' && entry.kind !== 'link') return entry.kind;
  if (entry.unread === 'elsewhere') return 'unstable';
  return entry.unread ?? (entry.blob === undefined ? 'vanished' : undefined);
}

const journals = ['-wal', '-journal'];

/**
 * Returns the SQLite databases of a directory whose captured contents may be inconsistent. Since the scan began, a
 * program may have written to these databases, or to the journals beside them. Must be called after all files were
 * read. Compares names and stamps.
 */
function tornDatabases(directory: WalkedDirectory, { tree, clock }: ReportOptions): TreePath[] {
  const torn = new Set<string>();
  let reached: ReachedPath | undefined;
  try {
    for (const [name, journal] of directory.entries) {
      const suffix = journals.find((each) => name.endsWith(each));
      if (suffix === undefined || journal.kind !== 'file') continue;
      const base = name.slice(0, -suffix.length);
      const database = directory.entries.get(base);
      if (database?.kind !== 'file' || database.blob === undefined) continue;
      reached ??= reachPath(tree, directory.path);
      const isStill =
        isUntouched(reached, base, database, clock) && isUntouched(reached, name, journal, clock);
      if (!isStill) torn.add(base);
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return []; // the directory is missing
  } finally {
    reached?.release();
  }
  return [...torn].map((name) => join(directory.path, name));
}

function isUntouched(
  directory: ReachedPath,
  name: string,
  { stamp }: WalkedEntry,
  clock: FileClock,
): boolean {
  if (stamp === undefined) return false;
  const isComparable = clock.device === stamp.dev && clock.reachedMs > 0;
  if (isComparable && !isSettled(stamp, clock, tickMs)) return false;
  const now = files.lstatSync(inside(directory, name), { bigint: true, throwIfNoEntry: false });
  return now !== undefined && isStampOf(stamp, now);
}

/**
 * Returns a function that is true when the capture skipped a path or a directory above it. A skipped path may still
 * exist. The function is false for a path that disappeared during the capture.
 */
export function skippedMatcher(skipped: readonly SkippedPath[]): (path: TreePath) => boolean {
  const paths = new Set(skipped.flatMap(({ path, reason }) => (reason === 'vanished' ? [] : [path])));
  return paths.size === 0 ? () => false : (path) => isInOrBelow(path, paths);
}
