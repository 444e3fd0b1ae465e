// Tests details of the reference: rare fields, parameters that exclude each other, and the order of paths in a dry run.
// Every test with a session also checks that the daemon sends nothing undeclared.
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf } from '../support/wire-client.ts';
import { WireSession, withSession } from '../support/wire-session.ts';

test('checkpoint/stats refuses "tag" together with "from" and "to"', () =>
  withSession(async (rig) => {
    await rig.request('checkpoint/create', { kind: 'turn' });
    const both = rig.request('checkpoint/stats', { tag: '1', from: '0', to: '1' });
    assert.is((await failureOf(both)).kind, 'InvalidParams');
  }));

test('the daemon reports context patterns that match nothing, and unreadable context files', () =>
  withSession(async (rig) => {
    rig.write('b.md', 'b\n');
    const { context } = await rig.request('conversation/addContext', { paths: ['b.md', 'none.md'] });
    assert.equal(context.unmatched, ['none.md']);
    const without = await rig.request('conversation/removeContext', { paths: ['none.md'] });
    assert.is(without.context.unmatched, undefined);
    if (process.getuid?.() === 0) return; // root reads everything
    chmodSync(join(rig.places.workTree, 'b.md'), 0);
    const built = await rig.request('conversation/context', { message: true });
    assert.equal(built.unreadable, ['b.md']);
    assert.is(built.warnings?.length, 1);
  }));

test('a dry run of a restore lists the paths in the same order as the restore', () =>
  withSession(async (rig) => {
    for (const path of ['z/1', 'a/2', 'a.txt', 'm', 'a/1', 'B']) rig.write(path, 'later\n');
    const restore = (dryRun: boolean): Promise<readonly unknown[]> =>
      rig
        .request('checkpoint/restore', { tag: '0', mode: 'hard', dryRun })
        .then(({ restored, deleted, counts }) => {
          return [restored, deleted, counts];
        });
    const foreseen = await restore(true);
    assert.equal(
      foreseen[1],
      ['B', 'a/1', 'a/2', 'm', 'z/1'].map((path) => ({ path })),
    );
    assert.equal(await restore(false), foreseen);
  }));

test('a conflict names the author of the edit; the history of a path names the session that wrote the file', () =>
  withSession(async (rig) => {
    const { session: other } = await rig.client.request('session/open', {
      workspace: rig.places.workTree,
      conversationId: 'other',
    });
    rig.write('a.txt', 'by the other agent\n');
    await rig.client.request('ledger/recordWrite', { session: other, path: 'a.txt' });
    rig.write('b.txt', 'by hand\n');
    await rig.request('checkpoint/create', { kind: 'turn' });
    rig.write('b.txt', 'by hand again\n');
    const { conflicts } = await rig.request('checkpoint/restore', { tag: '1', mode: 'hard' });
    assert.equal(conflicts, [{ path: 'b.txt', author: 'user' }]);
    const { entries } = await rig.request('ledger/history', { path: 'a.txt' });
    const theirs = entries.find(({ author }) => author === 'session');
    assert.is(theirs?.session, other);
  }));

test('a restore reports that the work tree is gone', () =>
  withSession(async (rig) => {
    rmSync(rig.places.workTree, { recursive: true });
    assert.is((await failureOf(rig.request('checkpoint/restore', { tag: '0' }))).kind, 'WorkTreeMissing');
  }));

test('if another process has the session open, the error of session/open names the process (Q15)', () =>
  withSession(async (rig) => {
    const second = new WireSession(rig.places);
    try {
      const { kind, data } = await failureOf(second.open());
      assert.is(kind, 'StoreBusy');
      const holder = data?.details?.['holder'] as { readonly pid: number; readonly host: string };
      assert.is(holder.pid, rig.client.process.pid);
      assert.type(holder.host, 'string');
    } finally {
      await second.client.kill();
    }
  }));

test.run();
