// Tests a connection to a running daemon: its answers, and every way in which it can fail.
import { mkdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdGoneError, CheckpointdRequestError } from '../../src/client/client-error.ts';
import { DaemonConnection } from '../../src/client/connection.ts';
import { DaemonSocket } from '../../src/client/daemon-socket.ts';
import { storedSessions } from '../../src/client/stored-sessions.ts';
import { withRig } from '../support/daemon-rig.ts';
import { frameOf } from '../support/frames.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const initialize = { processId: process.pid, capabilities: { checkpointd: { events: [] } } };
const connected = (path: string): DaemonConnection => new DaemonConnection(new DaemonSocket(path));

async function failure(asked: Promise<unknown>): Promise<Error> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof CheckpointdGoneError || error instanceof CheckpointdRequestError) return error;
    throw error;
  }
  throw new Error('it was answered');
}

/** Listens in a private directory. */
async function listening(onClient: (socket: Socket) => void): Promise<{ server: Server; path: string }> {
  const directory = join(temporaryDirectory('connection'), 'run');
  mkdirSync(directory, { mode: 0o700 });
  const path = join(directory, 'd.sock');
  const server = createServer((socket) => onClient(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { server, path };
}

test('a client may send requests before initialize and session/open are answered; the answers come in order', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const { socket = '' } = storedSessions(rig.storage)[0] ?? {};
    const connection = connected(socket);
    const hello = connection.request('initialize', initialize);
    void connection.notify('initialized', {});
    const { checkpoints } = await connection.request('checkpoint/list', { session });
    assert.equal(
      checkpoints.map(({ tag }) => tag),
      ['0'],
    );
    assert.is((await hello).serverInfo.name, 'checkpointd');
    const unknown = await failure(connection.request('checkpoint/list', { session: 'ses_none' }));
    assert.is((unknown as CheckpointdRequestError).kind, 'UnknownSession');
    assert.is((await client.close()).code, 0);
    await rig.emptied(); // no client had the session any more
    await failure(connection.request('checkpoint/list', { session }));
    connection.leave();
  }));

test('a connection ends when its socket closes or delivers an invalid message', async () => {
  const replies = [
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.write('noise\n'),
    (socket: Socket) => socket.write(frameOf('"text"')),
    (socket: Socket) => socket.write('Content-Length: 1\r\n\r\n\xff', 'latin1'),
    () => undefined,
  ];
  for (const reply of replies) {
    const { server, path } = await listening((socket) => socket.once('data', () => reply(socket)));
    const connection = connected(path);
    const asked = failure(connection.request('session/list', {}));
    if (reply === replies.at(-1)) connection.leave();
    assert.instance(await asked, CheckpointdGoneError);
    assert.instance(await failure(connection.request('session/list', {})), CheckpointdGoneError);
    assert.instance(await failure(connection.notify('initialized', {})), CheckpointdGoneError);
    connection.leave();
    await new Promise((resolve) => server.close(resolve));
  }
  const { server, path } = await listening(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  assert.match((await failure(connected(path).request('session/list', {}))).message, /closed the connection/);
});

test('a request resolves before a later event is handled; an answer right before the end of the connection still arrives', async () => {
  const message = (more: object): Buffer => frameOf(JSON.stringify({ jsonrpc: '2.0', ...more }));
  const answer = (id: number): Buffer => message({ id, result: { sessions: [] } });
  const event = message({ method: 'session/didOpen', params: {} });
  const { server, path } = await listening((socket) =>
    socket.once('data', () => {
      socket.write(Buffer.concat([answer(1), event]));
      socket.once('data', () => socket.end(answer(2)));
    }),
  );
  const connection = connected(path);
  const told: string[] = [];
  connection.on('session/didOpen', () => told.push('event'));
  await connection.request('session/list', {});
  told.push('answer');
  await until('the event is heard', () => told.length === 2);
  assert.equal(told, ['answer', 'event']);
  assert.equal(await connection.request('session/list', {}), { sessions: [] });
  await new Promise((resolve) => server.close(resolve));
});

test.run();
