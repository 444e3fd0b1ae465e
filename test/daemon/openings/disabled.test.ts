// Calls session/open without a repository, with an old git, or with too little time. The answer is a session with
// disabled checkpoints and a reason, or an error.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionOpenParams } from '../../../src/protocol/types.ts';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { git } from '../../support/git-oracle.ts';
import { failureOf, testProgram, type WireClient } from '../../support/wire-client.ts';

/** A daemon with a named fault; see test/support/programs/faulty-daemon.ts. */
const namedFaultEntry = testProgram('faulty-daemon');

/** Opens a session in which checkpoints must be disabled. Then tries every checkpoint method in this session. */
async function assertDisabled(
  rig: DaemonRig,
  client: WireClient,
  reason: string,
  remedy: RegExp,
  params: Partial<SessionOpenParams> = {},
): Promise<string> {
  const { session, checkpoints, shadowRepoPath, base } = await rig.open(client, params);
  assert.equal([checkpoints.enabled, checkpoints.reason], [false, reason]);
  assert.match(checkpoints.message ?? '', remedy);
  assert.equal([shadowRepoPath, base], [undefined, undefined]);
  const requests: readonly (readonly [string, object])[] = [
    ['checkpoint/create', { kind: 'turn' }],
    ['checkpoint/list', {}],
    ['checkpoint/get', { tag: '0' }],
    ['checkpoint/stats', { tag: '0' }],
    ['checkpoint/diff', {}],
    ['checkpoint/files', { tag: '0' }],
    ['checkpoint/readFile', { tag: '0', path: 'a.txt' }],
    ['checkpoint/restore', { tag: '0', mode: 'soft' }],
    ['checkpoint/undo', {}],
    ['checkpoint/redo', {}],
    ['checkpoint/delete', { tag: '0' }],
    ['checkpoint/rename', { tag: '0', name: 'x' }],
  ];
  for (const [method, rest] of requests) {
    const failure = await failureOf(client.send(method, { session, ...rest }).answer);
    assert.is(failure.kind, 'CheckpointsDisabled', method);
    assert.equal(failure.data?.details, { reason }, method);
    assert.match(failure.message, remedy, method);
  }
  const cleaned = await client.request('checkpoint/clean', { session });
  assert.equal([cleaned.removed, cleaned.checkpoints.reason], [0, reason]);
  return session;
}

test('outside a repository, checkpoints are disabled until checkpoint/init (Q3, Q10, Q12, Q39)', () =>
  withRig(
    async (rig) => {
      const client = await rig.start();
      const session = await assertDisabled(rig, client, 'NotARepository', /checkpoint\/init/);
      assert.equal(readdirSync(rig.shadow(session)), ['checkpointd']);
      const entry = { user: { content: 'before' }, assistant: { content: 'yes' } };
      await client.request('conversation/append', { session, entry });
      const { initialized, checkpoints, base } = await client.request('checkpoint/init', { session });
      assert.equal([initialized, checkpoints.enabled, base.tag], [true, true, '0']);
      assert.is(base.historyLength, 1, 'the base holds the history of its moment');
      assert.is((await client.request('checkpoint/init', { session })).initialized, false);
      rig.write('a.txt', 'edited\n');
      assert.is((await client.request('checkpoint/create', { session, kind: 'turn' })).checkpoint?.tag, '1');
      await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
      assert.is(rig.read('a.txt'), 'a\n');
      assert.not.ok(existsSync(join(rig.work, '.git')));
      await client.kill();
      const next = await rig.start();
      const resumed = await rig.open(next);
      assert.equal(
        [resumed.resumed, resumed.checkpoints.enabled],
        [true, true],
        'enabled by hand stays enabled',
      );
      assert.is((await next.close()).code, 0);
      await rig.emptied();
    },
    { repository: false },
  ));

test('without git on PATH, and with an old git, checkpoints are disabled (Q3, Q10, Q39)', () =>
  withRig(async (rig) => {
    const bin = join(rig.top, 'bin');
    mkdirSync(bin);
    const env = { ...rig.environment, PATH: bin };
    const client = await rig.start({ env });
    const session = await assertDisabled(rig, client, 'GitMissing', /[Ii]nstall git/);
    const missing = await failureOf(client.request('checkpoint/init', { session }));
    assert.is(missing.kind, 'GitMissing', 'asked for by hand, it is a failure and no state');
    await client.request('session/close', { session });

    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.20.1\n', { mode: 0o755 });
    const second = await assertDisabled(rig, client, 'GitTooOld', /2\.30/);
    await client.request('session/close', { session: second });

    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec /usr/bin/git "$@"\n', { mode: 0o755 });
    const now = await rig.open(client);
    assert.is(now.checkpoints.enabled, true, 'a git that was installed meanwhile is found');
    assert.is((await client.close()).code, 0);
  }));

