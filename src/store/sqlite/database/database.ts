// One connection to an SQLite file: short synchronous transactions that wait their turn without blocking the event
// loop, one retry after a failure, and SQLite's errors in our words. It knows no table; see schema.ts.
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { syncAll } from '../../../base/atomic-file.ts';
import { standingKey, watchStanding } from '../../../base/directory-identity.ts';
import { CheckpointdError, systemCode } from '../../../base/errors.ts';
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
  /** How long a transaction waits for other daemons before it gives up with StoreBusy. */
  readonly busyMs?: number;
}

// SQLite's own busy handler sleeps on the event loop, so it gets little; the rest is waited for asynchronously.
const blockingBusyMs = 15;

export const settingsOf = (durability: 'process' | 'power'): readonly string[] => [
  `PRAGMA busy_timeout = ${blockingBusyMs}`,
  'PRAGMA foreign_keys = ON',
  'PRAGMA trusted_schema = OFF',
  'PRAGMA cache_size = -32000', // KiB; rows by hash land anywhere, and 2 MB thrash
  // In WAL mode NORMAL survives every crash of a process and FULL a power cut as well.
  `PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`,
];

/** Slices that begin within so long of each other are one piece of work. */
const slicesFollowMs = 500;
const slicesBetween = 4;
// A slice may fill 2 MiB of the journal, in pages of 4 KiB.
const pagesUsually = 1000; // SQLite's own
const pagesWhileWrittenBack = 16_384;

export class SqliteDatabase {
  readonly file: string;
  readonly #connection: DatabaseConnection;
  readonly #sides: SideFiles;
  readonly #busyMs: number;
  readonly #statements = new Map<string, Prepared>();
  readonly #journal: SqliteJournal;
  /** Within synchronous work, before which the files were looked at. */
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
   * Opens or creates the file (0600); looks at nothing in it yet.
   * @throws StrategyUnavailable where the library cannot be loaded, else as {@link transaction}.
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
      // Until the schema was looked at: SQLite opens no database whose schema it cannot read (schema.ts).
      const first = ['PRAGMA writable_schema = ON'];
      // Some of them look at the file, which another daemon may just be recovering.
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

  /** True when its journal was removed under it: nothing may be written any more. */
  get isCutOff(): boolean {
    return this.#sides.removed() !== undefined;
  }

  /** All rows of one statement. Columns come in the order of the select. */
  rows(sql: string, ...parameters: readonly SqlValue[]): Row[] {
    // Always `all`: `get` in raw mode aborts the process when there is no row (libsql 0.5.29). And always an array:
    // a lone Buffer or null would be taken for named parameters.
    const { statement, texts } = this.#prepared(sql);
    const rows = statement.all(parameters) as unknown[][];
    if (texts.length > 0) for (const row of rows) decodeTexts(row, texts);
    return rows as unknown as Row[];
  }

  /** The first row of one statement, if any. */
  row(sql: string, ...parameters: readonly SqlValue[]): Row | undefined {
    return this.rows(sql, ...parameters)[0];
  }

  /** Runs one statement that gives no rows; returns how many rows it changed. */
  run(sql: string, ...parameters: readonly SqlValue[]): number {
    return this.#prepared(sql).statement.run(parameters).changes;
  }

  exec(sql: string): void {
    this.#open().exec(sql);
  }

  /**
   * Runs `work` in one immediate transaction: all of it or nothing. `work` is synchronous and short (a slice),
   * may run twice, and sees no state but the database's. A failure is rolled back and tried once more (O22).
   * @throws StoreBusy, NoSpace, ReadOnlyStore, StoreCorrupt, StoreUnavailable; what `work` throws.
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

  /** Runs synchronous reads, waiting where another daemon holds the file (recovery, a checkpoint of the WAL). */
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
   * Does what `begin` returns for every item, as many in a transaction as fit into a slice; other work runs
   * before each. `begin` is called in each transaction, for what holds as long as that lasts.
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
   * Called after each slice. Where slices follow each other the journal is written back beside the event loop
   * every few of them, and SQLite, which would do it in the middle of a commit, is told to wait for longer.
   */
  async #writeBackJournal(): Promise<void> {
    const now = performance.now();
    this.#slicesSince = now - this.#lastSliceMs < slicesFollowMs ? this.#slicesSince + 1 : 1;
    this.#lastSliceMs = now;
    if (this.#slicesSince < slicesBetween) return;
    this.#slicesSince = 1;
    const isWrittenBack = await this.#journal.writeBack();
    this.#lastSliceMs = performance.now();
    this.#setPagesMax(isWrittenBack ? pagesWhileWrittenBack : pagesUsually);
  }

