// The permissions of a snapshot that are stricter than usual, as one blob beside the tree: git knows 644 and 755
// alone. The list is sorted, so equal permissions give equal bytes and with them equal snapshot ids.
import { CheckpointdError } from '../base/errors.ts';
import { byBytes, join, rootPath, type TreePath } from '../base/tree-path.ts';
import { type Directory, isDirectory } from './snapshot-store.ts';

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

/** The blob's bytes, or undefined when nothing is stricter than usual. */
export function encodeModes(root: Directory): Buffer | undefined {
  const lines = [...linesOf(root)];
  if (root.permissions !== undefined) {
    lines.push({ path: rootPath, kind: 'd', permissions: root.permissions });
  }
  if (lines.length === 0) return undefined;
  lines.sort((a, b) => byBytes(a.path, b.path));
  const text = lines.map(({ permissions, kind, path }) => `${octal(permissions)} ${kind} ${path}\0`).join('');
  return Buffer.from(text, 'latin1');
}

/** Reads the blob. @throws StoreCorrupt */
export function decodeModes(bytes: Buffer, blob: string): StrictModes {
  const files = new Map<TreePath, number>();
  const directories = new Map<TreePath, number>();
  const parts = bytes.toString('latin1').split('\0');
  if (parts.pop() !== '') throw corruptModes(blob);
  for (const part of parts) {
    const match = /^([0-7]{4}) ([fd]) ([^]*)$/.exec(part);
    if (match === null) throw corruptModes(blob);
    const table = match[2] === 'f' ? files : directories;
    table.set((match[3] ?? '') as TreePath, Number.parseInt(match[1] ?? '', 8));
  }
  return { files, directories };
}

/** Lines for everything below a directory, paths relative to it. */
function linesOf(directory: Directory): readonly Line[] {
  const lines: Line[] = [];
  for (const [name, node] of directory.entries) {
    const kind = isDirectory(node) ? 'd' : 'f';
    if (isDirectory(node)) {
      // A directory without a file is not captured, and neither are its permissions.
      if (isHollow(node)) continue;
      for (const line of linesOf(node)) lines.push({ ...line, path: join(name as TreePath, line.path) });
    }
    if (node.permissions !== undefined) {
      lines.push({ path: name as TreePath, kind, permissions: node.permissions });
    }
  }
  return lines;
}

/** Whether no file lies in or below the directory. */
export function isHollow(directory: Directory): boolean {
  for (const node of directory.entries.values()) {
    if (!isDirectory(node) || !isHollow(node)) return false;
  }
  return true;
}

function octal(permissions: number): string {
  return permissions.toString(8).padStart(4, '0');
}

function corruptModes(blob: string): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The stored permissions ${blob} are not usable. Nothing was changed; restore another checkpoint.`,
    { details: { blob } },
  );
}