test("if a session was opened without the checkpoint feature, its requests for checkpoints fail with Q CLI's message (Q46)", () =>
  withRig(async (rig) => {
    const client = await rig.start();
    const words = /Checkpoint is disabled\. Enable it with: q settings chat\.enableCheckpoint true/;
    const off = { features: { checkpoints: false } };
    const session = await assertDisabled(rig, client, 'FeatureOff', words, off);
    const refused = await failureOf(client.request('checkpoint/init', { session }));
    assert.equal([refused.kind, refused.data?.details], ['CheckpointsDisabled', { reason: 'FeatureOff' }]);
    await client.request('conversation/append', {
      session,
      entry: { user: { content: 'a' }, assistant: { content: 'b' } },
    });
    assert.is((await client.close()).code, 0);
  }));

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`${strategy}: opening a session without the checkpoint feature keeps its checkpoints`, () =>
    withRig(async (rig) => {
      const client = await rig.start();
      const kept = { strategy, retention: 'keep', conversationId: 'one' } as const;
      const { session } = await rig.open(client, kept);
      await client.request('checkpoint/create', { session, kind: 'turn' });
      await client.request('session/close', { session });
      const without = await rig.open(client, { ...kept, features: { checkpoints: false } });
      assert.equal([without.session, without.checkpoints.reason], [session, 'FeatureOff']);
      const cleaned = await failureOf(client.request('checkpoint/clean', { session }));
      assert.is(cleaned.kind, 'CheckpointsDisabled', 'nothing is removed unseen');
      const sharing = await rig.open(client, kept);
      assert.is(sharing.checkpoints.enabled, false, 'an open session keeps its settings');
      await client.request('session/close', { session });
      assert.is((await rig.open(client, kept)).checkpoints.enabled, true);
      const { checkpoints } = await client.request('checkpoint/list', { session });
      assert.equal(
        checkpoints.map(({ tag }) => tag),
        ['0', '1'],
      );
      assert.is((await client.close()).code, 0);
    }));

test("a session that was opened without the tangent feature refuses to enter a tangent, with Q CLI's message (C21)", () =>
  withRig(async (rig) => {
    const client = await rig.start();
    const kept = { retention: 'keep', conversationId: 'one' } as const;
    const off = { ...kept, features: { tangent: false } };
    const { session, checkpoints } = await rig.open(client, off);
    assert.is(checkpoints.enabled, true);
    for (const method of ['conversation/enterTangent', 'conversation/exitTangent'] as const) {
      const refused = await failureOf(client.request(method, { session }));
      assert.is(refused.kind, 'TangentDisabled', method);
      assert.match(
        refused.message,
        /Tangent mode is disabled\. Enable it with: q settings chat\.enableTangentMode true/,
      );
    }
    await client.request('session/close', { session });
    await rig.open(client, kept);
    assert.is((await client.request('conversation/enterTangent', { session })).entered, true);
    await client.request('session/close', { session });
    await rig.open(client, off);
    assert.is((await client.request('conversation/exitTangent', { session })).exited, true);
    assert.is(
      (await failureOf(client.request('conversation/enterTangent', { session }))).kind,
      'TangentDisabled',
    );
    assert.is((await client.close()).code, 0);
  }));

test('session/open reports its progress, and leaves nothing behind if it stops after initTimeoutMs (R26)', () =>
  withRig(async (rig) => {
    // The first capture takes over four seconds on any machine, because opening each file takes five milliseconds.
    const workspace = join(rig.top, 'workspace');
    mkdirSync(join(workspace, 'many'), { recursive: true });
    git(workspace, 'init', '-q');
    for (let file = 0; file < 900; file += 1) writeFileSync(join(workspace, 'many', `${file}`), `${file}\n`);
    const slow = join(rig.top, 'slow');
    writeFileSync(slow, '');
    const client = await rig.start({
      command: [process.execPath, namedFaultEntry],
      args: ['--fault=captureSlow'],
      env: { ...rig.environment, CHECKPOINTD_TEST_ARM: slow },
    });
    const failure = await failureOf(
      client.request('session/open', {
        workspace,
        limits: { initTimeoutMs: 2000 },
        workDoneToken: 'opening',
      }),
    );
    assert.is(failure.kind, 'CaptureTimedOut');
    assert.equal(failure.data?.details, { initTimeoutMs: 2000 });
    assert.match(failure.message, /initTimeoutMs/);
    const values = client.events('$/progress').map(({ value }) => value.kind);
    assert.is(values[0], 'begin');
    assert.is(values.at(-1), 'end');
    assert.ok(values.includes('report'));
    assert.equal(rig.stored(), []);
    assert.equal(rig.children(), []);
    rmSync(slow);
    const { checkpoints } = await rig.open(client, { workspace });
    assert.is(checkpoints.enabled, true);
  }));

test.run();
