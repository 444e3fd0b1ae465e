// The connection to a database, and the two files beside it that others may cut or remove while it is open. Before work
// they are looked at: the index gets its length back, and where the journal was removed another connection takes the
// place of the one that alone still has it. Where the index was removed there is no going on.
import { CheckpointdError } from '../../../base/errors.ts';
import { files } from '../../../base/files.ts';
import { type DatabaseConnection, settingsOf } from './connection.ts';
import { explain } from './failure.ts';
import { JournalFile } from './journal-file.ts';
import { SharedIndex } from './shared-index.ts';

export class SqliteLink {
  readonly settings: readonly string[];
  /** Of the database: where it is behind a link, SQLite puts the files beside what the link leads to. */
  readonly file: string;
  readonly #connect: () => DatabaseConnection;
  readonly #index: SharedIndex;
  readonly #journal: JournalFile;
  #connection: DatabaseConnection;

  private constructor(file: string, connect: () => DatabaseConnection, durability: 'process' | 'power') {
    this.settings = settingsOf(durability);
    this.file = files.realpathSync(file);
    this.#index = new SharedIndex(this.file);
    this.#journal = new JournalFile(this.file);
    this.#connect = connect;
    this.#connection = connect();
  }

  /** To a file that is there. @throws StoreUnavailable … */
  static to(file: string, connect: () => DatabaseConnection, durability: 'process' | 'power'): SqliteLink {
    try {
      return new SqliteLink(file, connect, durability);
    } catch (error) {
      throw explain(error, file);
    }
  }

  get connection(): DatabaseConnection {
    return this.#connection;
  }

  /** Whether nothing may be written any more: see shared-index.ts. */
  get isCutOff(): boolean {
    return this.#index.isLost;
  }

  /** Before work. True where there is another connection now, with none of the statements and settings of the old one. */
  look(): boolean {
    this.#index.look();
    if (this.#index.isLost) this.#endure();
    if (!this.#journal.isLost) return false;
    this.#journal.bringIn(this.#connection);
    const connection = this.#connect();
    try {
      for (const setting of this.settings) connection.exec(setting);
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#connection.close();
    this.#connection = connection;
    this.#journal.forget();
    return true;
  }

  /** After work, which may have made the files or let them grow. */
  note(): void {
    this.#index.note();
    this.#journal.note();
  }

  /** Lets the connection go, with nothing in it that is nowhere else. */
  close(): void {
    try {
      this.#index.look();
      if (this.#index.isLost ? this.#index.isMissing : this.#journal.isLost)
        this.#journal.bringIn(this.#connection);
    } finally {
      this.#connection.close();
    }
  }

  /** Where no other program has made an index yet, all is brought in: the next one finds it. */
  #endure(): never {
    const isWhole = this.#index.isMissing || !this.#journal.isLost;
    if (this.#index.isMissing) this.#journal.bringIn(this.#connection);
    const what = isWhole ? 'and nothing is lost' : 'but what was answered last may be lost';
    throw new CheckpointdError(
      'StoreUnavailable',
      `The file ${this.file}-shm was removed while the database was open. Nothing was changed, ${what}: end every program that has ${this.file} open, this one too, then open the session again.`,
      { details: { file: this.file }, retryable: false },
    );
  }
}
