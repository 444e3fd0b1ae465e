// Tests how many files a restore reads in its own captures.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withSessions } from '../support/session-rig.ts';
import { until } from '../support/until.ts';

test('a restore makes captures, and each of these captures reads only changed files', () =>
  withSessions(async (rig) => {
    for (const path of ['a/f', 'b/c/f', 'd']) rig.write(path, 'one\n');
    const session = await rig.open();
    const alive = setInterval(() => undefined, 1000); // keeps the process alive, which a watcher does not
    const counts = async (): Promise<unknown> =>
      (await rig.request('worktree/status', { session: session.id })).captures;
    const restore = async (): Promise<void> => {
      await rig.request('checkpoint/restore', { session: session.id, tag: '0', mode: 'hard' });
    };
    try {
      await until('the work tree is watched', () => session.enabled?.capture.isWatched === true);
      const first = { reason: 'first', count: 1 };
      assert.equal(await counts(), { fast: 0, cold: [first] });
      rig.write('a/f', 'two\n');
      rig.write('b/new', 'two\n');
      await restore();
      assert.equal([rig.read('a/f'), existsSync(join(rig.work, 'b/new'))], ['one\n', false]);
      assert.equal(await counts(), { fast: 2, cold: [first] });
      rig.write('a/f', 'three\n');
      await rig.request('checkpoint/revert', { session: session.id, from: '0' });
      assert.is(rig.read('a/f'), 'one\n');
      assert.equal(await counts(), { fast: 5, cold: [first] }, 'a revert looks once more, to merge');
      session.enabled?.capture.requireFullScan();
      rig.write('a/f', 'three\n');
      await restore();
      assert.is(rig.read('a/f'), 'one\n');
      const cold = (await rig.request('worktree/status', { session: session.id })).captures?.cold;
      assert.ok(
        cold?.some(({ reason }) => reason === 'unwatched'),
        JSON.stringify(cold),
      );
    } finally {
      clearInterval(alive);
    }
  }));

test.run();
