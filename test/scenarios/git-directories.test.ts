// The user's own repository under another name than .git, inside the work tree: checkpoints go back and forth, and what
// was committed since stays committed.
import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gitEnvironment } from '../../src/git/process/environment.ts';
import { type SessionRig, withSessions } from '../support/in-process.ts';

function git(rig: SessionRig, ...args: string[]): string {
  return execFileSync('git', args, { cwd: rig.work, encoding: 'utf8', env: gitEnvironment() }).trim();
}

test('no commit is lost by a restore where the repository is called .bare (S5)', () =>
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

test.run();
