// The work tree contains a repository of the user in a directory that is not named .git. A restore in either direction
// keeps later commits of this repository.
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gitEnvironment } from '../../src/git/process/environment.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

function git(rig: SessionRig, ...args: string[]): string {
  return execFileSync('git', args, { cwd: rig.work, encoding: 'utf8', env: gitEnvironment() }).trim();
}

test('a restore loses no commit of a repository whose directory is named .bare', () =>
  withSessions(async (rig) => {
    renameSync(join(rig.work, '.git'), join(rig.work, '.bare'));
    writeFileSync(join(rig.work, '.git'), 'gitdir: ./.bare\n');
    git(rig, 'config', 'core.bare', 'false');
    rig.write('f', 'one');
    const session = (await rig.open()).id;
    const first = await rig.request('checkpoint/create', { session, kind: 'turn' });
    assert.ok(first.skipped?.some(({ path, reason }) => path === '.bare' && reason === 'nestedGitDirectory'));
    rig.write('f', 'two');
    git(rig, 'add', 'f');
    git(rig, 'commit', '-q', '-m', 'since the checkpoint');
    const head = git(rig, 'rev-parse', 'HEAD');
    for (const undo of [false, true]) {
      if (undo) await rig.request('checkpoint/undo', { session });
      else
        await rig.request('checkpoint/restore', { session, tag: first.checkpoint.tag ?? '', mode: 'hard' });
      assert.is(rig.read('f'), undo ? 'two' : 'one');
      assert.is(git(rig, 'rev-parse', 'HEAD'), head);
      git(rig, 'fsck', '--strict');
    }
    assert.is(git(rig, 'status', '--porcelain', '--untracked-files=no'), '');
  }));

test('a restore writes no file into a repository that took the place of an ordinary directory', () =>
  withSessions(async (rig) => {
    for (const name of ['config', 'refs/heads/main', 'objects/info/alternates'])
      rig.write(`.bare/${name}`, 'old\n');
    rig.write('f', 'one');
    const session = (await rig.open()).id;
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    rmSync(join(rig.work, '.bare'), { recursive: true });
    renameSync(join(rig.work, '.git'), join(rig.work, '.bare'));
    writeFileSync(join(rig.work, '.git'), 'gitdir: ./.bare\n');
    git(rig, 'config', 'core.bare', 'false');
    rig.write('f', 'two');
    git(rig, 'add', 'f');
    git(rig, 'commit', '-q', '-m', 'in use');
    const head = git(rig, 'rev-parse', 'HEAD');
    const request = { session, tag: '1', mode: 'hard' } as const;
    const foreseen = await rig.request('checkpoint/restore', { ...request, dryRun: true });
    const done = await rig.request('checkpoint/restore', request);
    assert.is(rig.read('f'), 'one');
    assert.is(git(rig, 'rev-parse', 'HEAD'), head);
    git(rig, 'fsck', '--strict');
    assert.equal(
      done.failed?.map(({ path, reason }) => `${path} ${reason}`),
      ['config', 'objects/info/alternates', 'refs/heads/main'].map(
        (name) => `.bare/${name} nestedGitDirectory`,
      ),
    );
    assert.equal(foreseen.failed, done.failed);
  }));

test.run();
