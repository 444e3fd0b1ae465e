// A listing contains names. This module selects the names that a capture takes. A capture takes names that no ignore
// rule excludes, names that the user's repository tracks, and names in the previous snapshot. It also takes names that
// the caller's globs include, and omits names that the globs exclude. Queries the ignore rules in batches. Reads the
// index of a repository only after the rules have ignored a name in it. Does not access any file itself.
import { passInterleaving } from '../base/seam.ts';
import type { Slices } from '../base/slices.ts';
import type { Globs } from '../tree/globs.ts';
import { asDirectory, type Directory, directoryIn } from '../tree/tree.ts';
import { join, rootPath, type TreePath } from '../tree/tree-path.ts';
import { type IgnoreScope, inScope, type PathTree } from './ignore-rules.ts';
import type { Inherited, Subdirectory, TakeMode, WalkedDirectory, WalkedEntry } from './listing.ts';

export interface SelectionOptions {
  readonly include: Globs;
  readonly exclude: Globs;
}

/** The maximum length of a path that git can handle. The capture includes longer paths without a query to git. */
const askedPathMax = 3500;
const batchMax = 512;

/** The selection of one scan. */
export class Selection {
  readonly #options: SelectionOptions;
  readonly #tracked = new Map<IgnoreScope, Promise<PathTree>>();
  readonly #gitlinks = new Set<TreePath>();
  /**
   * The scopes with rules that were new or changed in this scan. The value is true when the engine was restarted after
   * the last change of the rules.
   */
  readonly #isFresh = new Map<IgnoreScope, boolean>();
  readonly #lastChain: (path: TreePath) => string | undefined;

  /**
   * `lastChain` returns the last known key of a directory's rules. The rules were read in this scan or in the previous
   * scan.
   */
  constructor(options: SelectionOptions, lastChain: (path: TreePath) => string | undefined) {
    this.#options = options;
    this.#lastChain = lastChain;
  }

  /** Sets `ignored` and `taken` of every entry of the directories. */
  async judge(directories: readonly WalkedDirectory[], slices: Slices): Promise<void> {
    const asks = new Map<IgnoreScope, { path: TreePath; entry: WalkedEntry }[]>();
    for (const directory of directories) {
      if (slices.isDue()) await slices.pause();
      this.#checkRules(directory);
      const { blockedBy } = directory.chain;
      if (blockedBy !== undefined) directory.scope.oracle.warnBlocked(blockedBy);
      const mode = modeIn(directory);
      for (const [name, entry] of directory.entries) {
        if (mode === 'git') entry.ignored = true;
        if (entry.ignored !== undefined) continue;
        const path = inScope(directory.scope, join(directory.path, name));
        if (mode !== 'rules') entry.ignored = mode === 'ignored';
        else if (directory.chain.blockedBy !== undefined) entry.ignored = false;
        else if (!directory.chain.hasRules || path.length > askedPathMax) entry.ignored = false;
        else {
          const list = asks.get(directory.scope);
          if (list === undefined) asks.set(directory.scope, [{ path, entry }]);
          else list.push({ path, entry });
        }
      }
    }
    passInterleaving('selection: rules read');
    for (const [scope, list] of asks) await this.#ask(scope, list);
    passInterleaving('selection: git answered');
    for (const directory of directories) {
      if (slices.isDue()) await slices.pause();
      for (const [name, entry] of directory.entries) {
        const takes = this.#takes(directory, name, entry);
        entry.taken = typeof takes === 'boolean' ? takes : await takes;
        if (!entry.taken && entry.ignored === undefined) entry.unread = 'undecided';
      }
    }
  }

  /**
   * True when this scan selects the same names of a directory as the earlier scan. Called when the rules are unchanged.
   * The selection may differ nevertheless, because it also depends on the index of a repository.
   */
  takesAsBefore(directory: WalkedDirectory): boolean | Promise<boolean> {
    if (directory.known?.isWhole === true) return true;
    for (const entry of directory.entries.values())
      if (entry.ignored) return this.#takesIgnoredAsBefore(directory);
    return true;
  }

