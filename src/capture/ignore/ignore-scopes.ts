// Wires git's answers to the walk: one checker and one index reader for each repository that a work tree touches, the
// one around it and those nested in it. It decides nothing; capture/selection.ts does.
import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { type UserPlaces, userPlaces } from '../../git/ignore/global-excludes.ts';
import { IgnoreChecker } from '../../git/ignore/ignore-checker.ts';
import { findRepository, type Repository, repositoryAt } from '../../git/repository/git-dir.ts';
import { UserIndex } from '../../git/repository/user-index.ts';
import { fromText, rootPath, type TreePath, toText } from '../../tree/tree-path.ts';
import { startingChain } from '../selection.ts';
import {
  addPath,
  type IgnoreOracle,
  type IgnoreScope,
  type IgnoreScopes,
  type PathTree,
} from './ignore-rules.ts';

export interface GitIgnoreScopesOptions {
  /** Canonical absolute path of the work tree. */
  readonly workTree: string;
  /** A private directory for the engines' git dirs. */
  readonly directory: string;
  readonly places?: UserPlaces;
  readonly log: Log;
}

interface Kept {
  readonly scope: IgnoreScope;
  readonly checker: IgnoreChecker;
  readonly gitDir: string | undefined;
}

/** The scopes of one work tree, kept over its captures. */
export class GitIgnoreScopes implements IgnoreScopes {
  readonly #options: GitIgnoreScopesOptions;
  readonly #places: UserPlaces;
  readonly #kept = new Map<TreePath, Kept>();
  /** Whether the rules above exclude the work tree, by those rules. */
  #verdict: { readonly key: string; readonly isExcluded: boolean } | undefined;

  constructor(options: GitIgnoreScopesOptions) {
    this.#options = options;
    this.#places = options.places ?? userPlaces();
  }

  /**
   * The repository around the work tree, looked up anew each time: `git init` may have made one meanwhile. Where its
   * rules exclude the work tree itself they do not count: whoever opens a directory wants what is in it.
   */
  async outermost(): Promise<IgnoreScope> {
    const { scope, repository } = this.#around();
    return (await this.#isExcludedBy(scope)) ? this.#withoutRulesOf(scope, repository) : scope;
  }

  /** The root of the repository around the work tree if its rules exclude the work tree, so that they do not count. */
  async ignoredBy(): Promise<string | undefined> {
    const { scope, repository } = this.#around();
    return (await this.#isExcludedBy(scope)) ? repository?.root : undefined;
  }

  nested(directory: TreePath): IgnoreScope | undefined {
    // Repositories whose path is not UTF-8 are governed by the outer rules: git's own options are text here.
    const root = join(this.#options.workTree, toText(directory));
    const repository = repositoryAt(root);
    return repository === undefined ? undefined : this.#scope(directory, rootPath, root, repository);
  }

  /** Ends the engines of nested repositories, which are many and seldom asked; the outermost one's stays. */
  async rest(): Promise<void> {
    const nested = [...this.#kept.values()].filter(({ scope }) => scope.base !== rootPath);
    await Promise.all(nested.map(({ checker }) => checker.close()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ checker }) => checker.close()));
  }

  kill(): void {
    for (const { checker } of this.#kept.values()) checker.kill();
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
      scope.oracle.renew(); // it has read files that are others by now
      const [isExcluded] = await scope.oracle.ignored([scope.prefix]);
      if (isExcluded === undefined) return false; // then git has no answer for what is in it either, which is reported
      this.#verdict = { key, isExcluded };
    }
    return this.#verdict.isExcluded;
  }

  /** The rules that lie in the work tree, and those of the user; what the repository tracks counts all the same. */
  #withoutRulesOf({ prefix, oracle, gitDirectories }: IgnoreScope, repository?: Repository): IgnoreScope {
    const known = this.#kept.get(ownRules);
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
    this.#kept.set(ownRules, { scope, checker, gitDir: repository?.gitDir });
    return scope;
  }

  #scope(base: TreePath, prefix: TreePath, root: string, repository: Repository | undefined): IgnoreScope {
    const known = this.#kept.get(base);
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
    this.#kept.set(base, { scope, checker, gitDir: repository?.gitDir });
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

/** The key of the scope without the outer rules; no path holds a NUL. */
const ownRules = '\0' as TreePath;

/** The directories from the repository's root down to the work tree, without the latter. */
function above(root: string, workTree: string, base: TreePath): string[] {
  if (base !== rootPath) return [];
  const list: string[] = [];
  for (let at = workTree; at !== root && dirname(at) !== at; ) {
    at = dirname(at);
    list.unshift(at);
  }
  return list;
}

/** The git directories of a repository that lie in the work tree, however they are reached. */
function gitDirectoriesIn(workTree: string, repository: Repository | undefined): TreePath[] {
  if (repository === undefined) return [];
  const found = new Set<TreePath>();
  for (const directory of [repository.gitDir, repository.commonDir]) {
    const path = relative(workTree, realPathOf(directory)).replaceAll(sep, '/');
    if (path !== '' && path !== '..' && !path.startsWith('../') && !isAbsolute(path))
      found.add(fromText(path));
  }
  return [...found];
}

function realPathOf(path: string): string {
  try {
    return files.realpathSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path; // it went meanwhile
  }
}

function oracleOf(checker: IgnoreChecker, index: UserIndex | undefined): IgnoreOracle {
  let cached: { key: string; tree: PathTree } | undefined;
  return {
    refresh: () => checker.refresh(),
    ignored: (paths) => checker.ignored(paths),
    renew: () => checker.renew(),
    noteBlocked: (path) => checker.noteBlocked(path),
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
