// The bytes of one directory in checkpoint_trees, and back: canonical, so that equal directories have equal ids. Pure.
// A node is the byte 1, the directory's permissions, then its entries by the bytes of their names, each as kind,
// permissions, length of the name, name, SHA-256; numbers are two bytes, big-endian, 0xffff for "as usual".
import { createHash } from 'node:crypto';
import { CheckpointdError } from '../../base/errors.ts';
import type { BlobId } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import type { FileNode } from '../../tree/directory.ts';
import type { EntryMode } from '../../tree/entry.ts';
import { byBytes } from '../../tree/tree-path.ts';

/** A sub-directory by the id of its node (hex). */
export interface SubTree {
  readonly tree: string;
}

/** One directory read back; sub-directories are named, not read. */
export interface TreeNode {
  readonly permissions?: number;
  /** By the bytes of the names. */
  readonly entries: ReadonlyMap<string, SubTree | FileNode>;
}

export function isSubTree(entry: SubTree | FileNode): entry is SubTree {
  return 'tree' in entry;
}

export interface EncodedNode {
  readonly id: string;
  readonly bytes: Buffer;
}

const version = 1;
const usual = 0xffff;
const kinds: readonly (EntryMode | 'directory')[] = ['directory', '100644', '100755', '120000'];
const entryHeadBytes = 5;
const hashBytes = 32;

export function encodeNode(node: TreeNode): EncodedNode {
  const names = [...node.entries.keys()].sort(byBytes);
  let size = 3;
  for (const name of names) size += entryHeadBytes + name.length + hashBytes;
  const bytes = Buffer.allocUnsafe(size);
  bytes[0] = version;
  bytes.writeUInt16BE(node.permissions ?? usual, 1);
  let at = 3;
  for (const name of names) {
    const entry = node.entries.get(name);
    invariant(entry !== undefined && name.length > 0 && name.length < usual, 'names of a tree are not empty');
    const isTree = isSubTree(entry);
    bytes[at] = isTree ? 0 : kinds.indexOf(entry.mode);
    bytes.writeUInt16BE((isTree ? undefined : entry.permissions) ?? usual, at + 1);
    bytes.writeUInt16BE(name.length, at + 3);
    at += entryHeadBytes;
    at += bytes.write(name, at, 'latin1');
    at += bytes.write(isTree ? entry.tree : entry.blob, at, hashBytes, 'hex');
  }
  invariant(at === size, 'every id of a tree is a SHA-256');
  return { id: idOf(bytes), bytes };
}

export function idOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @throws StoreCorrupt for bytes that {@link encodeNode} did not write under this id. */
export function decodeNode(id: string, bytes: Buffer): TreeNode {
  if (idOf(bytes) !== id) throw corrupt(id);
  if (bytes.length < 3 || bytes[0] !== version) throw corrupt(id);
  const permissions = bytes.readUInt16BE(1);
  const entries = new Map<string, SubTree | FileNode>();
  for (let at = 3; at < bytes.length; ) {
    if (at + entryHeadBytes > bytes.length) throw corrupt(id);
    const kind = kinds[bytes[at] ?? usual];
    const bits = bytes.readUInt16BE(at + 1);
    const nameEnd = at + entryHeadBytes + bytes.readUInt16BE(at + 3);
    if (kind === undefined || nameEnd + hashBytes > bytes.length) throw corrupt(id);
    const name = bytes.toString('latin1', at + entryHeadBytes, nameEnd);
    const hash = bytes.toString('hex', nameEnd, nameEnd + hashBytes);
    at = nameEnd + hashBytes;
    if (kind === 'directory') entries.set(name, { tree: hash });
    else {
      const blob = hash as BlobId;
      entries.set(name, bits === usual ? { mode: kind, blob } : { mode: kind, permissions: bits, blob });
    }
  }
  return permissions === usual ? { entries } : { entries, permissions };
}

/** The same for who passes over what is damaged: undefined. */
export function decodeIfWhole(id: string, bytes: Buffer): TreeNode | undefined {
  try {
    return decodeNode(id, bytes);
  } catch (error) {
    if (error instanceof CheckpointdError) return undefined;
    throw error;
  }
}

function corrupt(id: string): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The directory ${id.slice(0, 12)} of the checkpoint database is damaged. Use store/verify to see which checkpoints it affects.`,
    { details: { tree: id } },
  );
}
