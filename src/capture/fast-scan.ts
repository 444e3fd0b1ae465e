// Scans the paths that may have changed since an earlier scan, the base. Lists the changed directories again and reads
// the changed files in them. Repeats these steps until nothing changes during a round. After these rounds, rebuilds the
// changed directories of the tree and all directories above them. Takes every unchanged directory from the base. The
// daemon began to watch these directories before the base scan read them. Since then, the watcher has reported no
// change there.
import { ChangedMap } from '../base/changed-map.ts';
import { identityKey } from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import { isSameStamp, type Stamp } from '../base/file-stamp.ts';
import { files } from '../base/files.ts';
import { passInterleaving } from '../base/seam.ts';
import type { Slices } from '../base/slices.ts';
import { asDirectory, type Directory, nodeAt } from '../tree/tree.ts';
import { isGitName, isWithin, join, nameOf, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { LossReason } from '../watch/change-log.ts';
import type { DirectoryHandles } from '../watch/directory-handles.ts';
import { mountsBelow, readMounts } from '../work-tree/mounts.ts';
import { FileReading, type ReadingOptions } from './file-reading.ts';
import { type IgnoreScope, type IgnoreScopes, startingChain } from './ignore-rules.ts';
import {
  type Listings,
  plainDirectory,
  presentStamp,
  type WalkedDirectory,
  type WalkedEntry,
} from './listing.ts';
import { assemble, ReportBuilder, type ScanResult } from './scan-result.ts';
import { Walk, type WalkOptions } from './walker.ts';

/**
 * The reason why a capture scanned everything. `first`: it was the first capture. `alsoInclude`: the capture had to
 * include ignored files. `ignoreRules`: the rules had changed. {@link LossReason}: the changes were unknown.
 * `unproven`: nothing proved that a fast scan would be enough. `audit`: it was time to check the fast captures.
 */
export type FullCaptureReason = 'first' | 'alsoInclude' | 'ignoreRules' | LossReason | 'unproven' | 'audit';

/** The subset of the methods of {@link DirectoryHandles} that a scan calls. */
export type ScanHandles = Pick<
  DirectoryHandles,
  'changes' | 'isReady' | 'whenReady' | 'open' | 'fence' | 'closeAll'
>;

/** The rules of a scan. If the rules change, the verdict about every name may change. */
export interface ScanRules {
  readonly scope: IgnoreScope;
  readonly chainKey: string;
  /**
   * A key that changes when the user's git index changes. A file in the index is captured even if the rules exclude it.
   */
  readonly indexKey: string;
  readonly mounts: string;
  /** The identity of the work tree's root directory. */
  readonly root: string;
}

/** Reads the current rules. */
export async function rulesNow(root: string, scopes: IgnoreScopes): Promise<ScanRules> {
  const scope = await scopes.outermost();
  const { key } = await startingChain(scope);
  return {
    scope,
    chainKey: key,
    indexKey: scope.oracle.trackedKey(),
    mounts: mountsBelow(readMounts(), root),
    root: rootKey(root),
  };
}

/** Returns a text that identifies the root directory. */
function rootKey(root: string): string {
  try {
    return identityKey(files.lstatSync(root, { bigint: true }));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return ''; // the scan itself reports the error
  }
}

/**
 * The base of a fast scan: the result of a full scan that watched each directory before reading it. Later fast scans
 * update this result.
 */
export interface ScanBase {
  readonly root: Directory;
  readonly listings: Listings;
  /** The position in the change log. Later changes are not in the base. */
  readonly position: number;
  readonly rules: ScanRules;
  readonly recheck: Recheck;
  /** The number of fast scans since the full scan. */
  readonly fastScans: number;
}

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
  /**
   * All names of each file with several names. All names are needed, because the watcher reports a write under only one
   * of them.
   */
  readonly linked: LinkedNames;

  private constructor(unwatched: Iterable<TreePath>, earlier?: Recheck) {
    this.unwatched = new Set(unwatched);
    this.directories = new Set(earlier?.directories);
    this.unsettled = new Map(earlier?.unsettled);
    this.withIgnored = new Set(earlier?.withIgnored);
    this.foreign = new Set(earlier?.foreign);
    this.linked = new LinkedNames(earlier?.linked);
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
   * Returns the paths that the next fast scans have to check after this fast scan. `this` is the object from which this
   * fast scan was planned.
   */
  after({ replaced, listed, unwatched, listings }: FastScanResult, outermost: IgnoreScope): Recheck {
    const next = new Recheck(this.unwatched, this);
    for (const directory of replaced) next.#forget(directory);
    for (const directory of listed) next.#add(directory, outermost);
    for (const path of unwatched) if (listings.has(path)) next.unwatched.add(path);
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

  #add(directory: WalkedDirectory, outermost: IgnoreScope | undefined): void {
    const { path, entries } = directory;
    if (directory.failure !== undefined) this.directories.add(path);
    if (directory.hasGit || directory.gitDirectory !== undefined || directory.scope !== outermost)
      this.foreign.add(path);
    for (const [name, entry] of entries) {
      if (entry.ignored) this.withIgnored.add(path);
      if (entry.unread === 'undecided') this.directories.add(path);
      if (!entry.taken || entry.kind === 'directory') continue;
      this.linked.add(join(path, name), entry);
      if (entry.blob === undefined || entry.unread !== undefined) this.directories.add(path);
      else if (!entry.settled) this.#addUnsettled(join(path, name), entry.seenAt);
    }
  }

  #forget({ path, entries }: WalkedDirectory): void {
    this.directories.delete(path);
    this.unwatched.delete(path);
    this.withIgnored.delete(path);
    this.foreign.delete(path);
    for (const [name, entry] of entries) this.linked.delete(join(path, name), entry);
    if (this.unsettled.size > 0) for (const name of entries.keys()) this.unsettled.delete(join(path, name));
  }

  #addUnsettled(path: TreePath, seenAt: number): void {
    this.unsettled.delete(path);
    this.unsettled.set(path, seenAt);
    if (this.unsettled.size <= unsettledMax) return;
    for (const oldest of this.unsettled.keys()) {
      this.unsettled.delete(oldest);
      break;
    }
  }
}

