// The journal (`-wal`) by its name. Where somebody removes it under a daemon, SQLite goes on writing into a file without
// a name, and all that was not yet brought into the database goes with the last connection. So before work it is looked
// at: the connection that still has it brings it in, and another one is opened. What is cut short in place is lost.
import { watchStanding } from '../../../base/directory-identity.ts';
import { systemCode } from '../../../base/errors.ts';
import { files } from '../../../base/files.ts';
import type { DatabaseConnection } from './connection.ts';

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
