// A scan of what may have changed since an earlier scan: lists those directories again, reads what changed in them,
// looks again until nothing moved meanwhile, and makes the trees on the way to them anew. Everything else stands as it
// was seen, because its directory was held since before and told nothing.
import { isSameStamp } from '../../base/file-stamp.ts';
import { type Directory, type FileNode, isDirectory } from '../../tree/directory.ts';
import { isWithin, join, nameOf, parentOf, rootPath, type TreePath } from '../../tree/tree-path.ts';
import { FileReading } from '../file-reading.ts';
import { type ScanOptions, ScanReport, type ScanResult } from '../full-scan.ts';
import { lookAgain, type WalkedDirectory } from '../listing.ts';
import { ChangedListings } from '../listings.ts';
import { assemble } from '../tree-builder.ts';
import { Walk } from '../walker.ts';
import { directoriesOfOtherNames } from './linked-names.ts';
import { type DirtyPaths, type Doubtful, dirtyPaths, FullScanNeeded, type ScanBase } from './scan-base.ts';

export interface FastScanOptions extends ScanOptions {
  readonly base: ScanBase;
  readonly recheck: Doubtful;
  readonly kept: Directory;
  /** Gives directories handles before they are read; resolves with those that got none. */
  hold: (paths: readonly TreePath[]) => Promise<readonly TreePath[]>;
  /** What was told since the last call, behind a fence. @throws FullScanNeeded */
  more: () => Promise<Iterable<TreePath>>;
}

export interface FastScanResult extends ScanResult {
  /** What was listed again, or found gone; as it was before. */
  readonly replaced: readonly WalkedDirectory[];
  /** As it is now. */
  readonly listed: readonly WalkedDirectory[];
  readonly unheld: ReadonlySet<TreePath>;
}

/** How often what changed meanwhile is looked at again before everything is. */
const againMax = 20;

export class FastScan {
  readonly #options: FastScanOptions;
  readonly #known: ChangedListings;
  readonly #walk: Walk;
  readonly #reading: FileReading;
  readonly #listed = new Set<TreePath>();
  readonly #replaced = new Map<TreePath, WalkedDirectory>();
  readonly #unheld = new Set<TreePath>();
  /** The directories of one round, as they were known before it. */
  readonly #round = new Map<TreePath, WalkedDirectory | undefined>();
  /** Of one round: listed again, and held since before. */
  #standing: ReadonlySet<TreePath> = new Set();

  constructor(options: FastScanOptions) {
    this.#options = options;
    this.#known = new ChangedListings(options.base.seen.directories);
    this.#reading = new FileReading(options);
    this.#walk = new Walk(
      { ...options, beforeReading: (paths) => this.#hold(paths) },
      {
        get: (path) => this.#known.get(path),
        set: (path, directory) => this.#list(path, directory),
        delete: (path) => this.#forget(path),
      },
    );
  }

