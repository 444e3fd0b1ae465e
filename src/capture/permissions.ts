// Which permission bits of files and directories a snapshot records, and which of them may be the mask of an access list:
// strict ones, by which the group may do more than others. What an earlier scan asked under the same stamp is not asked
// again. It reads no content.
import { givesGroupMore, ownerBits, withAccessLists } from '../base/access-lists.ts';
import { isSameStamp, type Stamp } from '../base/file-stamp.ts';
import type { Slices } from '../base/slices.ts';
import { join, rootPath, type TreePath, toText } from '../tree/tree-path.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';
import type { WalkedDirectory, WalkedEntry } from './listing.ts';

/** Of what may have an access list its owner's bits alone: the others are a mask, and no right of anybody's. */
export function permissionsOf(
  { isListed }: Pick<WalkedEntry, 'isListed'>,
  mode: number,
  usual: number,
): number | undefined {
  const permissions = strictPermissions(mode, usual);
  return permissions !== undefined && isListed === true ? permissions & ownerBits : permissions;
}

/**
 * The permission bits, when any that the usual mode has is missing (0600, 0444, 0700): a restore must not widen them.
 * On Windows modes are made up by the system and say nothing.
 */
export function strictPermissions(mode: number, usual: number): number | undefined {
  if (process.platform === 'win32') return undefined;
  return (mode & usual) === usual ? undefined : mode & 0o7777;
}

export interface AccessOptions {
  readonly tree: WorkTree;
  readonly before: { get(path: TreePath): WalkedDirectory | undefined };
  readonly slices: Slices;
}

interface Asked {
  readonly path: TreePath;
  readonly stamp: Stamp;
  readonly of: WalkedDirectory | WalkedEntry;
}

/** Marks what may have an access list; returns the paths that were found to have one now. */
export async function markAccessLists(
  directories: Iterable<WalkedDirectory>,
  { tree, before, slices }: AccessOptions,
): Promise<TreePath[]> {
  const asked: Asked[] = [];
  const ask = (
    path: TreePath,
    of: WalkedDirectory | WalkedEntry,
    old: WalkedDirectory | WalkedEntry | undefined,
    usual: number,
  ): void => {
    const { stamp } = of;
    if (stamp === undefined || !givesGroupMore(stamp.mode)) return;
    if (strictPermissions(stamp.mode, usual) === undefined) return;
    if (old?.isListed !== undefined && old.stamp !== undefined && isSameStamp(old.stamp, stamp))
      of.isListed = old.isListed;
    else asked.push({ path, stamp, of });
  };
  for (const directory of directories) {
    if (slices.isDue()) await slices.pause();
    const old = before.get(directory.path);
    if (directory.path !== rootPath && directory.failure === undefined)
      ask(directory.path, directory, old, 0o755);
    if (directory.isUnchanged) continue;
    for (const [name, entry] of directory.entries) {
      if (entry.kind !== 'file' || entry.blob === undefined) continue;
      const usual = ((entry.stamp?.mode ?? 0) & 0o100) === 0 ? 0o644 : 0o755;
      ask(join(directory.path, name), entry, old?.entries.get(name), usual);
    }
  }
  const root = Buffer.from(`${tree.root}/`);
  const isListed = await withAccessLists(
    asked.map(({ path }) => Buffer.concat([root, Buffer.from(path, 'latin1')])),
  );
  for (const { of, stamp } of asked) of.isListed = isListed(stamp.ino);
  return asked.flatMap(({ path, of }) => (of.isListed === true ? [path] : []));
}

export function accessListsFound(paths: readonly TreePath[]): string {
  const some = paths.slice(0, 3).map((path) => JSON.stringify(toText(path)));
  return `${paths.length} path(s) have access lists, which are not captured; of these a restore gives back the owner's permissions only: ${some.join(', ')}`;
}
