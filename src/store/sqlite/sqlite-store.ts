// The strategy `sqlite`: all sessions of a storage root have one database, which several daemons share. This file opens
// the database and connects the parts to the interface. Each part has its own file. All state is in the database. Two
// daemons can therefore see different states only during a transaction.
import { basename, join } from 'node:path';
import { replacementDetector } from '../../base/directory-identity.ts';
import { isKind } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { BlobId, CheckpointId, SnapshotId } from '../../base/ids.ts';
import { RecentSet } from '../../base/recent-set.ts';
import { Slices } from '../../base/slices.ts';
import { Turns } from '../../base/turns.ts';
import type { BlobHash, SnapshotWriter } from '../../capture/snapshot-sink.ts';
import { emptied } from '../guarded-store.ts';
import type {
  GitTrees,
  Publication,
  SnapshotStore,
  StoredCheckpoint,
  StoreOptions,
  StoreProblem,
  StoreUsage,
} from '../snapshot-store.ts';
import { isSubTree, TreeReader, TreeStore } from '../tree-reader.ts';
import { verifySnapshots } from '../verify-snapshots.ts';
import { CarriedRows } from './carried.ts';
import { SqliteCheckpoints } from './checkpoints.ts';
import { type ByteRange, readBlob, sha256, sizesOf } from './content.ts';
import { type DatabaseOptions, SqliteDatabase } from './database/database.ts';
import { damagedSchema, prepareSchema } from './database/schema.ts';
import { SqliteGitTrees } from './git-trees.ts';
import { SqliteLease } from './leases.ts';
import { SqliteRemoval } from './removal.ts';
import { type SweptRows, sweep } from './sweep.ts';
import { decodeNode, sqliteTrees } from './trees.ts';
import { verifiedDatabase, verifyRows } from './verify.ts';
import { KnownRows, SqliteWriter } from './writer.ts';

/**
 * The store remembers which contents and chunks are readable: at most this many contents, and this many chunks. A
 * forgotten content or chunk has to be read again.
 */
const provenMax = 200_000;

/** Returns the path of the database, which all sessions of a storage root share. */
export const databaseFile = (storageDirectory: string): string =>
  join(storageDirectory, 'checkpointd.sqlite');

/**
 * Opens the database and this session's part of it. Makes the database, or migrates it to this version.
 * @throws StrategyUnavailable without libsql; StoreVersion, StoreCorrupt (the file stays as it is), ReadOnlyStore,
 * StoreBusy, NoSpace.
 */
export async function openSqliteStore(
  options: StoreOptions,
  settings: Omit<DatabaseOptions, 'durability'> = {},
): Promise<SnapshotStore> {
  const { durability, storageDirectory, sessionDirectory, session, expected = 0 } = options;
  const file = databaseFile(storageDirectory);
  // A journal is always made after its database, so a journal without a database shows that the database was lost.
  if ((expected > 0 || isThere(`${file}-wal`)) && !isThere(file)) throw emptied(expected, file);
  const database = await SqliteDatabase.open(file, { durability, ...settings });
  try {
    const mended = await prepareSchema(database);
    if (mended.length > 0)
      options.onRepair?.(
        `The description of ${mended.join(', ')} in ${file} was damaged and was repaired. Check the disk, and run store/verify to find further damage.`,
      );
    const spoolDirectory = emptySpool(sessionDirectory);
    const conversation = await conversationOf(database, options);
    const lease = await SqliteLease.take(database, session);
    return new SqliteStore(database, { conversation, lease, spoolDirectory });
  } catch (error) {
    database.close();
    throw error;
  }
}

interface Parts {
  readonly conversation: number;
  readonly lease: SqliteLease;
  readonly spoolDirectory: string;
}

class SqliteStore extends TreeStore implements SnapshotStore {
  readonly strategy = 'sqlite';
  readonly isSweptByOthers = true;
  readonly spoolDirectory: string;
  readonly #database: SqliteDatabase;
  readonly #conversation: number;
  readonly #lease: SqliteLease;
  readonly #carried: CarriedRows;
  readonly #knownRows: KnownRows;
  readonly #proven = new RecentSet(provenMax);
  readonly #provenChunks = new RecentSet(provenMax);
  readonly #checkpoints: SqliteCheckpoints;
  readonly #removal: SqliteRemoval;
  readonly #gitTrees: SqliteGitTrees;
  readonly #replaced: () => string | undefined;
  readonly #changes = new Turns();

