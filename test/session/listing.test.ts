// What a session says of itself to readers that do not open it.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`${strategy}: session/list counts the checkpoints of a kept session without opening it`, () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened({ retention: 'keep', strategy });
      for (const message of ['first', 'second'])
        await client.request('checkpoint/create', { session, kind: 'turn', message });
      await client.request('checkpoint/delete', { session, tag: '2' });
      await client.request('session/close', { session });
      const listed = async (): Promise<number | undefined> => {
        const { sessions } = await client.request('session/list', {});
        return sessions.find((each) => each.session === session)?.checkpoints;
      };
      assert.is(await listed(), 2);
      const file = join(rig.storage, session, 'checkpointd', 'summary.json');
      assert.equal(JSON.parse(readFileSync(file, 'utf8')), { checkpoints: 2, firstPrompt: 'first' });
      // A session of an earlier version has none until it is opened.
      rmSync(file);
      assert.is(await listed(), undefined);
      await rig.open(client, { retention: 'keep', strategy });
      assert.equal(JSON.parse(readFileSync(file, 'utf8')), { checkpoints: 2, firstPrompt: 'first' });
      await client.request('checkpoint/clean', { session });
      assert.equal(JSON.parse(readFileSync(file, 'utf8')), { checkpoints: 0, firstPrompt: 'first' });
      await client.close();
    }));

test.run();
