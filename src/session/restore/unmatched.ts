// Whether the paths that a restore was asked for are there at all: one that was mistyped is told, instead of a success
// that did nothing.
import type { Capture } from '../../capture/capturer.ts';
import type { Checkpoints } from '../../checkpoints/checkpoints.ts';
import type { OperationContext } from '../../checkpoints/operation.ts';
import { ancestors } from '../../restore/plan.ts';
import { type Directory, type FileNode, isDirectory } from '../../tree/directory.ts';
import { type TreePath, toText } from '../../tree/tree-path.ts';
import type { RestoreJob } from './restore-job.ts';

const namedMax = 5;

/** Warns of each path at which the target holds nothing, and a hard restore finds nothing to delete. */
export async function warnOfUnmatched(
  { store }: Checkpoints,
  { paths = [], scope, mode, target, interrupted }: RestoreJob,
  present: Capture,
  context: OperationContext,
): Promise<void> {
  if (paths.length === 0 || scope === 'conversation' || interrupted !== undefined) return;
  const changes = await store.changes(present.snapshot, target.record.snapshot);
  // By path, and by each directory above it: what the target holds otherwise, and how many files it has not.
  const held = new Set<TreePath>();
  const lacking = new Map<TreePath, number>();
  for (const { path, after } of changes) {
    for (const at of [path, ...ancestors(path), '' as TreePath]) {
      if (after !== undefined) held.add(at);
      else lacking.set(at, (lacking.get(at) ?? 0) + 1);
    }
  }
  const unmatched = paths.filter((path) => {
    if (held.has(path)) return false;
    const files = filesAt(present.root, path);
    // What stands here and is not lacking in the target is in both.
    return mode === 'hard' ? files === 0 : files === (lacking.get(path) ?? 0);
  });
  if (unmatched.length === 0) return;
  const named = unmatched.slice(0, namedMax).map((path) => JSON.stringify(toText(path)));
  const more = unmatched.length > namedMax ? ` and ${unmatched.length - namedMax} more path(s)` : '';
  context.warn(`The checkpoint holds nothing at ${named.join(', ')}${more}, so nothing was restored there.`);
}

/** How many files stand at a path or below it. */
export function filesAt(root: Directory, path: TreePath): number {
  let node: Directory | FileNode | undefined = root;
  for (const name of path === '' ? [] : path.split('/')) {
    if (node === undefined || !isDirectory(node)) return 0;
    node = node.entries.get(name);
  }
  return node === undefined ? 0 : countFiles(node);
}

export function countFiles(node: Directory | FileNode): number {
  if (!isDirectory(node)) return 1;
  let count = 0;
  for (const each of node.entries.values()) count += countFiles(each);
  return count;
}
