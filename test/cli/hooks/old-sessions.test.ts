import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deleteOldSessions, keptDays } from '../../../src/cli/hooks/old-sessions.ts';
import { CheckpointdClient } from '../../../src/client/client.ts';
import { withRig } from '../../support/daemon-rig.ts';

const day = 24 * 60 * 60_000;

test('after thirty days without use, sessions of agents are deleted, but no other sessions', () =>
  withRig(async (rig) => {
    const { client, session: old } = await rig.opened({ retention: 'keep', conversationId: 'codex:1' });
    const { session: hand } = await rig.open(client, { retention: 'keep', conversationId: 'command line' });
    await client.close();
    const own = await CheckpointdClient.start({ args: rig.args(), env: rig.environment });
    const said: string[] = [];
    const log = (message: string): number => said.push(message);
    assert.is(await deleteOldSessions(own, 30, log, Date.now() + 29 * day), 0);
    const opened = await own.request('session/open', {
      workspace: rig.work,
      conversationId: 'codex:1',
      retention: 'keep',
    });
    assert.is(await deleteOldSessions(own, 30, log, Date.now() + 31 * day), 0, 'one that is in use');
    await own.request('session/close', { session: opened.session });
    assert.equal(rig.sessions().sort(), [hand, old].sort());
    assert.is(await deleteOldSessions(own, 30, log, Date.now() + 31 * day), 1);
    await own.close();
    assert.equal(rig.sessions(), [hand]);
    assert.match(said.join(), /not used for 30 days/);
  }));

test('a setting says for how many days sessions are kept; if the setting cannot be read, no session is deleted', () =>
  withRig(async (rig) => {
    const enable = async (...words: string[]): Promise<[number | null, string]> => {
      const { code, stdout, stderr } = await rig.command('enable', '--yes', ...words);
      return [code, `${stdout}${stderr}`];
    };
    mkdirSync(join(rig.home, '.claude'));
    const said: string[] = [];
    const kept = (): number | undefined => keptDays(rig.storage, (message) => said.push(message));
    assert.is(kept(), 30);
    assert.match(
      (await enable('--keep-days', '90'))[1],
      /deletes the conversation of an agent after 90 days without use/,
    );
    assert.is(kept(), 90);
    await enable('--keep-days=7', '--dry-run');
    await enable();
    assert.is(kept(), 90, 'neither a dry run nor an enable without the flag changes it');
    for (const wrong of ['0', '-1', 'x', '1.5', '']) {
      const [code, text] = await enable(`--keep-days=${wrong}`);
      assert.is(code, 2, wrong);
      assert.match(text, /--keep-days takes a number of days, 1 or more, or "never"/);
    }
    assert.is(kept(), 90);
    assert.match((await enable('--keep-days=never'))[1], /never deletes/);
    assert.equal([kept(), said], [undefined, []]);
    for (const broken of ['', '{', '{"days":"7"}', '{"days":0}', '[]']) {
      writeFileSync(join(rig.storage, 'hooks/keep.json'), broken);
      assert.is(kept(), undefined, broken);
    }
    assert.match(said.at(-1) ?? '', /keep\.json .*deletes nothing/);
  }));

test.run();
