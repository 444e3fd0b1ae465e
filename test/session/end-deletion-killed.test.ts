// At the end of a session, kills the daemon after it has removed the checkpoints and before it removes the directory.
// The session is then gone for every client.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { storedSessions } from '../../src/client/stored-sessions.ts';
import { withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';
import { killedAt, listed, openedAgain, refs } from './end-deletion-killed.ts';

/** The rename of the session's directory, which is the last step before the directory is deleted. */
const match = '^rename .*storage.ses_[0-9a-z]+$';

for (const strategy of ['sqlite', 'local'])
  for (const method of ['session/delete', 'session/close'] as const)
    test(`${strategy}, ${method}: if the daemon dies before it removes the directory, reopening begins a new session`, () =>
      withRig(async (rig) => {
        const ending = { method, strategy, match };
        const [at = ''] = await killedAt(rig, 1, ending);
        const session = /ses_[0-9a-z]+$/.exec(at)?.[0] ?? '';
        assert.equal(rig.sessions(), [session]);
        const client = await rig.start({ graceHours: 24 });
        assert.is(await listed(client, session), false);
        assert.equal(storedSessions(rig.storage), []);
        await client.close();
        assert.is(await openedAgain(rig, ending, at), 'after');
      }));

test('the next start of a daemon finishes an interrupted deletion without a grace period', () =>
  withRig(async (rig) => {
    const [at = ''] = await killedAt(rig, 1, {
      method: 'session/delete',
      strategy: 'local',
      match: '^rename .*ref-intent',
    });
    const before = rig.sessions();
    assert.is(before.length, 1, at);
    const { client } = await rig.opened({ conversationId: 'other' }, { graceHours: 24 });
    const gone = join(rig.storage, before[0] ?? '');
    await until('the deletion is finished', () => !rig.sessions().includes(before[0] ?? ''), 5000);
    assert.equal(refs(rig), '', gone);
    await client.close();
  }));

test.run();
