// Scans the paths that may have changed since an earlier scan, the base. Takes every unchanged directory from the base.
// The daemon began to watch these directories before the base scan read them. Since then, the watcher has reported no
// change there. FastScan.run has the steps of the scan.
import { ChangedMap } from '../base/changed-map.ts';
import { identityKey } from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import { isSameStamp } from '../base/file-stamp.ts';
import { files } from '../base/files.ts';
import { passInterleaving } from '../base/seam.ts';
import { asDirectory, type Directory, nodeAt } from '../tree/tree.ts';
import { isGitName, isInOrBelow, nameOf, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { LossReason } from '../watch/change-log.ts';
import type { DirectoryHandles } from '../watch/directory-handles.ts';
import { mountsBelow, readMounts } from '../work-tree/mounts.ts';
import { FileReading, type ReadingOptions } from './file-reading.ts';
import { type IgnoreScope, type IgnoreScopes, startingChain } from './ignore-rules.ts';
import { type Listings, plainDirectory, presentStamp, type WalkedDirectory } from './listing.ts';
import type { Recheck } from './recheck.ts';
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
  /** True when an earlier capture of the same request has read the unsettled files again. */
  readonly isRepeated: boolean;
}

export interface ScanOptions extends WalkOptions, ReadingOptions {
  readonly earlier: ReadingOptions['earlier'];
  readonly previous: ReadingOptions['previous'];
}

interface FastScanResult extends ScanResult {
  /** The paths that the next fast scans have to check. */
  readonly recheck: Recheck;
}

/** The paths that a round has to scan again. */
interface DirtyPaths {
  readonly listed: Set<TreePath>;
  /**
   * Directories whose whole subtree has to be scanned again. The parents of these directories are listed again, too.
   */
  readonly trees: Set<TreePath>;
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
  /** The directories that this scan has listed or removed. */
  readonly #touched = new Set<TreePath>();
  /** The directories that the present round has listed or removed, each with its listing before the round. */
  readonly #round = new Map<TreePath, WalkedDirectory | undefined>();
  /**
   * The directories that the present round lists again. All these directories have been watched since an earlier scan
   * or round.
   */
  #relisted: ReadonlySet<TreePath> = new Set();
  readonly #unwatched = new Set<TreePath>();
  /** Paths that may have been written since the base, including everything below them. */
  readonly #written: Set<TreePath>;

