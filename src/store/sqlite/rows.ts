// The specified file rows. The rows of a checkpoint are the changes since its parent. A full checkpoint needs no parent
// and has a row for each of its files: it is a root or a regular keyframe. The rows are computed from the directories.
// The daemon writes the rows in the transaction of the checkpoint, or earlier under a hidden row.
import type { SnapshotId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import type { Entry, TreeChange } from '../../tree/tree.ts';
import { bytesOf, type TreePath } from '../../tree/tree-path.ts';
import type { TreeReader } from '../tree-reader.ts';
import type { Captured, CarriedRows, RowsBefore } from './carried.ts';
import { knownSizes } from './content.ts';
import type { SqliteDatabase, SqlValue } from './database/database.ts';

type ChangeType = 'added' | 'modified' | 'deleted';

export interface FileRow {
  readonly path: TreePath;
  readonly type: ChangeType;
  readonly entry?: Entry;
  /** The size of the content. Absent unless a caller requested sizes. */
  readonly size?: number;
}

export interface RowSet {
  readonly rows: readonly FileRow[];
  readonly isFull: boolean;
  readonly rowsSinceFull: number;
  readonly fileCount: number;
  readonly totalSize: number;
}

/** The states that a row of `checkpoints` can have. */
export const state = { unfinished: 0, published: 1, removed: 2 } as const;

/**
 * The maximum number of rows that one transaction writes together with their checkpoint (about 15 ms). If a checkpoint
 * has more rows, they are written before this transaction, under a hidden row.
 */
export const rowsAtOnceMax = 400;
// A keyframe has one row for each file. The next keyframe is due when all changes since the last keyframe have as many
// rows as that keyframe.
const rowsBeforeKeyframeMin = 1000;
const askedAtOnce = 1000;

export interface ParentRows extends RowsBefore {
  readonly rowsSinceFull: number;
  readonly fileCount: number;
  readonly totalSize: number;
}

export async function rowsFor(
  database: SqliteDatabase,
  trees: TreeReader,
  carried: CarriedRows,
  { snapshot, skipped }: Captured,
  parent: ParentRows | undefined,
): Promise<RowSet> {
  if (parent === undefined) return fullRows(database, trees, snapshot);
  const changes = await trees.changes(parent.snapshot, snapshot);
  const inRows = await carried.changes(parent, { snapshot, skipped }, changes);
  const count = fileCountAfter(parent.fileCount, changes);
  const rowsSinceFull = parent.rowsSinceFull + inRows.length;
  if (rowsSinceFull > Math.max(rowsBeforeKeyframeMin, count)) return fullRows(database, trees, snapshot);
  const totalSize = parent.totalSize + (await grownBy(database, changes));
  return { rows: changeRows(inRows), isFull: false, rowsSinceFull, fileCount: count, totalSize };
}

export async function fullRows(
  database: SqliteDatabase,
  trees: TreeReader,
  snapshot: SnapshotId,
): Promise<RowSet> {
  const entries = await trees.entriesOnce(snapshot);
  const rows: FileRow[] = [];
  let totalSize = 0;
  const slices = new Slices();
  for (let at = 0; at < entries.length; at += askedAtOnce) {
    const part = entries.slice(at, at + askedAtOnce);
    const blobs = part.map(({ blob }) => blob);
    const sizes = await database.read(() => knownSizes(database, blobs));
    for (const entry of part) {
      const size = sizes.get(entry.blob) ?? 0;
      totalSize += size;
      rows.push({ path: entry.path, type: 'added', entry, size });
    }
    if (slices.isDue()) await slices.pause();
  }
  return { rows, isFull: true, rowsSinceFull: 0, fileCount: entries.length, totalSize };
}

export function changeRows(changes: readonly TreeChange[]): FileRow[] {
  return changes.map(({ path, before, after }) =>
    after === undefined
      ? { path, type: 'deleted' }
      : { path, type: before === undefined ? 'added' : 'modified', entry: after },
  );
}

/**
 * The maximum number of rows in one statement. One statement with 16 rows takes two thirds of the time of 16
 * statements. A higher maximum would save no further time.
 */
const rowsInStatement = 16;

/** Returns the rows in portions for {@link insertRows}. */
export function portionsOf<T>(rows: readonly T[]): T[][] {
  const portions: T[][] = [];
  for (let at = 0; at < rows.length; at += rowsInStatement)
    portions.push(rows.slice(at, at + rowsInStatement));
  return portions;
}

function insertion(rows: number): string {
  const values = Array.from({ length: rows }, (_, row) => {
    const [path, blob, type, size, mode, permissions] = Array.from(
      { length: 6 },
      (_, i) => `?${3 + row * 6 + i}`,
    );
    const known = `coalesce(${size}, (SELECT size FROM checkpoint_blobs WHERE hash = ${blob}), 0)`;
    return `(?1, ${path}, ${blob}, ${type}, ${known}, ${mode}, ${permissions}, ?2)`;
  });
  return `INSERT INTO checkpoint_file_snapshots
       (checkpoint_id, file_path, blob_hash, change_type, file_size, mode, permissions, created_at)
     VALUES ${values.join(', ')}
     ON CONFLICT (checkpoint_id, file_path) DO UPDATE SET blob_hash = excluded.blob_hash,
       change_type = excluded.change_type, file_size = excluded.file_size, mode = excluded.mode,
       permissions = excluded.permissions, created_at = excluded.created_at`;
}

const [insertOne, insertMany] = [insertion(1), insertion(rowsInStatement)];

function valuesOf({ path, type, entry, size }: FileRow): SqlValue[] {
  const { blob = null, mode = null, permissions = null } = entry ?? {};
  return [bytesOf(path), blob, type, size ?? null, mode, permissions];
}

/** Writes rows of different paths. Call this function inside a transaction. */
export function insertRows(
  database: SqliteDatabase,
  checkpoint: number,
  createdAt: number,
  rows: readonly FileRow[],
): void {
  for (const portion of portionsOf(rows)) {
    if (portion.length === rowsInStatement)
      database.run(insertMany, checkpoint, createdAt, ...portion.flatMap(valuesOf));
    else for (const row of portion) database.run(insertOne, checkpoint, createdAt, ...valuesOf(row));
  }
}

/**
 * Changes the full rows of one checkpoint into the full rows of another checkpoint. Call this function inside a
 * transaction.
 */
export function patchFullRows(
  database: SqliteDatabase,
  checkpoint: number,
  createdAt: number,
  changes: readonly TreeChange[],
): void {
  for (const { path, after } of changes) {
    if (after !== undefined) {
      insertRows(database, checkpoint, createdAt, [{ path, type: 'added', entry: after }]);
    } else {
      database.run(
        'DELETE FROM checkpoint_file_snapshots WHERE checkpoint_id = ? AND file_path = ?',
        checkpoint,
        bytesOf(path),
      );
    }
  }
}

/**
 * Removes the rows of `checkpoints` that are not finished checkpoints, and the file rows that belong to them. Removes a
 * few rows at a time.
 */
export async function drain(
  database: SqliteDatabase,
  checkpoint: number,
  signal?: AbortSignal,
): Promise<void> {
  const slices = new Slices(signal);
  for (;;) {
    const isGone = await database.transaction(() => {
      const removed = database.run(
        'DELETE FROM checkpoint_file_snapshots WHERE id IN (SELECT id FROM checkpoint_file_snapshots WHERE checkpoint_id = ? LIMIT 300)',
        checkpoint,
      );
      if (removed > 0) return false;
      database.run('DELETE FROM checkpoints WHERE id = ? AND state <> 1', checkpoint);
      return true;
    });
    if (isGone) return;
    if (slices.isDue()) await slices.pause();
  }
}

function fileCountAfter(count: number, changes: readonly TreeChange[]): number {
  let after = count;
  for (const change of changes) {
    if (change.before === undefined) after += 1;
    if (change.after === undefined) after -= 1;
  }
  return after;
}

async function grownBy(database: SqliteDatabase, changes: readonly TreeChange[]): Promise<number> {
  const after = await sizeOfAll(
    database,
    changes.flatMap((change) => change.after ?? []),
  );
  const before = await sizeOfAll(
    database,
    changes.flatMap((change) => change.before ?? []),
  );
  return after - before;
}

async function sizeOfAll(database: SqliteDatabase, entries: readonly Entry[]): Promise<number> {
  const slices = new Slices();
  let total = 0;
  for (let at = 0; at < entries.length; at += askedAtOnce) {
    const hashes = JSON.stringify(entries.slice(at, at + askedAtOnce).map(({ blob }) => blob));
    const row = await database.read(() =>
      database.row('SELECT total(size) FROM json_each(?) JOIN checkpoint_blobs ON hash = value', hashes),
    );
    total += Number(row?.[0]);
    if (slices.isDue()) await slices.pause();
  }
  return total;
}
