// The checkpoints of one session: publish, list, rename. A publication is one transaction. When the
// transaction ends, the record, its tag, its name and its file rows exist together. Removal is in removal.ts.
import { CheckpointdError, isKind } from '../../base/errors.ts';
import type { CheckpointId, SnapshotId, Tag } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import type { CheckpointRecord, Publication, StoredCheckpoint, StoreProblem } from '../snapshot-store.ts';
import { parseRecord, recordText } from '../stored-record.ts';
import type { TreeReader } from '../tree-reader.ts';
import type { CarriedRows } from './carried.ts';
import type { Row, SqliteDatabase } from './database/database.ts';
import { DamagedText } from './database/library.ts';
import {
  drain,
  type FileRow,
  insertRows,
  type ParentRows,
  portionsOf,
  type RowSet,
  rowsAtOnceMax,
  rowsFor,
  state,
} from './rows.ts';

interface Parent {
  readonly id: number;
  readonly rows: Omit<ParentRows, 'carried'>;
}

/** A checkpoint that is ready to be written by a transaction. */
interface Planned {
  readonly publication: Publication;
  readonly set: RowSet;
  /** The values from which the rows of a child checkpoint are computed. */
  readonly asParent: ParentRows;
}

/**
 * The maximum number of checkpoints in one transaction. A transaction with this number of checkpoints takes about 15
 * ms.
 */
const groupMax = 50;

/** The rows of one session, with the readers of these rows. */
export interface SessionRows {
  readonly database: SqliteDatabase;
  readonly trees: TreeReader;
  readonly carried: CarriedRows;
  /** The session's row in `conversations`. */
  readonly conversation: number;
  readonly lease: number;
}

export class SqliteCheckpoints {
  readonly #parts: SessionRows;
  /** The damage that the last {@link list} found: omitted rows, and lost columns. */
  damaged: readonly StoreProblem[] = [];

  constructor(parts: SessionRows) {
    this.#parts = parts;
  }

  /** Publishes a checkpoint. @throws DuplicateName, StoreCorrupt for a missing snapshot; then nothing has changed. */
  async publish(publication: Publication): Promise<void> {
    await this.#write([await this.#planned(publication, new Map())]);
  }

  /**
   * Publishes checkpoints in groups, with one transaction for each group. Checkpoints with few changes share a group.
   * @throws as {@link publish}; AbortError
   */
  async publishAll(publications: readonly Publication[], signal?: AbortSignal): Promise<void> {
    let group = new Map<CheckpointId, Planned>();
    let rows = 0;
    for (const publication of publications) {
      signal?.throwIfAborted();
      const planned = await this.#planned(publication, group);
      rows += planned.set.rows.length;
      if (rows > rowsAtOnceMax || group.size === groupMax) {
        await this.#write([...group.values()], signal);
        group = new Map();
        rows = planned.set.rows.length;
      }
      group.set(publication.record.id, planned);
    }
    await this.#write([...group.values()], signal);
  }

  /** Computes the rows of a checkpoint. The checkpoint's parent is either in the database or in the same group. */
  async #planned(publication: Publication, group: ReadonlyMap<CheckpointId, Planned>): Promise<Planned> {
    const { record } = publication;
    const { database, trees, carried } = this.#parts;
    const inGroup = record.parent === undefined ? undefined : group.get(record.parent);
    const parent = inGroup === undefined ? await database.read(() => this.#parentOf(record)) : undefined;
    const before = inGroup?.asParent ?? (parent && { ...parent.rows, carried: await carried.of(parent.id) });
    const set = await this.#rowsOf(record, before);
    if (before === undefined) await trees.node(record.snapshot);
    const { snapshot, skipped } = record;
    const repeated = set.isFull ? undefined : await carried.after(before, { snapshot, skipped });
    const { rowsSinceFull, fileCount, totalSize } = set;
    const asParent = { snapshot, rowsSinceFull, fileCount, totalSize, carried: repeated ?? new Map() };
    return { publication, set, asParent };
  }

