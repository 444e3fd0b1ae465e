// On every strategy, a kept session survives restarts of real daemons, and a kill -9 in the middle of their work.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import { withRig } from '../support/daemon-rig.ts';
import { git } from '../support/in-process-daemon.ts';
import { failureOf } from '../support/wire-client.ts';

for (const strategy of Object.keys(strategies)) {
  test(`${strategy}: after restarts and kills, a kept session resumes with all acknowledged checkpoints (O9, R26)`, async () => {
    await withRig(async (rig) => {
      const params = { strategy, retention: 'keep' } as const;
      const first = await rig.opened(params);
      assert.not.ok(first.resumed);
      const base = await first.client.request('checkpoint/get', { session: first.session, tag: '0' });
      rig.write('a.txt', 'turn 1\n');
      await first.client.request('checkpoint/create', {
        session: first.session,
        kind: 'turn',
        message: 'm 1',
      });
      assert.is((await first.client.close()).code, 0);

      const second = await rig.opened(params);
      assert.ok(second.resumed);
      assert.is(second.session, first.session);
      rig.write('a.txt', 'turn 2\n');
      await second.client.request('checkpoint/create', { session: second.session, kind: 'turn' });
      rig.write('a.txt', 'never answered\n'.repeat(20_000));
      const { answer } = second.client.send('checkpoint/create', { session: second.session, kind: 'turn' });
      answer.catch(() => undefined); // the kill comes before the answer or just after it
      await new Promise((resolve) => setTimeout(resolve, 8));
      await second.client.kill();

      const third = await rig.opened(params);
      const { session, client } = third;
      assert.ok(third.resumed && session === first.session);
      const { checkpoints } = await client.request('checkpoint/list', { session });
      assert.equal(
        checkpoints.slice(0, 3).map(({ tag }) => tag),
        ['0', '1', '2'],
        'all that was answered',
      );
      assert.is(checkpoints[0]?.id, base.checkpoint.id, '"since the start" means the same after a restart');
      assert.is((await client.request('checkpoint/get', { session, tag: '1' })).message, 'm 1');
      const { ok, problems } = await client.request('store/verify', { session });
      assert.ok(ok, JSON.stringify(problems));
      for (const [tag, content] of [
        ['1', 'turn 1\n'],
        ['0', 'a\n'],
        ['2', 'turn 2\n'],
      ] as const) {
        await client.request('checkpoint/restore', { session, tag, mode: 'hard' });
        assert.is(rig.read('a.txt'), content);
      }
      await client.close();
    });
  });

  test(`${strategy}: session/list shows the size and age of a kept session, and session/delete removes it (O5)`, async () => {
    await withRig(async (rig) => {
      const { client, session } = await rig.opened({ strategy, retention: 'keep' });
      rig.write('a.txt', 'a large one\n'.repeat(5_000));
      await client.request('checkpoint/create', { session, kind: 'turn' });
      const listed = async (): Promise<readonly object[]> =>
        (await client.request('session/list', {})).sessions.map(
          ({ bytes = 0, createdAt, lastUsedAt, ...rest }) => {
            assert.ok(bytes > 300, `${bytes} bytes`);
            assert.ok(Date.parse(createdAt) <= Date.parse(lastUsedAt));
            assert.ok(Math.abs(Date.now() - Date.parse(lastUsedAt)) < 60_000);
            return rest;
          },
        );
      const facts = {
        session,
        workspace: rig.work,
        conversationId: 'conversation',
        strategy,
        retention: 'keep',
      };
      assert.equal(await listed(), [{ ...facts, open: true, checkpoints: 2 }]);
      await client.request('session/close', { session });
      assert.equal(await listed(), [{ ...facts, open: false, checkpoints: 2 }]);
      await client.request('session/delete', { session });
      assert.equal(await listed(), []);
      assert.is(git(rig.work, 'for-each-ref', 'refs/checkpointd'), '');
      const gone = await failureOf(client.request('checkpoint/list', { session }));
      assert.is(gone.kind, 'UnknownSession');
      const { resumed } = await rig.open(client, { strategy, retention: 'keep' });
      assert.not.ok(resumed, 'nothing of it comes back');
      await client.close();
    });
  });
}

test('all spellings of a work tree’s path give one session; another work tree gives another session (R13)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ strategy: 'sqlite' });
    const spelled = await rig.open(client, { strategy: 'sqlite', workspace: `${rig.work}/deep/..//` });
    assert.is(spelled.session, session);
    const other = await rig.open(client, { strategy: 'sqlite', workspace: `${rig.work}/deep` });
    assert.is.not(other.session, session);
    await client.close();
  }));

test.run();
