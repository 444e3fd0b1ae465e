// Tests several daemons that run at the same time: which of them may open a session, and which may write to a work
// tree.
import { createHash } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describeSelf } from '../../src/base/process-lock.ts';
import { withRig } from '../support/daemon-rig.ts';
import { rewriteRecord } from '../support/stores/rewritten-record.ts';
import { failureOf } from '../support/wire-client.ts';

test('a second daemon gets StoreBusy with the owner’s pid, and can open the session after the owner has ended', () =>
  withRig(async (rig) => {
    const first = await rig.opened();
    const second = await rig.start();
    const failure = await failureOf(rig.open(second));
    assert.is(failure.kind, 'StoreBusy');
    assert.is(failure.data?.retryable, true);
    assert.is(failure.data?.details?.['pid'], first.client.process.pid);
    assert.ok(
      (await first.client.request('checkpoint/create', { session: first.session, kind: 'turn' })).created,
    );
    await first.client.request('session/close', { session: first.session });
    const opened = await rig.open(second);
    assert.equal([opened.session, opened.resumed], [first.session, false]);
    assert.is((await failureOf(rig.open(first.client))).kind, 'StoreBusy');
    await second.kill();
    assert.is((await rig.open(first.client)).resumed, true, 'SIGKILL frees the lock at once');
  }));

test('a daemon can open a kept session that another running daemon has closed', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ retention: 'keep' });
    await client.request('session/close', { session });
    const next = await rig.opened({ retention: 'keep' });
    assert.equal([next.session, next.resumed], [session, true]);
    assert.is((await failureOf(rig.open(client))).kind, 'StoreBusy');
  }));

test('a second session/open in one daemon returns the open session, even if both requests come at the same time (Q15)', () =>
  withRig(async (rig) => {
    const client = await rig.start();
    const [one, two] = await Promise.all([rig.open(client), rig.open(client)]);
    assert.is(one.session, two.session);
    assert.equal([one.resumed, two.resumed], [false, true]);
    assert.equal(rig.sessions(), [one.session]);
  }));

test('two daemons work on one work tree, each with its own session', () =>
  withRig(async (rig) => {
    const one = await rig.opened({ conversationId: 'one' });
    const two = await rig.opened({ conversationId: 'two' });
    assert.not.equal(one.session, two.session);
    for (let round = 1; round <= 3; round += 1) {
      rig.write('a.txt', `round ${round}\n`);
      const made = await Promise.all(
        [one, two].map(({ client, session }) =>
          client.request('checkpoint/create', { session, kind: 'turn' }),
        ),
      );
      assert.equal(
        made.map(({ checkpoint }) => checkpoint?.tag),
        [`${round}`, `${round}`],
      );
    }
    const restored = await Promise.all([
      one.client.request('checkpoint/restore', { session: one.session, tag: '1', mode: 'hard' }),
      two.client.request('checkpoint/restore', { session: two.session, tag: '2', mode: 'hard' }),
    ]);
    for (const { failed } of restored) assert.equal(failed, []);
    assert.ok(['round 1\n', 'round 2\n'].includes(rig.read('a.txt') ?? ''), rig.read('a.txt'));
    assert.is((await one.client.close()).code, 0);
    assert.ok(
      (await two.client.request('checkpoint/create', { session: two.session, kind: 'turn' })).created,
    );
    assert.equal(rig.sessions(), [two.session]);
  }));

test('while a restore writes to the work tree, another restore waits, and fails with WorkTreeBusy after a time limit', () =>
  withRig(async (rig) => {
    if (process.platform !== 'linux') {
      console.log('skipped: takes the lock of another restore by its name on Linux');
      return;
    }
    const { client, session } = await rig.opened();
    rig.write('a.txt', 'edited\n');
    const lock = await holdWorkTree(rig.work);
    const restore = { session, tag: '0', mode: 'hard' } as const;
    const started = performance.now();
    const failure = await failureOf(client.request('checkpoint/restore', restore));
    assert.is(failure.kind, 'WorkTreeBusy');
    assert.is(failure.data?.effects, 'none');
    assert.ok(performance.now() - started > 4000);
    assert.is(rig.read('a.txt'), 'edited\n');
    assert.ok(
      (await client.request('checkpoint/create', { session, kind: 'turn' })).created,
      'a create needs no lock',
    );
    const waiting = client.request('checkpoint/restore', restore);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await lock.release();
    assert.equal((await waiting).failed, []);
    assert.is(rig.read('a.txt'), 'a\n');
  }));

/** Takes the lock of the work tree, as a restore of another daemon would. */
async function holdWorkTree(root: string): Promise<{ release: () => Promise<void> }> {
  const { dev, ino } = statSync(root, { bigint: true });
  const digest = createHash('sha256').update(`work tree ${dev}:${ino}`).digest('hex').slice(0, 40);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: `\0checkpointd-${digest}` }, resolve);
  });
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

test('an owner counts as dead if its pid now belongs to a process with a different start time (F97)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.kill();
    const file = join(rig.shadow(session), 'checkpointd', 'owner.json');
    rewriteRecord(file, () => ({ pid: process.pid, startTime: '1' }));
    const next = await rig.opened();
    assert.is(next.resumed, true, 'another start time: dead');
    await next.client.kill();
    writeFileSync(file, JSON.stringify(describeSelf()));
    const second = await rig.start();
    const failure = await failureOf(rig.open(second));
    assert.is(failure.kind, 'StoreBusy', 'the same pid and start time: alive');
    assert.is(failure.data?.details?.['pid'], process.pid);
  }));

test.run();
