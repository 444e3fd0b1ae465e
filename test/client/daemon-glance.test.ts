// A look at a daemon that runs: what it answers, and every way in which it does not.
import { mkdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdGoneError, CheckpointdRequestError } from '../../src/client/client-error.ts';
import { DaemonGlance } from '../../src/client/daemon-glance.ts';
import { storedSessions } from '../../src/client/stored-sessions.ts';
import { withRig } from '../support/daemon-rig.ts';
import { frameOf } from '../support/frames.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const info = { name: 'test' };

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
  const directory = join(temporaryDirectory('glance'), 'run');
  mkdirSync(directory, { mode: 0o700 });
  const path = join(directory, 'd.sock');
  const server = createServer((socket) => onClient(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return { server, path };
}

test('an open session is read without being opened; one that is not open is refused', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const { socket = '' } = storedSessions(rig.storage)[0] ?? {};
    const glance = new DaemonGlance(socket, info);
    const { checkpoints } = await glance.ask('checkpoint/list', { session });
    assert.equal(
      checkpoints.map(({ tag }) => tag),
      ['0'],
    );
    assert.is((await glance.server()).serverInfo.name, 'checkpointd');
    const unknown = await failure(glance.ask('checkpoint/list', { session: 'ses_none' }));
    assert.is((unknown as CheckpointdRequestError).kind, 'UnknownSession');
    assert.is((await client.close()).code, 0);
    assert.equal(rig.stored(), [], 'nobody held the session any more');
    await failure(glance.ask('checkpoint/list', { session }));
    glance.leave();
  }));

test('who hangs up, sends noise or no message, or leaves is gone', async () => {
  const replies = [
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.write('noise\n'),
    (socket: Socket) => socket.write(frameOf('"text"')),
    (socket: Socket) => socket.write('Content-Length: 1\r\n\r\n\xff', 'latin1'),
    () => undefined,
  ];
  for (const reply of replies) {
    const { server, path } = await listening((socket) => socket.once('data', () => reply(socket)));
    const glance = new DaemonGlance(path, info);
    const asked = failure(glance.ask('session/list', {}));
    if (reply === replies.at(-1)) glance.leave();
    assert.instance(await asked, CheckpointdGoneError);
    assert.instance(await failure(glance.server()), CheckpointdGoneError);
    assert.instance(await failure(glance.ask('session/list', {})), CheckpointdGoneError);
    glance.leave();
    await new Promise((resolve) => server.close(resolve));
  }
  const { server, path } = await listening(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  assert.throws(() => new DaemonGlance(path, info), /there is nothing/);
});

test('a daemon that does not answer is waited for no longer than two seconds', async () => {
  const { server, path } = await listening((socket) => socket.resume());
  const glance = new DaemonGlance(path, info);
  assert.match((await failure(glance.ask('session/list', {}))).message, /did not answer within 2000 ms/);
  await new Promise((resolve) => server.close(resolve));
});

test.run();
