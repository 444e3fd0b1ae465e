// The ignore rules of a work tree. Each repository in the work tree has one checker (git's own engine) and one index
// reader. This module also records the states of the `.gitignore` files, which show whether an old verdict is still
// valid. The module interprets no rule itself and selects no files.
import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { attempt, attemptOr, isOfSystem } from '../base/attempt.ts';
import { stampKey } from '../base/file-stamp.ts';
import { files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { isAbsence, readIfPresent } from '../base/regular-file.ts';
import { type UserPlaces, userPlaces } from '../git/ignore/global-excludes.ts';
import { IgnoreChecker } from '../git/ignore/ignore-checker.ts';
import { findRepository, type Repository, repositoryAt } from '../git/repository/git-dir.ts';
import { UserIndex } from '../git/repository/user-index.ts';
import { fromText, rootPath, type TreePath, toText } from '../tree/tree-path.ts';
import { inside, type ReachedPath } from '../work-tree/work-tree.ts';

/**
 * A set of paths as nested names. `true`: the path, and if it is a directory, everything below. `gitlink`: a submodule.
 */
export type PathTree = Map<string, PathTree | true | 'gitlink'>;

/** Adds a path to a tree of paths. If both a directory and a path below it are added, only the path below remains. */
function addPath(tree: PathTree, path: string, leaf: true | 'gitlink' = true): void {
  let node = tree;
  const names = path.split('/');
  const last = names.pop() ?? '';
  for (const name of names) {
    const child = node.get(name);
    if (child instanceof Map) node = child;
    else {
      const fresh: PathTree = new Map();
      node.set(name, fresh);
      node = fresh;
    }
  }
  if (!(node.get(last) instanceof Map)) node.set(last, leaf);
}

/** Returns a tree of these paths, each with everything below it. Returns undefined for an empty list. */
export function pathTreeOf(paths: readonly TreePath[]): PathTree | undefined {
  if (paths.length === 0) return undefined;
  const tree: PathTree = new Map();
  // Adds longer paths first. If the list has both a directory and paths below it, the directory replaces these paths.
  for (const path of [...paths].sort((a, b) => b.length - a.length)) {
    addWholePath(tree, path);
  }
  return tree;
}

function addWholePath(tree: PathTree, path: string): void {
  const names = path.split('/');
  const last = names.pop() ?? '';
  let node: PathTree | true | 'gitlink' | undefined = tree;
  for (const name of names) node = node instanceof Map ? node.get(name) : undefined;
  if (node instanceof Map) node.delete(last);
  addPath(tree, path);
}

/** The sources of rules besides `.gitignore` files: `info/exclude` and the global excludes file. */
interface IgnoreSources {
  /** A key that changes whenever the contents of the sources change. */
  readonly key: string;
  readonly hasRules: boolean;
}

/**
 * Says which paths the rules exclude, in one repository or in a work tree without a repository. Paths are relative to
 * the repository's root.
 */
interface IgnoreOracle {
  /** Reads the sources of rules again. Called once at the start of each scan. */
  refresh(): Promise<IgnoreSources>;
  /**
   * Returns for each path whether the rules exclude it, or undefined when git gave no answer for the path. The caller
   * must not pass a path below an excluded directory. Ignores the git index.
   */
  ignored(paths: readonly TreePath[]): Promise<(boolean | undefined)[]>;
  /** Discards cached rules, because a `.gitignore` has changed. */
  renew(): void;
  /** Called for a `.gitignore` that git must not read because git would wait for ever (a FIFO). */
  warnBlocked(path: string): void;
  /** A key that changes whenever the repository's index may have changed. */
  trackedKey(): string;
  /** Returns the paths below `prefix` in the repository's index, ignored or not. */
  tracked(prefix: TreePath): Promise<PathTree>;
}

/** The rules of one repository that apply to the work tree. */
export interface IgnoreScope {
  readonly oracle: IgnoreOracle;
  /**
   * The path of the work tree relative to the repository's root. Empty for a nested repository, and for a work tree
   * that is the repository's root.
   */
  readonly prefix: TreePath;
  /** The path of the repository relative to the work tree. Empty for the outermost repository. */
  readonly base: TreePath;
  /**
   * Absolute paths of the directories from the repository's root down to the parent of the work tree. The `.gitignore`
   * files of these directories apply, too.
   */
  readonly above: readonly string[];
  /**
   * The repository's git directories that are in the work tree and not named `.git`. The daemon finds these directories
   * through the repository's pointer files.
   */
  readonly gitDirectories: readonly TreePath[];
}

/** Converts a path to a path relative to the scope's repository. */
export function inScope(scope: IgnoreScope, path: TreePath): TreePath {
  if (scope.base !== '') return path.slice(scope.base.length + 1) as TreePath;
  return (scope.prefix === '' ? path : `${scope.prefix}/${path}`) as TreePath;
}

/**
 * The chain of `.gitignore` files that apply to a directory. While `key` is the same, earlier verdicts are valid. The
 * key includes the stamps of the files, because git reads the files later than this module. A program may change a
 * file, and change it back after git has read it.
 */
export interface RuleChain {
  readonly key: string;
  readonly hasRules: boolean;
  /**
   * A `.gitignore` that applies to the directory and is a FIFO or a device. Git would wait for this file for
   * ever, so the daemon does not ask git about paths to which the file applies.
   */
  readonly blockedBy?: string;
}

/** Adds the `.gitignore` of an opened directory to a chain. Ignores a symbolic link, as git does. */
export function extendChain(chain: RuleChain, path: TreePath, directory: ReachedPath): RuleChain {
  return extend(chain, path, readRules(inside(directory, '.gitignore')));
}

/** Adds the `.gitignore` of a directory above the work tree to the chain. The directory is an absolute path. */
function extendChainAbove(chain: RuleChain, directory: string): RuleChain {
  return extend(
    chain,
    directory,
    readRules(Buffer.from(`${directory.replace(/\/$/, '')}/.gitignore`, 'utf8')),
  );
}

function extend(chain: RuleChain, where: string, rules: Rules | 'none' | 'blocks'): RuleChain {
  if (rules === 'none') return chain;
  if (rules === 'blocks') {
    const blockedBy = chain.blockedBy ?? (where === '' ? '.gitignore' : `${where}/.gitignore`);
    return { ...chain, key: `${chain.key}\0${blockedBy}`, blockedBy };
  }
  const { stamp, text } = rules;
  const digest = createHash('sha1').update(`${chain.key}\0${where}\0${stamp}\0`, 'latin1').update(text);
  return { ...chain, key: digest.digest('base64'), hasRules: chain.hasRules || hasPattern(text) };
}

/** True when a file with rules has at least one line that is neither empty nor a comment. */
export function hasPattern(rules: Buffer): boolean {
  return rules
    .toString('latin1')
    .split('\n')
    .some((line) => line.trim() !== '' && !line.startsWith('#'));
}

interface Rules {
  readonly text: Buffer;
  /** The stamp of the file just before it was read. */
  readonly stamp: string;
}

function readRules(path: Buffer): Rules | 'none' | 'blocks' {
  const stats = attempt(isAbsence, () => files.lstatSync(path, { bigint: true }));
  const text = readIfPresent(path, false);
  if (text !== undefined) return { text, stamp: stats === undefined ? '' : stampKey(stats) };
  // If this read fails too, the file is missing or unreadable, and git cannot read rules from it either.
  return attemptOr('none', isAbsence, () => {
    const stats = files.lstatSync(path);
    // Git versions before 2.32 follow a link here, even to a target outside the work tree.
    const isWaiting = stats.isSymbolicLink()
      ? files.statSync(path).isFIFO()
      : stats.isFIFO() || stats.isCharacterDevice();
    return isWaiting ? 'blocks' : 'none';
  });
}

/** Reads the sources of a scope again. Returns the rules at the root of the scope. */
export async function startingChain(scope: IgnoreScope): Promise<RuleChain> {
  const sources = await scope.oracle.refresh();
  const key = `${scope.base}\0${scope.prefix}\0${sources.key}`;
  let chain: RuleChain = { key, hasRules: sources.hasRules };
  for (const directory of scope.above) chain = extendChainAbove(chain, directory);
  return chain;
}

interface IgnoreScopesOptions {
  /** Canonical absolute path of the work tree. */
  readonly workTree: string;
  /** A private directory in which the engines keep their git directories. */
  readonly directory: string;
  readonly places?: UserPlaces | undefined;
  readonly log: Log;
}

interface OpenScope {
  readonly scope: IgnoreScope;
  readonly checker: IgnoreChecker;
  readonly gitDir: string | undefined;
}

/** The scopes of one work tree. The scopes stay open between captures. */
export class IgnoreScopes {
  readonly #options: IgnoreScopesOptions;
  readonly #places: UserPlaces;
  readonly #open = new Map<TreePath, OpenScope>();
  /**
   * The last verdict: whether the rules above the work tree exclude the whole work tree. The verdict is valid as long
   * as these rules have this key.
   */
  #verdict: { readonly key: string; readonly isExcluded: boolean } | undefined;

  constructor(options: IgnoreScopesOptions) {
    this.#options = options;
    this.#places = options.places ?? userPlaces();
  }

  /**
   * Returns the scope of the repository around the work tree. Searches for the repository each time, because `git init`
   * may have made a repository meanwhile. Ignores the repository's rules if they exclude the work tree itself, because
   * a client that opens an ignored directory wants its files.
   */
  async outermost(): Promise<IgnoreScope> {
    const { scope, repository } = this.#around();
    return (await this.#isExcludedBy(scope)) ? this.#withoutRulesOf(scope, repository) : scope;
  }

  /**
   * Returns the root of the repository around the work tree if the repository's rules exclude the whole work tree. In
   * this case, captures ignore these rules.
   */
  async ignoredBy(): Promise<string | undefined> {
    const { scope, repository } = this.#around();
    return (await this.#isExcludedBy(scope)) ? repository?.root : undefined;
  }

  /**
   * Returns the scope of the repository whose `.git` is in this directory, or undefined when there is no repository.
   */
  nested(directory: TreePath): IgnoreScope | undefined {
    // The daemon passes options to git as text. Therefore it cannot ask git about a repository whose path is not UTF-8,
    // and the outer rules apply in such a repository.
    const root = join(this.#options.workTree, toText(directory));
    const repository = repositoryAt(root);
    return repository === undefined ? undefined : this.#scope(directory, rootPath, root, repository);
  }

  /**
   * Ends the engines of nested repositories, because there can be many and they are rarely used. The outermost engine
   * keeps running.
   */
  async closeNested(): Promise<void> {
    const nested = [...this.#open.values()].filter(({ scope }) => scope.base !== rootPath);
    await Promise.all(nested.map(({ checker }) => checker.close()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ checker }) => checker.close()));
  }

  kill(): void {
    for (const { checker } of this.#open.values()) checker.kill();
  }

  #around(): { readonly scope: IgnoreScope; readonly repository: Repository | undefined } {
    const { workTree } = this.#options;
    const repository = findRepository(workTree);
    const root = repository?.root ?? workTree;
    const below = workTree === root ? '' : workTree.slice(root.endsWith('/') ? root.length : root.length + 1);
    return { scope: this.#scope(rootPath, fromText(below), root, repository), repository };
  }

  async #isExcludedBy(scope: IgnoreScope): Promise<boolean> {
    if (scope.prefix === rootPath) return false;
    const { key, hasRules, blockedBy } = await startingChain(scope);
    if (!hasRules || blockedBy !== undefined) return false;
    if (this.#verdict?.key !== key) {
      scope.oracle.renew(); // the engine has cached rules from files that were replaced
      const [isExcluded] = await scope.oracle.ignored([scope.prefix]);
      // git gave no answer; the capture reports the failure when it asks git about paths in the work tree
      if (isExcluded === undefined) return false;
      this.#verdict = { key, isExcluded };
    }
    return this.#verdict.isExcluded;
  }

  /**
   * Returns a scope that uses only the rules inside the work tree and the user's own rules. The capture still takes
   * files that the repository tracks.
   */
  #withoutRulesOf({ prefix, oracle, gitDirectories }: IgnoreScope, repository?: Repository): IgnoreScope {
    const known = this.#open.get(ownRules);
    if (known !== undefined && known.gitDir === repository?.gitDir) return known.scope;
    void known?.checker.close();
    const { workTree } = this.#options;
    const checker = this.#checker(ownRules, workTree, undefined);
    const own = oracleOf(checker, undefined);
    const tracking = { trackedKey: () => oracle.trackedKey(), tracked: () => oracle.tracked(prefix) };
    const scope = {
      oracle: { ...own, ...tracking },
      prefix: rootPath,
      base: rootPath,
      above: [],
      gitDirectories,
    };
    this.#open.set(ownRules, { scope, checker, gitDir: repository?.gitDir });
    return scope;
  }

  #scope(base: TreePath, prefix: TreePath, root: string, repository: Repository | undefined): IgnoreScope {
    const known = this.#open.get(base);
    if (known !== undefined && known.scope.prefix === prefix && known.gitDir === repository?.gitDir) {
      return known.scope;
    }
    void known?.checker.close();
    const checker = this.#checker(base, root, repository);
    const index = repository === undefined ? undefined : new UserIndex(repository, this.#options.log);
    const scope = {
      oracle: oracleOf(checker, index),
      prefix,
      base,
      above: above(root, this.#options.workTree, base),
      gitDirectories: gitDirectoriesIn(this.#options.workTree, repository),
    };
    this.#open.set(base, { scope, checker, gitDir: repository?.gitDir });
    return scope;
  }

  #checker(key: string, root: string, repository: Repository | undefined): IgnoreChecker {
    const { directory, log } = this.#options;
    const name = createHash('sha1').update(key, 'latin1').digest('hex').slice(0, 16);
    return new IgnoreChecker({
      root,
      repository,
      directory: join(directory, name),
      places: this.#places,
      log,
    });
  }
}

/** The key of the scope that does not use the outer rules. The key is a NUL, which no path contains. */
const ownRules = '\0' as TreePath;

/** Returns the directories from the repository's root down to the parent of the work tree. */
function above(root: string, workTree: string, base: TreePath): string[] {
  if (base !== rootPath) return [];
  const list: string[] = [];
  for (let at = workTree; at !== root && dirname(at) !== at; ) {
    at = dirname(at);
    list.unshift(at);
  }
  return list;
}

/**
 * Returns those git directories of a repository that are in the work tree, and all paths that lead to these
 * directories.
 */
function gitDirectoriesIn(workTree: string, repository: Repository | undefined): TreePath[] {
  if (repository === undefined) return [];
  const found = new Set<TreePath>();
  for (const directory of [repository.gitDir, repository.commonDir]) {
    const path = relative(
      workTree,
      attemptOr(directory, isOfSystem, () => files.realpathSync(directory)),
    ).replaceAll(sep, '/');
    if (path !== '' && path !== '..' && !path.startsWith('../') && !isAbsolute(path))
      found.add(fromText(path));
  }
  return [...found];
}

function oracleOf(checker: IgnoreChecker, index: UserIndex | undefined): IgnoreOracle {
  let cached: { key: string; tree: PathTree } | undefined;
  return {
    refresh: () => checker.refresh(),
    ignored: (paths) => checker.ignored(paths),
    renew: () => checker.renew(),
    warnBlocked: (path) => checker.warnBlocked(path),
    trackedKey: () => index?.key() ?? '',
    tracked: async (prefix) => {
      if (index === undefined) return new Map();
      const key = index.key();
      if (cached?.key === key) return cached.tree;
      const tree: PathTree = new Map();
      const skip = prefix === rootPath ? 0 : prefix.length + 1;
      for (const { path, isSubmodule } of await index.entries()) {
        if (skip > 0 && !path.startsWith(`${prefix}/`)) continue;
        addPath(tree, path.slice(skip), isSubmodule ? 'gitlink' : true);
      }
      cached = { key, tree };
      return tree;
    },
  };
}
