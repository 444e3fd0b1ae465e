// Stores the strict permissions of a snapshot as one blob beside the tree. Permissions are strict when they are
// stricter than usual. Git itself stores only 644 and 755. The list is sorted, so equal permissions give equal bytes
// and equal snapshot ids.
import { CheckpointdError } from '../base/errors.ts';
import { Slices, sortedByKey } from '../base/slices.ts';
import { type Directory, isDirectory, isHollow } from './tree.ts';
import { join, rootPath, type TreePath } from './tree-path.ts';

export interface StrictModes {
  readonly files: ReadonlyMap<TreePath, number>;
  readonly directories: ReadonlyMap<TreePath, number>;
}

export const noStrictModes: StrictModes = { files: new Map(), directories: new Map() };

interface Line {
  readonly path: TreePath;
  readonly kind: 'f' | 'd';
  readonly permissions: number;
}

/**
 * Returns the blob's bytes, or undefined when nothing is stricter than usual. With a umask of 077, all permissions are
 * stricter than usual.
 */
export async function encodeModes(root: Directory, slices = new Slices()): Promise<Buffer | undefined> {
  const lines: Line[] = [];
  await addLines(lines, root, rootPath, slices);
  if (root.permissions !== undefined) {
    lines.push({ path: rootPath, kind: 'd', permissions: root.permissions });
  }
  if (lines.length === 0) return undefined;
  const texts: string[] = [];
  for (const { permissions, kind, path } of await sortedByKey(lines, (line) => line.path, slices)) {
    if (slices.isDue()) await slices.pause();
    texts.push(`${permissions.toString(8).padStart(4, '0')} ${kind} ${path}\0`);
  }
  return Buffer.from(texts.join(''), 'latin1');
}

/** Reads the blob. @throws StoreCorrupt */
export async function decodeModes(bytes: Buffer, blob: string): Promise<StrictModes> {
  const slices = new Slices();
  const files = new Map<TreePath, number>();
  const directories = new Map<TreePath, number>();
  const parts = bytes.toString('latin1').split('\0');
  if (parts.pop() !== '') throw corruptModes(blob);
  for (const part of parts) {
    if (slices.isDue()) await slices.pause();
    const match = /^([0-7]{4}) ([fd]) ([^]*)$/.exec(part);
    if (match === null) throw corruptModes(blob);
    const table = match[2] === 'f' ? files : directories;
    table.set((match[3] ?? '') as TreePath, Number.parseInt(match[1] ?? '', 8));
  }
  return { files, directories };
}

/** Sealed directories that contain no strict permissions at any depth. Sealed directories never change. */
const usual = new WeakSet<Directory>();

/** True when it is known that no path below the directory has strict permissions. */
export function isUsual(directory: Directory): boolean {
  return directory.isUsual === true || usual.has(directory);
}

/** Adds the lines for everything below a directory. */
async function addLines(lines: Line[], directory: Directory, at: TreePath, slices: Slices): Promise<void> {
  if (isUsual(directory)) return;
  const before = lines.length;
  for (const [name, node] of directory.entries) {
    if (slices.isDue()) await slices.pause();
    // A directory without any file is not captured, and neither are its permissions.
    if (isDirectory(node) && !isUsual(node) && isHollow(node)) continue;
    if (isDirectory(node)) await addLines(lines, node, join(at, name), slices);
    if (node.permissions === undefined) continue;
    lines.push({
      path: join(at, name),
      kind: isDirectory(node) ? 'd' : 'f',
      permissions: node.permissions,
    });
  }
  if (lines.length === before && directory.sealed !== undefined) usual.add(directory);
}

function corruptModes(blob: string): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The stored permissions ${blob} are not usable. Nothing was changed; restore another checkpoint.`,
    { details: { blob } },
  );
}