interface LinkedFile {
  readonly names: Set<TreePath>;
  /** The number of names that the file had when it was last listed. */
  links: number;
}

/** The captured names of each file with several names. A name outside the work tree is not in the list. */
class LinkedNames {
  readonly #files: ChangedMap<string, LinkedFile>;
  /** The entries that belong only to this object. All other entries are shared with earlier objects. */
  readonly #own = new Set<LinkedFile>();

  constructor(earlier?: LinkedNames) {
    this.#files = new ChangedMap(earlier === undefined ? new Map<string, LinkedFile>() : earlier.#files);
  }

  /** Adds a listed file if it has several names. */
  add(path: TreePath, entry: WalkedEntry): void {
    if (!isLinked(entry)) return;
    const key = keyOf(entry.stamp);
    const file = this.#change(key) ?? this.#put(key, { names: new Set(), links: 0 });
    file.names.add(path);
    file.links = entry.links;
  }

  delete(path: TreePath, entry: WalkedEntry): void {
    if (!isLinked(entry)) return;
    const file = this.#change(keyOf(entry.stamp));
    file?.names.delete(path);
    if (file?.names.size === 0) this.#files.delete(keyOf(entry.stamp));
  }

  /** Returns the recorded names of a file. Returns undefined when the file now has more names than were recorded. */
  of({ stamp, links = 1 }: WalkedEntry): Iterable<TreePath> | undefined {
    const file = stamp && this.#files.get(keyOf(stamp));
    return file === undefined || links > file.links ? undefined : file.names;
  }

  #change(key: string): LinkedFile | undefined {
    const file = this.#files.get(key);
    if (file === undefined || this.#own.has(file)) return file;
    return this.#put(key, { names: new Set(file.names), links: file.links });
  }

