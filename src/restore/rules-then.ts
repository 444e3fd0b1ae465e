// Finds existing paths that a checkpoint lacks, but that may have existed when the checkpoint was made. The
// checkpoint's capture may have skipped or excluded the path, or the file may have been too large. The checkpoint's
// `.gitignore` files may also ignore the path. A restore must not conclude that the path did not exist when the
// checkpoint was made. For rules outside the work tree (info/exclude, the user's global excludes), today's rules are
// used. When in doubt, this module counts a path as left out.
import { join as joinPaths, relative } from 'node:path';
import { files } from '../base/files.ts';
import { rulesOf } from '../checkpoints/publish.ts';
import { userPlaces } from '../git/ignore/global-excludes.ts';
import { IgnoreChecker } from '../git/ignore/ignore-checker.ts';
import { findRepository } from '../git/repository/git-dir.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';
import { Globs } from '../tree/globs.ts';
import { type Entry, isLink } from '../tree/tree.ts';
import { ancestors, join, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { RestoreSite } from './restore-site.ts';

/**
 * Returns the entries that the checkpoint may have left out. The caller passes only entries that the checkpoint lacks.
 */
export async function leftOutThen(
  site: RestoreSite,
  target: CheckpointRecord,
  entries: readonly Entry[],
): Promise<ReadonlySet<TreePath>> {
  if (entries.length === 0) return new Set();
  const { store } = site.checkpoints;
  // A record of an earlier version has no rules. Today's rules are used instead.
  const rules = target.rules ?? rulesOf(site.options);
  const skipped = new Set(target.skipped.map(({ path }) => path));
  const exclude = new Globs(rules.exclude ?? []);
  const include = new Globs(rules.include ?? []);
  const sizes = await store.sizes(entries.map(({ blob }) => blob));
  const leftOut = new Set<TreePath>();
  const asked: TreePath[] = [];
  entries.forEach(({ path }, i) => {
    const above = ancestors(path);
    const matches = (globs: Globs): boolean =>
      globs.matches(path, false) || above.some((directory) => globs.matches(directory, true));
    const isLeftOut =
      skipped.has(path) ||
      above.some((directory) => skipped.has(directory)) ||
      (sizes[i] ?? 0) > (rules.maxFileBytes ?? Number.POSITIVE_INFINITY) ||
      matches(exclude);
    if (isLeftOut) leftOut.add(path);
    else if (!matches(include)) asked.push(path);
  });
  for (const path of await ignoredThen(site, target, asked)) leftOut.add(path);
  return leftOut;
}

const batchMax = 512;

/**
 * Returns the paths that git ignores by the rules of the checkpoint. Runs git in a private directory that
 * contains only the checkpoint's `.gitignore` files.
 */
async function ignoredThen(
  site: RestoreSite,
  target: CheckpointRecord,
  paths: readonly TreePath[],
): Promise<TreePath[]> {
  const { workTree, directory, log } = site;
  // If the repository ignores the whole work tree, the rules of the repository do not apply.
  const isIgnored = (await site.checkpoints.capture.ignoredBy()) !== undefined;
  const repository = isIgnored ? undefined : findRepository(workTree.root);
  const place = joinPaths(directory.ignoreDirectory, 'then');
  files.rmSync(place, { recursive: true, force: true });
  const rules = new RulesThen(joinPaths(place, 'tree'), workTree.root, repository?.root ?? workTree.root);
  const checker = new IgnoreChecker({
    root: rules.root,
    repository,
    directory: joinPaths(place, 'git'),
    places: userPlaces(),
    log,
  });
  try {
    const hasFiles = await rules.layOut(site, target, paths);
    const { hasRules } = await checker.refresh();
    if (!hasFiles && !hasRules) return [];
    const ignored: TreePath[] = [];
    for (let start = 0; start < paths.length; start += batchMax) {
      const batch = paths.slice(start, start + batchMax);
      const verdicts = await checker.ignored(batch.map((path) => rules.inRepository(path)));
      ignored.push(...batch.filter((_, i) => verdicts[i] !== false));
    }
    return ignored;
  } finally {
    await checker.close();
    files.rmSync(place, { recursive: true, force: true });
  }
}

/** The `.gitignore` files of a checkpoint at their paths, with today's `.gitignore` files above the work tree. */
class RulesThen {
  readonly root: string;
  readonly #workTree: string;
  readonly #repository: string;
  readonly #prefix: string;

  constructor(root: string, workTree: string, repository: string) {
    this.root = root;
    this.#workTree = workTree;
    this.#repository = repository;
    this.#prefix = Buffer.from(relative(repository, workTree), 'utf8').toString('latin1');
  }

  inRepository(path: TreePath): TreePath {
    return this.#prefix === '' ? path : (`${this.#prefix}/${path}` as TreePath);
  }

  /** Writes the rule files. Returns true if at least one file was written. */
  async layOut(site: RestoreSite, target: CheckpointRecord, paths: readonly TreePath[]): Promise<boolean> {
    const { store } = site.checkpoints;
    files.mkdirSync(this.root, { recursive: true, mode: 0o700 });
    let isAny = this.#copyFromAbove();
    const directories = new Set<TreePath>(paths.flatMap((path) => [rootPath, ...ancestors(path)]));
    for (const directory of directories) {
      const entry = await store.entry(target.snapshot, join(directory, '.gitignore'));
      if (entry === undefined || isLink(entry)) continue; // git does not follow a `.gitignore` that is a link
      const parts: Uint8Array[] = [];
      for await (const chunk of store.read(entry.blob)) parts.push(chunk);
      this.#write(this.inRepository(entry.path), Buffer.concat(parts));
      isAny = true;
    }
    return isAny;
  }

  #copyFromAbove(): boolean {
    let isAny = false;
    for (let at = relative(this.#repository, this.#workTree); at !== ''; ) {
      at = at.includes('/') ? at.slice(0, at.lastIndexOf('/')) : '';
      const file = joinPaths(this.#repository, at, '.gitignore');
      if (files.lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
      this.#write(
        Buffer.from(joinPaths(at, '.gitignore'), 'utf8').toString('latin1') as TreePath,
        files.readFileSync(file),
      );
      isAny = true;
    }
    return isAny;
  }

  #write(path: TreePath, content: Buffer): void {
    const full = (below: string): Buffer =>
      Buffer.concat([Buffer.from(`${this.root}/`), Buffer.from(below, 'latin1')]);
    files.mkdirSync(full(parentOf(path)), { recursive: true, mode: 0o700 });
    files.writeFileSync(full(path), content, { mode: 0o600 });
  }
}
