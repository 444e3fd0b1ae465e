// Runs three clients in separate processes with one session, and kills them one by one in every order. The remaining
// clients continue, and each gets every event once. No checkpoint is lost.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isAlive } from '../../src/base/process-lock.ts';
import { withRig } from '../support/daemon-rig.ts';
import { orders, SharedClient } from '../support/programs/shared-clients.ts';
import { until } from '../support/until.ts';

for (const order of orders) {
  test(`killing clients in the order ${order.join(', ')} affects no other client, and no change is lost or repeated`, () =>
    withRig(async (rig) => {
      const starter = new SharedClient(rig, 'starter', 'start', rig.storage);
      await until('the session is open', () => starter.session !== undefined);
      const owner = join(rig.shadow(starter.session ?? ''), 'checkpointd', 'owner.json');
      const { socket, pid } = JSON.parse(readFileSync(owner, 'utf8')) as { socket: string; pid: number };
      const all = [
        starter,
        ...['left', 'right'].map((name) => new SharedClient(rig, name, 'attach', socket)),
      ];
      await until('all clients have the session open', () =>
        all.every(({ session }) => session === starter.session),
      );
      const made: string[] = [];
      const alive = new Set(all);
      for (const index of order) {
        for (const client of alive) {
          const message = `${client.name} ${made.length}`;
          await client.create(message);
          made.push(message);
          for (const other of alive) {
            await until(`${other.name} gets the event of ${message}`, () => other.events(message).length > 0);
            assert.equal(other.events(message), [
              { event: message, you: other === client, ...(other === client ? {} : { by: client.name }) },
            ]);
          }
        }
        const victim = all[index];
        if (victim === undefined) throw new Error('no such client');
        alive.delete(victim);
        await victim.kill();
      }
      for (const client of all)
        for (const message of made)
          assert.ok(client.events(message).length <= 1, `${client.name} ${message}`);
      await until('the daemon ends', () => !isAlive(pid));
      const listed = await rig.command('list');
      assert.is(listed.code, 0, listed.stderr);
      for (const message of made) assert.ok(listed.stdout.includes(message), message);
    }));
}

test.run();