  async #write(group: readonly Planned[], signal?: AbortSignal): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const { record } = first.publication;
    const isStaged = group.length === 1 && first.set.rows.length > rowsAtOnceMax;
    const staged = isStaged ? await this.#stage(record, first.set, signal) : undefined;
    try {
      await this.#parts.database.transaction(() => {
        for (const planned of group) this.#writeOne(planned, staged);
      });
    } catch (error) {
      if (staged !== undefined) await drain(this.#parts.database, staged);
      throw error;
    }
  }

  /** Writes one checkpoint inside a transaction. `staged` is a row of `checkpoints` whose file rows already exist. */
  #writeOne({ publication: { record, tag, name }, set }: Planned, staged: number | undefined): void {
    const { database } = this.#parts;
    if (name !== undefined) this.#refuseTaken(name, record.id);
    if (tag !== undefined) this.#clear('tag', tag);
    this.#freeSequence(record.seq);
    const id = staged ?? this.#insert(record, set, state.unfinished);
    if (staged === undefined) insertRows(database, id, createdAt(record), set.rows);
    database.run(
      'UPDATE checkpoints SET state = 1, writer = NULL, parent_id = ?, tag = ?, name = ? WHERE id = ?',
      this.#parentOf(record)?.id ?? null,
      tag ?? null,
      name ?? null,
      id,
    );
  }

  /**
   * Returns all readable checkpoints, by sequence. Reads in pages, so that 10,000 checkpoints do not block other work.
   */
  async list(): Promise<StoredCheckpoint[]> {
    const all: StoredCheckpoint[] = [];
    const damaged: StoreProblem[] = [];
    const known = new Set<CheckpointId>();
    const slices = new Slices();
    for (let after = 0; ; ) {
      const rows = await this.#parts.database.read(() =>
        this.#parts.database.rows(
          `SELECT ${columnsOfList} FROM checkpoints WHERE conversation_id = ? AND state = 1 AND id > ? ORDER BY id LIMIT 500`,
          this.#parts.conversation,
          after,
        ),
      );
      for (const row of rows) {
        const { stored, problem } = readRow(row);
        const id = stored?.record.id;
        if (id !== undefined && known.has(id)) damaged.push(duplicateRow(row, id));
        else if (stored !== undefined) all.push(stored);
        if (id !== undefined) known.add(id);
        if (problem !== undefined) damaged.push(problem);
        after = Number(row[0]);
      }
      if (rows.length < 500) break;
      if (slices.isDue()) await slices.pause();
    }
    this.damaged = damaged;
    return all.sort((a, b) => a.record.seq - b.record.seq);
  }

  /** Gives a checkpoint a name, or removes its name. @throws UnknownCheckpoint, DuplicateName */
  async rename(id: CheckpointId, name: string | undefined): Promise<void> {
    await this.#parts.database.transaction(() => {
      if (name !== undefined) this.#refuseTaken(name, id);
      const changed = this.#parts.database.run(
        'UPDATE checkpoints SET name = ? WHERE conversation_id = ? AND checkpoint = ? AND state = 1',
        name ?? null,
        this.#parts.conversation,
        id,
      );
      if (changed > 0) return;
      throw new CheckpointdError(
        'UnknownCheckpoint',
        `Checkpoint "${id}" not found. Use checkpoint/list to see the checkpoints.`,
        { details: { checkpoint: id } },
      );
    });
  }

  /**
   * Writes the file rows before the checkpoint is published. Until the publication, these rows belong to a row of
   * `checkpoints` that is marked unfinished.
   */
  async #stage(record: CheckpointRecord, set: RowSet, signal?: AbortSignal): Promise<number> {
    const id = await this.#parts.database.transaction(() => this.#insert(record, set, state.unfinished));
    const at = createdAt(record);
    for (let from = 0; from < set.rows.length; from += rowsInOrder) {
      const rows = inOrderOfContents(set.rows.slice(from, from + rowsInOrder));
      await this.#parts.database.inSlices(
        portionsOf(rows),
        () => (portion) => insertRows(this.#parts.database, id, at, portion),
        signal,
      );
    }
    await this.#parts.database.drainJournal();
    return id;
  }

  #insert(record: CheckpointRecord, set: RowSet, as: number): number {
    const { message } = record;
    // A text column cannot represent lone surrogates and NUL. A message with such characters is also stored in the
    // record.
    const isPlain = !message.includes('\0') && Buffer.from(message).toString() === message;
    this.#parts.database.run(
      `INSERT INTO checkpoints (conversation_id, created_at, seq, checkpoint, snapshot, state, writer, is_full,
         rows_since_full, file_count, total_size, user_message, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.#parts.conversation,
      createdAt(record),
      record.seq,
      record.id,
      record.snapshot,
      as,
      this.#parts.lease,
      set.isFull ? 1 : 0,
      set.rowsSinceFull,
      set.fileCount,
      set.totalSize,
      isPlain ? message : message.replaceAll('\0', '\ufffd'),
      recordText(record, isPlain),
    );
    return Number(this.#parts.database.row('SELECT last_insert_rowid()')?.[0]);
  }

  /**
   * Returns the rows that changed since the parent. When the parent's directories are damaged, returns a row for every
   * file.
   */
  async #rowsOf(record: CheckpointRecord, before: ParentRows | undefined): Promise<RowSet> {
    const { database, trees, carried } = this.#parts;
    try {
      return await rowsFor(database, trees, carried, record, before);
    } catch (error) {
      if (before === undefined || !isKind('StoreCorrupt')(error)) throw error;
      return rowsFor(database, trees, carried, record, undefined);
    }
  }

  /**
   * Gives a new sequence number to each row that is too damaged to be listed. The next checkpoint can then use the
   * row's old number.
   */
  #freeSequence(seq: number): void {
    const select = `SELECT ${columnsOfList} FROM checkpoints WHERE conversation_id = ? AND state = 1 AND seq = ?`;
    const row = this.#parts.database.row(select, this.#parts.conversation, seq);
    if (row === undefined || readRow(row).stored !== undefined) return;
    this.#parts.database.run('UPDATE checkpoints SET seq = -id WHERE id = ?', Number(row[0]));
  }

  #parentOf({ parent }: CheckpointRecord): Parent | undefined {
    if (parent === undefined) return undefined;
    const row = this.#parts.database.row(
      'SELECT id, snapshot, rows_since_full, file_count, total_size FROM checkpoints WHERE conversation_id = ? AND checkpoint = ? AND state = 1',
      this.#parts.conversation,
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
    this.#parts.database.run(
      `UPDATE checkpoints SET ${column} = NULL WHERE conversation_id = ? AND ${column} = ? AND state = 1`,
      this.#parts.conversation,
      value,
    );
  }

  #refuseTaken(name: string, id: CheckpointId): void {
    const named = this.#parts.database.row(
      'SELECT checkpoint FROM checkpoints WHERE conversation_id = ? AND name = ? AND state = 1',
      this.#parts.conversation,
      name,
    )?.[0];
    if (named === undefined || named === id) return;
    throw new CheckpointdError(
      'DuplicateName',
      `Another checkpoint is already named "${name}". Choose another name or rename that checkpoint first.`,
      { details: { name, checkpoint: named } },
    );
  }
}

/**
 * The number of consecutive rows that are written in the order of their contents. So a slice of the rows changes few
 * pages of the index on contents, and the ref_counts of few contents. With a larger number, the paths of these rows
 * would be spread over too many pages of the index on paths.
 */
const rowsInOrder = 8000;

function inOrderOfContents(rows: readonly FileRow[]): FileRow[] {
  return rows.toSorted(({ entry: a }, { entry: b }) => ((a?.blob ?? '') < (b?.blob ?? '') ? -1 : 1));
}

function createdAt(record: CheckpointRecord): number {
  const ms = Date.parse(record.timestamp);
  return Number.isFinite(ms) ? ms : 0;
}

const columnsOfList = 'id, checkpoint, snapshot, record, user_message, tag, name';

interface ReadRow {
  readonly stored?: StoredCheckpoint;
  readonly problem?: StoreProblem;
}

/**
 * Reports a second row with the same id. An index forbids two rows with one id, but a damaged page may contain them.
 */
function duplicateRow([id]: Row, checkpoint: CheckpointId): StoreProblem {
  return { kind: 'corrupt', what: `row ${Number(id)} of checkpoints`, affects: [checkpoint] };
}

/**
 * Reads a row. When the message, tag or name is damaged, only this column is lost. When the record is damaged or does
 * not match its row, the checkpoint is lost.
 */
function readRow([id, checkpoint, snapshot, json, message, tag, name]: Row): ReadRow {
  const parsed = json instanceof DamagedText ? undefined : parseRecord(String(json), String(message));
  const record = parsed?.record;
  if (
    parsed === undefined ||
    record === undefined ||
    record.id !== checkpoint ||
    record.snapshot !== snapshot
  ) {
    const isNamed = typeof checkpoint === 'string' && checkpoint.startsWith('ckpt_');
    const what = isNamed ? checkpoint : `row ${Number(id)} of checkpoints`;
    return { problem: { kind: 'corrupt', what, affects: isNamed ? [checkpoint as CheckpointId] : [] } };
  }
  const stored = {
    record,
    ...(typeof tag === 'string' ? { tag: tag as Tag } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  };
  const isWhole =
    parsed.hasItsMessage && ![message, tag, name].some((column) => column instanceof DamagedText);
  if (isWhole) return { stored };
  return { stored, problem: { kind: 'corrupt', what: record.id, affects: [record.id] } };
}
