// Whether the rows that are derived from the directories still tell the same: the file rows of each checkpoint, and the
// counts of how many rows name a content; and whether tags and names are what was written. What is wrong costs no content; it is told all the same. Repairs nothing.
import { CheckpointdError } from '../../base/errors.ts';
import type { CheckpointId, SnapshotId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import type { StoreProblem } from '../snapshot-store.ts';
import type { Row, SqliteDatabase } from './database/database.ts';
import type { SqliteTrees } from './trees.ts';

const askedAtOnce = 500;

/** Rows of this session's checkpoints, and counts of all contents. */
export async function verifyRows(
  database: SqliteDatabase,
  trees: SqliteTrees,
  conversation: number,
  signal?: AbortSignal,
): Promise<StoreProblem[]> {
  const slices = new Slices(signal);
  const problems: StoreProblem[] = [];
  const checkpoints = await database.read(() =>
    database.rows(
      `SELECT c.id, c.checkpoint, c.snapshot, c.is_full, c.file_count, p.snapshot, (SELECT count(*) FROM
         checkpoint_file_snapshots WHERE checkpoint_id = c.id), c.tag, c.name FROM checkpoints AS c LEFT JOIN checkpoints AS p
         ON p.id = c.parent_id WHERE c.conversation_id = ? AND c.state = 1`,
      conversation,
    ),
  );
  for (const row of checkpoints) {
    const expected = await rowsExpected(trees, row);
    const what = String(row[1]) as CheckpointId;
    if (expected !== undefined && expected !== Number(row[6]))
      problems.push({ kind: 'corrupt', what, affects: [] });
    for (const [column, value] of [
      ['tag', row[7]],
      ['name', row[8]],
    ] as const)
      if (typeof value === 'string' && !(await isInIndex(database, conversation, column, value, row[0])))
        problems.push({ kind: 'corrupt', what: `${column} of ${what}`, affects: [what] });
    if (slices.isDue()) await slices.pause();
  }
  for (let after = 0; ; ) {
    const rows = await database.read(() =>
      database.rows(
        `SELECT rowid, hash, ref_count, (SELECT count(*) FROM checkpoint_file_snapshots WHERE blob_hash = hash)
           FROM checkpoint_blobs WHERE rowid > ? ORDER BY rowid LIMIT ${askedAtOnce}`,
        after,
      ),
    );
    for (const [rowid, hash, refCount, count] of rows) {
      after = Number(rowid);
      if (refCount !== count)
        problems.push({ kind: 'corrupt', what: `ref_count of ${String(hash)}`, affects: [] });
    }
    if (rows.length < askedAtOnce) return problems;
    if (slices.isDue()) await slices.pause();
  }
}

/** Tags and names move, so no record has a check sum of them; but they stand twice, in the table and in its index. */
async function isInIndex(
  database: SqliteDatabase,
  conversation: number,
  column: 'tag' | 'name',
  value: string,
  id: Row[number] | undefined,
): Promise<boolean> {
  const sql = `SELECT id FROM checkpoints INDEXED BY idx_checkpoints_${column} WHERE conversation_id = ? AND ${column} = ? AND state = 1`;
  const found = await database.read(() => database.row(sql, conversation, value));
  return found?.[0] === id;
}

/** How many file rows a checkpoint should have; undefined where a directory is damaged, which is told elsewhere. */
async function rowsExpected(trees: SqliteTrees, row: Row): Promise<number | undefined> {
  const [, , snapshot, isFull, fileCount, parent] = row;
  if (isFull === 1) return Number(fileCount);
  if (typeof parent !== 'string') return undefined;
  try {
    return (await trees.changes(parent as SnapshotId, String(snapshot) as SnapshotId)).length;
  } catch (error) {
    if (!(error instanceof CheckpointdError)) throw error;
    return undefined;
  }
}
