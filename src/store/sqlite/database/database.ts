// One connection to an SQLite file: short synchronous transactions that wait their turn without blocking the event
// loop, one retry after a failure, and SQLite's errors in our words. It knows no table; see schema.ts.
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { syncAll } from '../../../base/atomic-file.ts';
import { CheckpointdError } from '../../../base/errors.ts';
import { passSeam } from '../../../base/seam.ts';
import { Slices } from '../../../base/slices.ts';
import { decodeTexts, type Row, type SqlValue } from './columns.ts';
import {
  connect,
  type DatabaseConnection,
  type LoadLibsql,
  library,
  loadLibsql,
  makeWritable,
  type Prepared,
  prepare,
} from './connection.ts';
import { explain, isBusy, isWorthRetry, sqliteCode } from './failure.ts';
import { SqliteLink } from './link.ts';

export type { Row, SqlValue } from './columns.ts';

export interface DatabaseOptions {
  readonly durability: 'process' | 'power';
  readonly load?: LoadLibsql;
  /** How long a transaction waits for other daemons before it gives up with StoreBusy. */
  readonly busyMs?: number;
}

/** Slices that begin within so long of each other are one piece of work. */
const slicesFollowMs = 500;
const slicesBetween = 4;
// A slice may fill 2 MiB of the journal, in pages of 4 KiB.
const pagesUsually = 1000; // SQLite's own
const pagesWhileWrittenBack = 16_384;

export class SqliteDatabase {
  readonly file: string;
  readonly #link: SqliteLink;
  readonly #busyMs: number;
  readonly #statements = new Map<string, Prepared>();
  #journal: SqliteJournal;
  /** Within synchronous work, before which the files were looked at. */
  #isWithin = false;
  #slicesSince = 0;
  #lastSliceMs = Number.NEGATIVE_INFINITY;
  #pagesMax = pagesUsually;
  #isClosed = false;

  private constructor(file: string, link: SqliteLink, busyMs: number) {
    this.file = file;
    this.#link = link;
    this.#busyMs = busyMs;
    this.#journal = new SqliteJournal(file);
  }

  /**
   * Opens or creates the file (0600); looks at nothing in it yet.
   *
   * @throws StrategyUnavailable where the library cannot be loaded, else as {@link transaction}.
   */
  static async open(file: string, options: DatabaseOptions): Promise<SqliteDatabase> {
    const Library = await library(options.load ?? loadLibsql);
    makeWritable(file);
    const link = SqliteLink.to(file, () => connect(Library, file), options.durability);
    const database = new SqliteDatabase(file, link, options.busyMs ?? 10_000);
    try {
      // Until the schema was looked at: SQLite opens no database whose schema it cannot read (schema-check.ts).
      const first = ['PRAGMA writable_schema = ON'];
      // Some of them look at the file, which another daemon may just be recovering.
      for (const setting of [...first, ...link.settings]) await database.read(() => database.exec(setting));
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether a file beside it was removed without which nothing may be written any more. */
  get isCutOff(): boolean {
    return this.#link.isCutOff;
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

  /** Runs statements without parameters. */
  exec(sql: string): void {
    this.#open().exec(sql);
  }

  /**
   * Runs `work` in one immediate transaction: all of it or nothing. `work` is synchronous and short (a slice),
   * may run twice, and sees no state but the database's. A failure is rolled back and tried once more (O22).
   *
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
   * Does what `begin` returns for every item, as many in a transaction as fit into a slice; other work runs before each.
   * `begin` is called in each transaction, for what holds as long as that lasts.
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
   * Called after each slice. Where slices follow each other the journal is written back beside the event loop every few of
   * them, and SQLite, which would do it in the middle of a commit, is told to wait for longer.
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
   * Every transaction so far survives a power cut when this resolves. It stands in the journal, or SQLite has synced the
   * file that it was moved into. The file itself is not opened here: closing it would drop SQLite's locks.
   */
  async sync(): Promise<void> {
    await syncAll([`${this.#link.file}-wal`]);
    await syncAll([dirname(this.#link.file)]);
  }

  /**
   * To be awaited before {@link close} where there is time: brings the journal into the file, and empties it where nobody
   * else is at it. What stands in it would be written over whatever file is there by then: an older one of a backup, or
   * one that was emptied while the library, which lets go only when its statements are collected, still had it.
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
      this.#link.close();
    } catch (error) {
      throw explain(error, this.file);
    }
  }

  #look(): void {
    if (!this.#link.look()) return;
    this.#statements.clear();
    this.#journal.close();
    this.#journal = new SqliteJournal(this.file);
    this.#pagesMax = pagesUsually;
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
      this.#link.note();
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
      if (this.#link.connection.inTransaction) this.exec('ROLLBACK');
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
      return this.#link.connection;
    }
    throw new CheckpointdError(
      'StoreUnavailable',
      'The checkpoint store was closed. Open the session again.',
    );
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
  #running: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when it is done; false where it cannot be, so that SQLite has to do it by itself. */
  writeBack(): Promise<boolean> {
    return this.#run('PASSIVE');
  }

  /**
   * The same, and gives the journal's space back if nobody else is reading or writing just now. The connection goes,
   * until it is needed again.
   */
  empty(): Promise<void> {
    return this.#run('TRUNCATE').then(() => this.#drop());
  }

  /** Lets the connection go, after what it is doing. */
  close(): void {
    this.#isClosed = true;
    this.#running = this.#running.then(() => this.#drop());
  }

  #drop(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #run(mode: 'PASSIVE' | 'TRUNCATE'): Promise<boolean> {
    const next = this.#running.then(() => this.#checkpoint(mode));
    this.#running = next.catch(() => undefined); // told to its own caller
    return next;
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
