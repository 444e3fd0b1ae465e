// Whether the rows that are derived from the directories still tell the same: the file rows of each checkpoint, and the
// counts of how many rows name a content. What is wrong costs no content; it is told all the same. Repairs nothing.
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
         checkpoint_file_snapshots WHERE checkpoint_id = c.id) FROM checkpoints AS c LEFT JOIN checkpoints AS p
         ON p.id = c.parent_id WHERE c.conversation_id = ? AND c.state = 1`,
      conversation,
    ),
  );
  for (const row of checkpoints) {
    const expected = await rowsExpected(trees, row);
    const what = String(row[1]) as CheckpointId;
    if (expected !== undefined && expected !== Number(row[6]))
      problems.push({ kind: 'corrupt', what, affects: [] });
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
