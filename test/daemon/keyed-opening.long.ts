// Sends session/open with a client's key, and kills the daemon at each change of the disk in turn. After any kill, the
// repeated request must open the same session with a single first checkpoint.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, faultyEntry, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';

const opening = { conversationId: 'c', retention: 'keep', idempotencyKey: 'k' } as const;

for (const strategy of ['shadow', 'sqlite'] as const) {
  test(`if the daemon is killed at any call of session/open (${strategy}) and the request is repeated, only one session exists`, () =>
    withRig(async (rig) => {
      await openKilledAt(rig, 0, strategy);
      const changes = readFileSync(countFile(rig), 'utf8').trimEnd().split('\n').length;
      assert.ok(changes > 20, `${changes} changes`);
      const step = Math.ceil(changes / 40);
      let killed = 0;
      for (let n = 1; n <= changes; n += step) {
        if (!(await openKilledAt(rig, n, strategy))) killed += 1;
        const client = await rig.start();
        const { session } = await rig.open(client, { ...opening, strategy });
        const known = await client.request('operation/get', { session, idempotencyKey: 'k' });
        assert.is(known.state, 'committed', `call ${n}`);
        const { checkpoints } = await client.request('checkpoint/list', { session, kind: 'every' });
        assert.equal(
          checkpoints.map(({ tag }) => tag),
          ['0'],
          `call ${n}`,
        );
        const again = (await rig.open(client, { ...opening, strategy })) as { readonly replayed?: boolean };
        assert.is(again.replayed, true, `call ${n}`);
        assert.equal((await client.request('store/verify', { session })).problems, [], `call ${n}`);
        await client.close();
      }
      console.log(`note: ${strategy}: killed at ${killed} of ${changes} changes`);
      assert.ok(killed > 20, `killed at ${killed}`);
    }));
}

/** Returns the file in which the daemon writes the changes of the disk that it makes. */
const countFile = (rig: DaemonRig): string => join(rig.top, 'count');

/**
 * Opens a session in a new storage. Kills the daemon at the n-th change of the disk after the request. If there are
 * fewer changes, as always for n = 0, kills the daemon after the answer. Returns true if the daemon has answered.
 */
async function openKilledAt(rig: DaemonRig, n: number, strategy: 'shadow' | 'sqlite'): Promise<boolean> {
  rmSync(rig.storage, { recursive: true, force: true });
  const [arm, count] = [join(rig.top, 'arm'), countFile(rig)];
  for (const file of [arm, count]) rmSync(file, { force: true });
  const client = await rig.start({
    command: [process.execPath, faultyEntry],
    args: [`--kill=${n}:${arm}:${count}:changes`],
  });
  writeFileSync(arm, '');
  const isAnswered = await rig.open(client, { ...opening, strategy }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && error.name === 'WireFailure') throw error;
      return false;
    },
  );
  await client.kill();
  await until('git children end', () => rig.children().length === 0, 5000);
  return isAnswered;
}

test.run();
