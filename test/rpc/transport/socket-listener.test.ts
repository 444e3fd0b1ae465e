// Tests the socket on which a daemon listens for further clients. The daemon refuses a directory that is a link,
// belongs to another user or is open to other users. The daemon also refuses a path that is too long for a socket.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../../src/base/log.ts';
import { listenForClients, type SocketListener } from '../../../src/rpc/transport/socket-listener.ts';
import { socketDirectory } from '../../../src/wire/places.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';

const isRoot = process.getuid?.() === 0;

async function listenIn(
  directory: string,
): Promise<{ readonly listener: SocketListener | undefined; readonly logged: string[] }> {
  const logged: string[] = [];
  const log = createLog('debug', [(_, message) => logged.push(message)]);
  const listener = await listenForClients(directory, (socket) => socket.end('hello'), log);
  return { listener, logged };
}

function heard(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(path);
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

async function refusal(directory: string): Promise<string> {
  const { listener, logged } = await listenIn(directory);
  assert.is(listener, undefined);
  assert.is(logged.length, 1);
  return logged[0] ?? '';
}

test('a daemon listens in its own private directory, and leaves no socket behind', async () => {
  const directory = join(temporaryDirectory('sockets'), 'run');
  const { listener } = await listenIn(directory);
  assert.is(await heard(listener?.path ?? ''), 'hello');
  listener?.close();
  assert.equal(readdirSync(directory), []);
});

test('a link in place of the directory for sockets is refused, wherever it leads', async () => {
  const top = temporaryDirectory('sockets');
  mkdirSync(join(top, 'real'), { mode: 0o700 });
  symlinkSync(join(top, 'real'), join(top, 'run'));
  assert.match(await refusal(join(top, 'run')), /is a link/);
  symlinkSync(join(top, 'nothing'), join(top, 'dangling'));
  assert.match(await refusal(join(top, 'dangling')), /does not listen .* Everything else works/);
  assert.equal(readdirSync(join(top, 'real')), []);
});

test('a daemon refuses a directory for sockets that is open to other users or belongs to another user', async () => {
  const top = temporaryDirectory('sockets');
  mkdirSync(join(top, 'open'));
  chmodSync(join(top, 'open'), 0o755);
  assert.match(await refusal(join(top, 'open')), /is open to other users \(mode 0755/);
  if (!isRoot) return; // only root can give a directory away
  mkdirSync(join(top, 'theirs'), { mode: 0o700 });
  chownSync(join(top, 'theirs'), 12345, 12345);
  assert.match(await refusal(join(top, 'theirs')), /belongs to another user/);
});

test('if a path is too long for a socket, the error says what to do', async () => {
  const directory = join(temporaryDirectory('sockets'), 'long'.repeat(25));
  assert.match(
    await refusal(directory),
    /bytes, and the path of a socket has at most \d+\. Set XDG_RUNTIME_DIR/,
  );
  assert.not(existsSync(directory));
});

test('a daemon removes the sockets of dead daemons, but keeps new sockets and the sockets of living daemons', async () => {
  const directory = join(temporaryDirectory('sockets'), 'run');
  mkdirSync(directory, { mode: 0o700 });
  const die = (name: string): void => {
    const program = `require('net').createServer().listen(${JSON.stringify(join(directory, name))}, () => process.kill(process.pid, 'SIGKILL'))`;
    assert.is(spawnSync(process.execPath, ['-e', program]).signal, 'SIGKILL');
  };
  die('1-0000000a.sock');
  die('1-0000000b.sock');
  const living = createServer();
  await new Promise<void>((resolve) => living.listen(join(directory, '1-0000000c.sock'), resolve));
  const longAgo = new Date(Date.now() - 120_000);
  for (const name of ['1-0000000a.sock', '1-0000000c.sock'])
    utimesSync(join(directory, name), longAgo, longAgo);
  const { listener } = await listenIn(directory);
  await until(
    'the socket of the dead daemon is removed',
    () => !existsSync(join(directory, '1-0000000a.sock')),
  );
  assert.ok(existsSync(join(directory, '1-0000000b.sock')), 'it is young');
  assert.ok(existsSync(join(directory, '1-0000000c.sock')), 'a daemon listens there');
  listener?.close();
  living.close();
});

test('the directory for sockets is in $XDG_RUNTIME_DIR or, if this belongs to another user, in the storage', () => {
  const runtime = temporaryDirectory('runtime');
  assert.is(socketDirectory('/storage/run', { XDG_RUNTIME_DIR: runtime }), join(runtime, 'checkpointd'));
  for (const other of [undefined, '', 'relative', join(runtime, 'absent')])
    assert.is(socketDirectory('/storage/run', { XDG_RUNTIME_DIR: other }), '/storage/run');
  if (!isRoot) return;
  chownSync(runtime, 12345, 12345);
  assert.is(socketDirectory('/storage/run', { XDG_RUNTIME_DIR: runtime }), '/storage/run');
});

test.run();
