// Whether a capture may look at less than everything, and what it has to look at. It keeps the last look that later ones
// may rest on, and says for which reason one may not. When in doubt it may not. It scans nothing itself.
import { standingKey } from '../../base/directory-identity.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { Slices } from '../../base/slices.ts';
import type { Directory } from '../../tree/directory.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import type { Changes } from '../../watch/change-log.ts';
import type { HeldTree } from '../../watch/held/held-watch.ts';
import type { IgnoreScopes } from '../ignore/ignore-rules.ts';
import type { SeenTree } from '../seen-tree.ts';
import { startingChain } from '../selection.ts';
import { type BaseLook, type LookRules, Restless } from './base-look.ts';
import { NotNarrow } from './dirty-paths.ts';
import { differingDirectories, type NarrowlySeen } from './narrow-scan.ts';

export interface HeldLooksOptions {
  readonly root: string;
  readonly scopes: IgnoreScopes;
  /** What can be held now; undefined where nothing is watched. */
  readonly held: () => HeldTree | undefined;
}

/** What a narrow scan is to look at. */
export interface Narrow {
  readonly base: BaseLook;
  readonly position: number;
  readonly rules: LookRules;
  /** What was told. */
  readonly marks: ReadonlySet<TreePath>;
  /** Directories that have to be listed though nothing was told of them. */
  readonly listed: ReadonlySet<TreePath>;
  readonly hold: (paths: readonly TreePath[]) => Promise<readonly TreePath[]>;
  readonly more: () => Promise<Iterable<TreePath>>;
}

/** A look at everything that later ones may rest on, if it succeeds. */
export interface WholeLook {
  readonly unheld: ReadonlySet<TreePath>;
  readonly beforeReading: (paths: readonly TreePath[]) => Promise<void>;
  /** Called with what was seen. `isLocal`: on a file system whose changes this kernel makes. */
  succeeded(seen: SeenTree, isLocal: boolean, slices: Slices): Promise<void>;
}

/** A look at everything checks those at less, this often. */
const narrowMax = 49;
/** More differences than this between the last look and the snapshot to build on cost as much as everything. */
const differingMax = 1000;
/** The same for directories whose excluded names are asked for in the user's index again. */
const judgedMax = 1000;

export class HeldLooks {
  readonly #options: HeldLooksOptions;
  #base: BaseLook | undefined;
  /** Directories that nobody holds, as the log knows them. */
  #young: ReadonlySet<TreePath> = new Set();
  #narrow = 0;
  /** On a file system that does not tell, or with another one mounted inside. */
  #isImpossible = false;

  constructor(options: HeldLooksOptions) {
    this.#options = options;
  }

