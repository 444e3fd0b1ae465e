// The index of the journal (`-shm`) that SQLite shares between all connections in memory. Where somebody cuts the file
// short, the next touch of what is no longer there ends the process (SIGBUS); so before SQLite touches it, it gets its
// length back, and zeros for a header, which SQLite knows for no index: it makes it anew from the journal, and nothing is
// lost. What is cut at the very moment of a touch is beyond this.
// Where somebody removes it, this process goes on with one that nobody else can open: its locks hold off nobody, and the
// next program to come makes another. Both would write into one journal; so this process must not write any more.
import { standingKey } from '../../../base/directory-identity.ts';
import { systemCode } from '../../../base/errors.ts';
import { type BigIntStats, constants, files } from '../../../base/files.ts';

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
