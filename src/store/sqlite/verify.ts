// Reads directories and contents of the database for `store/verify`. Only the tests and the sqlite3 program use
// SQLite's own integrity_check, because a single call of integrity_check may take minutes.
import { attemptAsyncOr, isA } from '../../base/attempt.ts';
import { CheckpointdError, isKind } from '../../base/errors.ts';
import type { BlobId, CheckpointId, SnapshotId } from '../../base/ids.ts';
import { InvariantViolation } from '../../base/invariant.ts';
import { Slices } from '../../base/slices.ts';
import type { Entry, TreeChange } from '../../tree/tree.ts';
import { fromBytes, type TreePath } from '../../tree/tree-path.ts';
import type { StoreProblem } from '../snapshot-store.ts';
import type { TreeReader } from '../tree-reader.ts';
import type { Damage, VerifiedSource } from '../verify-snapshots.ts';
import type { CarriedRows } from './carried.ts';
import { readBlob } from './content.ts';
import type { Row, SqliteDatabase } from './database/database.ts';
import { sqliteTrees } from './trees.ts';

export function verifiedDatabase(database: SqliteDatabase): VerifiedSource {
  return {
    ...sqliteTrees(database),
    damagedContents: async (ids, signal) => {
      const slices = new Slices(signal);
      const bad = new Map<string, Damage>();
      for (const id of ids) {
        const damage = await check(database, id as BlobId, slices);
        if (damage !== undefined) bad.set(id, damage);
      }
      return bad;
    },
  };
}

async function check(database: SqliteDatabase, blob: BlobId, slices: Slices): Promise<Damage | undefined> {
  try {
    for await (const _ of readBlob(database, blob)) if (slices.isDue()) await slices.pause();
    return undefined;
  } catch (error) {
    if (!isKind('DataCorrupt')(error)) throw error;
    const isThere = await database.read(() =>
      database.row('SELECT 1 FROM checkpoint_blobs WHERE hash = ?', blob),
    );
    return isThere === undefined ? 'missing' : 'corrupt';
  }
}

// Checks that the derived data agrees with the directories. The file rows of each checkpoint and the row count of
// each content are derived. Also checks tags and names. A wrong row is reported, although it loses no content.
// Repairs nothing.

const askedAtOnce = 500;
const attemptsMax = 3;

const selectCheckpoints = `SELECT c.id, c.checkpoint, c.parent_id, c.is_full, c.file_count, p.snapshot, (SELECT count(*) FROM
    checkpoint_file_snapshots WHERE checkpoint_id = c.id), c.tag, c.name, c.snapshot
  FROM checkpoints AS c LEFT JOIN checkpoints AS p ON p.id = c.parent_id`;

interface DerivedFrom {
  readonly trees: TreeReader;
  readonly carried: CarriedRows;
}

/** Verifies the rows of this session's checkpoints, and the counts of all contents. */
export async function verifyRows(
  database: SqliteDatabase,
  { trees, carried }: DerivedFrom,
  conversation: number,
  signal?: AbortSignal,
): Promise<StoreProblem[]> {
  const slices = new Slices(signal);
  const problems: StoreProblem[] = [];
  const checkpoints = await database.read(() =>
    database.rows(`${selectCheckpoints} WHERE c.conversation_id = ? AND c.state = 1`, conversation),
  );
  for (const row of checkpoints) {
    const what = String(row[1]) as CheckpointId;
    if (!(await hasRightRows({ database, trees, carried, slices }, row)))
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

/**
 * Tags and names move, so no record has their checksum. But the database stores each tag and name twice: in the table
 * and in an index.
 */
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

/** Checks again when a row is wrong, because a removal may be rewriting rows at the same time. */
async function hasRightRows(sources: Sources, row: Row): Promise<boolean> {
  const { database } = sources;
  let current: Row | undefined = row;
  for (let attempt = 0; attempt < attemptsMax && current !== undefined; attempt += 1) {
    try {
      if (await hasRightRowsNow(sources, current)) return true;
    } catch (error) {
      if (!(error instanceof InvariantViolation)) throw error; // a removal deleted the row or the row of a parent
    }
    current = await database.read(() =>
      database.row(`${selectCheckpoints} WHERE c.id = ? AND c.state = 1`, Number(row[0])),
    );
  }
  return current === undefined; // removed meanwhile
}

/**
 * True when a checkpoint has the right file rows. Also true when a directory is damaged, which is reported elsewhere.
 */
async function hasRightRowsNow({ database, trees, carried, slices }: Sources, row: Row): Promise<boolean> {
  const [id, , parent, isFull, fileCount, parentSnapshot, count, , , own] = row;
  const isIn = async (should: readonly TreeChange[]): Promise<boolean> =>
    should.length === count && (await hasExactRows(database, Number(id), should, slices));
  return attemptAsyncOr(true, isA(CheckpointdError), async () => {
    if (isFull === 1) {
      if (count !== fileCount || typeof own !== 'string') return false;
      const entries = await trees.entriesOnce(own as SnapshotId);
      return await isIn(entries.map((after) => ({ path: after.path, after })));
    }
    if (typeof parentSnapshot !== 'string') return true;
    const snapshot = parentSnapshot as SnapshotId;
    const captured = await carried.captured(Number(id));
    const before = { snapshot, carried: await carried.of(Number(parent)) };
    if (await isIn(await carried.changes(before, captured))) return true;
    // Earlier versions recorded an unreadable path as deleted, and recorded the path as new when a later checkpoint
    // could read it.
    const alone = { snapshot, carried: new Map() };
    return await isIn(await carried.changes(alone, { ...captured, skipped: [] }));
  });
}

interface Sources extends DerivedFrom {
  readonly database: SqliteDatabase;
  readonly slices: Slices;
}

/** True when a checkpoint has exactly these rows. */
async function hasExactRows(
  database: SqliteDatabase,
  checkpoint: number,
  changes: readonly TreeChange[],
  slices: Slices,
): Promise<boolean> {
  const should = new Map<TreePath, Entry | undefined>();
  for (const { path, after } of changes) {
    if (slices.isDue()) await slices.pause();
    should.set(path, after);
  }
  for (let after = 0; ; ) {
    const rows = await database.read(() =>
      database.rows(
        `SELECT id, file_path, blob_hash, mode, permissions FROM checkpoint_file_snapshots
           WHERE checkpoint_id = ? AND id > ? ORDER BY id LIMIT ${askedAtOnce}`,
        checkpoint,
        after,
      ),
    );
    for (const [id, file, blob, mode, permissions] of rows) {
      after = Number(id);
      const path = file instanceof Uint8Array ? fromBytes(file) : undefined;
      if (path === undefined || !should.has(path)) return false;
      const entry = should.get(path);
      const isRight =
        blob === (entry?.blob ?? null) &&
        mode === (entry?.mode ?? null) &&
        permissions === (entry?.permissions ?? null);
      if (!isRight) return false;
    }
    if (rows.length < askedAtOnce) return true;
    if (slices.isDue()) await slices.pause();
  }
}
