// One daemon serves several clients: the first over stdio, and all other clients through the private socket. Tests what
// the clients share, which notifications they get, and when the daemon ends.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdClient, CheckpointdRequestError } from '../../src/client/client.ts';
import type { WorktreeStatusResult } from '../../src/protocol/types.ts';
import { type DaemonRig, withRig } from '../support/daemon-rig.ts';
import { until } from '../support/until.ts';
import { slowNamesCommand } from '../support/wire-client.ts';

const turn = { kind: 'turn' } as const;
const events = ['checkpoint/didCreate', 'checkpoint/didRestore'] as const;

function socketOf(rig: DaemonRig, session: string): string {
  const file = join(rig.shadow(session), 'checkpointd', 'owner.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { socket: string }).socket;
}

/** Returns a further client that has joined the session. */
async function joined(rig: DaemonRig, session: string): Promise<CheckpointdClient> {
  const client = await CheckpointdClient.attach(socketOf(rig, session), { events });
  const opened = await client.request('session/open', {
    workspace: rig.work,
    conversationId: 'conversation',
  });
  assert.equal([opened.session, opened.resumed], [session, true]);
  return client;
}

async function kindOf(answer: Promise<unknown>): Promise<string | undefined> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof CheckpointdRequestError) return error.kind;
    throw error;
  }
  throw new Error('the request succeeded');
}

test('two clients share a session with one list of checkpoints, and each client gets each event once', () =>
  withRig(async (rig) => {
    const first = await rig.start();
    const { session } = await rig.open(first);
    const second = await joined(rig, session);
    const third = await joined(rig, session);
    const told: [number, string][] = [];
    for (const [number, client] of [second, third].entries())
      client.on('checkpoint/didCreate', ({ checkpoint }) => told.push([number, checkpoint.tag ?? '']));
    rig.write('a.txt', 'one\n');
    await first.request('checkpoint/create', { session, ...turn });
    rig.write('a.txt', 'two\n');
    await second.request('checkpoint/create', { session, ...turn });
    rig.write('a.txt', 'three\n');
    await third.request('checkpoint/create', { session, ...turn });
    for (const client of [second, third]) {
      const { checkpoints } = await client.request('checkpoint/list', { session });
      assert.equal(
        checkpoints.map(({ tag }) => tag),
        ['0', '1', '2', '3'],
      );
    }
    assert.equal(
      told.filter(([number]) => number === 0).map(([, tag]) => tag),
      ['1', '2', '3'],
    );
    assert.equal(
      told.filter(([number]) => number === 1).map(([, tag]) => tag),
      ['1', '2', '3'],
    );
    assert.equal(first.events('checkpoint/didCreate'), [], 'the first client asked for no events');
    await third.close();
    await second.close();
    assert.is((await first.close()).code, 0);
    await rig.emptied();
    assert.equal(readdirSync(join(rig.runtime, 'checkpointd')), [], 'the socket is gone');
  }));

test('the daemon queues the changes of two clients, and loses no change', () =>
  withRig(async (rig) => {
    const first = await rig.start();
    const { session } = await rig.open(first);
    const second = await joined(rig, session);
    const create = { session, ...turn };
    await Promise.all(
      [1, 2, 3, 4, 5].flatMap(() => [
        first.request('checkpoint/create', create),
        second.request('checkpoint/create', create),
      ]),
    );
    const { checkpoints } = await second.request('checkpoint/list', { session });
    assert.is(checkpoints.length, 11);
    assert.is(new Set(checkpoints.map(({ tag }) => tag)).size, 11);
    await second.close();
    assert.is((await first.close()).code, 0);
  }));

test('a shared session cannot be deleted, and ends when its last client closes it', () =>
  withRig(async (rig) => {
    const first = await rig.start();
    const { session } = await rig.open(first);
    const second = await joined(rig, session);
    assert.is(await kindOf(second.request('session/delete', { session })), 'StoreBusy');
    assert.equal(await first.request('session/close', { session }), {
      removed: false,
      reason: 'otherClients',
    });
    assert.equal(rig.sessions(), [session]);
    await second.request('checkpoint/create', { session, ...turn });
    const stranger = await CheckpointdClient.attach(socketOf(rig, session));
    assert.is(await kindOf(stranger.request('session/close', { session })), 'UnknownSession');
    await stranger.close();
    assert.equal(await second.request('session/close', { session }), { removed: true });
    assert.equal(rig.sessions(), []);
    await second.close();
    assert.is((await first.close()).code, 0);
  }));

test("if two clients open a session with the same idempotencyKey, the later client shares the first client's session", () =>
  withRig(async (rig) => {
    const first = await rig.start();
    const open = { workspace: rig.work, conversationId: 'conversation', idempotencyKey: 'open' } as const;
    const { session } = await first.request('session/open', open);
    const second = await CheckpointdClient.attach(socketOf(rig, session));
    assert.is((await second.request('session/open', open)).session, session);
    await first.request('session/close', { session });
    await second.request('checkpoint/create', { session, ...turn });
    await second.close();
    assert.is((await first.close()).code, 0);
  }));

/** Returns what the descriptors of the process's outputs are. */
function outputsOf(pid: number | undefined): string[] {
  if (process.platform !== 'linux') return [];
  return [1, 2].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
}

