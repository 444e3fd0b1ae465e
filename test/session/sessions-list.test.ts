// session/list over a storage in which something is damaged.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';

test('one session directory that cannot be read leaves the others in the list', async () => {
  const house = new InProcessDaemon();
  const root = repository();
  const damaged = ['a', 'b'].map((conversationId) => house.open(root, { conversationId, strategy: 'local' }));
  const [one, two] = await Promise.all(damaged);
  const healthy = await house.open(root, { conversationId: 'c', strategy: 'local' });
  for (const opened of [one, two]) await house.call('session/close', { session: opened?.session ?? '' });
  for (const [opened, name] of [
    [one, 'owner.json'],
    [two, 'session.json'],
  ] as const) {
    const file = join(house.storage, opened?.session ?? '', 'checkpointd', name);
    rmSync(file);
    mkdirSync(file);
  }
  const { sessions } = await house.call('session/list', {});
  assert.equal(
    sessions.map(({ session }) => session),
    [healthy.session],
  );
  await house.close();
});

test.run();
