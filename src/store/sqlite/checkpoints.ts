// The checkpoints of one session: publish, list, rename. A publication is one transaction, at whose end the record,
// its tag, its name and its file rows are there together. Removal is in removal.ts.
import { CheckpointdError } from '../../base/errors.ts';
import type { CheckpointId, SnapshotId, Tag } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import type { CheckpointRecord, Publication, StoredCheckpoint } from '../snapshot-store.ts';
import type { Row, SqliteDatabase } from './database/database.ts';
import {
  drain,
  insertRows,
  type ParentRows,
  portionsOf,
  type RowSet,
  rowsAtOnceMax,
  rowsFor,
  state,
} from './rows.ts';
import type { SqliteTrees } from './trees.ts';

export class SqliteCheckpoints {
  readonly #database: SqliteDatabase;
  readonly #trees: SqliteTrees;
  /** The row of `conversations`. */
  readonly #conversation: number;
  readonly #lease: number;

  constructor(database: SqliteDatabase, trees: SqliteTrees, conversation: number, lease: number) {
    this.#database = database;
    this.#trees = trees;
    this.#conversation = conversation;
    this.#lease = lease;
  }

  /** @throws DuplicateName, StoreCorrupt for a snapshot that is not there; then nothing has changed. */
  async publish({ record, tag, name }: Publication): Promise<void> {
    const parent = await this.#database.read(() => this.#parentOf(record));
    const set = await rowsFor(this.#database, this.#trees, record.snapshot, parent?.rows);
    if (parent === undefined) await this.#database.read(() => this.#trees.node(record.snapshot));
    const staged = set.rows.length > rowsAtOnceMax ? await this.#stage(record, set) : undefined;
    try {
      await this.#database.transaction(() => {
        if (name !== undefined) this.#refuseTaken(name, record.id);
        if (tag !== undefined) this.#clear('tag', tag);
        const id = staged ?? this.#insert(record, set, state.unfinished);
        if (staged === undefined) insertRows(this.#database, id, createdAt(record), set.rows);
        this.#database.run(
          'UPDATE checkpoints SET state = 1, writer = NULL, parent_id = ?, tag = ?, name = ? WHERE id = ?',
          parent?.id ?? null,
          tag ?? null,
          name ?? null,
          id,
        );
      });
    } catch (error) {
      if (staged !== undefined) await drain(this.#database, staged);
      throw error;
    }
  }

  /** All of the session, by sequence; read in pages, so that 10,000 do not hold up the rest. */
  async list(): Promise<StoredCheckpoint[]> {
    const all: StoredCheckpoint[] = [];
    const slices = new Slices();
    for (let after = -1; ; ) {
      const rows = await this.#database.read(() =>
        this.#database.rows(
          'SELECT seq, record, user_message, tag, name FROM checkpoints WHERE conversation_id = ? AND state = 1 AND seq > ? ORDER BY seq LIMIT 500',
          this.#conversation,
          after,
        ),
      );
      for (const row of rows) all.push(readRow(row));
      if (rows.length < 500) return all;
      after = Number(rows.at(-1)?.[0]);
      if (slices.isDue()) await slices.pause();
    }
  }

  /** @throws UnknownCheckpoint, DuplicateName */
  async rename(id: CheckpointId, name: string | undefined): Promise<void> {
    await this.#database.transaction(() => {
      if (name !== undefined) this.#refuseTaken(name, id);
      const changed = this.#database.run(
        'UPDATE checkpoints SET name = ? WHERE conversation_id = ? AND checkpoint = ? AND state = 1',
        name ?? null,
        this.#conversation,
        id,
      );
      if (changed > 0) return;
      throw new CheckpointdError(
        'UnknownCheckpoint',
        `Checkpoint "${id}" not found. Use checkpoint/list to see what there is.`,
        { details: { checkpoint: id } },
      );
    });
  }

  /** Writes the rows of a checkpoint before it, under a row that is not one yet. */
  async #stage(record: CheckpointRecord, set: RowSet): Promise<number> {
    const id = await this.#database.transaction(() => this.#insert(record, set, state.unfinished));
    const at = createdAt(record);
    const portions = portionsOf(set.rows);
    await this.#database.inSlices(portions, () => (rows) => insertRows(this.#database, id, at, rows));
    await this.#database.rest();
    return id;
  }

  #insert(record: CheckpointRecord, set: RowSet, as: number): number {
    const { message, ...rest } = record;
    // A message is kept once, unless text of the database cannot hold it: lone surrogates, NUL.
    const isPlain = !message.includes('\0') && Buffer.from(message).toString() === message;
    this.#database.run(
      `INSERT INTO checkpoints (conversation_id, created_at, seq, checkpoint, snapshot, state, writer, is_full,
         rows_since_full, file_count, total_size, user_message, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.#conversation,
      createdAt(record),
      record.seq,
      record.id,
      record.snapshot,
      as,
      this.#lease,
      set.isFull ? 1 : 0,
      set.rowsSinceFull,
      set.fileCount,
      set.totalSize,
      isPlain ? message : message.replaceAll('\0', '\ufffd'),
      JSON.stringify(isPlain ? rest : record),
    );
    return Number(this.#database.row('SELECT last_insert_rowid()')?.[0]);
  }

  #parentOf({ parent }: CheckpointRecord): { readonly id: number; readonly rows: ParentRows } | undefined {
    if (parent === undefined) return undefined;
    const row = this.#database.row(
      'SELECT id, snapshot, rows_since_full, file_count, total_size FROM checkpoints WHERE conversation_id = ? AND checkpoint = ? AND state = 1',
      this.#conversation,
      parent,
    );
    if (row === undefined) return undefined;
    const [id, snapshot, rowsSinceFull, fileCount, totalSize] = row;
    const rows = {
      snapshot: String(snapshot) as SnapshotId,
      rowsSinceFull: Number(rowsSinceFull),
      fileCount: Number(fileCount),
      totalSize: Number(totalSize),
    };
    return { id: Number(id), rows };
  }

  #clear(column: 'tag', value: Tag): void {
    this.#database.run(
      `UPDATE checkpoints SET ${column} = NULL WHERE conversation_id = ? AND ${column} = ? AND state = 1`,
      this.#conversation,
      value,
    );
  }

  #refuseTaken(name: string, id: CheckpointId): void {
    const bearer = this.#database.row(
      'SELECT checkpoint FROM checkpoints WHERE conversation_id = ? AND name = ? AND state = 1',
      this.#conversation,
      name,
    )?.[0];
    if (bearer === undefined || bearer === id) return;
    throw new CheckpointdError(
      'DuplicateName',
      `Another checkpoint is already named "${name}". Choose another name or rename that one first.`,
      { details: { name, checkpoint: bearer } },
    );
  }
}

function createdAt(record: CheckpointRecord): number {
  const ms = Date.parse(record.timestamp);
  return Number.isFinite(ms) ? ms : 0;
}

function readRow([, json, message, tag, name]: Row): StoredCheckpoint {
  const kept = JSON.parse(String(json)) as CheckpointRecord | Omit<CheckpointRecord, 'message'>;
  const record = 'message' in kept ? kept : { ...kept, message: String(message) };
  return {
    record,
    ...(tag === null ? {} : { tag: String(tag) as Tag }),
    ...(name === null ? {} : { name: String(name) }),
  };
}