  /** When a look at everything is wanted beside the captures: to begin with, and to check narrow ones when it is quiet. */
  get wanted(): 'now' | 'later' | undefined {
    if (this.#isImpossible) return undefined;
    if (this.#base === undefined) return 'now';
    return this.#narrow > 0 ? 'later' : undefined;
  }

  /** Whether every change since the last look is told. */
  get isHeld(): boolean {
    return this.#base !== undefined && this.#changes(this.#base).kind === 'paths';
  }

  /** Nothing that was seen is rested on any more. */
  distrust(): void {
    this.#base = undefined;
    this.#options.held()?.release();
  }

  /** What is to be looked at for a snapshot that builds on `kept`. @throws NotNarrow when that is everything */
  async narrow(kept: Directory): Promise<Narrow> {
    const held = this.#options.held();
    if (held === undefined || !held.isReady || this.#base === undefined) throw new NotNarrow('unwatched');
    if (!(await held.fence())) throw new NotNarrow('unwatched');
    if (this.#narrow >= narrowMax) throw new NotNarrow('audit');
    if (this.#base.restless.isTooMuch) throw new NotNarrow('unproven');
    const rules = await this.#rules(held);
    const base = this.#base;
    let { position } = held.changes;
    const begun = position;
    const changes = this.#changes(base);
    if (changes.kind === 'everything') throw new NotNarrow(changes.reason);
    const listed = new Set([...judgedAnew(base, rules), ...differing(base, kept)]);
    const more = async (): Promise<Iterable<TreePath>> => {
      if (!(await held.fence())) throw new NotNarrow('unwatched');
      if (rootKey(this.#options.root) !== base.rules.root) throw new NotNarrow('unproven');
      const told = held.changes.since(position);
      ({ position } = held.changes);
      if (told.kind === 'everything') throw new NotNarrow(told.reason);
      return told.paths;
    };
    return {
      base,
      position: begun,
      rules,
      marks: changes.paths,
      listed,
      hold: (paths) => held.hold(paths),
      more,
    };
  }

  /** A narrow look has succeeded, and the next one rests on it. */
  narrowed({ base, position, rules }: Narrow, seen: NarrowlySeen): void {
    if (this.#base !== base) return; // another one came first
    const { restless } = base;
    for (const directory of seen.replaced) restless.forget(directory);
    for (const directory of seen.listed) restless.note(directory, base.rules.scope);
    for (const path of seen.unheld) if (seen.directories.has(path)) restless.unheld.add(path);
    this.#narrow += 1;
    this.#rest({ ...base, rules, seen: { root: seen.root, directories: seen.directories }, position });
  }

  /** A look at everything begins; undefined where it cannot be held. */
  async whole(): Promise<WholeLook | undefined> {
    const held = this.#options.held();
    if (held === undefined || !held.isReady) return undefined;
    const { position } = held.changes;
    const rules = await this.#rules(held);
    const unheld = new Set<TreePath>();
    return {
      unheld,
      beforeReading: async (paths) => {
        for (const path of paths) unheld.delete(path);
        for (const path of await held.hold(paths)) unheld.add(path);
      },
      succeeded: async (seen, isLocal, slices) => {
        this.#isImpossible = !isLocal || rules.mounts !== '';
        if (this.#isImpossible || !held.changes.isWholeSince(position)) return;
        const restless = await Restless.of(seen, unheld, slices);
        if (position < (this.#base?.position ?? 0)) return;
        this.#narrow = 0;
        this.#rest({ seen, position, rules, restless });
      },
    };
  }

  #rest(base: BaseLook): void {
    this.#base = base;
    const changes = this.#options.held()?.changes;
    const { unheld } = base.restless;
    for (const path of this.#young) if (!unheld.has(path)) changes?.endYoung(path);
    for (const path of unheld) if (!this.#young.has(path)) changes?.addYoung(path);
    this.#young = new Set(unheld);
    changes?.keepFor(this, base.position);
  }

  #changes(base: BaseLook): Changes {
    return this.#options.held()?.changes.since(base.position) ?? { kind: 'everything', reason: 'unwatched' };
  }

  async #rules(held: HeldTree): Promise<LookRules> {
    const scope = await this.#options.scopes.outermost();
    const { key } = await startingChain(scope);
    const { root } = this.#options;
    return {
      scope,
      chainKey: key,
      indexKey: scope.oracle.trackedKey(),
      mounts: mountsBelow(held.mounts(), root),
      root: rootKey(root),
    };
  }
}

/** Directories whose names are judged anew. @throws NotNarrow where all may be */
function judgedAnew({ rules: then, restless }: BaseLook, now: LookRules): Iterable<TreePath> {
  if (then.root !== now.root || then.mounts !== now.mounts) throw new NotNarrow('unproven');
  if (then.scope !== now.scope || then.chainKey !== now.chainKey) throw new NotNarrow('ignoreRules');
  if (then.indexKey === now.indexKey) return [];
  if (restless.withIgnored.size > judgedMax) throw new NotNarrow('ignoreRules');
  return restless.withIgnored;
}

/** Where the snapshot to build on is another one than the last look made. */
function differing({ seen }: BaseLook, kept: Directory): readonly TreePath[] {
  const paths = differingDirectories(seen.root, kept, differingMax);
  if (paths === undefined) throw new NotNarrow('unproven');
  return paths;
}

/** The same text for the same directory. */
function rootKey(root: string): string {
  try {
    return standingKey(files.lstatSync(root, { bigint: true }));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return ''; // the look that follows says what is wrong with it
  }
}

/** What is mounted below the root: other file systems, which may come over a directory without a word. */
function mountsBelow(mountinfo: string, root: string): string {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return mountinfo
    .split('\n')
    .filter((line) => unescaped(line.split(' ')[4] ?? '').startsWith(prefix))
    .join('\n');
}

/** The kernel writes blanks and backslashes as three octal digits. */
function unescaped(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(plain, 'latin1').toString('utf8');
}
