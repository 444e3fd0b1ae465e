// The file that all connections of a database have in memory, cut short under a daemon: a touch of what is no longer
// there would be the end of the process, whatever it is doing.
import { statSync, truncateSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseFile } from '../../../../src/store/sqlite/sqlite-store.ts';
import { withRig } from '../../../support/daemon-rig.ts';

for (const bytes of [0, 100, 20_000])
  test(`a shared index of the journal that is cut to ${bytes} bytes costs nothing`, () =>
    withRig(async (rig) => {
      const open = { strategy: 'sqlite', retention: 'keep' } as const;
      const { client, session } = await rig.opened(open);
      const index = `${databaseFile(rig.storage)}-shm`;
      rig.write('a.txt', 'two\n');
      await client.request('checkpoint/create', { session, kind: 'turn' });
      for (const [method, params] of [
        ['checkpoint/create', { kind: 'turn' }],
        ['checkpoint/restore', { tag: '0', mode: 'hard' }],
        ['checkpoint/readFile', { tag: '1', path: 'a.txt' }],
        ['store/verify', {}],
        ['store/gc', {}],
      ] as const) {
        truncateSync(index, bytes);
        await client.send(method, { session, ...params }).answer;
        assert.ok(statSync(index).size >= 32_768, method);
      }
      assert.is(rig.read('a.txt'), 'a\n');
      truncateSync(index, bytes);
      assert.equal(await client.close(), { code: 0, signal: null });
      const again = await rig.opened(open);
      const { problems } = await again.client.request('store/verify', { session });
      assert.equal(problems, []);
      const { checkpoints } = await again.client.request('checkpoint/list', { session });
      assert.equal(
        checkpoints.map(({ tag }) => tag),
        ['0', '1', '2'],
      );
      assert.is((await again.client.close()).code, 0);
    }));

test.run();