  /** After much was written in slices: writes the journal back once more, so that no single commit has to. */
  async rest(): Promise<void> {
    if (this.#pagesMax === pagesUsually) return;
    this.#slicesSince = 0;
    await this.#journal.writeBack();
    await this.#journal.empty(); // keeps others waiting, but for little by now
    this.#setPagesMax(pagesUsually);
  }

  #setPagesMax(pages: number): void {
    if (this.#isClosed || pages === this.#pagesMax) return;
    this.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
    this.#pagesMax = pages;
  }

  /**
   * Every transaction so far survives a power cut when this resolves. It stands in the journal, or SQLite has
   * synced the file that it was moved into. The file itself is not opened here: closing it would drop
   * SQLite's locks.
   */
  async sync(): Promise<void> {
    await syncAll([`${this.#sides.file}-wal`]);
    await syncAll([dirname(this.#sides.file)]);
  }

  /**
   * To be awaited before {@link close} where there is time: brings the journal into the file, and empties it
   * where no other process else is at it. What stands in it would be written over whatever file is there by
   * then: an older one of a backup, or one that was emptied while the library, which lets go only when its
   * statements are collected, still had it.
   */
  async finish(): Promise<void> {
    if (this.#isClosed) return;
    await this.read(() => undefined); // looks at the files
    await this.#journal.empty();
  }

  /** Lets the connection go. The file stays in WAL mode; the next one to open it carries on. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#journal.close();
    this.#statements.clear();
    try {
      if (this.isCutOff) this.#sides.bringIn(this.#connection);
    } catch (error) {
      throw explain(error, this.file);
    } finally {
      this.#sides.leave();
      this.#connection.close();
    }
  }

  #look(): void {
    const removed = this.#sides.removed();
    if (removed === undefined) return;
    this.#sides.bringIn(this.#connection);
    throw new CheckpointdError(
      'StoreUnavailable',
      `The file ${removed} was removed while the database was open. Nothing was changed. End every program that has ${this.file} open, including this daemon, then open the session again.`,
      { details: { file: this.file, removed }, retryable: false },
    );
  }

  /** Looks at the files once for all that `work` does: it may be thousands of statements. */
  #within<T>(work: () => T): T {
    if (this.#isWithin) return work();
    this.#look();
    this.#isWithin = true;
    try {
      return work();
    } finally {
      this.#isWithin = false;
      this.#sides.note();
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
      // On a full disk or an I/O error SQLite may have rolled back by itself.
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
      if (!this.#isWithin) this.#look();
      return this.#connection;
    }
    throw new CheckpointdError(
      'StoreUnavailable',
      'The checkpoint store was closed. Open the session again.',
    );
  }
}

// The journal (`-wal`) and the index of it that all connections share in memory (`-shm`). Where another program removes
// one of them, SQLite goes on in a file without a name: other processes make another one, and whatever has not reached
// the database is lost with the last connection. So both are looked at before work. The connection that still has them
// brings in what it holds, and no connection of this process works on that database any more.

class SideFiles {
  /** By the identity of the database: SQLite has one index for all connections of a process to it. */
  static readonly #open = new Map<string, SideFiles>();

  /** The database: where it is behind a link, SQLite puts the files beside what the link leads to. */
  readonly file: string;
  readonly #key: string;
  #users = 0;
  /** Each returns the path of its file when that is gone or another by now; undefined until both were there. */
  #watches: readonly (() => string | undefined)[] | undefined;
  #removed: string | undefined;
  #isBroughtIn = false;

  private constructor(file: string, key: string) {
    this.file = file;
    this.#key = key;
  }

  /** Returns the side files of an existing database. */
  static of(file: string): SideFiles {
    try {
      const real = files.realpathSync(file);
      const key = standingKey(files.lstatSync(real, { bigint: true }));
      return SideFiles.#open.get(key) ?? new SideFiles(real, key);
    } catch (error) {
      throw explain(error, file);
    }
  }

  /** A connection begins. */
  enter(): void {
    this.#users += 1;
    SideFiles.#open.set(this.#key, this);
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users === 0) SideFiles.#open.delete(this.#key);
  }

  /** After work, which makes the files. What fails here must not make that look undone: the next work notes them. */
  note(): void {
    if (this.#watches !== undefined) return;
    const paths = [`${this.file}-wal`, `${this.file}-shm`];
    try {
      if (paths.every((path) => files.existsSync(path)))
        this.#watches = paths.map((path) => watchStanding([path]));
    } catch (error) {
      if (!(error instanceof CheckpointdError) && systemCode(error) === undefined) throw error;
    }
  }

  /** The path of the file that was removed, once one was. */
  removed(): string | undefined {
    this.#removed ??= this.#replaced()[0];
    return this.#removed;
  }

  /**
   * Brings what the connection alone still has into the database, unless another program has begun a file of
   * its own.
   */
  bringIn(connection: DatabaseConnection): void {
    const isOthers = (path: string): boolean =>
      (files.lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (this.#isBroughtIn || this.#replaced().some(isOthers)) return;
    const [row] = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').raw().all([]) as number[][];
    if (row?.[0] !== 0) throw Object.assign(new Error('the journal is being read'), { code: 'SQLITE_BUSY' });
    this.#isBroughtIn = true;
  }

  #replaced(): string[] {
    return (this.#watches ?? []).flatMap((replaced) => replaced() ?? []);
  }
}

// Moves the content of the journal (WAL) into the database file during long writes, on a connection of its own whose
// calls run on a thread of the library. Its syncs take as long as the disk is busy and must delay neither the event
// loop nor other daemons. It decides nothing: SQLite does the same at a commit sooner or later, and a kill in the
// middle has the same effect as there.

interface AsyncConnection {
  exec(sql: string): Promise<void>;
  close(): void;
}

// The library's own types are `any` at heart; these are the parts that we rely on.
const loadAsync = async (): Promise<new (file: string) => AsyncConnection> =>
  (await import('libsql/promise')).default as unknown as new (
    file: string,
  ) => AsyncConnection;

export class SqliteJournal {
  readonly #file: string;
  #connection: AsyncConnection | undefined;
  readonly #turns = new Turns();
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when it is done; false where it cannot be, so that SQLite has to do it by itself. */
  writeBack(): Promise<boolean> {
    return this.#run('PASSIVE');
  }

  /**
   * Empties the journal, and returns its space if no other connection reads or writes at this moment. The
   * connection closes until it is needed again.
   */
  empty(): Promise<void> {
    return this.#run('TRUNCATE').then(() => this.#drop());
  }

  /** Lets the connection go, after what it is doing. */
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
      return false; // a convenience: what is wrong with the file is met, and said, at the next commit
    }
  }
}
