// Interprets SQLite's errors: decides whether the caller should wait or retry, and which text the client gets.
import { CheckpointdError, fileLimit } from '../../../base/errors.ts';
import { InvariantViolation } from '../../../base/invariant.ts';

/**
 * The names of SQLite's primary codes by number. The library libsql gives no name for an extended code that it does not
 * know.
 */
const primaryCodes: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
};

export function sqliteCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [, extended] = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code) ?? [];
  return extended === undefined ? code : (primaryCodes[Number(extended) & 0xff] ?? 'SQLITE_ERROR');
}

export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error));
}

/** True when the same transaction may succeed a moment later. */
export function isWorthRetry(error: unknown): boolean {
  if (error instanceof CheckpointdError || error instanceof InvariantViolation) return false;
  return !/^SQLITE_(CONSTRAINT|CORRUPT|NOTADB|FULL|READONLY|CANTOPEN|PERM|AUTH|TOOBIG)/.test(
    sqliteCode(error),
  );
}

type Explanation = readonly [RegExp, ConstructorParameters<typeof CheckpointdError>[0], string, boolean];

const explanations: readonly Explanation[] = [
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'StoreBusy',
    'is locked by another program. Try again, or find the program that keeps a transaction open.',
    true,
  ],
  [
    /^(SQLITE_FULL|ENOSPC|EDQUOT)/,
    'NoSpace',
    'cannot grow. Free some space on its disk and try again.',
    true,
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    'StoreCorrupt',
    'is damaged or is not a checkpoint database. It was not changed. Move it away to start again, or repair it with the sqlite3 program (.recover).',
    false,
  ],
  [
    /^SQLITE_(READONLY|PERM|AUTH)/,
    'ReadOnlyStore',
    'cannot be written. Make the file and its directory writable.',
    false,
  ],
  [
    /^SQLITE_CANTOPEN/,
    'StoreUnavailable',
    'could not be opened (%s). The database and the -wal and -shm beside it must be regular files, and the daemon needs free file descriptors (ulimit -n). Check both, then try again.',
    true,
  ],
  [
    /^SQLITE_IOERR_SHORT_READ/,
    'StoreUnavailable',
    'is shorter than it should be (%s). Perhaps a program removed its -wal file while another daemon had the database open. That daemon repairs the database at its next request or when it ends. Send that daemon a request or end it, then try again.',
    true,
  ],
  [
    /^SQLITE_IOERR/,
    'StoreUnavailable',
    'could not be read or written (%s). Check its disk and the file size limit (ulimit -f), then try again.',
    true,
  ],
];

/** Matches the error message that SQLite gives after another program has removed a table, an index or a column. */
const lacksPart = /^no such (table|index|column)/;

/** Translates an error of SQLite or the system into a checkpointd error. Returns all other errors unchanged. */
export function explain(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  if (error instanceof CheckpointdError || code === '') return error;
  const found = explanations.find(([pattern]) => pattern.test(code));
  const said = error instanceof Error ? error.message : '';
  const facts = { details: { file, code, said }, cause: error };
  const limited = fileLimit(error, facts);
  if (limited !== undefined) return limited;
  if (found !== undefined) {
    const [, kind, what, retryable] = found;
    const message = `The checkpoint database ${file} ${what.replace('%s', () => said)}`;
    return new CheckpointdError(kind, message, { ...facts, retryable });
  }
  if (code === 'SQLITE_ERROR' && lacksPart.test(said)) {
    const message = `The checkpoint database ${file} lacks a part (${said}). Nothing was changed. Repair it with the sqlite3 program (.recover), or use checkpoint/init to set it aside and start again.`;
    return new CheckpointdError('StoreCorrupt', message, facts);
  }
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    const message = `The checkpoint database ${file} is inconsistent and refused a change (${said}). Nothing was changed. Repair it with the sqlite3 program (.recover), or use checkpoint/init to set it aside and start again.`;
    return new CheckpointdError('StoreCorrupt', message, facts);
  }
  if (!/^(SQLITE_|E[A-Z]+$)/.test(code)) return error;
  const message = `The checkpoint database ${file} failed: ${said}. Try again. If it fails again, store/verify reports the damage.`;
  return new CheckpointdError('StoreUnavailable', message, facts);
}