  constructor(database: SqliteDatabase, { conversation, lease, spoolDirectory }: Parts) {
    super(new TreeReader(sqliteTrees(database)));
    this.spoolDirectory = spoolDirectory;
    this.#database = database;
    this.#conversation = conversation;
    this.#lease = lease;
    this.#knownRows = new KnownRows(database);
    this.#carried = new CarriedRows(database, this.trees);
    const parts = { database, trees: this.trees, carried: this.#carried, conversation, lease: lease.id };
    this.#checkpoints = new SqliteCheckpoints(parts);
    this.#removal = new SqliteRemoval(parts);
    this.#gitTrees = new SqliteGitTrees(database, spoolDirectory);
    this.#replaced = replacementDetector([database.file]);
  }

  hash(): BlobHash {
    return sha256();
  }

  writer(signal?: AbortSignal, writesAll = false): SnapshotWriter {
    const [database, lease, knownRows] = [this.#database, this.#lease, this.#knownRows];
    const [proven, provenChunks] = [this.#proven, this.#provenChunks];
    if (writesAll) {
      proven.clear();
      provenChunks.clear();
    }
    return new SqliteWriter({
      database,
      lease,
      knownRows,
      trees: this.trees,
      proven,
      provenChunks,
      signal,
      writesAll,
    });
  }

  publish(publication: Publication): Promise<{ readonly commit?: string | undefined }> {
    return this.#change(async () => {
      await this.#checkpoints.publish(publication);
      this.#lease.published(publication.record.snapshot);
      return {};
    });
  }

  publishAll(publications: readonly Publication[], signal?: AbortSignal): Promise<void> {
    return this.#change(async () => {
      await this.#checkpoints.publishAll(publications, signal);
      for (const { record } of publications) this.#lease.published(record.snapshot);
    });
  }

  sync(): Promise<void> {
    return this.#database.sync();
  }

  async hasDirectories(ids: readonly string[]): Promise<boolean> {
    return (await this.#knownRows.missingTrees(ids)).missing.length === 0;
  }

  checkpoints(): Promise<StoredCheckpoint[]> {
    return this.#checkpoints.list();
  }

  gone(): string | undefined {
    const { file } = this.#database;
    return this.#replaced() ?? (isThere(file) ? undefined : file);
  }

  damaged(): readonly StoreProblem[] {
    return this.#checkpoints.damaged;
  }

  rename(id: CheckpointId, name: string | undefined): Promise<void> {
    return this.#change(() => this.#checkpoints.rename(id, name));
  }

  remove(ids: readonly CheckpointId[]): Promise<void> {
    return this.#change(() => this.#removal.remove(ids));
  }

  sizes(blobs: readonly BlobId[]): Promise<number[]> {
    return sizesOf(this.#database, blobs);
  }

  read(blob: BlobId, range?: ByteRange): AsyncIterable<Uint8Array> {
    return readBlob(this.#database, blob, range);
  }

  async gitTrees(from: SnapshotId | undefined, to: SnapshotId): Promise<GitTrees> {
    const changes =
      from === undefined
        ? (await this.trees.entries(to)).map((after) => ({ path: after.path, after }))
        : await this.trees.changes(from, to);
    return this.#gitTrees.show(changes);
  }

  async sweep(signal?: AbortSignal): Promise<SweptRows> {
    try {
      return await sweep(this.#database, this.#lease.id, signal);
    } finally {
      await this.#gitTrees.forget();
    }
  }

  async verify(signal?: AbortSignal, onChecked?: (contents: number) => void): Promise<StoreProblem[]> {
    const checkpoints = await this.checkpoints();
    const contents = await verifySnapshots(verifiedDatabase(this.#database), checkpoints, signal, onChecked);
    const from = { trees: this.trees, carried: this.#carried };
    const rows = await verifyRows(this.#database, from, this.#conversation, signal);
    const affects = checkpoints.map(({ record }) => record.id);
    const schema = (await damagedSchema(this.#database)).map(
      (what): StoreProblem => ({ kind: 'corrupt', what, affects: what.startsWith('table ') ? affects : [] }),
    );
    return [...this.damaged(), ...schema, ...contents, ...rows];
  }

  async usage(): Promise<StoreUsage> {
    const [pages, free, pageBytes, blobs, checkpoints] = await this.#database.read(() => [
      Number(this.#database.row('PRAGMA page_count')?.[0]),
      Number(this.#database.row('PRAGMA freelist_count')?.[0]),
      Number(this.#database.row('PRAGMA page_size')?.[0]),
      Number(this.#database.row('SELECT count(*) FROM checkpoint_blobs')?.[0]),
      Number(
        this.#database.row(
          'SELECT count(*) FROM checkpoints WHERE conversation_id = ? AND state = 1',
          this.#conversation,
        )?.[0],
      ),
    ]);
    // Counts the pages in use, not the size of the files. The journal and a reserve of free pages keep their space on
    // disk after a removal.
    const bytes = ((pages ?? 0) - (free ?? 0)) * (pageBytes ?? 0);
    return { bytes, blobs: blobs ?? 0, checkpoints: checkpoints ?? 0 };
  }

  /**
   * Returns the size of the database if it has only one session. If it has several sessions, returns the size of this
   * session's checkpoints.
   */
  async sessionBytes(): Promise<number> {
    const others = await this.#database.read(() =>
      this.#database.row('SELECT 1 FROM conversations WHERE id <> ? LIMIT 1', this.#conversation),
    );
    if (others === undefined) return (await this.usage()).bytes;
    return sessionBytes(this.#database, this.#conversation);
  }

  async close(): Promise<void> {
    await this.#changes.whenIdle();
    try {
      await this.#gitTrees.close();
      if (!this.#database.isCutOff && !this.#database.isClosed) await this.#lease.give();
    } finally {
      await this.#finish();
    }
  }

  async #finish(): Promise<void> {
    try {
      // If the file is missing, this call would make a new file.
      if (!this.#database.isCutOff && this.gone() === undefined) await this.#database.finish();
    } finally {
      this.#database.close();
    }
  }

  kill(): void {
    this.#gitTrees.kill();
    this.#database.close();
  }

  /** Removes everything of the session from the database, even its contents. */
  destroy(): Promise<void> {
    return this.#change(async () => {
      await this.#removal.removeAll();
      await this.#removal.forget(() => this.sweep());
    });
  }

  /** Makes only one change of the checkpoints at a time, because a removal relies on the rows that it has read. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    return this.#changes.run(async () => {
      await this.#lease.retake();
      return work();
    });
  }
}

async function conversationOf(database: SqliteDatabase, options: StoreOptions): Promise<number> {
  const select = 'SELECT id FROM conversations WHERE session = ?';
  const found = await database.read(() => database.row(select, options.session));
  if (found !== undefined) return Number(found[0]);
  if ((options.expected ?? 0) > 0) throw emptied(options.expected ?? 0, database.file);
  return database.transaction(() => {
    database.run(
      'INSERT INTO conversations (session, conversation, work_tree, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
      options.session,
      options.conversationId,
      options.workTree,
      Date.now(),
    );
    return Number(database.row(select, options.session)?.[0]);
  });
}

export function isThere(file: string): boolean {
  return files.existsSync(file) && files.statSync(file).size > 0;
}

function emptySpool(sessionDirectory: string): string {
  const spool = join(sessionDirectory, 'spool');
  files.rmSync(spool, { recursive: true, force: true });
  files.mkdirSync(spool, { mode: 0o700 });
  return spool;
}

// Makes room for a new store of one session whose part of the database is damaged or missing. The checkpoints of other
// sessions stay in place if the database can be opened. Removes nothing.

/** Gives this session's rows the name of another session. If the rows cannot be renamed, renames the whole file. */
export async function setSqliteAside(options: StoreOptions, to: string): Promise<void> {
  const file = databaseFile(options.storageDirectory);
  const suffix = basename(to);
  if (isThere(file) && (await renameRows(file, options, suffix))) return;
  // Renames the journal first. A database without its journal is only outdated. A journal beside the wrong database
  // would do harm.
  for (const end of ['-wal', '-shm', '']) {
    if (files.existsSync(`${file}${end}`)) files.renameSync(`${file}${end}`, `${file}.${suffix}${end}`);
  }
}

/** Renames the session's rows. Returns false when the database cannot be used at all. */
async function renameRows(file: string, options: StoreOptions, suffix: string): Promise<boolean> {
  const { session, durability } = options;
  let database: SqliteDatabase | undefined;
  try {
    const open = await SqliteDatabase.open(file, { durability });
    database = open;
    await prepareSchema(open);
    await open.transaction(() =>
      open.run('UPDATE conversations SET session = ? WHERE session = ?', `${session} ${suffix}`, session),
    );
    return true;
  } catch (error) {
    if (!isKind('StoreCorrupt')(error)) throw error;
    return false;
  } finally {
    database?.close();
  }
}

// Computes how many bytes the contents, directories and rows of one session's checkpoints take in the shared database.
// Data that several sessions share is counted once for each of them. Free pages, journals and unreferenced rows do not
// count; SqliteStore.usage has the size of the whole database.

/** The approximate size of a row with its keys and index entries, without the text, which is counted separately. */
const rowBytes = 250;
const askedAtOnce = 1000;

/**
 * Returns how many bytes the deletion of this session would free if no other session shared its contents. Works in
 * slices, and takes about 5 µs for each file of a full root.
 */
export async function sessionBytes(database: SqliteDatabase, conversation: number): Promise<number> {
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
  const inChunks: string[] = [];
  for (let at = 0; at < all.length; at += askedAtOnce) {
    const some = JSON.stringify(all.slice(at, at + askedAtOnce));
    const rows = await database.read(() =>
      database.rows(
        'SELECT stored_size, hash, content IS NULL FROM json_each(?) JOIN checkpoint_blobs ON hash = value',
        some,
      ),
    );
    for (const [storedSize, hash, isInChunks] of rows) {
      if (isInChunks === 1) inChunks.push(String(hash));
      else bytes += Number(storedSize);
    }
    if (slices.isDue()) await slices.pause();
  }
  return bytes + blobs.size * rowBytes + (await chunksOf(database, inChunks, slices));
}

/** Returns the total size in bytes of all chunks of these contents. A shared chunk counts once. */
async function chunksOf(database: SqliteDatabase, blobs: readonly string[], slices: Slices): Promise<number> {
  let bytes = 0;
  const shared = new Map<string, number>();
  for (const blob of blobs) {
    const rows = await database.read(() =>
      database.rows(
        `SELECT length(c.content), c.digest, length(s.content) FROM checkpoint_blob_chunks AS c
           LEFT JOIN checkpoint_chunks AS s ON s.digest = c.digest AND length(c.content) = 0 WHERE c.blob_hash = ?`,
        blob,
      ),
    );
    for (const [own, digest, length] of rows) {
      bytes += Number(own) + rowBytes;
      if (length !== null && Buffer.isBuffer(digest)) shared.set(digest.toString('hex'), Number(length));
    }
    if (slices.isDue()) await slices.pause();
  }
  for (const length of shared.values()) bytes += length + rowBytes;
  return bytes;
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
  knownRows: Set<string>,
  slices: Slices,
): Promise<number> {
  let bytes = 0;
  const stack = [root];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (knownRows.has(id)) continue;
    knownRows.add(id);
    const key = Buffer.from(id, 'hex');
    const content = (
      await database.read(() => database.row('SELECT node FROM checkpoint_trees WHERE id = ?', key))
    )?.[0];
    if (!Buffer.isBuffer(content)) continue; // the directory is lost, which `store/verify` reports
    bytes += content.length + rowBytes;
    for (const entry of decodeNode(id, content)?.entries.values() ?? [])
      if (isSubTree(entry)) stack.push(entry.tree);
    if (slices.isDue()) await slices.pause();
  }
  return bytes;
}
