// Brings what a restore wrote to the disk after it was answered: contents first, then the names. It is in no hurry: one
// file at a time, so that it takes one of the few threads that everything else waits for, too. It changes nothing.
import { systemCode } from '../base/errors.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { rootPath, type TreePath } from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { ancestors } from './plan.ts';

/** What was moved, removed or closed to us since needs no sync, or can have none. */
const isGone = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO']);

/** Syncs files and the directories that name them. @throws system errors, WorkTreeMissing, the signal's reason */
export async function syncFiles(
  root: string,
  paths: ReadonlySet<TreePath>,
  signal: AbortSignal,
): Promise<void> {
  const tree = new AnchoredFiles(root);
  try {
    const directories = new Set<TreePath>([rootPath]);
    for (const path of paths) {
      for (const above of ancestors(path)) directories.add(above);
      await syncOne(tree, path, signal);
    }
    for (const directory of directories) await syncOne(tree, directory, signal);
  } finally {
    tree.close();
  }
}

async function syncOne(tree: AnchoredFiles, path: TreePath, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const fd = opened(tree, path);
  if (fd === undefined) return;
  try {
    const stats = files.fstatSync(fd);
    if (stats.isFile() || stats.isDirectory()) await filesAsync.fsync(fd);
  } finally {
    files.closeSync(fd);
  }
}

/** A file that its owner may only write to is opened for that; a link lives in its directory. */
function opened(tree: AnchoredFiles, path: TreePath): number | undefined {
  for (const access of [constants.O_RDONLY, constants.O_WRONLY]) {
    try {
      return files.openSync(tree.address(path), access | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      if (!isGone.has(systemCode(error) ?? '')) throw error;
    }
  }
  return undefined;
}