  #put(key: string, file: LinkedFile): LinkedFile {
    this.#own.add(file);
    this.#files.set(key, file);
    return file;
  }
}

type LinkedEntry = WalkedEntry & { readonly stamp: Stamp; readonly links: number };

function isLinked(entry: WalkedEntry): entry is LinkedEntry {
  return entry.links !== undefined && entry.stamp !== undefined;
}

const keyOf = ({ dev, ino }: Stamp): string => `${dev}:${ino}`;

/** The paths that a round has to scan again. */
interface DirtyPaths {
  readonly listed: Set<TreePath>;
  /**
   * Directories whose whole subtree has to be scanned again. The parents of these directories are listed again, too.
   */
  readonly trees: Set<TreePath>;
}

/**
 * Returns the directories and subtrees to scan, for paths that may have changed. If the rules or the root may have
 * changed, returns the reason for a full scan.
 */
function dirtyPaths(
  marks: Iterable<TreePath>,
  listings: Pick<Listings, 'has'>,
): DirtyPaths | FullCaptureReason {
  const dirty: DirtyPaths = { listed: new Set(), trees: new Set() };
  for (const mark of marks) {
    if (mark === rootPath) return 'unproven';
    const name = nameOf(mark);
    if (name === '.gitignore' || isGitName(name)) return 'ignoreRules';
    let at = mark;
    for (; at !== rootPath && !listings.has(parentOf(at)); at = parentOf(at));
    if (at === rootPath) return 'unproven';
    dirty.listed.add(parentOf(at));
    if (listings.has(at)) dirty.trees.add(at);
  }
  return dirty;
}

/** The plan of a fast scan: which paths the scan checks, and with which state it compares them. */
export interface FastPlan {
  readonly base: ScanBase;
  /** The tree of the snapshot on which the capture builds. */
  readonly previous: Directory;
  readonly handles: ScanHandles;
  readonly rules: ScanRules;
  /** The position in the change log when the scan was planned. */
  readonly position: number;
  /** The paths that the watcher has reported as changed since the base. */
  readonly marks: ReadonlySet<TreePath>;
  /** Directories to list although the watcher reported no change in them. */
  readonly listed: ReadonlySet<TreePath>;
  /** Paths that the requesting client has written since the base. */
  readonly touched: readonly TreePath[];
}

export interface ScanOptions extends WalkOptions, ReadingOptions {
  readonly earlier: ReadingOptions['earlier'];
  readonly previous: ReadingOptions['previous'];
}

interface FastScanResult extends ScanResult {
  /** The directories of the base that were listed again or have disappeared. */
  readonly replaced: readonly WalkedDirectory[];
  /** The directories that this scan listed. */
  readonly listed: readonly WalkedDirectory[];
  readonly unwatched: ReadonlySet<TreePath>;
}

/**
 * The maximum number of rounds that are repeated because of changes during the scan. If more rounds are needed, the
 * fast scan gives up and a full scan follows.
 */
const againMax = 20;

export class FastScan {
  readonly #options: ScanOptions;
  readonly #plan: FastPlan;
  /** The position in the change log up to which this scan has handled changes. */
  #position: number;
  readonly #listings: ChangedMap<TreePath, WalkedDirectory>;
  readonly #walk: Walk;
  readonly #reading: FileReading;
  readonly #listed = new Set<TreePath>();
  readonly #replaced = new Map<TreePath, WalkedDirectory>();
  readonly #unwatched = new Set<TreePath>();
  /** The directories that the last round listed or removed, each with its earlier listing. */
  readonly #round = new Map<TreePath, WalkedDirectory | undefined>();
  /** Paths that may have been written since the base, including everything below them. */
  readonly #written: Set<TreePath>;
  /**
   * The directories that the current round lists again. All these directories have been watched since an earlier scan
   * or round.
   */
  #relisted: ReadonlySet<TreePath> = new Set();

