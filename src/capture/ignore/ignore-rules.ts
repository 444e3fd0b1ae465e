// How ignore rules reach the walker: interfaces that git/ fulfils (one engine, git's own), and the facts about
// `.gitignore` files that tell when an old verdict still holds. It never interprets a rule.
import { createHash } from 'node:crypto';
import { files, type Stats } from '../../base/files.ts';
import { isAbsence, readIfPresent } from '../../base/regular-file.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import { inside, type ReachedPath } from '../../work-tree/work-tree.ts';

/** A set of paths as nested names. `true`: this path (a whole directory, if it is one). `gitlink`: a submodule. */
export type PathTree = Map<string, PathTree | true | 'gitlink'>;

/** Adds a path to a tree of paths; a leaf that becomes a directory loses to the directory. */
export function addPath(tree: PathTree, path: string, leaf: true | 'gitlink' = true): void {
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

/** A tree of whole paths, files or directories; undefined for none. */
export function pathTreeOf(paths: readonly TreePath[]): PathTree | undefined {
  if (paths.length === 0) return undefined;
  const tree: PathTree = new Map();
  // Longest first, then shorter ones replace what they contain: a whole directory swallows a file in it.
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

/** The sources of rules that are not `.gitignore` files: `info/exclude` and the global excludes file. */
export interface IgnoreSources {
  /** Changes whenever their contents do. */
  readonly key: string;
  readonly hasRules: boolean;
}

/** The verdicts of one repository (or of none). Paths are relative to its root. */
export interface IgnoreOracle {
  /** Reads the sources again; called once at the start of each scan. */
  refresh(): Promise<IgnoreSources>;
  /**
   * Returns for each path whether the rules exclude it; undefined where git gave no answer. None of the ancestors is
   * excluded. Index entries do not count.
   */
  ignored(paths: readonly TreePath[]): Promise<(boolean | undefined)[]>;
  /** Forgets what was read: a `.gitignore` has changed. */
  renew(): void;
  /** Told of a `.gitignore` that git must not be asked about, since it would wait for it. */
  noteBlocked(path: string): void;
  /** Changes whenever the repository's index may have. */
  trackedKey(): string;
  /** What the repository's index holds, below `prefix`, whatever the rules say. */
  tracked(prefix: TreePath): Promise<PathTree>;
}

/** One repository's rules as seen from the work tree. */
export interface IgnoreScope {
  readonly oracle: IgnoreOracle;
  /** Where the work tree lies in the repository ('' for its root). Absent for a nested repository. */
  readonly prefix: TreePath;
  /** Where the repository lies in the work tree ('' for the outermost). */
  readonly base: TreePath;
  /** Absolute directories above the work tree, from the repository's root down, whose `.gitignore` files count. */
  readonly above: readonly string[];
  /** Its own git directories that lie in the work tree under another name than `.git`, as its pointers say. */
  readonly gitDirectories: readonly TreePath[];
}

/** Finds the scopes of a work tree. */
export interface IgnoreScopes {
  outermost(): Promise<IgnoreScope>;
  /** The scope of the repository whose `.git` stands in this directory, or undefined when that is no repository. */
  nested(directory: TreePath): IgnoreScope | undefined;
}

/** The path as the scope's oracle knows it. */
export function inScope(scope: IgnoreScope, path: TreePath): TreePath {
  if (scope.base !== '') return path.slice(scope.base.length + 1) as TreePath;
  return (scope.prefix === '' ? path : `${scope.prefix}/${path}`) as TreePath;
}

/** The `.gitignore` files that bear on a directory, as one key; equal keys mean that old verdicts hold. */
export interface RuleChain {
  readonly key: string;
  readonly hasRules: boolean;
  /** A `.gitignore` on the way that is a FIFO or a device: git would wait for it, so from there on it is not asked. */
  readonly blockedBy?: string;
}

/** Extends a chain by the `.gitignore` in a reached directory, if it is a file. Git does not follow a link there. */
export function extendChain(chain: RuleChain, path: TreePath, directory: ReachedPath): RuleChain {
  return extend(chain, path, readRules(inside(directory, '.gitignore')));
}

/** The same for an absolute directory above the work tree. */
export function extendChainAbove(chain: RuleChain, directory: string): RuleChain {
  return extend(
    chain,
    directory,
    readRules(Buffer.from(`${directory.replace(/\/$/, '')}/.gitignore`, 'utf8')),
  );
}

function extend(chain: RuleChain, where: string, rules: Buffer | 'none' | 'blocks'): RuleChain {
  if (rules === 'none') return chain;
  if (rules === 'blocks') {
    const blockedBy = chain.blockedBy ?? (where === '' ? '.gitignore' : `${where}/.gitignore`);
    return { ...chain, key: `${chain.key}\0${blockedBy}`, blockedBy };
  }
  const digest = createHash('sha1').update(`${chain.key}\0${where}\0`, 'latin1').update(rules);
  return { ...chain, key: digest.digest('base64'), hasRules: chain.hasRules || hasPattern(rules) };
}

/** Whether a file of rules holds any line that is neither empty nor a comment. */
export function hasPattern(rules: Buffer): boolean {
  return rules
    .toString('latin1')
    .split('\n')
    .some((line) => line.trim() !== '' && !line.startsWith('#'));
}

function readRules(path: Buffer): Buffer | 'none' | 'blocks' {
  const rules = readIfPresent(path, false);
  if (rules !== undefined) return rules;
  try {
    const stats = files.lstatSync(path);
    // Before 2.32 git follows a link here, to whatever it leads.
    const isWaiting = stats.isSymbolicLink() ? files.statSync(path).isFIFO() : mayWait(stats);
    return isWaiting ? 'blocks' : 'none';
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return 'none'; // vanished or closed to us: git reads none either
  }
}

function mayWait(stats: Stats): boolean {
  return stats.isFIFO() || stats.isCharacterDevice();
}
