// Tests sessions that a daemon could not or must not remove. A client may resume such a session, or a later start may
// remove the session.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, faultyEntry, fsck, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';
import { failureOf } from '../support/wire-client.ts';

const turn = { kind: 'turn' } as const;

/** Sets how long ago an owner showed that it was alive. */
function age(rig: DaemonRig, session: string, hours: number): void {
  const then = new Date(Date.now() - hours * 3_600_000);
  utimesSync(join(rig.shadow(session), 'checkpointd', 'owner.json'), then, then);
}

test('after SIGKILL, session/open with the same work tree and conversation resumes the session', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    rig.write('a.txt', 'one\n');
    await client.request('checkpoint/create', { session, ...turn });
    assert.ok(rig.children().length > 0);
    await client.kill();
    await until('no git child survives', () => rig.children().length === 0, 1000);
    assert.equal(rig.sessions(), [session]);
    rig.write('a.txt', 'two\n');
    const next = await rig.opened();
    assert.equal([next.session, next.resumed], [session, true]);
    const { checkpoints } = await next.client.request('checkpoint/list', { session });
    assert.equal(
      checkpoints.map(({ tag }) => tag),
      ['0', '1'],
    );
    await next.client.request('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.is(rig.read('a.txt'), 'one\n');
    assert.is((await next.client.close()).code, 0);
    await rig.emptied();
  }));

test('an orphaned session that is not resumed is removed only after a grace period', () =>
  withRig(async (rig) => {
    const first = await rig.opened();
    await first.client.kill();
    const patient = await rig.opened({ conversationId: 'b' }, { graceHours: 24 });
    await patient.client.request('session/close', { session: patient.session });
    assert.ok(rig.sessions().includes(first.session), 'young');
    await patient.client.close();
    age(rig, first.session, 25);
    const later = await rig.opened({ conversationId: 'c' }, { graceHours: 24 });
    await until('the session is swept', () => !rig.sessions().includes(first.session));
    await until('the swept session is deleted', () => rig.stored().length === 1);
    await later.client.kill();
    const eager = await rig.opened({ conversationId: 'd' }, { graceHours: 0 });
    await until('the session is swept without a grace period', () => rig.sessions().length === 1);
    assert.is((await eager.client.close()).code, 0);
    await rig.emptied();
  }));

test('a kept session is never removed by a later start (Q47)', () =>
  withRig(async (rig) => {
    const kept = await rig.opened({ retention: 'keep' });
    await kept.client.kill();
    age(rig, kept.session, 24 * 365);
    const next = await rig.opened({ conversationId: 'b' });
    await next.client.close();
    assert.equal(rig.stored(), [kept.session]);
  }));

/** Makes a session whose only copy of an edit is in the safety checkpoint of a restore. */
async function withOnlyCopy(rig: DaemonRig): Promise<Awaited<ReturnType<DaemonRig['opened']>>> {
  const opened = await rig.opened();
  rig.write('a.txt', 'an edit that no checkpoint but the safety one has\n');
  await opened.client.request('checkpoint/restore', { session: opened.session, tag: '0', mode: 'hard' });
  assert.is(rig.read('a.txt'), 'a\n');
  return opened;
}

for (const [name, end] of [
  ['end of input', (client) => client.process.stdin.end()],
  ['exit without shutdown', (client) => client.notify('exit')],
  ['fatal framing', (client) => client.write('no frame\r\n\r\n')],
] as readonly (readonly [string, (client: Awaited<ReturnType<DaemonRig['start']>>) => void])[]) {
  test(`if a safety checkpoint has the only copy of an edit, ${name} leaves the session for a later resume`, () =>
    withRig(async (rig) => {
      const { client, session } = await withOnlyCopy(rig);
      end(client);
      assert.is((await client.exit()).code, 1);
      assert.equal(rig.stored(), [session]);
      assert.equal(rig.children(), []);
      const next = await rig.opened();
      assert.ok(next.resumed);
      await next.client.request('checkpoint/undo', { session });
      assert.match(rig.read('a.txt') ?? '', /an edit that no checkpoint/);
      assert.is((await next.client.endInput()).code, 1);
      await rig.emptied(); // undone, the work tree has it again
    }));
}

test('shutdown and signals also remove a session with safety checkpoints', async () => {
  await withRig(async (rig) => {
    const { client } = await withOnlyCopy(rig);
    assert.is((await client.close()).code, 0);
    await rig.emptied();
  });
  await withRig(async (rig) => {
    const { client } = await withOnlyCopy(rig);
    client.process.kill('SIGTERM');
    assert.is((await client.exit()).code, 143);
    await rig.emptied();
  });
});

/** Makes a session whose daemon was killed during a restore. */
async function unfinished(rig: DaemonRig): Promise<string> {
  const [arm, count] = [join(rig.top, 'arm'), join(rig.top, 'count')];
  const { client, session } = await rig.opened(
    {},
    {
      command: [process.execPath, faultyEntry],
      args: [`--kill=4:${arm}:${count}:^rename /proc/self/fd/`],
    },
  );
  for (let file = 0; file < 8; file += 1) rig.write(`f${file}`, 'before\n');
  writeFileSync(arm, '');
  await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' }).catch(() => undefined);
  await client.kill();
  assert.ok(existsSync(join(rig.shadow(session), 'checkpointd', 'restore.json')));
  return session;
}

