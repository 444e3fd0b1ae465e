// One connection to an SQLite file. Transactions are short and synchronous. A transaction waits for its turn without
// blocking the event loop, and is tried once more after a failure. This module translates the errors of SQLite into
// checkpointd errors. The tables are in schema.ts.
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { syncAll } from '../../../base/atomic-file.ts';
import { attemptOr, isOfSystem } from '../../../base/attempt.ts';
import { identityKey, replacementDetector } from '../../../base/directory-identity.ts';
import { CheckpointdError, isExpected } from '../../../base/errors.ts';
import { files } from '../../../base/files.ts';
import { passSeam } from '../../../base/seam.ts';
import { Slices } from '../../../base/slices.ts';
import { Turns } from '../../../base/turns.ts';
import { explain, isBusy, isWorthRetry, sqliteCode } from './failure.ts';
import {
  connect,
  type DatabaseConnection,
  decodeTexts,
  type LoadLibsql,
  library,
  loadLibsql,
  makeWritable,
  type Prepared,
  prepare,
  type Row,
  type SqlValue,
} from './library.ts';

export type { Row, SqlValue } from './library.ts';

export interface DatabaseOptions {
  readonly durability: 'process' | 'power';
  readonly load?: LoadLibsql;
  /** The time in ms for which a transaction waits for other daemons before the transaction fails with StoreBusy. */
  readonly busyMs?: number;
}

// SQLite's own busy handler blocks the event loop, so the handler gets little time. The rest of the wait is
// asynchronous.
const blockingBusyMs = 15;

export const settingsOf = (durability: 'process' | 'power'): readonly string[] => [
  `PRAGMA busy_timeout = ${blockingBusyMs}`,
  'PRAGMA foreign_keys = ON',
  'PRAGMA trusted_schema = OFF',
  // In KiB. Rows with hashes as keys are spread over the file, so SQLite's default of 2 MB is too little. A larger cache
  // saves no processor time, because the system has the pages in memory, too.
  'PRAGMA cache_size = -8000',
  // When SQLite begins the journal again, it truncates the file. So the size of the file is always the length of the
  // journal.
  'PRAGMA journal_size_limit = 0',
  // In WAL mode, NORMAL survives every crash of a process, and FULL also survives a power cut.
  `PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`,
];

/**
 * Several slices count as one long piece of work if each slice begins within this time (in ms) after the previous
 * slice.
 */
const slicesFollowMs = 500;
const slicesBetween = 4;
// A slice may write 2 MiB to the journal, in pages of 4 KiB.
const pagesUsually = 1000; // SQLite's own
const pagesWhileWrittenBack = 16_384;
/**
 * The journal is written back when it is longer than this number of bytes, and longer than this share of the database.
 * Rows of hashes are spread over the whole database. A longer journal contains more changes of the same page, and
 * only the last of these changes is written to the database.
 */
const journalBytesMin = 1 << 21;
const journalBytesMax = 1 << 25;
const journalShare = 0.5;

export class SqliteDatabase {
  readonly file: string;
  readonly #connection: DatabaseConnection;
  readonly #sides: SideFiles;
  readonly #busyMs: number;
  readonly #statements = new Map<string, Prepared>();
  readonly #journal: SqliteJournal;
  /** True while synchronous work runs. The side files were checked when this work began. */
  #isWithin = false;
  #slicesSince = 0;
  #lastSliceMs = Number.NEGATIVE_INFINITY;
  #pagesMax = pagesUsually;
  #isClosed = false;

  private constructor(sides: SideFiles, file: string, connection: DatabaseConnection, busyMs: number) {
    sides.enter();
    this.#sides = sides;
    this.file = file;
    this.#connection = connection;
    this.#busyMs = busyMs;
    this.#journal = new SqliteJournal(file);
  }

