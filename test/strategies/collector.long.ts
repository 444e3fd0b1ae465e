// Tests strategy local while the user collects garbage without a pause. `git gc --prune=now` and `git prune` run in
// loops while a real daemon makes checkpoints. Afterwards no object of the user or of the daemon may be missing.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, fsck, withRig } from '../support/daemon-rig.ts';
import { git, manifest } from '../support/in-process-daemon.ts';
import { until } from '../support/until.ts';
import type { WireClient } from '../support/wire-client.ts';

/** Runs a shell command in a loop in the work tree. `stop` ends the loop and returns its stderr. */
function over(cwd: string, line: string): { readonly stop: () => Promise<string> } {
  const file = join(cwd, '..', `stop-${Math.random()}`);
  const loop = spawn('sh', ['-c', `while [ ! -e "${file}" ]; do ${line}; done`], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
  });
  let said = '';
  loop.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<string>((resolve) => loop.on('close', () => resolve(said)));
  return {
    stop: () => {
      spawn('touch', [file]);
      return ended;
    },
  };
}

/** For each test: the number of checkpoints, a name, and the commands in the loops. */
const storms: readonly (readonly [number, string, readonly string[]])[] = [
  [200, 'gc --prune=now', ['git gc --quiet --prune=now']],
  // Git warns against running prune at the same time as other commands, because prune also removes the temporary packs
  // of a running gc.
  [50, 'gc --prune=now and prune', ['git gc --quiet --prune=now', 'git prune --expire=now']],
];

for (const [count, name, lines] of storms) {
  test(`while git ${name} runs in endless loops, ${count} checkpoints can be made and later restored (R9, F64)`, async () => {
    await withRig(async (rig) => {
      git(rig.work, 'add', '-A');
      git(rig.work, 'commit', '-q', '-m', 'first');
      const { client, session } = await rig.opened({ strategy: 'local' });
      const loops = lines.map((line) => over(rig.work, line));
      const states = await makeMany(rig, client, session, count);
      const said = (await Promise.all(loops.map((loop) => loop.stop()))).join('\n');
      if (process.env['SHOW'] !== undefined) console.log(said.slice(0, 3000));
      await until('the repository is whole again', () => fsck(join(rig.work, '.git')) === '', 30_000);
      git(rig.work, 'gc', '--quiet', '--prune=now');
      await client.close();
      git(rig.work, 'rev-list', '--objects', '--quiet', '--all');
      await comesBack(rig, session, states);
    });
  });
}

async function makeMany(
  rig: DaemonRig,
  client: WireClient,
  session: string,
  count: number,
): Promise<object[]> {
  const states: object[] = [manifest(rig.work)];
  for (let turn = 1; turn <= count; turn += 1) {
    rig.write('a.txt', `turn ${turn}\n`);
    if (turn % 5 === 0) rig.write(`deep/${turn % 25}.txt`, `only at ${turn}\n`);
    if (turn === 20) for (let i = 0; i < 400; i += 1) rig.write(`many/${i}.txt`, `${i} of many\n`);
    if (turn === 40) rmSync(join(rig.work, 'many'), { recursive: true });
    const { checkpoint } = await client.request('checkpoint/create', { session, kind: 'turn' });
    assert.is(checkpoint.tag, `${turn}`);
    states.push(manifest(rig.work));
  }
  return states;
}

/** Checks that another daemon can restore every state without the first daemon's copies of the objects. */
async function comesBack(rig: DaemonRig, session: string, states: readonly object[]): Promise<void> {
  rmSync(join(rig.shadow(session), 'local', 'kept'), { recursive: true, force: true });
  const { client, resumed } = await rig.opened({ strategy: 'local' });
  assert.ok(resumed);
  const { ok, problems } = await client.request('store/verify', { session });
  assert.ok(ok, JSON.stringify(problems));
  for (const [turn, state] of states.entries()) {
    await client.request('checkpoint/restore', { session, tag: `${turn}`, mode: 'hard', confirm: true });
    assert.equal(manifest(rig.work), state, `turn ${turn}`);
  }
  await client.close();
}

test.run();