test('a session with an unfinished restore always stays, however the daemon ends (F100)', () =>
  withRig(async (rig) => {
    const session = await unfinished(rig);
    age(rig, session, 24 * 30);
    const other = await rig.opened({ conversationId: 'b' });
    assert.is((await other.client.close()).code, 0);
    assert.equal(rig.stored(), [session]);
    // An opening without checkpoints leaves the restore unfinished. The session then stays, however the daemon ends.
    const still = await rig.opened({ init: 'never' });
    assert.is(still.session, session);
    assert.equal(await still.client.request('session/close', { session }), {
      removed: false,
      reason: 'unfinishedRestore',
    });
    const again = await rig.opened({ init: 'never' });
    again.client.process.kill('SIGTERM');
    assert.is((await again.client.exit()).code, 143);
    const lost = await rig.opened({ init: 'never' });
    assert.is((await lost.client.close()).code, 0);
    assert.equal(rig.stored(), [session]);
    const next = await rig.opened();
    assert.equal(rig.tree(), { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' }, 'finished at the next open');
    assert.is((await next.client.close()).code, 0);
    await rig.emptied();
  }));

test('stale locks and temporary files of a killed daemon do not affect later starts (F59, F85)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.kill();
    const shadow = rig.shadow(session);
    for (const file of ['index.lock', 'refs/tags/2.lock', 'packed-refs.lock', 'HEAD.lock', 'config.lock'])
      writeFileSync(join(shadow, file), '');
    mkdirSync(join(shadow, 'objects', '00'), { recursive: true });
    writeFileSync(join(shadow, 'objects', '00', 'tmp_obj_abcdef'), 'half');
    writeFileSync(join(shadow, 'objects', 'pack', 'tmp_pack_abcdef'), 'half');
    writeFileSync(join(shadow, 'checkpointd', 'restore.json.0123456789ab.tmp'), '{"half');
    const next = await rig.opened();
    for (const tag of ['1', '2']) {
      rig.write('a.txt', `${tag}\n`);
      const made = await next.client.request('checkpoint/create', { session, ...turn });
      assert.is(made.checkpoint?.tag, tag);
    }
    assert.is(fsck(shadow), '');
    for (const file of [
      'index.lock',
      'refs/tags/2.lock',
      'objects/00/tmp_obj_abcdef',
      'objects/pack/tmp_pack_abcdef',
    ])
      assert.not.ok(existsSync(join(shadow, file)), file);
    assert.not.ok(existsSync(join(shadow, 'checkpointd', 'restore.json.0123456789ab.tmp')));
  }));

test('before a daemon resumes a killed session, it ends a git process that survived the kill (F88)', () =>
  withRig(async (rig) => {
    // A git whose `repack` runs for a minute, as in a large repository.
    const bin = join(rig.top, 'bin');
    mkdirSync(bin);
    const real = '/usr/bin/git';
    const slow = join(bin, 'git-slow');
    writeFileSync(slow, readFileSync('/bin/sleep'), { mode: 0o755 });
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\nfor word; do case $word in repack|prune) exec ${slow} 60;; esac; done\nexec ${real} "$@"\n`,
    );
    chmodSync(join(bin, 'git'), 0o755);
    const env = { ...rig.environment, PATH: `${bin}:${process.env['PATH']}` };
    const { client, session } = await rig.opened({}, { env });
    rig.write('a.txt', 'one\n');
    await client.request('checkpoint/create', { session, ...turn });
    client.send('store/gc', { session }).answer.catch(() => undefined);
    await until('git is running', () => slowOnes(rig).length > 0);
    await client.kill();
    assert.is(slowOnes(rig).length, 1, 'it lives on');
    const next = await rig.opened();
    assert.equal(slowOnes(rig), [], 'and is gone before the session is used');
    assert.ok(next.resumed);
    assert.ok((await next.client.request('checkpoint/create', { session, ...turn })).created);
  }));

function slowOnes(rig: DaemonRig): string[] {
  return rig.children().filter((line) => line.includes('git-slow'));
}

test('if the shadow repository is removed while the daemon runs, the next create fails with a clear error and changes no file (F101)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    rig.write('a.txt', 'one\n');
    await client.request('checkpoint/create', { session, ...turn });
    rig.write('a.txt', 'two\n');
    const before = rig.tree();
    rmSync(rig.shadow(session), { recursive: true });
    const failed = await failureOf(client.request('checkpoint/create', { session, ...turn }));
    assert.ok(
      failed.kind !== undefined && failed.kind !== 'InternalError',
      `${failed.kind}: ${failed.message}`,
    );
    const restore = await failureOf(
      client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' }),
    );
    assert.not.equal(restore.kind, 'InternalError', restore.message);
    assert.equal(rig.tree(), before);
    await client.request('session/close', { session });
    const again = await rig.open(client);
    assert.is(again.resumed, false);
    assert.ok((await client.request('checkpoint/create', { session: again.session, ...turn })).created);
    assert.equal(rig.tree(), before);
    assert.is((await client.close()).code, 0);
    assert.equal(rig.sessions(), []);
  }));

test.run();