  /** @throws FullScanNeeded when everything has to be looked at; what {@link FullScan.run} throws */
  async run(marks: Iterable<TreePath>, listed: Iterable<TreePath>): Promise<FastScanResult> {
    const { recheck } = this.#options;
    let dirty = dirtyPaths([...marks, ...recheck.unheld], this.#known);
    for (const path of [...listed, ...recheck.directories]) dirty.listed.add(path);
    for (const path of await this.#changedUntold(dirty)) dirty.listed.add(parentOf(path));
    // What is not looked at needs no second fence: it stood as it was seen when the first one had passed.
    for (let attempt = 0; dirty.listed.size + dirty.trees.size > 0; attempt += 1) {
      await this.#look(dirty);
      if (this.#reading.isStopped) break;
      const more = this.#stillDirty(dirtyPaths(await this.#options.more(), this.#known));
      for (const path of [...this.#exchanged(), ...(await this.#otherNames())]) more.listed.add(path);
      if (more.listed.size === 0) break;
      if (attempt === againMax) throw new FullScanNeeded('unproven');
      dirty = more;
    }
    return this.#seen();
  }

  /** Returns the directories to list again: another directory was met in their place, or a listed name was not found. */
  #exchanged(): TreePath[] {
    const unstable = [...this.#listed].filter((path) => this.#known.get(path)?.failure === 'unstable');
    const met = [...this.#reading.takeExchanged(), ...this.#walk.takeParentsOfMissing(), ...unstable];
    return met.filter((path) => this.#known.has(path));
  }

  /** Where the other names are of files that were written through one name. */
  async #otherNames(): Promise<TreePath[]> {
    const { base, slices } = this.#options;
    const before = new Map(this.#round);
    this.#round.clear();
    const linked = base.recheck.linked;
    return directoriesOfOtherNames(before, {
      known: this.#known,
      base: base.seen.directories,
      linked,
      slices,
    });
  }

  async #look({ listed, trees }: DirtyPaths): Promise<void> {
    for (const path of trees) this.#forget(path);
    const again: WalkedDirectory[] = [];
    for (const path of listed) {
      const known = this.#known.get(path);
      if (known === undefined) continue; // inside a tree that is walked again
      again.push({ ...known, inherited: { ...known.inherited, kept: this.#keptAt(path) } });
    }
    again.sort((a, b) => a.path.length - b.path.length);
    this.#standing = new Set(again.map(({ path }) => path));
    await this.#walk.again(again);
    for (const { path } of again) this.#forgetGone(path);
    await this.#reading.readAll(this.#walk.takeFresh());
  }

  async #hold(paths: readonly TreePath[]): Promise<void> {
    const asked = paths.filter((path) => !this.#standing.has(path) || this.#options.recheck.unheld.has(path));
    if (asked.length === 0) return;
    for (const path of asked) this.#unheld.delete(path);
    for (const path of await this.#options.hold(asked)) this.#unheld.add(path);
  }

  #list(path: TreePath, directory: WalkedDirectory): void {
    this.#replace(path);
    this.#listed.add(path);
    this.#known.set(path, directory);
  }

  /** Nothing is known any more of a directory and what is below it. */
  #forget(path: TreePath): void {
    const known = this.#known.get(path);
    if (known === undefined) return;
    for (const below of known.below) this.#forget(below.path);
    this.#replace(path);
    this.#listed.delete(path);
    this.#known.delete(path);
  }

  #replace(path: TreePath): void {
    if (!this.#round.has(path)) this.#round.set(path, this.#known.get(path));
    const before = this.#options.base.seen.directories.get(path);
    if (before !== undefined) this.#replaced.set(path, before);
  }

  /** Sub-directories that are no longer there, or no longer taken. */
  #forgetGone(path: TreePath): void {
    const now = new Set(this.#known.get(path)?.below.map((below) => below.name));
    for (const below of this.#options.base.seen.directories.get(path)?.below ?? [])
      if (!now.has(below.name)) this.#forget(below.path);
  }

  /** Files that may have changed without a trace, and did. */
  async #changedUntold({ listed, trees }: DirtyPaths): Promise<TreePath[]> {
    const changed: TreePath[] = [];
    for (const path of this.#options.recheck.files) {
      const directory = this.#known.get(parentOf(path));
      const entry = directory?.entries.get(nameOf(path));
      if (directory === undefined || entry === undefined || listed.has(directory.path)) continue;
      if ([...trees].some((tree) => isWithin(path, tree))) continue;
      if (this.#options.slices.isDue()) await this.#options.slices.pause();
      if (!(await this.#reading.isStill(directory, nameOf(path), entry))) changed.push(path);
    }
    return changed;
  }

  /** Without directories that were listed since and whose names are the same: their files belong to the next capture. */
  #stillDirty({ listed, trees }: DirtyPaths): DirtyPaths {
    const parents = new Set([...trees].map(parentOf));
    const left = [...listed].filter((path) => {
      if (!this.#listed.has(path) || parents.has(path)) return true;
      const now = lookAgain(this.#options.tree, path);
      const then = this.#known.get(path)?.stamp;
      return now === undefined || then === undefined || !isSameStamp(now, then);
    });
    return { listed: new Set(left), trees };
  }

  #keptAt(path: TreePath): Directory | undefined {
    let at: Directory | undefined = this.#options.kept;
    if (path === rootPath) return at;
    for (const name of path.split('/')) at = directoryOf(at?.entries.get(name));
    return at;
  }

  #seen(): FastScanResult {
    const report = new ScanReport(this.#options);
    const listed: WalkedDirectory[] = [];
    for (const path of this.#listed) {
      const directory = this.#known.get(path);
      if (directory === undefined) continue;
      listed.push(directory);
      report.add(directory);
    }
    const root = this.#build();
    return {
      root,
      ...report.sorted(),
      directories: this.#known,
      isWhole: !this.#reading.isStopped,
      files: this.#reading.files,
      read: this.#reading.read,
      ownerOnly: this.#reading.ownerOnly,
      replaced: [...this.#replaced.values()],
      listed,
      unheld: this.#unheld,
    };
  }

  #build(): Directory {
    const { kept } = this.#options;
    const onWay = new Set<TreePath>();
    for (const path of [...this.#listed, ...this.#replaced.keys()]) {
      for (let at = path; !onWay.has(at); at = parentOf(at)) onWay.add(at);
    }
    if (onWay.size === 0) return kept;
    return this.#buildAt(rootPath, kept, onWay) ?? { entries: new Map() };
  }

  #buildAt(path: TreePath, kept: Directory | undefined, onWay: ReadonlySet<TreePath>): Directory | undefined {
    const walked = this.#known.get(path);
    if (walked === undefined) return undefined;
    const below = new Map<string, Directory | undefined>();
    for (const { name, path: at } of walked.below) {
      const keptBelow = directoryOf(kept?.entries.get(name));
      below.set(name, onWay.has(at) ? this.#buildAt(at, keptBelow, onWay) : keptBelow);
    }
    const current = { ...walked, inherited: { ...walked.inherited, kept } };
    const made = assemble(current, kept, below);
    this.#known.set(path, { ...current, made });
    return made;
  }
}

function directoryOf(node: Directory | FileNode | undefined): Directory | undefined {
  return node !== undefined && isDirectory(node) ? node : undefined;
}

/** The directories in which two trees differ, each by itself; undefined when that is too much to be worth it. */
export function differingDirectories(a: Directory, b: Directory, max: number): TreePath[] | undefined {
  const found: TreePath[] = [];
  const visit = (path: TreePath, one: Directory | undefined, other: Directory | undefined): void => {
    if (one === other || found.length > max) return;
    const names = new Set([...(one?.entries.keys() ?? []), ...(other?.entries.keys() ?? [])]);
    let isOwn = one === undefined || other === undefined || one.permissions !== other.permissions;
    for (const name of names) {
      const [left, right] = [one?.entries.get(name), other?.entries.get(name)];
      if (left === right) continue;
      const [before, after] = [directoryOf(left), directoryOf(right)];
      if (before !== undefined || after !== undefined) visit(join(path, name), before, after);
      if (before === undefined || after === undefined) isOwn ||= !isSameFile(left, right);
    }
    if (isOwn) found.push(path);
  };
  visit(rootPath, a, b);
  return found.length > max ? undefined : found;
}

function isSameFile(a: Directory | FileNode | undefined, b: Directory | FileNode | undefined): boolean {
  if (a === undefined || b === undefined || isDirectory(a) || isDirectory(b)) return false;
  return a.blob === b.blob && a.mode === b.mode && a.permissions === b.permissions;
}
