// What a capture saw, and where two captures saw something different. Only differences that speak for themselves
// count: a path that rules, failures or races kept out of one of them proves nothing. It knows nothing of watching.
import type { Slices } from '../base/slices.ts';
import { type Directory, type FileNode, isDirectory } from '../tree/directory.ts';
import { isText, join, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { WalkedEntry } from './listing.ts';
import type { Listings } from './listings.ts';

/** What one capture saw. Shared with later captures and never changed. */
export interface ScannedTree {
  readonly root: Directory;
  readonly directories: Listings;
}

export interface DifferenceOptions {
  /** Paths that are of no interest; asked before anything is looked up. */
  readonly without: (path: TreePath) => boolean;
  readonly slices: Slices;
}

/** A checkout of another branch is looked at path by path up to here. */
const metMax = 10_000;
const foundMax = 1_000;

type TreeNode = Directory | FileNode | undefined;

/**
 * What was made, changed or removed between two captures into the same store; its cost follows what differs.
 * Undefined when that is too much to be worth it.
 */
export async function differences(
  earlier: ScannedTree,
  later: ScannedTree,
  { without, slices }: DifferenceOptions,
): Promise<TreePath[] | undefined> {
  const found: TreePath[] = [];
  let met = 0;
  const stack: (readonly [TreePath, TreeNode, TreeNode])[] = [[rootPath, earlier.root, later.root]];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [path, before, after] = top;
    if (isDifferent(path, before, after)) {
      met += 1;
      if (met > metMax) return undefined;
      if (!without(path) && isKnown(path, earlier) && isKnown(path, later)) found.push(path);
      if (found.length > foundMax) return undefined;
    }
    const [below, now] = [entriesOf(before), entriesOf(after)];
    for (const [name, node] of below) {
      if (slices.isDue()) await slices.pause();
      const other = now.get(name);
      if (!isSame(node, other)) stack.push([join(path, name), node, other]);
    }
    for (const [name, node] of now) {
      if (slices.isDue()) await slices.pause();
      if (!below.has(name)) stack.push([join(path, name), undefined, node]);
    }
  }
  return found;
}

const nothing: Directory['entries'] = new Map();

function entriesOf(node: TreeNode): Directory['entries'] {
  return node !== undefined && isDirectory(node) ? node.entries : nothing;
}

/** Whether nothing at the path or below it differs; a directory that was sealed twice has the same id. */
function isSame(one: TreeNode, other: TreeNode): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || one.permissions !== other.permissions) return false;
  if (isDirectory(one)) return isDirectory(other) && one.sealed !== undefined && one.sealed === other.sealed;
  return !isDirectory(other) && one.blob === other.blob && one.mode === other.mode;
}

/**
 * Whether the path itself differs, and not only what is below it. Of a directory only its permissions count, and only
 * where both captures hold it: one without a file is in no capture, so its first file makes it appear, and nothing else.
 */
function isDifferent(path: TreePath, before: TreeNode, after: TreeNode): boolean {
  if (path === rootPath) return false;
  const isFile = [before, after].some((node) => node !== undefined && !isDirectory(node));
  if (isFile) return true;
  return before !== undefined && after !== undefined && before.permissions !== after.permissions;
}

/**
 * Whether the capture is certain of the path: that nothing stood there, or what. Not so where the rules left it or a
 * directory above it out, where something could not be listed or read, and below names that cannot be watched.
 */
function isKnown(path: TreePath, { directories }: ScannedTree): boolean {
  if (!isText(parentOf(path))) return false;
  let at = rootPath;
  let entry: WalkedEntry | undefined;
  for (const name of path.split('/')) {
    const listing = directories.get(at);
    if (listing === undefined || listing.failure !== undefined) return false;
    entry = listing.entries.get(name);
    if (entry === undefined || (entry.taken && entry.kind !== 'directory')) break;
    if (!entry.taken) return false;
    at = join(at, name);
  }
  if (entry === undefined || entry.kind === 'directory') return true;
  return (
    (entry.kind === 'file' || entry.kind === 'link') && entry.blob !== undefined && entry.unread === undefined
  );
}
