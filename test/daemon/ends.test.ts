// Ends a real daemon in every way, and checks its exit code and the shadow repository.
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { processorWaitOf, withinRunningTime } from '../../scripts/torture/answer-time.ts';
import { faultyEntry, withRig } from '../support/daemon-rig.ts';
import { frameOf } from '../support/frames.ts';
import { until } from '../support/until.ts';
import { daemonEntry, failureOf, slowNamesCommand, type WireClient } from '../support/wire-client.ts';

const turn = { kind: 'turn' } as const;

test('session/close removes the shadow repository, and the daemon continues (Q37, Q47)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    assert.ok(existsSync(join(rig.shadow(session), 'objects')));
    assert.equal(await client.request('session/close', { session }), { removed: true });
    assert.equal(rig.sessions(), []);
    await until('the renamed directory is deleted', () => rig.stored().length === 0);
    assert.is((await failureOf(client.request('session/get', { session }))).kind, 'UnknownSession');
    const again = await rig.open(client);
    assert.is(again.session, session);
    assert.is(again.resumed, false);
    assert.is((await client.close()).code, 0);
    assert.equal(rig.stored(), []);
    assert.equal(rig.children(), []);
  }));

/**
 * The ways to end a daemon that has a session, a checkpoint and running git processes. Every such end removes the
 * shadow repository.
 */
const ends: readonly (readonly [string, number, (client: WireClient) => void])[] = [
  ['SIGTERM', 143, ({ process }) => process.kill('SIGTERM')],
  ['SIGINT', 130, ({ process }) => process.kill('SIGINT')],
  ['SIGHUP', 129, ({ process }) => process.kill('SIGHUP')],
  ['exit without shutdown', 1, (client) => client.notify('exit')],
  ['end of input', 1, ({ process }) => process.stdin.end()],
  ['end of input in a frame', 1, ({ process }) => process.stdin.end('Content-Length: 100\r\n\r\n{"jsonrpc"')],
  ['end of input in a header', 1, ({ process }) => process.stdin.end('Content-Len')],
  ['fatal framing', 1, (client) => client.write('this is no frame\r\n\r\n')],
  ['an output without a reader', 1, closeOutput],
];

function closeOutput(client: WireClient): void {
  client.process.stdout.destroy();
  client.write(frameOf({ jsonrpc: '2.0', id: 9, method: 'session/list' }));
}

for (const [name, code, end] of ends) {
  test(`after ${name}, the daemon removes the shadow repository, exits with ${code}, and leaves no git process (Q37)`, () =>
    withRig(async (rig) => {
      const { client, session } = await rig.opened();
      rig.write('a.txt', 'edited\n');
      await client.request('checkpoint/create', { session, ...turn });
      assert.ok(rig.children().length > 0, 'git children run');
      end(client);
      assert.equal(await client.exit(), { code, signal: null });
      assert.equal(rig.stored(), []);
      assert.equal(rig.children(), []);
      assert.equal(rig.tree(), { 'a.txt': 'edited\n', 'deep/b.txt': 'b\n' });
    }));
}

test('the requests shutdown and exit remove the shadow repository and end the daemon with exit code 0 (Q37)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, ...turn });
    await client.request('shutdown', {});
    assert.equal(rig.sessions(), [], 'gone when the answer is there');
    client.notify('exit');
    assert.equal(await client.exit(), { code: 0, signal: null });
    assert.equal(rig.stored(), []);
  }));

/**
 * The ways in which the client or the user ends a daemon right after a restore. Each sync of the disk takes two
 * seconds.
 */
const orderly: readonly (readonly [string, (client: WireClient, session: string) => Promise<unknown>])[] = [
  [
    'session/close',
    async (client, session) => {
      assert.equal(await client.request('session/close', { session }), { removed: true });
      return client.close();
    },
  ],
  [
    'shutdown and exit',
    async (client) => {
      await client.request('shutdown', {});
      client.notify('exit');
      return client.exit();
    },
  ],
  [
    'SIGTERM',
    async (client) => {
      client.process.kill('SIGTERM');
      return client.exit();
    },
  ],
];

for (const [name, end] of orderly) {
  test(`${name} right after a restore with slow syncs still removes the shadow repository (Q37)`, () =>
    withRig(async (rig) => {
      const plan = join(rig.top, 'plan');
      const names = Array.from({ length: 30 }, (_, n) => `many/${n}`);
      for (const path of names) rig.write(path, `${path} one\n`);
      const command = [process.execPath, faultyEntry, `--plan=${plan}`] as const;
      const { client, session } = await rig.opened({}, { command });
      for (const path of names) rig.write(path, `${path} two\n`);
      const slow = { act: 'slow', at: 1, times: Number.MAX_SAFE_INTEGER, ms: 60, match: '^fsync ' };
      writeFileSync(`${plan}.new`, JSON.stringify(slow));
      renameSync(`${plan}.new`, plan); // the daemon reads the plan at its next call
      await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true });
      await end(client, session);
      assert.equal(rig.sessions(), []);
      for (const path of names) assert.is(rig.read(path), `${path} one\n`);
    }));
}

/** Adds 20,000 loose objects to a shadow repository. */
function fill(shadow: string): void {
  for (let directory = 0; directory < 256; directory += 1) {
    const path = join(shadow, 'objects', directory.toString(16).padStart(2, '0'));
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 79; file += 1)
      writeFileSync(join(path, `${directory}${file}`.padStart(38, '0')), 'x');
  }
}