  /**
   * Opens or creates the file (0600). Does not read the file yet.
   * @throws StrategyUnavailable when the library cannot be loaded, else as {@link transaction}.
   */
  static async open(file: string, options: DatabaseOptions): Promise<SqliteDatabase> {
    const Library = await library(options.load ?? loadLibsql);
    makeWritable(file);
    const database = new SqliteDatabase(
      SideFiles.of(file),
      file,
      connect(Library, file),
      options.busyMs ?? 10_000,
    );
    try {
      // With this setting, SQLite opens even a database with an unreadable schema. The setting stays on until the
      // schema has been checked (schema.ts).
      const first = ['PRAGMA writable_schema = ON'];
      // Some of these statements read the file while another daemon may be recovering the file.
      for (const setting of [...first, ...settingsOf(options.durability)])
        await database.read(() => database.exec(setting));
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True when another program removed the journal. After that, the daemon must not write to the database. */
  get isCutOff(): boolean {
    return this.#sides.removed() !== undefined;
  }

  /** Returns all rows of one statement. Columns come in the order of the select. */
  rows(sql: string, ...parameters: readonly SqlValue[]): Row[] {
    // Always uses `all`, because `get` in raw mode aborts the process when there is no row (libsql 0.5.29). Always
    // passes an array, because libsql would misread a single Buffer or null as an object of named parameters.
    const { statement, texts } = this.#prepared(sql);
    const rows = statement.all(parameters) as unknown[][];
    if (texts.length > 0) for (const row of rows) decodeTexts(row, texts);
    return rows as unknown as Row[];
  }

  /** Returns the first row of one statement, if any. */
  row(sql: string, ...parameters: readonly SqlValue[]): Row | undefined {
    return this.rows(sql, ...parameters)[0];
  }

  /** Runs one statement without rows. Returns the number of changed rows. */
  run(sql: string, ...parameters: readonly SqlValue[]): number {
    return this.#prepared(sql).statement.run(parameters).changes;
  }

  exec(sql: string): void {
    this.#open().exec(sql);
  }

  /**
   * Runs `work` completely or not at all, in one immediate transaction. `work` must be synchronous and short (a slice),
   * and must depend only on the state of the database, because it may run twice. After a failure the transaction is
   * rolled back and tried once more (O22).
   * @throws StoreBusy, NoSpace, ReadOnlyStore, StoreCorrupt, StoreUnavailable; the errors of `work`.
   */
  async transaction<T>(work: () => T, busyMs = this.#busyMs): Promise<T> {
    let isRetry = false;
    const deadline = performance.now() + busyMs;
    for (;;) {
      try {
        return this.#within(() => this.#attempt(work));
      } catch (error) {
        if (isBusy(error)) {
          if (performance.now() >= deadline) throw explain(error, this.file);
          await delay(1 + Math.random() * 10);
        } else if (isRetry || !isWorthRetry(error)) throw explain(error, this.file);
        else isRetry = true;
      }
    }
  }

  /** Runs synchronous reads. Waits while another daemon locks the file (recovery, a checkpoint of the WAL). */
  async read<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + this.#busyMs;
    for (;;) {
      try {
        return this.#within(work);
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw explain(error, this.file);
        await delay(1 + Math.random() * 10);
      }
    }
  }

  /**
   * Each transaction calls `begin`, and then calls the returned function for as many items as fit into a slice. Other
   * work runs between slices. `begin` may read values that are valid only inside the transaction.
   */
  async inSlices<T>(
    items: readonly T[],
    begin: () => (item: T) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const slices = new Slices(signal);
    for (let at = 0; at < items.length; ) {
      await slices.pause();
      const start = at;
      at = await this.transaction(() => {
        const each = begin();
        let next = start;
        do {
          const item = items[next];
          if (item !== undefined) each(item);
          next += 1;
        } while (next < items.length && !slices.isDue());
        return next;
      });
      await this.#writeBackJournal();
    }
  }

  /**
   * Called after each slice. When consecutive slices have made the journal long, the database writes the journal back
   * on another thread. SQLite itself would write the journal back in the middle of a commit, so the daemon raises
   * SQLite's threshold.
   */
  async #writeBackJournal(): Promise<void> {
    const now = performance.now();
    this.#slicesSince = now - this.#lastSliceMs < slicesFollowMs ? this.#slicesSince + 1 : 1;
    this.#lastSliceMs = now;
    if (this.#slicesSince < slicesBetween || !this.#isJournalLong()) return;
    this.#slicesSince = 1;
    const isWrittenBack = await this.#journal.writeBack();
    this.#lastSliceMs = performance.now();
    this.#setPagesMax(isWrittenBack ? pagesWhileWrittenBack : pagesUsually);
  }

  #isJournalLong(): boolean {
    const { file } = this.#sides;
    const journal = sizeOf(`${file}-wal`);
    if (journal < journalBytesMin || this.#pagesMax === pagesUsually) return journal >= journalBytesMin;
    return journal >= Math.min(journalBytesMax, sizeOf(file) * journalShare);
  }

  /** Writes the journal back once more after many slices, so that no later commit has to write it back. */
  async drainJournal(): Promise<void> {
    if (this.#pagesMax === pagesUsually) return;
    this.#slicesSince = 0;
    await this.#journal.writeBack();
    // blocks other daemons only briefly, because the journal has just been written back
    await this.#journal.empty();
    this.#setPagesMax(pagesUsually);
  }

  #setPagesMax(pages: number): void {
    if (this.#isClosed || pages === this.#pagesMax) return;
    this.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
    this.#pagesMax = pages;
  }

  /**
   * Syncs the journal, so that all earlier transactions survive a power cut. A transaction that is no longer in the
   * journal is already in the database file, which SQLite has synced. This function does not open the database file,
   * because closing the file would drop SQLite's locks.
   */
  async sync(): Promise<void> {
    await syncAll([`${this.#sides.file}-wal`]);
    await syncAll([dirname(this.#sides.file)]);
  }

  /**
   * Writes the journal into the database file, and empties the journal if no other process uses it. Callers should
   * await this function before {@link close}. SQLite would apply a remaining journal to any later file at this path,
   * for example to an older file from a backup. The library closes the database file only when the garbage collector
   * frees the prepared statements.
   */
  async finish(): Promise<void> {
    if (this.#isClosed) return;
    await this.read(() => undefined); // checks the files
    await this.#journal.empty();
  }

  /** Closes the connection. The file stays in WAL mode, which the next connection uses again. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#journal.close();
    this.#statements.clear();
    try {
      if (this.isCutOff) this.#sides.writeBackJournal(this.#connection);
    } catch (error) {
      throw explain(error, this.file);
    } finally {
      this.#sides.leave();
      this.#connection.close();
    }
  }

  #requireSideFiles(): void {
    const removed = this.#sides.removed();
    if (removed === undefined) return;
    this.#sides.writeBackJournal(this.#connection);
    throw new CheckpointdError(
      'StoreUnavailable',
      `The file ${removed} was removed while the database was open. Nothing was changed. End every program that has ${this.file} open, including this daemon, then open the session again.`,
      { details: { file: this.file, removed }, retryable: false },
    );
  }

  /** Checks the side files once for all of `work`, which may run thousands of statements. */
  #within<T>(work: () => T): T {
    if (this.#isWithin) return work();
    this.#requireSideFiles();
    this.#isWithin = true;
    try {
      return work();
    } finally {
      this.#isWithin = false;
      this.#sides.remember();
    }
  }

  #attempt<T>(work: () => T): T {
    passSeam('begin', this.file);
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      passSeam('commit', this.file);
      this.exec('COMMIT');
      return result;
    } catch (error) {
      // After a full disk or an I/O error, SQLite may already have rolled the transaction back.
      if (this.#connection.inTransaction) this.exec('ROLLBACK');
      throw error;
    }
  }

  #prepared(sql: string): Prepared {
    const connection = this.#open();
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = prepare(connection, sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #open(): DatabaseConnection {
    if (!this.#isClosed) {
      if (!this.#isWithin) this.#requireSideFiles();
      return this.#connection;
    }
    throw new CheckpointdError(
      'StoreUnavailable',
      'The checkpoint store was closed. Open the session again.',
    );
  }
}

function sizeOf(file: string): number {
  return attemptOr(0, isOfSystem, () => files.statSync(file).size);
}

// The journal (`-wal`) and its index (`-shm`), which all connections share in memory. When another program removes one
// of these files, SQLite continues in a file without a name. Other processes then make new files. Data that has not
// reached the database is lost when the last connection closes. So the daemon checks both files before it uses the
// database. A connection that still has the removed files open writes the data of these files into the database. After
// that, no connection of this process uses the database.

class SideFiles {
  /**
   * The side files, keyed by the identity of their database. All connections of a process to one database share one
   * index, so they also share one object.
   */
  static readonly #open = new Map<string, SideFiles>();

  /** The path of the database. If the path is a link, SQLite puts the side files beside the link's target. */
  readonly file: string;
  readonly #key: string;
  #users = 0;
  /**
   * One function for each of the two files. The function returns the path of the file when the file is missing or
   * replaced. Undefined until both files have existed.
   */
  #watches: readonly (() => string | undefined)[] | undefined;
  #removed: string | undefined;
  #isWrittenBack = false;

  private constructor(file: string, key: string) {
    this.file = file;
    this.#key = key;
  }

  /** Returns the side files of an existing database. */
  static of(file: string): SideFiles {
    try {
      const real = files.realpathSync(file);
      const key = identityKey(files.lstatSync(real, { bigint: true }));
      return SideFiles.#open.get(key) ?? new SideFiles(real, key);
    } catch (error) {
      throw explain(error, file);
    }
  }

  /** Counts a new connection. */
  enter(): void {
    this.#users += 1;
    SideFiles.#open.set(this.#key, this);
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users === 0) SideFiles.#open.delete(this.#key);
  }

  /**
   * Records the identities of the side files. The first work on the database creates these files. Ignores an error,
   * because the work has succeeded; after the next work, this method is called again.
   */
  remember(): void {
    if (this.#watches !== undefined) return;
    const paths = [`${this.file}-wal`, `${this.file}-shm`];
    try {
      if (paths.every((path) => files.existsSync(path)))
        this.#watches = paths.map((path) => replacementDetector([path]));
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
  }

  /** If a side file was removed, returns the path of this file. */
  removed(): string | undefined {
    this.#removed ??= this.#replaced()[0];
    return this.#removed;
  }

  /**
   * Some data may exist only in this connection. Writes this data into the database, unless another program has made
   * new side files.
   */
  writeBackJournal(connection: DatabaseConnection): void {
    const isOthers = (path: string): boolean =>
      (files.lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (this.#isWrittenBack || this.#replaced().some(isOthers)) return;
    const [row] = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').raw().all([]) as number[][];
    if (row?.[0] !== 0) throw Object.assign(new Error('the journal is being read'), { code: 'SQLITE_BUSY' });
    this.#isWrittenBack = true;
  }

  #replaced(): string[] {
    return (this.#watches ?? []).flatMap((replaced) => replaced() ?? []);
  }
}

// Moves the content of the journal (WAL) into the database file during long writes. This class has its own connection,
// whose calls run on a thread of the library. The syncs may take long on a busy disk and must delay neither the event
// loop nor other daemons. SQLite itself moves the content during some commits, so a kill here has no worse effects.

interface AsyncConnection {
  exec(sql: string): Promise<void>;
  close(): void;
}

// The library's own types are `any`, so the daemon declares the types that it uses.
const loadAsync = async (): Promise<new (file: string) => AsyncConnection> =>
  (await import('libsql/promise')).default as unknown as new (
    file: string,
  ) => AsyncConnection;

class SqliteJournal {
  readonly #file: string;
  #connection: AsyncConnection | undefined;
  readonly #turns = new Turns();
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Writes the journal back. Returns false when SQLite cannot write the journal back now. SQLite then writes it back
   * during a later commit.
   */
  writeBack(): Promise<boolean> {
    return this.#run('PASSIVE');
  }

  /**
   * Empties the journal, and frees its space if no other connection is using the journal. Closes the connection. The
   * next call opens it again.
   */
  empty(): Promise<void> {
    return this.#run('TRUNCATE').then(() => this.#drop());
  }

  /** Closes the connection when its running work has ended. */
  close(): void {
    this.#isClosed = true;
    void this.#turns.run(() => this.#drop());
  }

  #drop(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #run(mode: 'PASSIVE' | 'TRUNCATE'): Promise<boolean> {
    return this.#turns.run(() => this.#checkpoint(mode));
  }

  async #checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): Promise<boolean> {
    if (this.#isClosed) return false;
    try {
      passSeam('checkpoint', this.#file);
      if (this.#connection === undefined) {
        const Library = await loadAsync();
        if (this.#isClosed) return false;
        this.#connection = new Library(this.#file);
      }
      await this.#connection.exec(`PRAGMA wal_checkpoint(${mode})`);
      return true;
    } catch (error) {
      if (sqliteCode(error) === '') throw error;
      return false; // no error here: if the file has a fault, the next commit reports it
    }
  }
}