for (const [name, code, end] of [
  ['shutdown and exit', 0, 'orderly'],
  ['the end of input', 1, 'abrupt'],
] as const) {
  test(`after ${name} of the first client, the daemon exits with ${code} as soon as all other clients have left`, () =>
    withRig(async (rig) => {
      const first = await rig.start();
      const { session } = await rig.open(first);
      const own = (await rig.open(first, { conversationId: 'its own' })).session;
      const second = await joined(rig, session);
      const outputs = outputsOf(first.process.pid);
      if (end === 'orderly') {
        await first.request('shutdown', {});
        first.notify('exit');
      } else first.process.stdin.end();
      await until('the output to the first client is closed', () => first.process.stdout.readableEnded);
      assert.equal(outputsOf(first.process.pid), outputs, 'no other file can get the number of an output');
      assert.equal(rig.sessions(), [session], `${own} ended with its only client`);
      rig.write('a.txt', 'two\n');
      await second.request('checkpoint/create', { session, ...turn });
      const third = await joined(rig, session);
      await second.close();
      await third.request('checkpoint/create', { session, ...turn });
      assert.is(first.process.exitCode, null);
      await third.close();
      assert.equal(await first.exit(), { code, signal: null }, first.stderr);
      await rig.emptied();
      assert.equal(rig.children(), []);
    }));
}

test('a session stays open if the first client leaves while another client is opening it', () =>
  withRig(async (rig) => {
    const first = await rig.start({ command: slowNamesCommand });
    const { session } = await rig.open(first);
    const second = await CheckpointdClient.attach(socketOf(rig, session));
    for (let file = 0; file < 40; file += 1) rig.write(`slow-${file}`, `${file}\n`);
    const opening = second.request('session/open', { workspace: rig.work, conversationId: 'its own' });
    await until('the opening has begun', () => rig.sessions().length === 2);
    await first.request('shutdown', {});
    first.notify('exit');
    const opened = await opening;
    await until('the output to the first client is closed', () => first.process.stdout.readableEnded);
    await second.request('checkpoint/create', { session: opened.session, ...turn });
    assert.equal(rig.sessions(), [opened.session]);
    await second.close();
    assert.is((await first.exit()).code, 0);
    await rig.emptied();
  }));

test('if a client is killed, the sessions of other clients stay open', () =>
  withRig(async (rig) => {
    const first = await rig.start();
    const { session } = await rig.open(first);
    const program = `
      import { CheckpointdClient } from ${JSON.stringify(new URL('../../src/client/client.js', import.meta.url).href)};
      const client = await CheckpointdClient.attach(${JSON.stringify(socketOf(rig, session))});
      await client.request('session/open', ${JSON.stringify({ workspace: rig.work, conversationId: 'conversation' })});
      process.kill(process.pid, 'SIGKILL');`;
    const killed = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    assert.is(killed.signal, 'SIGKILL', killed.stderr);
    await first.request('checkpoint/create', { session, ...turn });
    await until('its share is given up', () => /ends: endOfInput, exit code 1/.test(rig.logText()));
    assert.is((await first.close()).code, 0);
    await rig.emptied();
  }));

test('if the client that started a daemon leaves, the daemon continues for the other clients', () =>
  withRig(async (rig) => {
    const starter = await CheckpointdClient.start({ args: rig.args(), env: rig.environment });
    const { session } = await starter.request('session/open', {
      workspace: rig.work,
      conversationId: 'conversation',
    });
    const second = await joined(rig, session);
    assert.is(await starter.close(), null);
    await second.request('checkpoint/create', { session, ...turn });
    await second.close();
    await until('the daemon has ended', () => rig.stored().length === 0 && !isListening(rig));
  }));

function isListening(rig: DaemonRig): boolean {
  return readdirSync(join(rig.runtime, 'checkpointd')).length > 0;
}

test('the command `daemon` serves every client, and exits after the last client has left', () =>
  withRig(async (rig) => {
    const daemon = rig.run(['daemon', ...rig.args(), '--idle-minutes=0.005']);
    await until('the daemon listens', () => /listening on .*\n/.test(daemon.stdout));
    const [, socket] = /listening on (.*)\n/.exec(daemon.stdout) ?? [];
    const client = await CheckpointdClient.attach(socket ?? '');
    const { session } = await client.request('session/open', { workspace: rig.work });
    await client.request('checkpoint/create', { session, ...turn });
    await delay(400); // This wait is longer than the idle time, but a daemon with a client does not count as idle.
    await client.request('checkpoint/create', { session, ...turn });
    await client.close();
    assert.is(await daemon.code, 0);
    assert.equal(rig.sessions(), []);
  }));

test('the socket of a daemon is private, and a daemon with --no-listen opens no socket', () =>
  withRig(async (rig) => {
    const first = await rig.start();
    const { session } = await rig.open(first);
    const socket = socketOf(rig, session);
    assert.is(statSync(socket).mode & 0o777, 0o600);
    assert.is(statSync(join(rig.runtime, 'checkpointd')).mode & 0o777, 0o700);
    await first.close();
    const second = await rig.start({ args: ['--no-listen'] });
    const again = await rig.open(second);
    assert.is(socketOf(rig, again.session), undefined);
    assert.equal(readdirSync(join(rig.runtime, 'checkpointd')), []);
    await second.close();
    assert.not(existsSync(socket));
  }));

test('a daemon with --no-watch watches the work tree after a second client has opened the session', () =>
  withRig(async (rig) => {
    const first = await rig.start({ args: ['--no-watch'] });
    const { session } = await rig.open(first);
    rig.write('a.txt', 'one\n');
    const alone = await first.request('checkpoint/create', { session, ...turn });
    const { watcher } = await first.request('session/get', { session });
    assert.equal([watcher.state, alone.capture.reason], ['off', 'unwatched']);
    const second = await joined(rig, session);
    const status = (): Promise<WorktreeStatusResult> => second.request('worktree/status', { session });
    await until('the watcher is live', async () => (await status()).state === 'live');
    rig.write('a.txt', 'two\n');
    await until('the watcher reports the change', async () => (await status()).dirtyPaths > 0);
    await second.close();
    await first.close();
  }));

test.run();
