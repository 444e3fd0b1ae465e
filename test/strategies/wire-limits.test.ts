// Tests limits and deletions over the wire. All remaining checkpoints can be restored, even after a restart.
// wire-limits.long.ts tests the limits on age and size for the other strategies.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import { withRig } from '../support/daemon-rig.ts';
import { failureOf } from '../support/wire-client.ts';
import { testsAgeLimit, testsSizeLimit } from './wire-limits.ts';

for (const strategy of Object.keys(strategies)) {
  test(`${strategy}: all checkpoints that remain after a limit, a deletion and a kill can be restored (O29, O30)`, async () => {
    await withRig(async (rig) => {
      const params = { strategy, retention: 'keep', limits: { maxCheckpoints: 6 } } as const;
      const first = await rig.opened(params);
      const { client, session } = first;
      for (let turn = 1; turn <= 8; turn += 1) {
        rig.write('a.txt', `turn ${turn}\n`);
        rig.write(`only/${turn}.txt`, `${turn}\n`.repeat(2_000));
        await client.request('checkpoint/create', { session, kind: 'turn' });
      }
      await client.request('checkpoint/delete', { session, tag: '6' });
      const report = await client.request('store/gc', { session });
      assert.ok(report.checkpointsRemoved > 0 && report.blobsFreed > 0, JSON.stringify(report));
      const { checkpoints } = await client.request('checkpoint/list', { session });
      const tags = checkpoints.map(({ tag }) => tag ?? '');
      assert.equal(tags, ['0', '3', '4', '5', '7', '8'], 'the newest, and the base');
      await client.kill();

      const again = await rig.opened(params);
      assert.ok(again.resumed && again.session === session);
      const { ok, problems } = await again.client.request('store/verify', { session });
      assert.ok(ok, JSON.stringify(problems));
      for (const tag of tags) {
        await again.client.request('checkpoint/restore', { session, tag, mode: 'hard', confirm: true });
        assert.is(rig.read('a.txt'), tag === '0' ? 'a\n' : `turn ${tag}\n`, tag);
        assert.is(rig.read('only/6.txt') !== undefined, Number(tag) >= 6, `what turn 6 made is in ${tag}`);
      }
      const gone = await failureOf(again.client.request('checkpoint/restore', { session, tag: '6' }));
      assert.is(gone.kind, 'UnknownCheckpoint');
      await again.client.close();
    });
  });
}

testsAgeLimit('sqlite');
testsSizeLimit('sqlite');

test.run();
