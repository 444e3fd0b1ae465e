// What a later capture may rest on: a full scan whose directories were held before they were read, kept up to date by
// the captures that follow. It knows what has to be looked at again: for what the watch told, and whatever it tells.
import type { Slices } from '../../base/slices.ts';
import { isGitName, join, nameOf, parentOf, rootPath, type TreePath } from '../../tree/tree-path.ts';
import type { FullCaptureReason } from '../capturer.ts';
import type { IgnoreScope } from '../ignore/ignore-rules.ts';
import type { WalkedDirectory } from '../listing.ts';
import type { Listings } from '../listings.ts';
import type { ScannedTree } from '../scanned-tree.ts';
import { LinkedNames } from './linked-names.ts';

/** Under which rules the look was made; others may judge every name differently. */
export interface ScanRules {
  readonly scope: IgnoreScope;
  readonly chainKey: string;
  /** Changes with the user's index, which decides of what the rules exclude. */
  readonly indexKey: string;
  readonly mounts: string;
  readonly root: string;
}

export interface ScanBase {
  readonly seen: ScannedTree;
  /** In the log of what the held directories told. */
  readonly position: number;
  readonly rules: ScanRules;
  readonly recheck: RecheckSet;
}

/** Contents that are read again by the captures that follow; more are left to the full scans. */
const unsettledMax = 1000;
/** So many directories that need a look each time are as good as everything. */
const recheckMax = 200;

/** What one scan looks at again though the watch reported nothing of it. */
export interface Doubtful {
  readonly directories: readonly TreePath[];
  readonly unheld: ReadonlySet<TreePath>;
  /** Files whose content may have changed without a trace. */
  readonly files: readonly TreePath[];
}

/** Contents that are read again though nothing was told of them (see settled.ts). */
const rereadMax = 200;

/** What is looked at again, told or not. One look hands it on to the next, so it is changed and not copied. */
export class RecheckSet {
  /** Directories with something that a capture has to report, or to try again. */
  readonly directories = new Set<TreePath>();
  /** Directories without a handle; they stand for everything below them. */
  readonly unheld: Set<TreePath>;
  /** Files whose content may change without a trace, those that were read last at the end. */
  readonly unsettled = new Set<TreePath>();
  /** Directories with names that the rules exclude: what the user's index says of them may change. */
  readonly withIgnored = new Set<TreePath>();
  /** Repositories and git directories inside: their rules are not followed name by name. */
  readonly foreign = new Set<TreePath>();

  /** The names of each captured file that has several: a write through one of them is reported of that one alone. */
  readonly linked = new LinkedNames();

  constructor(unheld: Iterable<TreePath>) {
    this.unheld = new Set(unheld);
  }

  /** Of a full scan. */
  static async of(
    { directories }: ScannedTree,
    unheld: Iterable<TreePath>,
    slices: Slices,
  ): Promise<RecheckSet> {
    const recheck = new RecheckSet(unheld);
    const scope = directories.get(rootPath)?.scope;
    for (const [, directory] of directories) {
      if (slices.isDue()) await slices.pause();
      recheck.note(directory, scope);
      // One that changed under the eyes of the look is not among the listings.
      for (const { path } of directory.below) if (!directories.has(path)) recheck.unheld.add(path);
    }
    return recheck;
  }

  /** Whether it is too much for anything but a full scan. */
  get isTooMuch(): boolean {
    return this.foreign.size > 0 || this.directories.size + this.unheld.size > recheckMax;
  }

  note(directory: WalkedDirectory, outermost: IgnoreScope | undefined): void {
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
      else if (!entry.settled) this.#addUnsettled(join(path, name));
    }
  }

  /** A directory that is listed anew, or gone. */
  forget({ path, entries }: WalkedDirectory): void {
    this.directories.delete(path);
    this.unheld.delete(path);
    this.withIgnored.delete(path);
    this.foreign.delete(path);
    for (const [name, entry] of entries) this.linked.delete(join(path, name), entry);
    if (this.unsettled.size > 0) for (const name of entries.keys()) this.unsettled.delete(join(path, name));
  }

  /** What one scan looks at again, as the set is now. */
  doubtful(): Doubtful {
    return {
      directories: [...this.directories],
      unheld: new Set(this.unheld),
      files: [...this.unsettled].slice(-rereadMax),
    };
  }

  #addUnsettled(path: TreePath): void {
    this.unsettled.delete(path);
    this.unsettled.add(path);
    if (this.unsettled.size <= unsettledMax) return;
    for (const oldest of this.unsettled) {
      this.unsettled.delete(oldest);
      break;
    }
  }
}

/** Directories to be listed again, and directories whose whole subtree is walked again. */
export interface DirtyPaths {
  readonly listed: Set<TreePath>;
  /** Their parents are listed again as well. */
  readonly trees: Set<TreePath>;
}

/** Nothing less than a full scan will do. */
export class FullScanNeeded extends Error {
  readonly reason: FullCaptureReason;

  constructor(reason: FullCaptureReason) {
    super(reason);
    this.reason = reason;
  }
}

/** What has to be looked at because of paths that may have changed. @throws FullScanNeeded where the rules themselves, or the root, may have changed */
export function dirtyPaths(marks: Iterable<TreePath>, known: Pick<Listings, 'has'>): DirtyPaths {
  const dirty: DirtyPaths = { listed: new Set(), trees: new Set() };
  for (const mark of marks) {
    if (mark === rootPath) throw new FullScanNeeded('unproven');
    const name = nameOf(mark);
    if (name === '.gitignore' || isGitName(name)) throw new FullScanNeeded('ignoreRules');
    let at = mark;
    for (; at !== rootPath && !known.has(parentOf(at)); at = parentOf(at));
    if (at === rootPath) throw new FullScanNeeded('unproven');
    dirty.listed.add(parentOf(at));
    if (known.has(at)) dirty.trees.add(at);
  }
  return dirty;
}
