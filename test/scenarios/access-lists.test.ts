// Tests that a restore gives no user new rights, even to files with access control lists (setfacl(1)). Without setfacl,
// or without support by the file system, the tests are skipped with a message.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { restoreSite } from '../../src/session/restores.ts';
import { operation, SessionRig, withSessions } from '../support/session-rig.ts';

process.umask(0o022);
const probe = new SessionRig();
const isAvailable = spawnSync('setfacl', ['-m', 'u:65534:r', probe.work]).status === 0;
await probe.dispose();
const listTest = (title: string, body: () => Promise<void>): void => {
  const skip = (): void => console.error(`NOT TRIED, setfacl(1) or access lists are not here: ${title}`);
  test(title, isAvailable ? body : skip);
};

const setfacl = (rig: SessionRig, path: string, ...args: string[]): void => {
  execFileSync('setfacl', [...args, join(rig.work, path)]);
};
const modeOf = (rig: SessionRig, path: string): string =>
  (statSync(join(rig.work, path)).mode & 0o777).toString(8);

/** True if the access list of a file gives a right to any named user. */
const named = (rig: SessionRig, path: string): string[] =>
  execFileSync('getfacl', ['-cpn', '-e', join(rig.work, path)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => /^(user|group):\d+:/.test(line) && !line.includes('#effective:---'));

async function turn(rig: SessionRig, session: string): Promise<void> {
  await rig.request('checkpoint/create', { session, kind: 'turn' });
}

listTest('if only one named user may read a file, the group cannot read it after a restore', () =>
  withSessions(async (rig) => {
    const { id } = await rig.open();
    for (const [path, mode] of [
      ['secret', 0o600],
      ['shared', 0o640],
      ['sub/gone', 0o600],
    ] as const) {
      rig.write(path, `${path} one\n`);
      chmodSync(join(rig.work, path), mode);
      setfacl(rig, path, '-m', 'u:65534:rw');
      assert.is(modeOf(rig, path), '660', 'the bits are those of the mask');
    }
    await turn(rig, id);
    for (const path of ['secret', 'shared']) rig.write(path, `${path} two\n`);
    rmSync(join(rig.work, 'sub'), { recursive: true });
    await turn(rig, id);
    await rig.request('checkpoint/restore', { session: id, tag: '1', mode: 'hard' });
    for (const path of ['secret', 'shared', 'sub/gone']) {
      assert.is(rig.read(path), `${path} one\n`);
      assert.is(modeOf(rig, path), '600', path);
    }
    assert.ok(
      rig.logged.some((line) => line.startsWith('warn ') && line.includes('have access lists')),
      'the client is told when they are captured',
    );
  }),
);

listTest('if only one named user may enter a directory, the group cannot enter it after a restore', () =>
  withSessions(async (rig) => {
    const { id } = await rig.open();
    rig.write('private/file', 'one\n');
    chmodSync(join(rig.work, 'private'), 0o700);
    setfacl(rig, 'private', '-m', 'u:65534:rwx');
    await turn(rig, id);
    rmSync(join(rig.work, 'private'), { recursive: true });
    await turn(rig, id);
    await rig.request('checkpoint/restore', { session: id, tag: '1', mode: 'hard' });
    assert.is(rig.read('private/file'), 'one\n');
    assert.is(modeOf(rig, 'private'), '700');
  }),
);

listTest(
  'if an access list was added after the capture, restoring permission bits gives the listed users no rights',
  () =>
    withSessions(async (rig) => {
      const session = await rig.open();
      const { id } = session;
      for (const path of ['d/new', 'd/kept', 'd/replaced']) {
        rig.write(path, `${path} one\n`);
        chmodSync(join(rig.work, path), 0o640);
      }
      mkdirSync(join(rig.work, 'd/deep'));
      rig.write('d/deep/file', 'one\n');
      chmodSync(join(rig.work, 'd/deep'), 0o750);
      await turn(rig, id);
      setfacl(rig, 'd', '-d', '-m', 'u:65534:rwx'); // new files in this directory now get an access list
      for (const path of ['d/kept', 'd/replaced']) {
        chmodSync(join(rig.work, path), 0o600);
        setfacl(rig, path, '-m', 'u:65534:r');
        chmodSync(join(rig.work, path), 0o600); // no named user has any right
      }
      rig.write('d/replaced', 'two\n');
      rmSync(join(rig.work, 'd/new'));
      rmSync(join(rig.work, 'd/deep'), { recursive: true });
      await turn(rig, id);
      const warnings: string[] = [];
      const checkpoints = session.requireCheckpoints();
      const { executeJob } = await import('../../src/restore/restore.ts');
      await executeJob(
        restoreSite(session),
        {
          target: checkpoints.index.resolve('1'),
          mode: 'hard',
          scope: 'files',
          onConflict: 'overwrite',
          parent: undefined,
          step: 'restore',
          description: 'test',
          confirm: true,
          dryRun: false,
        },
        { ...operation(), warn: (message) => void warnings.push(message) },
      );
      for (const path of ['d/new', 'd/kept', 'd/replaced']) {
        assert.is(rig.read(path), `${path} one\n`);
        assert.equal(named(rig, path), [], path);
      }
      assert.equal(named(rig, 'd/deep'), [], 'd/deep');
      assert.is(rig.read('d/deep/file'), 'one\n');
      for (const path of ['d/new', 'd/kept', 'd/replaced', 'd/deep'])
        assert.ok(warnings.join().includes(`"${path}"`), `${path} is told in ${warnings.join()}`);
    }),
);

test('if access lists cannot be read, the group of a restored file gets only rights that all users have', () =>
  withSessions(async (rig) => {
    const { id } = await rig.open();
    rig.write('shared', 'one\n');
    chmodSync(join(rig.work, 'shared'), 0o640);
    rig.write('usual', 'one\n');
    await turn(rig, id);
    rig.write('usual', 'two\n');
    rmSync(join(rig.work, 'shared'));
    installFault((call, target) => {
      if (call === 'spawn' && target === 'xargs')
        throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    });
    try {
      await rig.request('checkpoint/restore', { session: id, tag: '1', mode: 'hard' });
    } finally {
      installFault(undefined);
    }
    assert.is(modeOf(rig, 'shared'), '600');
    assert.is(modeOf(rig, 'usual'), '644', 'no list is read where others may do the same');
  }));

test('a restored file without an access list keeps its permission bits for the group', () =>
  withSessions(async (rig) => {
    const { id } = await rig.open();
    rig.write('shared', 'one\n');
    chmodSync(join(rig.work, 'shared'), 0o640);
    await turn(rig, id);
    rmSync(join(rig.work, 'shared'));
    await turn(rig, id);
    await rig.request('checkpoint/restore', { session: id, tag: '1', mode: 'hard' });
    assert.is(modeOf(rig, 'shared'), '640');
  }));

test.run();
