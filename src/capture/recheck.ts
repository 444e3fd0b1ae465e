// Remembers the paths that each fast scan checks again, although the watcher reports no change there. These paths are
// directories without a watch or with problems, files that may change under the same stamp, and the other names of a
// file with several names.
import { ChangedMap } from '../base/changed-map.ts';
import { isSameStamp, type Stamp } from '../base/file-stamp.ts';
import type { Slices } from '../base/slices.ts';
import { join, nameOf, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { IgnoreScope } from './ignore-rules.ts';
import type { Listings, WalkedDirectory, WalkedEntry } from './listing.ts';

/**
 * The maximum number of unsettled files (settled.ts) that are remembered. When there are more unsettled files, the scan
 * forgets the file that it has remembered longest.
 */
const unsettledMax = 1000;
/** The maximum number of unsettled files that one scan reads again. */
const rereadMax = 200;
/**
 * The maximum number of directories that every fast scan checks. If more directories had to be checked, a fast scan
 * would cost as much as a full scan.
 */
const recheckMax = 200;

/** The listings before a fast scan, and the present listings. */
export interface ScanListings {
  readonly before: Listings;
  readonly now: Pick<Listings, 'get' | 'has'>;
}

/** Paths that each fast scan checks again, even when the watcher reported no change. */
export class Recheck {
  /** Directories in which each capture must report a path, or read a path again. */
  readonly directories: Set<TreePath>;
  /** Directories without a watch. Everything below these directories is checked, too. */
  readonly unwatched: Set<TreePath>;
  /**
   * Files whose content may change while their stamp stays the same. The value is the time in seconds when a scan first
   * saw the stamp.
   */
  private readonly unsettled: Map<TreePath, number>;
  /**
   * Directories with names that the rules exclude. If the user's git index changes, captures may have to include some
   * of these names.
   */
  readonly withIgnored: Set<TreePath>;
  /**
   * Nested repositories and git directories. A fast scan does not detect changes of the rules in these repositories.
   */
  private readonly foreign: Set<TreePath>;
  /** The captured names of files with several names. The watcher reports a write under only one name. */
  private readonly linked: ChangedMap<TreePath, LinkedEntry>;

  private constructor(unwatched: Iterable<TreePath>, earlier?: Recheck) {
    this.unwatched = new Set(unwatched);
    this.directories = new Set(earlier?.directories);
    this.unsettled = new Map(earlier?.unsettled);
    this.withIgnored = new Set(earlier?.withIgnored);
    this.foreign = new Set(earlier?.foreign);
    this.linked = new ChangedMap(earlier?.linked ?? new Map<TreePath, LinkedEntry>());
  }

  /** Returns the paths that fast scans have to check after a full scan. */
  static async of(listings: Listings, unwatched: Iterable<TreePath>, slices: Slices): Promise<Recheck> {
    const recheck = new Recheck(unwatched);
    const scope = listings.get(rootPath)?.scope;
    for (const [, directory] of listings) {
      if (slices.isDue()) await slices.pause();
      recheck.#add(directory, scope);
      // A directory that changed during the scan has no listing.
      for (const { path } of directory.below) if (!listings.has(path)) recheck.unwatched.add(path);
    }
    return recheck;
  }

  /**
   * Returns the paths that the next fast scans have to check after a fast scan, whose base has this object. `touched`:
   * the directories that the scan listed or removed. `unwatched`: the directories for which the scan got no handle.
   */
  after(
    { before, now }: ScanListings,
    touched: Iterable<TreePath>,
    unwatched: Iterable<TreePath>,
    outermost: IgnoreScope,
  ): Recheck {
    const next = new Recheck(this.unwatched, this);
    for (const path of touched) {
      const [old, directory] = [before.get(path), now.get(path)];
      if (old !== undefined) next.#forget(old);
      if (directory !== undefined) next.#add(directory, outermost);
    }
    for (const path of unwatched) if (now.has(path)) next.unwatched.add(path);
    // This scan has read the unsettled files again, and some files have become settled.
    for (const path of next.unsettled.keys())
      if (now.get(parentOf(path))?.entries.get(nameOf(path))?.settled) next.unsettled.delete(path);
    return next;
  }

  /** True when a fast scan would have to check so much that a full scan is better. */
  get isTooMuch(): boolean {
    return this.foreign.size > 0 || this.directories.size + this.unwatched.size > recheckMax;
  }

  /** The files to read again: the unsettled files with the newest stamps. */
  get files(): readonly TreePath[] {
    const byAge = [...this.unsettled].sort(([, a], [, b]) => a - b);
    return byAge.slice(-rereadMax).map(([path]) => path);
  }

  /**
   * Returns the names whose files have changed under another name, and whose listings still have an old stamp. `round`:
   * the directories that were listed or removed, each with its earlier listing. `now`: all present listings.
   */
  async staleNames(round: Round, { before, now }: ScanListings, slices: Slices): Promise<TreePath[]> {
    const changed = changedLinkedFiles(round, now);
    if (changed.size === 0) return [];
    return (await this.#namesOf(changed, before, slices)).filter((path) => {
      const listed = now.get(parentOf(path))?.entries.get(nameOf(path));
      const entry = listed?.stamp && changed.get(keyOf(listed.stamp));
      return entry !== undefined && listed?.taken === true && !isSameEntry(listed, entry);
    });
  }

  /** Searches all listings if a file now has more names than were recorded. */
  async #namesOf(changed: LinkedFiles, listings: Listings, slices: Slices): Promise<TreePath[]> {
    const names: TreePath[] = [];
    const recorded = new Set<string>();
    for (const [path, { stamp, links }] of this.linked) {
      const entry = changed.get(keyOf(stamp));
      if (entry === undefined) continue;
      names.push(path);
      if (entry.links <= links) recorded.add(keyOf(stamp));
    }
    if (recorded.size === changed.size) return names;
    for (const [path, { entries }] of listings) {
      if (slices.isDue()) await slices.pause();
      for (const [name, { kind, stamp }] of entries)
        if (kind === 'file' && stamp !== undefined && changed.has(keyOf(stamp))) names.push(join(path, name));
    }
    return names;
  }

  #add(directory: WalkedDirectory, outermost: IgnoreScope | undefined): void {
    const { path } = directory;
    if (directory.failure !== undefined) this.directories.add(path);
    if (directory.hasGit || directory.gitDirectory !== undefined || directory.scope !== outermost)
      this.foreign.add(path);
    // Columns have no row for a name that has to be checked again, so the entries need not be made.
    if (directory.known?.isWhole === true) return;
    for (const [name, entry] of directory.entries) {
      if (entry.ignored) this.withIgnored.add(path);
      if (entry.unread === 'undecided') this.directories.add(path);
      if (!entry.taken || entry.kind === 'directory') continue;
      if (isLinked(entry)) this.linked.set(join(path, name), entry);
      if (entry.blob === undefined || entry.unread !== undefined) this.directories.add(path);
      else if (!entry.settled) this.#addUnsettled(join(path, name), entry.seenAt);
    }
  }

  #forget({ path, entries }: WalkedDirectory): void {
    this.directories.delete(path);
    this.unwatched.delete(path);
    this.withIgnored.delete(path);
    this.foreign.delete(path);
    for (const [name, entry] of entries) if (isLinked(entry)) this.linked.delete(join(path, name));
    if (this.unsettled.size > 0) for (const name of entries.keys()) this.unsettled.delete(join(path, name));
  }

  #addUnsettled(path: TreePath, seenAt: number): void {
    this.unsettled.delete(path);
    this.unsettled.set(path, seenAt);
    const [oldest] = this.unsettled.keys();
    if (this.unsettled.size > unsettledMax && oldest !== undefined) this.unsettled.delete(oldest);
  }
}

