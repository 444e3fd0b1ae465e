// A command that opens a session whose restore was killed half-way says that it was finished.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import type { FaultPlan } from '../support/programs/planned-fault.ts';
import { testProgram, WireClient } from '../support/wire-client.ts';

const names = Array.from({ length: 12 }, (_, i) => `file-${i}`);

test('a restore that was killed half-way is told when the next command finishes it', () =>
  withRig(async (rig) => {
    for (const name of names) rig.write(name, 'before\n');
    const planFile = join(rig.top, 'plan');
    const client = new WireClient({
      command: [
        process.execPath,
        testProgram('planned-daemon'),
        `--plan=${planFile}`,
        `--storage-dir=${rig.storage}`,
        '--no-listen',
      ],
    });
    await client.request('initialize', {});
    client.notify('initialized', {});
    const opened = await client.request('session/open', {
      workspace: rig.work,
      conversationId: 'command line',
      retention: 'keep',
    });
    const { session } = opened as { session: string };
    for (const name of names) rig.write(name, 'after\n');
    const plan: FaultPlan = { act: 'kill', at: 5, match: '^rename .*\\.ckpt-tmp-' };
    writeFileSync(`${planFile}.new`, JSON.stringify(plan));
    renameSync(`${planFile}.new`, planFile);
    const restore = { session, tag: '0', mode: 'hard', confirm: true } as const;
    await assertKilled(client, client.request('checkpoint/restore', restore));
    assert.ok(names.some((name) => rig.read(name) === 'after\n'));

    const program = rig.run(['status', `--storage=${rig.storage}`]);
    assert.is(await program.code, 0, program.stderr);
    assert.match(
      program.stderr,
      /a restore that was stopped half-way has been finished or undone: \d+ files brought back, 0 files deleted \("checkpointd undo" takes it back\)/,
    );
    for (const name of names) assert.is(rig.read(name), 'before\n');
    const again = rig.run(['status', `--storage=${rig.storage}`]);
    assert.is(await again.code, 0);
    assert.not.match(again.stderr, /half-way/);
  }));

async function assertKilled(client: WireClient, answer: Promise<unknown>): Promise<void> {
  const ended = await answer.then(
    () => 'answered',
    () => 'ended',
  );
  assert.is(ended, 'ended');
  assert.is((await client.exited).signal, 'SIGKILL');
}

test.run();