test('shutdown answers within a second even with 20,000 objects to remove; the next start removes the rest', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    fill(rig.shadow(session));
    const waitedMs = processorWaitOf(client.process.pid ?? 0);
    await withinRunningTime(client.request('shutdown', {}), 1000, waitedMs);
    assert.equal(rig.sessions(), []);
    client.notify('exit');
    const { code } = await withinRunningTime(client.exit(), 2500, waitedMs);
    assert.is(code, 0, 'the time for the deletion is limited');
    const [trash] = rig.stored();
    if (trash !== undefined) assert.ok(existsSync(join(rig.storage, trash, 'checkpointd', 'session.json')));
    const next = await rig.opened({ conversationId: 'another' });
    await until('the next start has swept', () => rig.stored().length === 1);
    assert.is((await next.client.close()).code, 0);
  }));

test('a daemon detects the death of its parent even if its input stays open', () =>
  withRig(async (rig) => {
    const client = await rig.start({
      command: ['/bin/sh', '-c', shell, process.execPath, daemonEntry],
      cwd: rig.top,
    });
    const { session } = await rig.open(client);
    const [, sleeper, daemon] = /pids (\d+) (\d+)/.exec(client.stderr) ?? [];
    assert.ok(existsSync(rig.shadow(session)));
    client.process.kill('SIGKILL'); // Kills only the shell: its child still sleeps and has the input open.
    try {
      await until('the daemon ends', () => !existsSync(`/proc/${daemon}`), 5000);
    } finally {
      process.kill(Number(sleeper));
    }
    assert.equal(rig.stored(), []);
    assert.equal(rig.children(), []);
    assert.match(rig.logText(), /ends: parentDeath, exit code 1/);
  }));

/** Starts the daemon with a FIFO as its input. Another process keeps the writing end open, so the input never ends. */
const shell = `mkfifo in && { sleep 30 <&- >in 2>&- & sleeper=$!; "$0" "$@" <in & echo "pids $sleeper $!" >&2; cat >in; }`;

test('after an uncaught failure, the daemon removes the shadow repository, and exits with 70', () =>
  withRig(async (rig) => {
    const trigger = join(rig.top, 'fail');
    const { client, session } = await rig.opened(
      {},
      { command: [process.execPath, faultyEntry], args: [`--throw=${trigger}`] },
    );
    await client.request('checkpoint/create', { session, ...turn });
    writeFileSync(trigger, '');
    assert.equal(await client.exit(), { code: 70, signal: null });
    assert.equal(rig.stored(), []);
    assert.equal(rig.children(), []);
    assert.match(client.stderr, /defect/);
    assert.not.match(client.stderr, /secret words/);
    assert.match(rig.logText(), /secret words/);
  }));

test('with retention "keep", nothing is removed, however the daemon ends (Q15, Q47)', () =>
  withRig(async (rig) => {
    const keep = { retention: 'keep' } as const;
    const { client, session } = await rig.opened(keep);
    await client.request('checkpoint/create', { session, ...turn });
    assert.is((await client.close()).code, 0);
    for (const [, code, end] of [ends[0], ends[4]].filter((each) => each !== undefined)) {
      const next = await rig.opened(keep);
      assert.equal([next.session, next.resumed], [session, true]);
      const { checkpoints } = await next.client.request('checkpoint/list', { session });
      assert.equal(
        checkpoints.map(({ tag }) => tag),
        ['0', '1'],
      );
      end(next.client);
      assert.is((await next.client.exit()).code, code);
      assert.equal(rig.stored(), [session]);
    }
    const last = await rig.opened(keep);
    assert.equal(await last.client.request('session/close', { session }), {
      removed: false,
      reason: 'retention',
    });
    assert.equal(rig.stored(), [session]);
  }));

test('checkpoint/clean removes the repository and disables checkpoints until checkpoint/init (Q38)', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, ...turn });
    const cleaned = await client.request('checkpoint/clean', { session });
    assert.is(cleaned.removed, 2);
    assert.is(cleaned.path, rig.shadow(session));
    assert.equal(readdirSync(rig.shadow(session)), ['checkpointd']);
    const refused = await failureOf(client.request('checkpoint/create', { session, ...turn }));
    assert.is(refused.kind, 'CheckpointsDisabled');
    assert.match(refused.message, /checkpoint\/init/);
    await until('the removed files are deleted', () => rig.stored().length === 1);
    assert.is((await client.request('checkpoint/init', { session })).initialized, true);
    const made = await client.request('checkpoint/create', { session, ...turn });
    assert.is(made.checkpoint?.tag, '1');
    assert.is((await client.close()).code, 0);
    // The end of the daemon may interrupt the deletion of the second repository. No files except those of the second
    // repository may remain. The next start removes them.
    await rig.emptied();
  }));

test('if session/open is cancelled, or the input ends during session/open, no file is left behind', () =>
  withRig(async (rig) => {
    for (let file = 0; file < 400; file += 1) rig.write(`many/${file % 50}/stuck-${file}`, `${file}\n`);
    const client = await rig.start({ command: slowNamesCommand });
    const opening = client.send('session/open', { workspace: rig.work, conversationId: 'conversation' });
    const failed = failureOf(opening.answer);
    await until('the opening has begun', () => rig.sessions().length === 1);
    client.cancel(opening.id);
    assert.is((await failed).code, -32800);
    await until('the files of the opening are removed', () => rig.stored().length === 0);
    client.send('session/open', { workspace: rig.work }).answer.catch(() => undefined);
    await until('the next opening has begun', () => rig.sessions().length === 1);
    assert.is((await client.endInput()).code, 1);
    assert.equal(rig.sessions(), []);
    assert.equal(rig.children(), []);
  }));

test.run();
