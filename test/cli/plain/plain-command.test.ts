// `list` and the tags that a shell asks for, answered by the daemon that has the session open.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';

async function run(rig: DaemonRig, ...words: string[]): Promise<string> {
  const program = rig.run([...words, `--storage=${rig.storage}`]);
  assert.is(await program.code, 0, program.stderr);
  return program.stderr + program.stdout;
}

test('what an open session holds is told as by any command, and nothing is opened for it', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, kind: 'turn', message: 'one', name: 'first' });
    assert.is(await run(rig, 'complete-tags'), '0\n1\nfirst\n');
    const plain = await run(rig, 'list');
    assert.match(plain, /^\[0\].*\n\[1\].* one \(first\) {2}\(here\)\n$/);
    // A path as `-Cdirectory` is left to the library of the command line.
    assert.is(await run(rig, 'list', `-C${rig.work}`), plain);
    assert.is(await run(rig, 'list', '--session', session.slice(0, 10)), plain);
    await client.close();
    const opened = readFileSync(rig.log, 'utf8').match(/session\/open/g);
    assert.is(opened?.length, 2, 'by the editor, and for -Cdirectory');
  }));

test('of several sessions of a work tree the choice is told, once', () =>
  withRig(async (rig) => {
    const client = await rig.start();
    await rig.open(client, { conversationId: 'one' });
    await rig.open(client, { conversationId: 'two' });
    const told = await run(rig, 'list');
    assert.is(told.match(/2 sessions of .* this is the one used last, ses_/g)?.length, 1, told);
    assert.match(told, /^\[0\]/m);
    assert.is(await run(rig, 'list', '-C', join(rig.work, 'deep')), told);
    await client.close();
  }));

test('a directory that is not there is refused as by any command', () =>
  withRig(async (rig) => {
    const { client } = await rig.opened();
    const words = ['list', '-C', 'nowhere', `--storage=${rig.storage}`];
    const [plain, read] = [rig.run(words), rig.run(['list', `--storage=${rig.storage}`, '-Cnowhere'])];
    assert.equal([await plain.code, await read.code], [2, 2]);
    assert.match(plain.stderr, /^checkpointd: .*nowhere is no directory/);
    assert.is(plain.stderr, read.stderr);
    await client.close();
  }));

test.run();
