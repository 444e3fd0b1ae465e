// Tests strategy local in the whole daemon if the user's repository disappears or belongs to another user. The errors
// say what to do, and requests change nothing.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asNobody, withRig } from '../../support/daemon-rig.ts';
import type { WireFailure } from '../../support/frames.ts';
import { failureOf } from '../../support/wire-client.ts';

/** Returns the parts of a failure that a client sees: the kind, the effects and the message. */
const told = ({ data, message }: WireFailure): string => `${data?.kind} ${data?.effects}: ${message}`;

test('if .git is removed while a session is open, every method reports this and changes nothing', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ strategy: 'local', retention: 'keep' });
    rig.write('a.txt', 'two\n');
    await client.request('checkpoint/create', { session, kind: 'turn' });
    rig.write('a.txt', 'three\n');
    const git = join(rig.work, '.git');
    const away = join(rig.top, 'git-of-before');
    cpSync(git, away, { recursive: true });
    const gone = join(rig.top, 'git-that-goes');
    renameSync(git, gone); // in one step, because the daemon may write objects into the repository at the same time
    rmSync(gone, { recursive: true });
    const requests = [
      ['checkpoint/init', {}],
      ['checkpoint/create', { kind: 'turn' }],
      ['checkpoint/restore', { tag: '0', mode: 'hard' }],
      ['checkpoint/restore', { tag: '0', dryRun: true }],
      ['checkpoint/diff', { from: '0', to: '1' }],
      ['checkpoint/readFile', { tag: '0', path: 'a.txt' }],
      ['store/gc', {}],
      ['store/verify', {}],
    ] as const;
    for (const [method, params] of requests) {
      const text = told(await failureOf(client.send(method, { session, ...params }).answer));
      assert.match(text, /^StoreCorrupt none: .*(?:checkpoint\/init|[Pp]ut it back)/s, text);
    }
    await client.request('conversation/get', { session });
    assert.is(rig.read('a.txt'), 'three\n');
    assert.equal(readdirSync(rig.work).includes('.git'), false, 'nothing new in its place');
    await client.close();
    cpSync(away, git, { recursive: true });
    const again = await rig.opened({ strategy: 'local', retention: 'keep' });
    await again.client.request('checkpoint/restore', { session: again.session, tag: '0', mode: 'hard' });
    assert.is(rig.read('a.txt'), 'a\n');
    await again.client.close();
  }));

test('a session whose .git is gone can be closed without a warning', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ strategy: 'local', retention: 'keep' });
    rmSync(join(rig.work, '.git'), { recursive: true, maxRetries: 5 });
    const closed = await client.request('session/close', { session });
    assert.equal([closed.removed, closed.warnings], [false, undefined]);
    await client.close();
  }));

test('if .git was removed between two runs, the conversation stays, and checkpoint/init makes a new first checkpoint', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened({ strategy: 'local', retention: 'keep' });
    await client.request('conversation/append', {
      session,
      entry: { user: { content: 'u' }, assistant: { content: 'a' } },
    });
    await client.request('checkpoint/create', { session, kind: 'turn' });
    await client.close();
    rmSync(join(rig.work, '.git'), { recursive: true });
    const again = await rig.start();
    const opened = await rig.open(again, { strategy: 'local', retention: 'keep' });
    const { enabled, reason, message = '' } = opened.checkpoints;
    assert.equal([opened.session, opened.resumed, enabled, reason], [session, true, false, 'StoreCorrupt']);
    assert.match(message, /held 2 checkpoints.*checkpoint\/init/);
    assert.is((await again.request('conversation/get', { session })).historyLength, 1);
    assert.equal(readdirSync(rig.work).includes('.git'), false, 'nothing new in its place');
    const anew = await again.request('checkpoint/init', { session });
    assert.equal([anew.initialized, anew.checkpoints.enabled, anew.base.tag], [true, true, '0']);
    rig.write('a.txt', 'two\n');
    await again.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.is(rig.read('a.txt'), 'a\n');
    await again.close();
  }));

for (const how of ['owned by another user', 'made unwritable'] as const)
  test(`while the repository’s objects are ${how}, create and restore change nothing, and the error says what to do`, () =>
    withRig(async (rig) => {
      if (process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).status !== 0) {
        console.log('skipped: needs root and setpriv to run the daemon as another user');
        return;
      }
      spawnSync('chown', ['-R', '65534:65534', rig.top]);
      const objects = join(rig.work, '.git', 'objects');
      const client = await rig.start({ command: asNobody });
      const { session } = await rig.open(client, { strategy: 'local' });
      rig.write('a.txt', 'two\n');
      const each = (mode: number): void => {
        chmodSync(objects, mode);
        for (const name of readdirSync(objects)) chmodSync(join(objects, name), mode);
      };
      if (how === 'made unwritable') each(0o555);
      else spawnSync('chown', ['-R', '0:0', objects]);
      const { checkpoints: before } = await client.request('checkpoint/list', { session, kind: 'every' });
      for (const [method, params] of [
        ['checkpoint/create', { kind: 'turn' }],
        ['checkpoint/restore', { tag: '0', mode: 'hard' }],
      ] as const) {
        const text = told(await failureOf(client.send(method, { session, ...params }).answer));
        assert.match(text, /^ReadOnlyStore none: .*sudo chown -R "\$USER" \.git/);
      }
      const { checkpoints: after } = await client.request('checkpoint/list', { session, kind: 'every' });
      assert.equal(after, before);
      assert.is(rig.read('a.txt'), 'two\n');
      if (how === 'made unwritable') each(0o755);
      else spawnSync('chown', ['-R', '65534:65534', objects]);
      assert.ok((await client.request('checkpoint/create', { session, kind: 'turn' })).created);
      await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
      assert.is(rig.read('a.txt'), 'a\n');
      await client.close();
    }));

test.run();
