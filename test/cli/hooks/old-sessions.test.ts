import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deleteOldSessions } from '../../../src/cli/hooks/old-sessions.ts';
import { CheckpointdClient } from '../../../src/client/client.ts';
import { withRig } from '../../support/daemon-rig.ts';

const day = 24 * 60 * 60_000;

test("agents' sessions that nobody used for thirty days are deleted, and no others", () =>
  withRig(async (rig) => {
    const { client, session: old } = await rig.opened({ retention: 'keep', conversationId: 'codex:1' });
    const { session: hand } = await rig.open(client, { retention: 'keep', conversationId: 'command line' });
    await client.close();
    const own = await CheckpointdClient.start({ args: rig.args(), env: rig.environment });
    const said: string[] = [];
    const log = (message: string): number => said.push(message);
    assert.is(await deleteOldSessions(own, log, Date.now() + 29 * day), 0);
    const opened = await own.request('session/open', {
      workspace: rig.work,
      conversationId: 'codex:1',
      retention: 'keep',
    });
    assert.is(await deleteOldSessions(own, log, Date.now() + 31 * day), 0, 'one that is in use');
    await own.request('session/close', { session: opened.session });
    assert.equal(rig.sessions().sort(), [hand, old].sort());
    assert.is(await deleteOldSessions(own, log, Date.now() + 31 * day), 1);
    await own.close();
    assert.equal(rig.sessions(), [hand]);
    assert.match(said.join(), /not used for 30 days/);
  }));

test.run();
