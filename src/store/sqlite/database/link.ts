// The connection to a database, and the two files beside it that others may cut or remove while it is open. Before work
// they are looked at: the index gets its length back, and where the journal was removed another connection takes the
// place of the one that alone still has it.
import { type DatabaseConnection, settingsOf } from './connection.ts';
import { JournalFile } from './journal-file.ts';
import { SharedIndex } from './shared-index.ts';

export class SqliteLink {
  readonly settings: readonly string[];
  readonly #connect: () => DatabaseConnection;
  readonly #index: SharedIndex;
  readonly #journal: JournalFile;
  #connection: DatabaseConnection;

  constructor(file: string, connect: () => DatabaseConnection, durability: 'process' | 'power') {
    this.settings = settingsOf(durability);
    this.#connect = connect;
    this.#connection = connect();
    this.#index = new SharedIndex(file);
    this.#journal = new JournalFile(file);
  }

  get connection(): DatabaseConnection {
    return this.#connection;
  }

  /** Before work. True where there is another connection now, with none of the statements and settings of the old one. */
  look(): boolean {
    this.#index.look();
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
      if (this.#journal.isLost) this.#journal.bringIn(this.#connection);
    } finally {
      this.#connection.close();
    }
  }
}
