// Ends sessions whose checkpoints are outside the session's directory: as hidden refs in the user's repository, or as
// rows of a database.
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { git } from '../support/git-oracle.ts';
import { until } from '../support/until.ts';

const refs = (rig: DaemonRig): string => git(rig.work, 'for-each-ref', 'refs/checkpointd');
const local = { strategy: 'local', retention: 'session' } as const;

test('local: with retention "session", a session’s refs are removed at its end or, if the session is orphaned, by a later start', () =>
  withRig(async (rig) => {
    const first = await rig.opened(local);
    await first.client.request('checkpoint/create', { session: first.session, kind: 'turn' });
    assert.not.equal(refs(rig), '');
    assert.is((await first.client.close()).code, 0);
    assert.is(refs(rig), '');
    assert.equal(rig.sessions(), []);

    const second = await rig.opened(local);
    await second.client.kill();
    assert.not.equal(refs(rig), '');
    const owner = join(rig.shadow(second.session), 'checkpointd', 'owner.json');
    utimesSync(owner, new Date(0), new Date(0));
    const third = await rig.opened({ conversationId: 'another' });
    await until('the session is swept', () => rig.sessions().length === 1);
    assert.is(refs(rig), '');
    assert.is((await third.client.close()).code, 0);
  }));

test('local: a later start also removes an orphaned session whose repository is gone', () =>
  withRig(async (rig) => {
    const first = await rig.opened(local);
    await first.client.kill();
    rmSync(join(rig.work, '.git'), { recursive: true });
    const next = await rig.opened({ conversationId: 'another', init: 'force' }, { graceHours: 0 });
    await until('the session is swept', () => rig.sessions().length === 1);
    assert.is((await next.client.close()).code, 0);
    await rig.emptied();
  }));

for (const strategy of ['local', 'sqlite'] as const) {
  test(`${strategy} keeps sessions by default, however the daemon ends, and resumes them after SIGKILL`, () =>
    withRig(async (rig) => {
      const first = await rig.opened({ strategy });
      rig.write('a.txt', 'one\n');
      await first.client.request('checkpoint/create', { session: first.session, kind: 'turn' });
      await first.client.kill();
      await until('no git child survives', () => rig.children().length === 0, 1000);
      rig.write('a.txt', 'two\n');
      const second = await rig.opened({ strategy });
      assert.equal([second.session, second.resumed], [first.session, true]);
      const { session } = second;
      await second.client.request('checkpoint/restore', { session, tag: '1', mode: 'hard' });
      assert.is(rig.read('a.txt'), 'one\n');
      assert.is((await second.client.endInput()).code, 1);
      assert.equal(rig.children(), []);
      const third = await rig.opened({ strategy });
      assert.ok(third.resumed);
      const { deleted } = await third.client.request('session/delete', { session });
      assert.ok(deleted);
      assert.equal(rig.sessions(), []);
      if (strategy === 'local') assert.is(refs(rig), '');
      assert.is((await third.client.close()).code, 0);
    }));
}

test.run();
