// Tests that expected failures become values, and that all other failures are thrown.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { attempt, attemptAsyncOr, attemptOr, hasCode, isA, isMissing } from '../../src/base/attempt.ts';
import { CheckpointdError, isKind } from '../../src/base/errors.ts';
import { files } from '../../src/base/files.ts';

const nowhere = () => files.readFileSync('/nowhere/at/all', 'utf8');
const lost = () => {
  throw new CheckpointdError('DataCorrupt', 'lost');
};

test('an expected failure becomes a value; any other failure is thrown', async () => {
  assert.is(attempt(isMissing, nowhere), undefined);
  assert.is(attemptOr('none', hasCode('ENOENT', 'ENOTDIR'), nowhere), 'none');
  assert.throws(() => attempt(hasCode('EACCES'), nowhere), /ENOENT/);
  assert.is(attempt(isKind('DataCorrupt'), lost), undefined);
  assert.throws(() => attempt(isKind('StoreCorrupt'), lost), /lost/);
  assert.is(
    attempt(isA(SyntaxError), () => JSON.parse('{') as unknown),
    undefined,
  );
  assert.is(await attemptAsyncOr(1, isA(RangeError), () => Promise.reject(new RangeError('far'))), 1);
  assert.is(
    attempt(isMissing, () => 7),
    7,
  );
});

test.run();
