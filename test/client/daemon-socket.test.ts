// Tests that a client refuses a socket that another user could have made. Otherwise another user could read all data of
// the client.
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdClient, CheckpointdGoneError } from '../../src/client/client.ts';
import { temporaryDirectory } from '../support/temporary.ts';

async function refusal(path: string): Promise<string> {
  try {
    await CheckpointdClient.attach(path);
  } catch (error) {
    if (error instanceof CheckpointdGoneError) return error.message;
    throw error;
  }
  throw new Error('the client spoke to it');
}

test('a client refuses a socket that belongs to another user or lies in a directory that other users can write to', async () => {
  const top = temporaryDirectory('client-socket');
  const directory = join(top, 'run');
  mkdirSync(directory, { mode: 0o700 });
  const path = join(directory, 'd.sock');
  let calls = 0;
  const server = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  assert.match(await refusal(path), /closed the connection/);
  assert.is(calls, 1);
  chmodSync(directory, 0o777);
  assert.match(await refusal(path), /open to other users/);
  chmodSync(directory, 0o700);
  symlinkSync(directory, join(top, 'link'));
  assert.match(await refusal(join(top, 'link', 'd.sock')), /is a link/);
  symlinkSync(path, join(directory, 'link.sock'));
  assert.match(await refusal(join(directory, 'link.sock')), /no socket/);
  writeFileSync(join(directory, 'file.sock'), '');
  assert.match(await refusal(join(directory, 'file.sock')), /no socket/);
  assert.match(await refusal(join(directory, 'absent.sock')), /no daemon answers/);
  if (process.getuid?.() === 0) {
    chownSync(directory, 12345, 12345);
    assert.match(await refusal(path), /another user/);
    chownSync(directory, 0, 0);
    chownSync(path, 12345, 12345);
    assert.match(await refusal(path), /another user/);
  }
  assert.is(calls, 1);
  server.close();
});

test.run();
