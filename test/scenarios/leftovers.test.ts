// Tests that a restore leaves no temporary file in the work tree. If a restore cannot remove a file, it reports the
// path.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

const temporaries = (rig: SessionRig): string[] =>
  readdirSync(rig.work, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('.ckpt-'));

/** Makes two turns. `d/kind` and `e/kind` are files in turn 1, and directories in turn 2. */
async function opened(rig: SessionRig): Promise<string> {
  const { id } = await rig.open();
  for (const name of ['d', 'e']) {
    for (const n of [1, 2, 3]) rig.write(`${name}/${n}`, `${name} ${n} one\n`);
    rig.write(`${name}/kind`, 'a file\n');
  }
  await rig.request('checkpoint/create', { session: id, kind: 'turn' });
  for (const name of ['d', 'e']) {
    for (const n of [1, 2, 3]) rig.write(`${name}/${n}`, `${name} ${n} two\n`);
    rmSync(join(rig.work, name, 'kind'));
    rig.write(`${name}/kind/of`, 'in a directory\n');
    rig.write(`${name}/kind/other`, 'in a directory\n');
  }
  await rig.request('checkpoint/create', { session: id, kind: 'turn' });
  return id;
}

test('a restore leaves no temporary file in the work tree, even if a directory is replaced during any step', async () => {
  let exchanges = 0;
  for (let n = 1; (await exchangedAt(n)) === 1; n += 7) exchanges += 1;
  assert.ok(exchanges > 6, `${exchanges} exchanges`);
});

/** Swaps two directories at the n-th step of a restore. Returns the number of swaps. */
async function exchangedAt(n: number): Promise<number> {
  let exchanges = 0;
  await withSessions(async (rig) => {
    const session = await opened(rig);
    let steps = 0;
    installFault((call, target) => {
      if (!target.startsWith('/proc/self/fd/') || !/^(open|rename|link|unlink|mkdir)$/.test(call)) return;
      if (!existsSync(join(rig.storage, session, 'checkpointd', 'restore.json'))) return;
      steps += 1;
      if (steps !== n) return;
      exchanges += 1;
      const [d, e, x] = ['d', 'e', 'x'].map((name) => join(rig.work, name)) as [string, string, string];
      renameSync(d, x);
      renameSync(e, d);
      renameSync(x, e);
    });
    try {
      await rig.request('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    } finally {
      installFault(undefined);
    }
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    assert.equal(temporaries(rig), [], `exchanged at step ${n}`);
  });
  return exchanges;
}

test('a restore keeps a directory with an immutable file, as the dry run says', () =>
  withSessions(async (rig) => {
    const session = await opened(rig);
    const locked = join(rig.work, 'd/kind/of');
    if (spawnSync('chattr', ['+i', locked]).status !== 0) {
      console.error('NOT TRIED: chattr +i does not work here');
      return;
    }
    try {
      const request = { session, tag: '1', mode: 'hard' } as const;
      const foreseen = await rig.request('checkpoint/restore', { ...request, dryRun: true });
      const done = await rig.request('checkpoint/restore', request);
      assert.equal(done.failed, [{ path: 'd/kind', reason: 'accessDenied' }]);
      assert.equal(foreseen.failed, done.failed);
      assert.equal(foreseen.restored, done.restored);
      assert.is(rig.read('d/kind/of'), 'in a directory\n');
      assert.is(rig.read('d/kind/other'), 'in a directory\n', 'all of it');
      assert.is(rig.read('e/kind'), 'a file\n');
      assert.equal(temporaries(rig), []);
    } finally {
      spawnSync('chattr', ['-i', locked]);
    }
  }));

test('if a file of a moved directory cannot be removed, the path of this file is reported', () =>
  withSessions(async (rig) => {
    const session = await opened(rig);
    installFault((call, target) => {
      if (call === 'unlink' && target.endsWith('/of'))
        throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
    });
    let failed: readonly { readonly path: unknown; readonly reason: string }[] | undefined;
    try {
      ({ failed } = await rig.request('checkpoint/restore', { session, tag: '1', mode: 'hard' }));
    } finally {
      installFault(undefined);
    }
    assert.is(rig.read('d/kind'), 'a file\n');
    assert.is(failed?.length, 2);
    for (const { path, reason } of failed ?? []) {
      assert.is(reason, 'accessDenied');
      assert.match(String(path), /^[de]\/\.ckpt-kept-[^/]+\/kind$/);
      assert.is(rig.read(`${String(path)}/of`), 'in a directory\n');
    }
    assert.not.ok(temporaries(rig).some((path) => path.includes('.ckpt-tmp-')));
    await rig.request('checkpoint/create', { session, kind: 'turn' });
  }));

test.run();
