// Whether a capture may look at less than everything, and what it has to look at. It keeps the last scan that later ones
// may rest on, and says for which reason one may not. When in doubt it may not. It scans nothing itself.
import { standingKey } from '../../base/directory-identity.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { passMeanwhile } from '../../base/seam.ts';
import type { Slices } from '../../base/slices.ts';
import type { Directory } from '../../tree/directory.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import type { Changes } from '../../watch/change-log.ts';
import type { DirectoryHandles } from '../../watch/directory-handles.ts';
import { mountsBelow, readMounts } from '../../work-tree/mounts.ts';
import type { IgnoreScopes } from '../ignore/ignore-rules.ts';
import type { ScannedTree } from '../scanned-tree.ts';
import { startingChain } from '../selection.ts';
import { differingDirectories, type FastScanResult } from './fast-scan.ts';
import { type Doubtful, FullScanNeeded, RecheckSet, type ScanBase, type ScanRules } from './scan-base.ts';

export interface ScanPlannerOptions {
  readonly root: string;
  readonly scopes: IgnoreScopes;
  /** What can be held now; undefined where nothing is watched. */
  readonly held: () => DirectoryHandles | undefined;
}

/** What a fast scan is to look at. */
export interface FastScanPlan {
  readonly base: ScanBase;
  /** Taken when the scan was planned: another scan that succeeds meanwhile changes the set of the base. */
  readonly recheck: Doubtful;
  readonly position: number;
  readonly rules: ScanRules;
  /** What was told. */
  readonly marks: ReadonlySet<TreePath>;
  /** Directories that have to be listed though nothing was told of them. */
  readonly listed: ReadonlySet<TreePath>;
  readonly hold: (paths: readonly TreePath[]) => Promise<readonly TreePath[]>;
  readonly more: () => Promise<Iterable<TreePath>>;
}

/** A full scan that later ones may rest on, if it succeeds. */
export interface FullScanPlan {
  readonly unheld: ReadonlySet<TreePath>;
  readonly beforeReading: (paths: readonly TreePath[]) => Promise<void>;
  /** Called with what was seen. `isLocal`: on a file system whose changes this kernel makes. */
  succeeded(seen: ScannedTree, isLocal: boolean, slices: Slices): Promise<void>;
}

/** A full scan checks those at less, this often. */
const fastMax = 49;
/** More differences than this between the last scan and the snapshot to build on cost as much as everything. */
const differingMax = 1000;
/** The same for directories whose excluded names are asked for in the user's index again. */
const judgedMax = 1000;

export class ScanPlanner {
  readonly #options: ScanPlannerOptions;
  #base: ScanBase | undefined;
  #fastScans = 0;
  /** On a file system that does not tell, or with another one mounted inside. */
  #isImpossible = false;

  constructor(options: ScanPlannerOptions) {
    this.#options = options;
  }