  constructor(plan: FastPlan, options: ScanOptions) {
    this.#plan = plan;
    this.#position = plan.position;
    this.#options = options;
    this.#listings = new ChangedMap(plan.base.listings);
    const { marks, touched, base } = plan;
    this.#written = new Set([...marks, ...touched, ...base.recheck.files, ...base.recheck.unwatched]);
    const doubtful = { has: (path: TreePath) => this.#written.has(path) || this.#unwatched.has(path) };
    const isUnwritten = (path: TreePath): boolean => !isInOrBelow(path, doubtful);
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
   * Runs the scan in rounds, until nothing changes during a round. Each round lists the changed directories again and
   * reads the changed files in them. Then rebuilds the changed directories of the tree and all directories above them.
   * Returns the reason if everything has to be scanned. @throws the errors of a full scan
   */
  async run(): Promise<FastScanResult | FullCaptureReason> {
    let dirty = await this.#changedBefore();
    // Paths that the scan does not check need no second fence: they were unchanged when the first fence passed.
    for (let attempt = 0; ; attempt += 1) {
      if (typeof dirty === 'string') return dirty;
      if (dirty.listed.size === 0) break;
      if (attempt > againMax) return 'unproven';
      await this.#relist(dirty);
      if (this.#reading.isStopped) break;
      dirty = await this.#changedMeanwhile();
    }
    return this.#result();
  }

  /** Returns the paths that may have changed before the scan. */
  async #changedBefore(): Promise<DirtyPaths | FullCaptureReason> {
    const { marks, listed, base } = this.#plan;
    const dirty = this.#dirty([...marks, ...base.recheck.unwatched]);
    if (typeof dirty === 'string') return dirty;
    for (const path of [...listed, ...base.recheck.directories]) dirty.listed.add(path);
    for (const path of await this.#changedUnreported(dirty)) dirty.listed.add(parentOf(path));
    return dirty;
  }

  /** Returns the paths that have changed since the last call, or since the scan was planned. */
  async #changedMeanwhile(): Promise<DirtyPaths | FullCaptureReason> {
    const { handles, base } = this.#plan;
    if (!(await handles.fence())) return 'unwatched';
    passInterleaving('fastScan: fence');
    if (rootKey(this.#options.tree.root) !== base.rules.root) return 'unproven';
    const changes = handles.changes.changesSince(this.#position);
    this.#position = handles.changes.position;
    if (changes.kind === 'everything') return changes.reason;
    const reported = this.#dirty(changes.paths);
    if (typeof reported === 'string') return reported;
    const { listed, trees } = this.#stillDirty(reported);
    const exchanged = this.#exchanged();
    const lists = { before: base.listings, now: this.#listings };
    const stale = await base.recheck.staleNames(this.#round, lists, this.#options.slices);
    for (const path of [...changes.paths, ...exchanged, ...stale]) this.#written.add(path);
    for (const path of [...exchanged, ...stale.map(parentOf)]) listed.add(path);
    return { listed, trees };
  }

  /**
   * Returns the directories and subtrees to scan, for paths that may have changed. If the rules or the root may have
   * changed, returns the reason for a full scan.
   */
  #dirty(marks: Iterable<TreePath>): DirtyPaths | FullCaptureReason {
    const dirty: DirtyPaths = { listed: new Set(), trees: new Set() };
    for (const mark of marks) {
      if (mark === rootPath) return 'unproven';
      const name = nameOf(mark);
      if (name === '.gitignore' || isGitName(name)) return 'ignoreRules';
      let at = mark;
      for (; at !== rootPath && !this.#listings.has(parentOf(at)); at = parentOf(at));
      if (at === rootPath) return 'unproven';
      dirty.listed.add(parentOf(at));
      if (this.#listings.has(at)) dirty.trees.add(at);
    }
    return dirty;
  }

  /** Returns the unsettled files that have changed without a report from the watcher. */
  async #changedUnreported({ listed, trees }: DirtyPaths): Promise<TreePath[]> {
    const changed: TreePath[] = [];
    if (this.#plan.isRepeated) return changed;
    for (const path of this.#plan.base.recheck.files) {
      const directory = this.#listings.get(parentOf(path));
      const entry = directory?.entries.get(nameOf(path));
      if (directory === undefined || entry === undefined || listed.has(directory.path)) continue;
      if (isInOrBelow(path, trees)) continue;
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
      if (!this.#touched.has(path) || parents.has(path)) return true;
      const now = presentStamp(this.#options.tree, path);
      const then = this.#listings.get(path)?.stamp;
      return now === undefined || then === undefined || !isSameStamp(now, then);
    });
    return { listed: new Set(left), trees };
  }

  /**
   * Returns the directories that were replaced, or that lost a listed sub-directory. The caller has to list these
   * directories again.
   */
  #exchanged(): TreePath[] {
    const unstable = [...this.#touched].filter((path) => this.#listings.get(path)?.failure === 'unstable');
    const again = [...this.#reading.takeExchanged(), ...this.#walk.takeParentsOfMissing(), ...unstable];
    return again.filter((path) => this.#listings.has(path));
  }

  async #relist({ listed, trees }: DirtyPaths): Promise<void> {
    this.#round.clear();
    for (const path of trees) this.#forget(path);
    const again: Pick<WalkedDirectory, 'path' | 'inherited'>[] = [];
    for (const path of listed) {
      const known = this.#listings.get(path);
      if (known === undefined) continue; // the path is inside a tree that is scanned again
      const previous = asDirectory(nodeAt(this.#plan.previous, path));
      again.push({ path, inherited: { ...known.inherited, previous } });
    }
    again.sort((a, b) => a.path.length - b.path.length);
    this.#relisted = new Set(again.map(({ path }) => path));
    await this.#walk.again(again);
    for (const { path } of again) this.#forgetGone(path);
    await this.#reading.readAll(this.#walk.takeFresh());
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
    this.#touch(path);
    this.#listings.set(path, directory);
  }

  /** Drops the listings of a directory and of all directories below it. */
  #forget(path: TreePath): void {
    for (const below of this.#listings.get(path)?.below ?? []) this.#forget(below.path);
    this.#touch(path);
    this.#listings.delete(path);
  }

  #touch(path: TreePath): void {
    if (!this.#round.has(path)) this.#round.set(path, this.#listings.get(path));
    this.#touched.add(path);
  }

  /** Drops the listings of sub-directories that have disappeared or are no longer captured. */
  #forgetGone(path: TreePath): void {
    const now = new Set(this.#listings.get(path)?.below.map((below) => below.name));
    for (const below of this.#round.get(path)?.below ?? [])
      if (!now.has(below.name)) this.#forget(below.path);
  }

  #result(): FastScanResult {
    const report = new ReportBuilder(this.#options);
    for (const path of this.#touched) {
      const directory = this.#listings.get(path);
      if (directory !== undefined) report.add(directory);
    }
    const root = this.#build();
    const { isStopped, files, read, ownerOnly } = this.#reading;
    const { base, rules } = this.#plan;
    const lists = { before: base.listings, now: this.#listings };
    const recheck = base.recheck.after(lists, this.#touched, this.#unwatched, rules.scope);
    return { root, ...report.sorted(), listings: this.#listings, isStopped, files, read, ownerOnly, recheck };
  }

  #build(): Directory {
    const { previous } = this.#plan;
    const onWay = new Set<TreePath>();
    for (const path of this.#touched) for (let at = path; !onWay.has(at); at = parentOf(at)) onWay.add(at);
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
