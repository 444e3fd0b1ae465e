// The directories of snapshots in the database: encodes a directory for the table checkpoint_trees, and decodes it. The
// encoding is canonical, so that equal directories have equal ids. A node consists of the byte 1, the directory's
// permissions, and the entries in the order of their names' bytes. An entry consists of its kind, permissions, length
// of the name, name and SHA-256. Numbers have two bytes, big-endian; 0xffff means usual permissions.
import { createHash } from 'node:crypto';
import { CheckpointdError } from '../../base/errors.ts';
import type { BlobId } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import { Slices } from '../../base/slices.ts';
import type { EntryMode, FileNode } from '../../tree/tree.ts';
import { byBytes } from '../../tree/tree-path.ts';
import { isSubTree, type SubTree, type TreeNode, type TreeSource } from '../tree-reader.ts';
import type { SqliteDatabase } from './database/database.ts';

export function sqliteTrees(database: SqliteDatabase): TreeSource {
  return {
    partsOf: (tree) => ({ tree }),
    read: async (ids) => {
      const slices = new Slices();
      const nodes: (TreeNode | CheckpointdError)[] = [];
      for (const id of ids) {
        if (slices.isDue()) await slices.pause();
        nodes.push(await database.read(() => readNode(database, id)));
      }
      return nodes;
    },
  };
}

/** Reads one directory. Returns (does not throw) StoreCorrupt when the directory is missing or damaged. */
export function readNode(database: SqliteDatabase, id: string): TreeNode | CheckpointdError {
  const select = 'SELECT node FROM checkpoint_trees WHERE id = ?';
  const bytes = database.row(select, Buffer.from(id, 'hex'))?.[0];
  if (Buffer.isBuffer(bytes)) return decodeNode(id, bytes) ?? corrupt(id);
  return new CheckpointdError(
    'StoreCorrupt',
    `The checkpoint database lacks the directory ${id.slice(0, 12)}. Use store/verify to see which checkpoints it affects.`,
    { details: { tree: id, problem: 'missing' } },
  );
}

export interface EncodedNode {
  readonly id: string;
  readonly bytes: Buffer;
  /** The directory that {@link decodeNode} makes of the bytes. */
  readonly node: TreeNode;
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
  const stored: [string, SubTree | FileNode][] = [];
  bytes[0] = version;
  bytes.writeUInt16BE(node.permissions ?? usual, 1);
  let at = 3;
  for (const name of names) {
    const entry = node.entries.get(name);
    invariant(
      entry !== undefined && name.length > 0 && name.length < usual,
      'a tree has a name that is empty or too long',
    );
    stored.push([name, entry]);
    const isTree = isSubTree(entry);
    bytes[at] = isTree ? 0 : kinds.indexOf(entry.mode);
    bytes.writeUInt16BE((isTree ? undefined : entry.permissions) ?? usual, at + 1);
    bytes.writeUInt16BE(name.length, at + 3);
    at += entryHeadBytes;
    at += bytes.write(name, at, 'latin1');
    at += bytes.write(isTree ? entry.tree : entry.blob, at, hashBytes, 'hex');
  }
  invariant(at === size, 'a tree has an id that is not SHA-256');
  return { id: idOf(bytes), bytes, node: { ...node, entries: new Map(inPathOrder(stored)) } };
}

function idOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Decodes a directory. Returns undefined for bytes that {@link encodeNode} did not write under this id. */
export function decodeNode(id: string, bytes: Buffer): TreeNode | undefined {
  if (idOf(bytes) !== id || bytes.length < 3 || bytes[0] !== version) return undefined;
  const permissions = bytes.readUInt16BE(1);
  const stored: [string, SubTree | FileNode][] = [];
  for (let at = 3; at < bytes.length; ) {
    if (at + entryHeadBytes > bytes.length) return undefined;
    const kind = kinds[bytes[at] ?? usual];
    const bits = bytes.readUInt16BE(at + 1);
    const nameEnd = at + entryHeadBytes + bytes.readUInt16BE(at + 3);
    if (kind === undefined || nameEnd + hashBytes > bytes.length) return undefined;
    const name = bytes.toString('latin1', at + entryHeadBytes, nameEnd);
    const hash = bytes.toString('hex', nameEnd, nameEnd + hashBytes);
    at = nameEnd + hashBytes;
    if (kind === 'directory') stored.push([name, { tree: hash }]);
    else {
      const blob = hash as BlobId;
      stored.push([name, bits === usual ? { mode: kind, blob } : { mode: kind, permissions: bits, blob }]);
    }
  }
  const entries = new Map(inPathOrder(stored));
  return permissions === usual ? { entries } : { entries, permissions };
}

/**
 * Returns the entries in the order of {@link TreeNode}. The stored entries are in another order if the name of a file
 * begins with the name of a directory.
 */
function inPathOrder(stored: readonly [string, SubTree | FileNode][]): [string, SubTree | FileNode][] {
  if (!stored.some(([, entry]) => isSubTree(entry))) return [...stored];
  const keyed = stored.map((entry) => [isSubTree(entry[1]) ? `${entry[0]}/` : entry[0], entry] as const);
  return keyed.sort(([a], [b]) => byBytes(a, b)).map(([, entry]) => entry);
}

function corrupt(id: string): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The directory ${id.slice(0, 12)} of the checkpoint database is damaged. Use store/verify to see which checkpoints it affects.`,
    { details: { tree: id } },
  );
}