/** The directories that a round listed or removed, each with its listing before the round. */
export type Round = ReadonlyMap<TreePath, WalkedDirectory | undefined>;

type LinkedEntry = WalkedEntry & { readonly stamp: Stamp; readonly links: number };

/** Files with several names, by their identity. */
type LinkedFiles = ReadonlyMap<string, LinkedEntry>;

/** Returns the files with several names that changed in a round. Includes files that lost a name. */
function changedLinkedFiles(round: Round, now: ScanListings['now']): LinkedFiles {
  const changed = new Map<string, LinkedEntry>();
  for (const [path, then] of round) {
    const entries = now.get(path)?.entries;
    for (const [name, entry] of entries ?? [])
      if (isLinked(entry) && !isSameEntry(entry, then?.entries.get(name)))
        changed.set(keyOf(entry.stamp), entry);
    for (const [name, entry] of then?.entries ?? []) {
      if (!isLinked(entry) || changed.has(keyOf(entry.stamp))) continue;
      if (entries?.get(name)?.stamp?.ino === entry.stamp.ino) continue;
      changed.set(keyOf(entry.stamp), { ...entry, stamp: { ...entry.stamp, size: -1 } });
    }
  }
  return changed;
}

function isLinked(entry: WalkedEntry): entry is LinkedEntry {
  return entry.links !== undefined && entry.stamp !== undefined;
}

const keyOf = ({ dev, ino }: Stamp): string => `${dev}:${ino}`;

function isSameEntry({ stamp }: WalkedEntry, other: WalkedEntry | undefined): boolean {
  return stamp !== undefined && other?.stamp !== undefined && isSameStamp(stamp, other.stamp);
}
