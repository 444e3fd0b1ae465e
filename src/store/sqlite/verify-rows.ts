// Whether the rows that are derived from the directories still tell the same: the file rows of each checkpoint, and the
// counts of how many rows name a content; and whether tags and names are what was written. What is wrong costs no content; it is told all the same. Repairs nothing.
import { CheckpointdError } from '../../base/errors.ts';
import type { CheckpointId, SnapshotId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import type { StoreProblem } from '../snapshot-store.ts';
import type { CarriedRows } from './carried.ts';
import type { Row, SqliteDatabase } from './database/database.ts';

const askedAtOnce = 500;

/** Rows of this session's checkpoints, and counts of all contents. */
export async function verifyRows(
  database: SqliteDatabase,
  carried: CarriedRows,
  conversation: number,
  signal?: AbortSignal,
): Promise<StoreProblem[]> {
  const slices = new Slices(signal);
  const problems: StoreProblem[] = [];
  const checkpoints = await database.read(() =>
    database.rows(
      `SELECT c.id, c.checkpoint, c.parent_id, c.is_full, c.file_count, p.snapshot, (SELECT count(*) FROM
         checkpoint_file_snapshots WHERE checkpoint_id = c.id), c.tag, c.name FROM checkpoints AS c LEFT JOIN checkpoints AS p
         ON p.id = c.parent_id WHERE c.conversation_id = ? AND c.state = 1`,
      conversation,
    ),
  );
  for (const row of checkpoints) {
    const what = String(row[1]) as CheckpointId;
    if (!(await hasItsRows(carried, row))) problems.push({ kind: 'corrupt', what, affects: [] });
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

/** Whether a checkpoint has as many file rows as it should; true where a directory is damaged, which is told elsewhere. */
async function hasItsRows(carried: CarriedRows, row: Row): Promise<boolean> {
  const [id, , parent, isFull, fileCount, parentSnapshot, count] = row;
  if (isFull === 1) return count === fileCount;
  if (typeof parentSnapshot !== 'string') return true;
  const snapshot = parentSnapshot as SnapshotId;
  try {
    const seen = await carried.seen(Number(id));
    const before = { snapshot, carried: await carried.of(Number(parent)) };
    if ((await carried.changes(before, seen)).length === count) return true;
    // Earlier versions took what a checkpoint could not look at for deleted, and for new when it was seen again.
    return (
      (await carried.changes({ snapshot, carried: new Map() }, { ...seen, skipped: [] })).length === count
    );
  } catch (error) {
    if (!(error instanceof CheckpointdError)) throw error;
    return true;
  }
}
