// Tests that SQLite's errors become errors of the daemon.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../../src/base/errors.ts';
import { explain } from '../../../../src/store/sqlite/database/failure.ts';

const sqliteError = (code: string): Error => Object.assign(new Error('said by SQLite'), { code });

for (const [code, kind] of [
  ['SQLITE_CORRUPT', 'StoreCorrupt'],
  ['UNKNOWN_SQLITE_ERROR_779', 'StoreCorrupt'], // SQLITE_CORRUPT_INDEX, for which libsql has no name
  ['UNKNOWN_SQLITE_ERROR_1034', 'StoreUnavailable'], // SQLITE_IOERR_FSYNC
  ['UNKNOWN_SQLITE_ERROR_9999', 'StoreUnavailable'],
] as const)
  test(`the error ${code} of SQLite or the system gives ${kind}`, () => {
    const explained = explain(sqliteError(code), '/database');
    assert.instance(explained, CheckpointdError);
    assert.is((explained as CheckpointdError).kind, kind);
  });

for (const [code, said, kind, remedy] of [
  ['SQLITE_CANTOPEN', 'unable to open database file', 'StoreUnavailable', /regular files.*ulimit -n/],
  ['SQLITE_IOERR_SHORT_READ', 'disk I/O error', 'StoreUnavailable', /-wal.*another daemon/],
  ['SQLITE_IOERR_WRITE', 'disk I/O error', 'StoreUnavailable', /disk.*ulimit -f/],
  ['SQLITE_ERROR', 'no such index: idx_checkpoints_tag', 'StoreCorrupt', /lacks a part.*\.recover/],
  ['SQLITE_NOMEM', 'out of memory', 'StoreUnavailable', /store\/verify/],
] as const)
  test(`the message for the error ${code} (${said}) says what to do`, () => {
    const explained = explain(Object.assign(new Error(said), { code }), '/database') as CheckpointdError;
    assert.is(explained.kind, kind);
    assert.match(explained.message, said);
    assert.match(explained.message, remedy);
  });

test('an error that is not from SQLite or the system is returned unchanged', () => {
  const error = new TypeError('a defect');
  assert.is(explain(error, '/database'), error);
});

test.run();
