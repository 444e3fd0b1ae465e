// Computes git's ids of directories in memory, copies directories, and walks through them.
import { createHash } from 'node:crypto';
import type { BlobId } from '../../../src/base/ids.ts';
import { type Directory, type FileNode, isDirectory } from '../../../src/tree/tree.ts';
import { join, type TreePath } from '../../../src/tree/tree-path.ts';

export function gitHash(kind: string, size: number): { update(bytes: Uint8Array): void; digest(): BlobId } {
  const hash = createHash('sha1').update(`${kind} ${size}\0`);
  return {
    update: (bytes) => void hash.update(bytes),
    digest: () => hash.digest('hex') as BlobId,
  };
}

/** Returns git's id of this tree. Sets `sealed` of each directory to its id. */
export function sealTree(directory: Directory, made: { count: number }): string {
  if (directory.sealed !== undefined) return directory.sealed;
  const rows = [...directory.entries].filter(containsFile).map(([name, node]) => {
    const isTree = isDirectory(node);
    const id = isTree ? sealTree(node, made) : node.blob;
    const mode = isTree ? '40000' : node.mode;
    const head = Buffer.from(`${mode} ${name}\0`, 'latin1');
    return { key: isTree ? `${name}/` : name, bytes: Buffer.concat([head, Buffer.from(id, 'hex')]) };
  });
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  const bytes = Buffer.concat(rows.map((row) => row.bytes));
  made.count += 1;
  const hash = gitHash('tree', bytes.length);
  hash.update(bytes);
  directory.sealed = hash.digest();
  return directory.sealed;
}

/** A snapshot does not contain directories without a file below them. */
function containsFile([, node]: readonly [string, Directory | FileNode]): boolean {
  return !isDirectory(node) || [...node.entries].some(containsFile);
}

/** Returns a deep copy of the directory, so that later captures cannot change the copy. */
export function frozen(directory: Directory): Directory {
  const kept = [...directory.entries].filter(containsFile);
  const entries = kept.map(([name, node]) => [name, isDirectory(node) ? frozen(node) : node] as const);
  return { ...directory, entries: new Map(entries) };
}

/** Yields every node below a directory. A directory comes before its contents. */
export function* walk(
  directory: Directory,
  path: TreePath,
): Generator<[TreePath, Directory | Exclude<ReturnType<Directory['entries']['get']>, undefined>]> {
  for (const [name, node] of directory.entries) {
    const at = join(path, name);
    yield [at, node];
    if (isDirectory(node)) yield* walk(node, at);
  }
}
