// Reads everything that the checkpoints of a session need and checks every hash. It repairs nothing. SQLite's own
// integrity_check is left to the tests and to the sqlite3 program: it is one call that may take minutes.
import { CheckpointdError } from '../../base/errors.ts';
import type { BlobId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import type { StoredCheckpoint, StoreProblem } from '../snapshot-store.ts';
import { readBlob } from './content.ts';
import type { SqliteDatabase } from './database/database.ts';
import { decodeIfWhole, isSubTree, type TreeNode } from './tree-node.ts';

type Kind = 'missing' | 'corrupt';

export async function verifyDatabase(
  database: SqliteDatabase,
  checkpoints: readonly StoredCheckpoint[],
  signal?: AbortSignal,
  onChecked?: (contents: number) => void,
): Promise<StoreProblem[]> {
  const slices = new Slices(signal);
  const nodes = new Map<string, TreeNode | undefined>();
  const blobs = new Set<BlobId>();
  const bad = new Map<string, Kind>();

  const stack: string[] = checkpoints.map(({ record }) => record.snapshot);
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (nodes.has(id)) continue;
    if (slices.isDue()) await slices.pause();
    const node = await database.read(() => readNode(database, id ?? '', bad));
    nodes.set(id, node);
    for (const entry of node?.entries.values() ?? []) {
      if (isSubTree(entry)) stack.push(entry.tree);
      else blobs.add(entry.blob);
    }
  }
  onChecked?.(blobs.size);
  for (const blob of blobs) {
    const kind = await check(database, blob, slices);
    if (kind !== undefined) bad.set(blob, kind);
  }

  const memo = new Map<string, ReadonlySet<string>>();
  const affected = new Map<string, StoredCheckpoint[]>();
  for (const checkpoint of bad.size === 0 ? [] : checkpoints) {
    for (const what of badBelow(checkpoint.record.snapshot, nodes, bad, memo))
      affected.set(what, [...(affected.get(what) ?? []), checkpoint]);
    if (slices.isDue()) await slices.pause();
  }
  return [...bad].map(([what, kind]) => ({
    kind,
    what,
    affects: (affected.get(what) ?? []).map(({ record }) => record.id),
  }));
}

function readNode(database: SqliteDatabase, id: string, bad: Map<string, Kind>): TreeNode | undefined {
  const bytes = database.row('SELECT node FROM checkpoint_trees WHERE id = ?', Buffer.from(id, 'hex'))?.[0];
  if (!Buffer.isBuffer(bytes)) {
    bad.set(id, 'missing');
    return undefined;
  }
  const node = decodeIfWhole(id, bytes);
  if (node === undefined) bad.set(id, 'corrupt');
  return node;
}

async function check(database: SqliteDatabase, blob: BlobId, slices: Slices): Promise<Kind | undefined> {
  try {
    for await (const _ of readBlob(database, blob)) if (slices.isDue()) await slices.pause();
    return undefined;
  } catch (error) {
    if (!(error instanceof CheckpointdError) || error.kind !== 'DataCorrupt') throw error;
    const isThere = await database.read(() =>
      database.row('SELECT 1 FROM checkpoint_blobs WHERE hash = ?', blob),
    );
    return isThere === undefined ? 'missing' : 'corrupt';
  }
}

/** Everything bad that a directory holds, itself included; equal directories are looked at once. */
function badBelow(
  id: string,
  nodes: ReadonlyMap<string, TreeNode | undefined>,
  bad: ReadonlyMap<string, Kind>,
  memo: Map<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const known = memo.get(id);
  if (known !== undefined) return known;
  const found = new Set<string>();
  if (bad.has(id)) found.add(id);
  for (const entry of nodes.get(id)?.entries.values() ?? []) {
    if (!isSubTree(entry)) {
      if (bad.has(entry.blob)) found.add(entry.blob);
    } else for (const one of badBelow(entry.tree, nodes, bad, memo)) found.add(one);
  }
  memo.set(id, found);
  return found;
}