  constructor(plan: FastPlan, options: ScanOptions) {
    this.#plan = plan;
    this.#position = plan.position;
    this.#options = options;
    this.#listings = new ChangedMap(plan.base.listings);
    const { marks, touched, base } = plan;
    this.#written = new Set([...marks, ...touched, ...base.recheck.files, ...base.recheck.unwatched]);
    const isUnwritten = (path: TreePath): boolean => this.#isUnwritten(path);
    this.#reading = new FileReading({ ...options, isUnwritten });
    this.#walk = new Walk(
      { ...options, isUnwritten, beforeReading: (paths) => this.#open(paths) },
      {
        get: (path) => this.#listings.get(path),
        set: (path, directory) => this.#list(path, directory),
        delete: (path) => this.#forget(path),
      },
    );
  }

  /**
   * Runs the scan. Returns the result, or the reason why everything has to be scanned. @throws the errors of a full
   * scan
   */
  async run(): Promise<FastScanResult | FullCaptureReason> {
    const { recheck } = this.#plan.base;
    let dirty = dirtyPaths([...this.#plan.marks, ...recheck.unwatched], this.#listings);
    if (typeof dirty === 'string') return dirty;
    for (const path of [...this.#plan.listed, ...recheck.directories]) dirty.listed.add(path);
    for (const path of await this.#changedUnreported(dirty)) dirty.listed.add(parentOf(path));
    // Paths that the scan does not check need no second fence: they were unchanged when the first fence passed.
    for (let attempt = 0; dirty.listed.size + dirty.trees.size > 0; attempt += 1) {
      await this.#relist(dirty);
      if (this.#reading.isStopped) break;
      const more = await this.#reported();
      if (typeof more === 'string') return more;
      for (const path of this.#exchanged()) {
        this.#written.add(path);
        more.listed.add(path);
      }
      for (const path of await this.#otherNames()) {
        this.#written.add(path);
        more.listed.add(parentOf(path));
      }
      if (more.listed.size === 0) break;
      if (attempt === againMax) return 'unproven';
      dirty = more;
    }
    return this.#result();
  }

  /**
   * Returns the changes that the watcher has reported since the last call. If the changes are unknown, returns the
   * reason.
   */
  async #reported(): Promise<DirtyPaths | FullCaptureReason> {
    const { handles, base } = this.#plan;
    if (!(await handles.fence())) return 'unwatched';
    passInterleaving('fastScan: fence');
    if (rootKey(this.#options.tree.root) !== base.rules.root) return 'unproven';
    const changes = handles.changes.changesSince(this.#position);
    this.#position = handles.changes.position;
    if (changes.kind === 'everything') return changes.reason;
    for (const path of changes.paths) this.#written.add(path);
    const dirty = dirtyPaths(changes.paths, this.#listings);
    return typeof dirty === 'string' ? dirty : this.#stillDirty(dirty);
  }

  /**
   * Returns the directories that were replaced, or that lost a listed sub-directory. The caller has to list these
   * directories again.
   */
  #exchanged(): TreePath[] {
    const unstable = [...this.#listed].filter((path) => this.#listings.get(path)?.failure === 'unstable');
    const again = [...this.#reading.takeExchanged(), ...this.#walk.takeParentsOfMissing(), ...unstable];
    return again.filter((path) => this.#listings.has(path));
  }

  async #relist({ listed, trees }: DirtyPaths): Promise<void> {
    for (const path of trees) this.#forget(path);
    const again: WalkedDirectory[] = [];
    for (const path of listed) {
      const known = this.#listings.get(path);
      if (known === undefined) continue; // the path is inside a tree that is scanned again
      const previous = asDirectory(nodeAt(this.#plan.previous, path));
      again.push({ ...known, inherited: { ...known.inherited, previous } });
    }
    again.sort((a, b) => a.path.length - b.path.length);
    this.#relisted = new Set(again.map(({ path }) => path));
    await this.#walk.again(again);
    for (const { path } of again) this.#forgetGone(path);
    await this.#reading.readAll(this.#walk.takeFresh());
  }

  #isUnwritten(path: TreePath): boolean {
    for (let at = path; ; at = parentOf(at)) {
      if (this.#written.has(at) || this.#unwatched.has(at)) return false;
      if (at === rootPath) return true;
    }
  }

  /** Opens handles on directories. Called before the directories are read. */
  async #open(paths: readonly TreePath[]): Promise<void> {
    const { base, handles } = this.#plan;
    const asked = paths.filter((path) => !this.#relisted.has(path) || base.recheck.unwatched.has(path));
    if (asked.length === 0) return;
    for (const path of asked) this.#unwatched.delete(path);
    for (const path of await handles.open(asked)) this.#unwatched.add(path);
  }

  #list(path: TreePath, directory: WalkedDirectory): void {
    this.#replace(path);
    this.#listed.add(path);
    this.#listings.set(path, directory);
  }

  /** Drops the listings of a directory and of all directories below it. */
  #forget(path: TreePath): void {
    const known = this.#listings.get(path);
    if (known === undefined) return;
    for (const below of known.below) this.#forget(below.path);
    this.#replace(path);
    this.#listed.delete(path);
    this.#listings.delete(path);
  }

  #replace(path: TreePath): void {
    if (!this.#round.has(path)) this.#round.set(path, this.#listings.get(path));
    const before = this.#plan.base.listings.get(path);
    if (before !== undefined) this.#replaced.set(path, before);
  }

  /** Drops the listings of sub-directories that have disappeared or are no longer captured. */
  #forgetGone(path: TreePath): void {
    const now = new Set(this.#listings.get(path)?.below.map((below) => below.name));
    for (const below of this.#plan.base.listings.get(path)?.below ?? [])
      if (!now.has(below.name)) this.#forget(below.path);
  }

  /** Returns the unsettled files that have changed without a report from the watcher. */
  async #changedUnreported({ listed, trees }: DirtyPaths): Promise<TreePath[]> {
    const changed: TreePath[] = [];
    for (const path of this.#plan.base.recheck.files) {
      const directory = this.#listings.get(parentOf(path));
      const entry = directory?.entries.get(nameOf(path));
      if (directory === undefined || entry === undefined || listed.has(directory.path)) continue;
      if ([...trees].some((tree) => isWithin(path, tree))) continue;
      if (this.#options.slices.isDue()) await this.#options.slices.pause();
      if (!(await this.#reading.isStill(directory, nameOf(path), entry))) changed.push(path);
    }
    return changed;
  }

  /**
   * Omits a directory if this scan has listed it and its names are unchanged. If files in the directory changed after
   * the listing, the next capture finds these changes.
   */
  #stillDirty({ listed, trees }: DirtyPaths): DirtyPaths {
    const parents = new Set([...trees].map(parentOf));
    const left = [...listed].filter((path) => {
      if (!this.#listed.has(path) || parents.has(path)) return true;
      const now = presentStamp(this.#options.tree, path);
      const then = this.#listings.get(path)?.stamp;
      return now === undefined || then === undefined || !isSameStamp(now, then);
    });
    return { listed: new Set(left), trees };
  }

  /**
   * Some files that changed in the last round have several names. Checks these files. Returns those names for which the
   * listings still have an old stamp.
   */
  async #otherNames(): Promise<TreePath[]> {
    const linkedFiles = this.#changedLinkedFiles();
    if (linkedFiles.size === 0) return [];
    const { linked } = this.#plan.base.recheck;
    // True when a file has more names than were recorded. In this case, the scan searches all listings for the other
    // names.
    const isNews = [...linkedFiles.values()].some((entry) => linked.of(entry) === undefined);
    const names = isNews ? await this.#namesOf(linkedFiles) : [];
    for (const entry of linkedFiles.values()) names.push(...(linked.of(entry) ?? []));
    return names.flatMap((path) => {
      const other = this.#listings.get(parentOf(path))?.entries.get(nameOf(path));
      const entry = other?.stamp && linkedFiles.get(keyOf(other.stamp));
      const isStale = entry !== undefined && other?.taken === true && !isSameEntry(other, entry);
      return isStale ? [path] : [];
    });
  }

  /** Returns the changed files with several names. Includes files that lost a name in the last round. */
  #changedLinkedFiles(): ReadonlyMap<string, WalkedEntry> {
    const linkedFiles = new Map<string, WalkedEntry>();
    for (const [path, then] of this.#round) {
      const now = this.#listings.get(path);
      for (const [name, entry] of now?.entries ?? [])
        if (isLinked(entry) && !isSameEntry(entry, then?.entries.get(name)))
          linkedFiles.set(keyOf(entry.stamp), entry);
      for (const [name, entry] of then?.entries ?? []) {
        if (!isLinked(entry) || linkedFiles.has(keyOf(entry.stamp))) continue;
        if (now?.entries.get(name)?.stamp?.ino === entry.stamp.ino) continue;
        linkedFiles.set(keyOf(entry.stamp), { ...entry, stamp: { ...entry.stamp, size: -1 } });
      }
    }
    this.#round.clear();
    return linkedFiles;
  }

  async #namesOf(linkedFiles: ReadonlyMap<string, unknown>): Promise<TreePath[]> {
    const { slices } = this.#options;
    const found: TreePath[] = [];
    const inodes = new Set([...linkedFiles.keys()].map((key) => Number(key.slice(key.indexOf(':') + 1))));
    for (const [path, { entries }] of this.#plan.base.listings) {
      if (slices.isDue()) await slices.pause();
      for (const [name, { kind, stamp }] of entries)
        if (kind === 'file' && stamp !== undefined && inodes.has(stamp.ino) && linkedFiles.has(keyOf(stamp)))
          found.push(join(path, name));
    }
    return found;
  }

  #result(): FastScanResult {
    const report = new ReportBuilder(this.#options);
    const listed: WalkedDirectory[] = [];
    for (const path of this.#listed) {
      const directory = this.#listings.get(path);
      if (directory === undefined) continue;
      listed.push(directory);
      report.add(directory);
    }
    const root = this.#build();
    const { isStopped, files, read, ownerOnly } = this.#reading;
    return {
      root,
      ...report.sorted(),
      listings: this.#listings,
      isStopped,
      files,
      read,
      ownerOnly,
      replaced: [...this.#replaced.values()],
      listed,
      unwatched: this.#unwatched,
    };
  }

  #build(): Directory {
    const { previous } = this.#plan;
    const onWay = new Set<TreePath>();
    for (const path of [...this.#listed, ...this.#replaced.keys()]) {
      for (let at = path; !onWay.has(at); at = parentOf(at)) onWay.add(at);
    }
    if (onWay.size === 0) return previous;
    return this.#buildAt(rootPath, previous, onWay) ?? { entries: new Map() };
  }

  #buildAt(
    path: TreePath,
    previous: Directory | undefined,
    onWay: ReadonlySet<TreePath>,
  ): Directory | undefined {
    const walked = this.#listings.get(path);
    if (walked === undefined) return undefined;
    const below = new Map<string, Directory | undefined>();
    for (const { name, path: at } of walked.below) {
      const previousBelow = asDirectory(previous?.entries.get(name));
      below.set(name, onWay.has(at) ? this.#buildAt(at, previousBelow, onWay) : previousBelow);
    }
    const current = { ...plainDirectory(walked), inherited: { ...walked.inherited, previous } };
    const made = assemble(current, previous, below);
    this.#listings.set(path, { ...current, made });
    return made;
  }
}

function isSameEntry({ stamp }: WalkedEntry, other: WalkedEntry | undefined): boolean {
  return stamp !== undefined && other?.stamp !== undefined && isSameStamp(stamp, other.stamp);
}
