// Remembers the outcome of requests that belong to a storage as a whole: requests about remotes, and imports. Every
// daemon of the storage appends its answers as lines to the file `remotes.keys`. So a request that repeats a key gets
// the first answer even after a restart.
import { join } from 'node:path';
import { syncDirectory } from '../base/atomic-file.ts';
import { attempt, isMissing } from '../base/attempt.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import { files } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import { isObject, parseJson } from '../base/json.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { LogRecord } from '../conversation/log/session-log.ts';
import { type SessionMarker } from './description.ts';
import { SessionDirectory } from './directory.ts';
import { OperationRecords } from './operations.ts';

type Stamp = OperationContext['stamp'];

/**
 * The record of an import, written before the import takes effect. The session itself shows later whether the
 * import took effect.
 */
interface ImportNote extends LogRecord {
  readonly kind: 'import';
  readonly key: string;
  readonly session: SessionId;
  /** The creation time of the session. A later session with the same id has a different creation time. */
  readonly created: string;
}

export class StorageOperations {
  readonly #storage: string;
  readonly #file: string;
  readonly #records: OperationRecords;
  /** The number of bytes that this process has read from the file. */
  #position = 0;
  /**
   * The recorded imports that have not taken effect, as far as this process knows. The map is indexed by the clients'
   * idempotency keys.
   */
  readonly #imports = new Map<string, ImportNote>();

  constructor(storage: string) {
    this.#storage = storage;
    this.#file = join(storage, 'remotes.keys');
    this.#records = new OperationRecords({ append: (record) => this.#append(record) });
  }

  /** Returns the outcomes of all requests that daemons of the storage have answered so far. @throws system errors */
  current(): OperationRecords {
    for (const record of this.#readOn()) {
      if (record.kind === 'import') this.#imports.set((record as ImportNote).key, record as ImportNote);
      else this.#records.replay(record);
    }
    for (const [key, note] of this.#imports) {
      if (!this.#tookPlace(note)) continue; // the import failed, or another daemon is still running it
      this.#records.replay({ ...note, kind: 'operation' });
      this.#imports.delete(key);
    }
    return this.#records;
  }

  /** Records an import with its answer. Call this method just before the import takes effect. @throws system errors */
  recordImport({ idempotency }: Stamp, { session, created }: SessionMarker, result: unknown): void {
    if (idempotency === undefined) return;
    const note = { kind: 'import' as const, ...idempotency, session, created, result };
    this.#append(note satisfies ImportNote);
  }

  #tookPlace({ session, created }: ImportNote): boolean {
    const directory = new SessionDirectory(this.#storage, session);
    if (!directory.exists() || directory.isBeingDeleted) return false;
    return directory.readMarker()?.created === created;
  }

  /**
   * Appends a record, preceded by a line break in case a kill has cut off the last line. Readers skip a line that was
   * cut off.
   */
  #append(record: LogRecord): number {
    const isNew = !files.existsSync(this.#file);
    const fd = files.openSync(this.#file, 'a', 0o600);
    try {
      files.writeFileSync(fd, `\n${JSON.stringify(withSum(record))}\n`);
      files.fsyncSync(fd);
    } finally {
      files.closeSync(fd);
    }
    if (isNew) syncDirectory(this.#storage);
    return 0;
  }

  #readOn(): LogRecord[] {
    const { size } = attempt(isMissing, () => files.statSync(this.#file)) ?? { size: 0 };
    if (size === this.#position) return [];
    const bytes = files.readFileSync(this.#file);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const start = end < this.#position ? 0 : this.#position; // a shorter file has replaced the file
    this.#position = end;
    return bytes.subarray(start, end).toString('utf8').split('\n').flatMap(parseRecord);
  }
}

/** Returns the record in a line, or an empty list for a line that is damaged or was cut off. */
function parseRecord(line: string): LogRecord[] {
  const record = parseJson(line);
  return isRecord(record) && isIntact(record) ? [record] : [];
}

function isRecord(value: unknown): value is LogRecord & { readonly key: string } {
  if (!isObject(value)) return false;
  const { kind, key, operation, method, fingerprint, result } = value;
  const isNamed = [key, operation, method, fingerprint].every((each) => typeof each === 'string');
  return (kind === 'import' || kind === 'operation') && isNamed && typeof result === 'object';
}
