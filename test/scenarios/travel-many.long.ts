// Ten machines that push and fetch side by side through one remote: every checkpoint that was answered as pushed is on every
// other machine, byte for byte, with its conversation.
import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bareRepository, Machine } from '../support/machines.ts';

const machinesMax = 10;
const rounds = 30;

test(`${machinesMax} machines do ${2 * machinesMax * rounds} pushes and fetches side by side`, async () => {
  const remote = bareRepository();
  const machines = await Promise.all(Array.from({ length: machinesMax }, () => Machine.make(remote)));
  try {
    const pushed = await Promise.all(
      machines.map(async (machine, number) => {
        await machine.open({ conversationId: `talk ${number}` });
        for (let round = 0; round < rounds; round += 1) {
          machine.write(`file-${round % 7}.txt`, `${number} ${round}\n`);
          await machine.say(`round ${round}`);
          await machine.turn(`round ${round}`);
          await machine.push();
          const { refused } = await machine.daemon.call('remote/fetch', { remote: 'team' });
          assert.equal(refused, []);
        }
        return machine.push();
      }),
    );
    execFileSync('git', ['fsck', '--strict'], { cwd: remote, stdio: 'pipe' });
    for (const [number, one] of machines.entries()) {
      const other = machines[(number + 1) % machinesMax];
      const line = pushed[number];
      assert.ok(other !== undefined && line !== undefined);
      assert.is(line.checkpoints, rounds + 1);
      const before = { history: await one.history(), files: one.files };
      const [mine, theirs] = [other.session, other.files];
      await other.import(line.session);
      assert.equal((await other.checkpoints()).length, rounds + 1);
      assert.equal(await other.history(), before.history);
      await other.restore(String(rounds));
      assert.equal(other.files, before.files);
      const { session } = other;
      await other.daemon.call('checkpoint/undo', { session, mode: 'hard' });
      assert.equal(other.files, theirs);
      other.session = mine;
    }
  } finally {
    await Promise.all(machines.map((machine) => machine.close()));
  }
});

test.run();