  async #takesIgnoredAsBefore(directory: WalkedDirectory): Promise<boolean> {
    for (const [name, entry] of directory.entries) {
      if (entry.ignored && (await this.#takes(directory, name, entry)) !== entry.taken) return false;
    }
    return true;
  }

  /** Returns the data that a captured sub-directory inherits. */
  enter(
    directory: WalkedDirectory,
    { name, path }: Subdirectory,
    entry: Pick<WalkedEntry, 'ignored'>,
  ): Inherited {
    const previous = directoryIn(directory.inherited.previous, name);
    const alsoInclude = directory.inherited.alsoInclude?.get(name);
    return {
      path,
      mode: this.#modeBelow(directory, name, entry),
      scope: directory.scope,
      chain: directory.chain,
      previous,
      alsoInclude: alsoInclude instanceof Map ? alsoInclude : undefined,
    };
  }

  /** Records a change of rules. The engine caches rules, and is therefore restarted before the next query. */
  #checkRules({ path, chain, scope }: WalkedDirectory): void {
    if (!chain.hasRules) return;
    const last = this.#lastChain(path);
    const isNews = last === undefined ? !this.#isFresh.has(scope) : last !== chain.key;
    if (isNews) this.#isFresh.set(scope, false);
  }

  async #ask(scope: IgnoreScope, list: { path: TreePath; entry: WalkedEntry }[]): Promise<void> {
    if (this.#isFresh.get(scope) === false) {
      scope.oracle.renew();
      this.#isFresh.set(scope, true);
    }
    const batches: Promise<void>[] = [];
    for (let start = 0; start < list.length; start += batchMax) {
      const batch = list.slice(start, start + batchMax);
      batches.push(
        scope.oracle
          .ignored(batch.map((ask) => ask.path))
          .then((answers) => batch.forEach(({ entry }, index) => (entry.ignored = answers[index]))),
      );
    }
    await Promise.all(batches);
  }

  #modeBelow(directory: WalkedDirectory, name: string, entry: Pick<WalkedEntry, 'ignored'>): TakeMode {
    const above = modeIn(directory);
    if (above === 'git') return 'git';
    if (above === 'alsoIncluded' || directory.inherited.alsoInclude?.get(name) === true)
      return 'alsoIncluded';
    if (above === 'included') return 'included';
    if (!entry.ignored) return 'rules';
    if (this.#options.include.matches(join(directory.path, name), true)) return 'included';
    return this.#gitlinks.has(join(directory.path, name)) ? 'rules' : 'ignored';
  }

  #takes(directory: WalkedDirectory, name: string, entry: WalkedEntry): boolean | Promise<boolean> {
    const path = join(directory.path, name);
    const isDirectory = entry.kind === 'directory';
    const mode = modeIn(directory);
    if (mode === 'git') return this.#isTracked(directory.scope, path, isDirectory);
    if (mode === 'alsoIncluded') return true;
    if (directory.inherited.alsoInclude?.has(name)) return true;
    if (this.#options.exclude.matches(path, isDirectory)) return false;
    if (entry.ignored === false) return true;
    if (this.#options.include.matches(path, isDirectory)) return true;
    if (isDirectory && this.#options.include.mayMatchBelow(path)) return true;
    if (isCaptured(directory.inherited.previous, name, isDirectory)) return true;
    return this.#isTracked(directory.scope, path, isDirectory);
  }

  async #isTracked(scope: IgnoreScope, path: TreePath, isDirectory: boolean): Promise<boolean> {
    let loading = this.#tracked.get(scope);
    if (loading === undefined) {
      loading = scope.oracle.tracked(scope.prefix);
      this.#tracked.set(scope, loading);
    }
    const relative = scope.base === rootPath ? path : path.slice(scope.base.length + 1);
    let node: PathTree | true | 'gitlink' | undefined = await loading;
    for (const name of relative.split('/')) node = node instanceof Map ? node.get(name) : undefined;
    if (node === 'gitlink' && isDirectory) this.#gitlinks.add(path);
    return isDirectory ? node instanceof Map || node === 'gitlink' : node === true;
  }
}

/** Returns which names in the directory the capture takes. */
function modeIn(directory: WalkedDirectory): TakeMode {
  return directory.gitDirectory === undefined ? directory.inherited.mode : 'git';
}

function isCaptured(previous: Directory | undefined, name: string, isDirectory: boolean): boolean {
  const node = previous?.entries.get(name);
  return node !== undefined && (asDirectory(node) !== undefined) === isDirectory;
}
