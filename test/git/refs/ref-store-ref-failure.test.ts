import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { throwRefused } from '../../../src/git/refs/ref-store.ts';

function told(error: unknown): unknown {
  try {
    return throwRefused(error, '/home/ada/project/.git');
  } catch (thrown) {
    return thrown;
  }
}

test('if git is not permitted to write a ref, the error names the path and a command that corrects this', () => {
  const said = 'fatal: prepare: cannot lock ref: Unable to create x.lock: Permission denied';
  const error = told(new CheckpointdError('GitFailed', said)) as CheckpointdError;
  assert.equal([error.kind, error.effects], ['ReadOnlyStore', 'none']);
  assert.match(error.message, '/home/ada/project/.git');
  assert.match(error.message, 'chown');
});

test('an error that is not about permissions is returned unchanged', () => {
  for (const error of [
    new CheckpointdError('GitFailed', 'fatal: bad object'),
    new CheckpointdError('NoSpace', 'Permission denied'),
    new Error('Permission denied'),
  ])
    assert.is(told(error), error);
});

test.run();
