// What an export would replace, where the session that would save it has a restore that cannot be finished.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { installFault } from '../../../src/base/seam.ts';
import { breakAt } from '../../support/interrupted-restore.ts';
import { withSessions } from '../../support/session-rig.ts';

test('a restore that cannot be finished stops an export that would replace a file, and that alone', () =>
  withSessions(async (rig) => {
    rig.write('a.txt', 'one\n');
    rig.write('b.txt', 'one\n');
    const { session } = await rig.request('session/open', { workspace: rig.work, conversationId: 'c' });
    rig.write('a.txt', 'two\n');
    rig.write('b.txt', 'two\n');
    const ended = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: unknown) => (error instanceof CheckpointdError ? error.kind : String(error)),
      );
    installFault(breakAt(3));
    try {
      assert.is(await ended(rig.request('checkpoint/restore', { session, tag: '0' })), 'RestoreFailed');
      const overwrite = { session, path: 'a.txt', overwrite: true };
      assert.is(await ended(rig.request('conversation/export', overwrite)), 'PreconditionFailed');
      assert.is(await ended(rig.request('conversation/export', { session, path: 'new.json' })), 'done');
    } finally {
      installFault(undefined);
    }
    const overwrite = { session, path: 'a.txt', overwrite: true };
    assert.is(await ended(rig.request('conversation/export', overwrite)), 'done');
    assert.is(rig.read('b.txt'), 'one\n', 'it was finished first');
  }));

test.run();
