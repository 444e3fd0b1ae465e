// Brings what stands in the journal (WAL) of a database into its file while much is being written, on a connection of
// its own whose calls run on a thread of the library: its syncs take as long as the disk is busy with other things, and
// must hold up neither the event loop nor other daemons. It decides nothing: SQLite does the same at a commit, sooner
// or later, and a kill in the middle is like one there.
import { passSeam } from '../../../base/seam.ts';
import { sqliteCode } from './failure.ts';

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