  /** When a full scan is wanted beside the captures: to begin with, and to check fast ones when it is quiet. */
  get wanted(): 'now' | 'later' | undefined {
    if (this.#isImpossible) return undefined;
    if (this.#base === undefined) return 'now';
    return this.#fastScans > 0 ? 'later' : undefined;
  }

  /** Whether every change since the last scan is told. */
  get isHeld(): boolean {
    return this.#base !== undefined && this.#changes(this.#base).kind === 'paths';
  }

  /** Nothing that was seen is rested on any more. */
  distrust(): void {
    this.#base = undefined;
    this.#options.held()?.closeAll();
  }

  /** What is to be looked at for a snapshot that builds on `kept`. @throws FullScanNeeded when that is everything */
  async planFast(kept: Directory): Promise<FastScanPlan> {
    const held = this.#options.held();
    if (held === undefined || !held.isReady || this.#base === undefined)
      throw new FullScanNeeded('unwatched');
    if (!(await held.fence())) throw new FullScanNeeded('unwatched');
    passMeanwhile('planFast: fence');
    const rules = await this.#rules();
    passMeanwhile('planFast: rules');
    return this.#planNow(held, rules, kept);
  }

  /** Waits for nothing: while {@link planFast} waited, the base may have been replaced or distrusted. */
  #planNow(held: DirectoryHandles, rules: ScanRules, kept: Directory): FastScanPlan {
    const base = this.#base;
    if (base === undefined) throw new FullScanNeeded('suspect');
    if (this.#fastScans >= fastMax) throw new FullScanNeeded('audit');
    if (base.recheck.isTooMuch) throw new FullScanNeeded('unproven');
    let { position } = held.changes;
    const begun = position;
    const changes = this.#changes(base);
    if (changes.kind === 'everything') throw new FullScanNeeded(changes.reason);
    const listed = new Set([...judgedAnew(base, rules), ...differing(base, kept)]);
    const more = async (): Promise<Iterable<TreePath>> => {
      if (!(await held.fence())) throw new FullScanNeeded('unwatched');
      passMeanwhile('more: fence');
      if (rootKey(this.#options.root) !== base.rules.root) throw new FullScanNeeded('unproven');
      const told = held.changes.changesSince(position);
      ({ position } = held.changes);
      if (told.kind === 'everything') throw new FullScanNeeded(told.reason);
      return told.paths;
    };
    return {
      base,
      recheck: base.recheck.doubtful(),
      position: begun,
      rules,
      marks: changes.paths,
      listed,
      hold: (paths) => held.open(paths),
      more,
    };
  }

  /** A fast scan has succeeded, and the next one rests on it. */
  fastSucceeded({ base, position, rules }: FastScanPlan, seen: FastScanResult): void {
    if (this.#base !== base) return; // another one came first
    const { recheck } = base;
    for (const directory of seen.replaced) recheck.forget(directory);
    for (const directory of seen.listed) recheck.note(directory, base.rules.scope);
    for (const path of seen.unheld) if (seen.directories.has(path)) recheck.unheld.add(path);
    this.#fastScans += 1;
    this.#rest({ ...base, rules, seen: { root: seen.root, directories: seen.directories }, position });
  }

  /** A full scan begins; undefined where it cannot be held. */
  async planFull(): Promise<FullScanPlan | undefined> {
    const held = this.#options.held();
    if (held === undefined || !held.isReady) return undefined;
    const { position } = held.changes;
    const rules = await this.#rules();
    passMeanwhile('planFull: rules');
    const unheld = new Set<TreePath>();
    return {
      unheld,
      beforeReading: async (paths) => {
        for (const path of paths) unheld.delete(path);
        for (const path of await held.open(paths)) unheld.add(path);
      },
      succeeded: async (seen, isLocal, slices) => {
        this.#isImpossible = !isLocal || rules.mounts !== '';
        if (this.#isImpossible) return;
        const recheck = await RecheckSet.of(seen, unheld, slices);
        passMeanwhile('planFull: recheck');
        if (!held.changes.isCompleteSince(position)) return;
        if (position < (this.#base?.position ?? 0)) return;
        this.#fastScans = 0;
        this.#rest({ seen, position, rules, recheck });
      },
    };
  }

  #rest(base: ScanBase): void {
    this.#base = base;
    const changes = this.#options.held()?.changes;
    changes?.setUnwatched(base.recheck.unheld);
    changes?.retainFrom(this, base.position);
  }

  #changes(base: ScanBase): Changes {
    return (
      this.#options.held()?.changes.changesSince(base.position) ?? { kind: 'everything', reason: 'unwatched' }
    );
  }

  async #rules(): Promise<ScanRules> {
    const scope = await this.#options.scopes.outermost();
    const { key } = await startingChain(scope);
    const { root } = this.#options;
    return {
      scope,
      chainKey: key,
      indexKey: scope.oracle.trackedKey(),
      mounts: mountsBelow(readMounts(), root),
      root: rootKey(root),
    };
  }
}

/** Directories whose names are judged anew. @throws FullScanNeeded where all may be */
function judgedAnew({ rules: then, recheck }: ScanBase, now: ScanRules): Iterable<TreePath> {
  if (then.root !== now.root || then.mounts !== now.mounts) throw new FullScanNeeded('unproven');
  if (then.scope !== now.scope || then.chainKey !== now.chainKey) throw new FullScanNeeded('ignoreRules');
  if (then.indexKey === now.indexKey) return [];
  if (recheck.withIgnored.size > judgedMax) throw new FullScanNeeded('ignoreRules');
  return recheck.withIgnored;
}

/** Where the snapshot to build on is another one than the last scan made. */
function differing({ seen }: ScanBase, kept: Directory): readonly TreePath[] {
  const paths = differingDirectories(seen.root, kept, differingMax);
  if (paths === undefined) throw new FullScanNeeded('unproven');
  return paths;
}

/** The same text for the same directory. */
function rootKey(root: string): string {
  try {
    return standingKey(files.lstatSync(root, { bigint: true }));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return ''; // the scan that follows says what is wrong with it
  }
}
