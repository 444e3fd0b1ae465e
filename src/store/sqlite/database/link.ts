// The connection to a database, and the two files beside the database that another program may truncate or remove
// while it is open. Both are checked before work: the index gets its length back, and where the journal was removed a
// new connection replaces the one that still has it. Where the index was removed, the connection stops.

import { standingKey, watchStanding } from '../../../base/directory-identity.ts';
import { CheckpointdError, systemCode } from '../../../base/errors.ts';
import { type BigIntStats, constants, files } from '../../../base/files.ts';
import { type DatabaseConnection, settingsOf } from './connection.ts';
import { explain } from './failure.ts';

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

  /** True when nothing may be written any more: see {@link SharedIndex}. */
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

// The journal (`-wal`) by its name. When another program removes it under a daemon, SQLite writes on into a file
// without a name, and whatever has not reached the database is lost with the last connection. So the daemon checks
// before work: the connection that still has the file brings it in, and another one is opened. A journal that is
// truncated in place is lost.

export class JournalFile {
  readonly #file: string;
  readonly #replaced: () => string | undefined;
  #ino: bigint | undefined;

  constructor(file: string) {
    this.#file = `${file}-wal`;
    this.#replaced = watchStanding([file]);
  }

  /**
   * Whether another file, or none, stands where the connection's was. Where the database is not what it was either, the
   * store says so, and nothing may make another one.
   */
  get isLost(): boolean {
    return this.#ino !== undefined && this.#stats()?.ino !== this.#ino && this.#replaced() === undefined;
  }

  /** After work: the connection has its journal by then. What fails here must not make that look undone. */
  note(): void {
    if (this.#ino !== undefined) return;
    try {
      this.#ino = this.#stats()?.ino;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }

  /**
   * Brings what `connection` alone still has into the database. Not where another program has written into a new
   * journal: then one of the others has done this, and the index they share tells of the new one. Two that do it at
   * once do no harm: the first one leaves an empty file, in which the other finds nothing to read.
   */
  bringIn(connection: DatabaseConnection): void {
    const stats = this.#stats();
    if (stats !== undefined && stats.size > 0n && stats.ino !== this.#ino) return;
    const [row] = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').raw().all([]) as number[][];
    if (row?.[0] === 0) return;
    throw Object.assign(new Error('the journal is being read'), { code: 'SQLITE_BUSY' });
  }

  /** The connection has gone; the next one's is noted anew. */
  forget(): void {
    this.#ino = undefined;
  }

  #stats(): { readonly ino: bigint; readonly size: bigint } | undefined {
    return files.lstatSync(this.#file, { bigint: true, throwIfNoEntry: false });
  }
}

// The index of the journal (`-shm`), which all connections share in memory. When another program truncates it, the
// next access to the missing part ends the process (SIGBUS). So before SQLite accesses it, the daemon restores its
// length, with zeros for a header: SQLite takes it for no index and rebuilds it from the journal. Truncation at the
// very moment of an access is beyond this. When another program removes it, this process has an index that no other
// process can open. Its locks exclude no process, and the next program makes another index: both would write into one
// journal. So this process must not write any more.

/** Two copies of it, and what tells how far the journal is written back. */
const headerBytes = 136;

/** The indexes that this process has in memory. SQLite has one for all connections of a process to one database. */
const inMemory = new Map<string, string>();

export class SharedIndex {
  readonly #file: string;
  readonly #key: string;
  #sizeMax = 0;
  /** Never closed: closing any descriptor of a file drops the locks that SQLite has on it in this process. */
  #kept: { readonly fd: number; readonly ino: bigint } | undefined;

  /** Of a database that is there. */
  constructor(file: string) {
    this.#file = `${file}-shm`;
    this.#key = standingKey(files.lstatSync(file, { bigint: true })); // another database may come to the same name
  }

  /** Gives the file its length back, where it is there and shorter than it was. */
  look(): void {
    const stats = this.#stats();
    if (stats === undefined || !stats.isFile()) return;
    if (Number(stats.size) >= this.#sizeMax) this.#sizeMax = Number(stats.size);
    else this.#lengthen(stats.ino);
  }

  /** Whether this process has one that has lost its name: another stands there, or none. */
  get isLost(): boolean {
    const key = inMemory.get(this.#key);
    const stats = this.#stats();
    if (key === undefined || (stats !== undefined && standingKey(stats) === key)) return false;
    if (isOpen(key)) return true;
    inMemory.delete(this.#key); // the last connection has gone, and the index with it
    return false;
  }

  /** Whether none stands at its name: nobody else has made one yet. */
  get isMissing(): boolean {
    return this.#stats() === undefined;
  }

  /** After work that may have let it grow. What fails here must not make that look undone: the next look is before work. */
  note(): void {
    try {
      const stats = this.#stats();
      if (stats?.isFile() !== true) return;
      this.#sizeMax = Math.max(this.#sizeMax, Number(stats.size));
      if (!inMemory.has(this.#key)) inMemory.set(this.#key, standingKey(stats));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }

  #stats(): BigIntStats | undefined {
    return files.lstatSync(this.#file, { bigint: true, throwIfNoEntry: false });
  }

  #lengthen(ino: bigint): void {
    if (this.#kept?.ino !== ino) {
      try {
        const fd = files.openSync(this.#file, constants.O_RDWR | constants.O_NOFOLLOW);
        this.#kept = { fd, ino };
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return;
        throw error;
      }
    }
    files.ftruncateSync(this.#kept.fd, this.#sizeMax);
    // A header that was spared would be believed, and the journal taken to be empty.
    files.writeSync(this.#kept.fd, Buffer.alloc(headerBytes), 0, headerBytes, 0);
  }
}

/** Whether this process has that file open, and no other one that came to its inode; where it cannot be told, it may. */
function isOpen(key: string): boolean {
  let names: readonly string[];
  try {
    names = files.readdirSync('/proc/self/fd');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true;
  }
  return names.some((name) => {
    try {
      return standingKey(files.fstatSync(Number(name), { bigint: true })) === key;
    } catch (error) {
      if (systemCode(error) !== 'EBADF') throw error; // the one that the listing itself had
      return false;
    }
  });
}
