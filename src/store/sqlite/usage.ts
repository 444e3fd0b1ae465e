// What one session's checkpoints hold of the database that all share: their contents, directories and rows, each
// counted once in the session and again in every other session that holds it too. It says nothing of free pages,
// journals or what no checkpoint holds; the size of the whole database is SqliteStore.usage.
import { Slices } from '../../base/slices.ts';
import type { SqliteDatabase } from './database/database.ts';
import { decodeIfWhole, isSubTree } from './tree-node.ts';

/** About what a row, its keys and its places in the indexes take beside the text counted. */
const rowBytes = 250;
const askedAtOnce = 1000;

/** Bytes that go when this session goes, if no other holds the same; in slices, about 5 µs a file of a full root. */
export async function heldBytes(database: SqliteDatabase, conversation: number): Promise<number> {
  const slices = new Slices();
  const checkpoints = await database.read(() =>
    database.rows(
      'SELECT id, snapshot, length(record) + length(user_message) FROM checkpoints WHERE conversation_id = ? AND state = 1',
      conversation,
    ),
  );
  let bytes = 0;
  const blobs = new Set<string>();
  const trees = new Set<string>();
  for (const [id, snapshot, length] of checkpoints) {
    bytes += Number(length) + rowBytes;
    bytes += await rowsOf(database, Number(id), blobs, slices);
    bytes += await treesOf(database, String(snapshot), trees, slices);
  }
  const all = [...blobs];
  for (let at = 0; at < all.length; at += askedAtOnce) {
    const some = JSON.stringify(all.slice(at, at + askedAtOnce));
    const [row] = await database.read(() =>
      database.rows(
        'SELECT sum(stored_size) FROM checkpoint_blobs WHERE hash IN (SELECT value FROM json_each(?))',
        some,
      ),
    );
    bytes += Number(row?.[0] ?? 0);
    if (slices.isDue()) await slices.pause();
  }
  return bytes + blobs.size * rowBytes;
}

async function rowsOf(
  database: SqliteDatabase,
  checkpoint: number,
  blobs: Set<string>,
  slices: Slices,
): Promise<number> {
  let bytes = 0;
  for (let after = 0; ; ) {
    const rows = await database.read(() =>
      database.rows(
        `SELECT id, blob_hash, length(file_path) FROM checkpoint_file_snapshots
           WHERE checkpoint_id = ? AND id > ? ORDER BY id LIMIT ${askedAtOnce}`,
        checkpoint,
        after,
      ),
    );
    for (const [id, hash, length] of rows) {
      after = Number(id);
      bytes += Number(length) + rowBytes;
      if (typeof hash === 'string') blobs.add(hash);
    }
    if (slices.isDue()) await slices.pause();
    if (rows.length < askedAtOnce) return bytes;
  }
}

async function treesOf(
  database: SqliteDatabase,
  root: string,
  seen: Set<string>,
  slices: Slices,
): Promise<number> {
  let bytes = 0;
  const stack = [root];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const key = Buffer.from(id, 'hex');
    const content = (
      await database.read(() => database.row('SELECT node FROM checkpoint_trees WHERE id = ?', key))
    )?.[0];
    if (!Buffer.isBuffer(content)) continue; // lost: verify tells of it
    bytes += content.length + rowBytes;
    for (const entry of decodeIfWhole(id, content)?.entries.values() ?? [])
      if (isSubTree(entry)) stack.push(entry.tree);
    if (slices.isDue()) await slices.pause();
  }
  return bytes;
}
