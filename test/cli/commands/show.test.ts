// Tests the output of `show`, and how the list marks the current checkpoint.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';

async function run(rig: DaemonRig, directory: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await rig.commandIn({ directory }, ...words);
  assert.is(code, 0, stderr);
  return stdout;
}

/** Runs `use` with a session of three checkpoints. The last checkpoint is named `mine`. */
async function withThree(use: (rig: DaemonRig) => Promise<void>): Promise<void> {
  await withRig(async (rig) => {
    const { client, session } = await rig.opened();
    await client.request('checkpoint/create', { session, kind: 'turn', message: 'first' });
    rig.write('a.txt', 'two\n');
    rig.write('made.txt', 'made\n');
    rmSync(join(rig.work, 'deep', 'b.txt'));
    await run(rig, '.', 'create', '-m', 'second', '--name', 'mine');
    await use(rig);
    await client.close();
  });
}

test('the command `show` lists the changed files, and with --patch also prints their changes', () =>
  withThree(async (rig) => {
    const shown = await run(rig, 'deep', 'show', 'mine');
    assert.match(
      shown,
      /^\[2\].*second \(mine\)\nid: ckpt_\w+\nmessage: second\n {2}~ \.\.\/a\.txt\n {2}- b\.txt\n {2}\+ \.\.\/made\.txt\n$/,
    );
    const patch = await run(rig, '.', 'show', '2', '--patch');
    assert.match(
      patch,
      /\+ made\.txt\ndiff --git a\/a\.txt b\/a\.txt\n[^]*-a\n\+two\n[^]*deleted file mode[^]*\+made\n$/,
    );
    const { checkpoint, files, diff } = JSON.parse(await run(rig, '.', 'show', '2', '-p', '--json'));
    assert.equal([checkpoint.tag, files.length, diff.files.length], ['2', 3, 3]);
    assert.not.match(await run(rig, '.', 'show', '0', '--patch'), /diff --git/);
  }));

test("the list marks the session's current checkpoint, even after a restore", () =>
  withThree(async (rig) => {
    const marked = async (): Promise<string[]> =>
      (await run(rig, '.', 'list')).split('\n').filter((line) => line.endsWith('  (here)'));
    assert.match((await marked()).join('\n'), /^\[2\] .* second \(mine\) {2}\(here\)$/);
    await run(rig, '.', 'restore', '1', '--yes', '--hard');
    assert.match((await marked()).join('\n'), /^\[1\] .* first {2}\(here\)$/);
    await run(rig, '.', 'restore', 'mine', '--yes', 'a.txt');
    assert.match((await marked()).join('\n'), /^\[ \] .* Restored .* {2}\(here\)$/);
    assert.equal(await run(rig, '.', 'list', `-C${rig.work}`), await run(rig, '.', 'list'));
  }));

test('a dry run with --patch prints only the changes of the planned files', () =>
  withThree(async (rig) => {
    rig.write('later.txt', 'stays\n');
    const plan = await run(rig, '.', 'restore', '1', '--dry-run', '--patch');
    assert.match(plan, /^Would restore \(2\):[^]*diff --git a\/a\.txt b\/a\.txt\n[^]*-two\n\+a\n[^]*\+b\n$/);
    assert.not.match(plan, /(made|later)\.txt/);
    const hard = await run(rig, '.', 'restore', '1', '--dry-run', '--patch', '--hard', 'later.txt');
    assert.match(
      hard,
      /^Would delete \(1\):\n {2}later\.txt\n(?:[^]*\n)?diff --git a\/later\.txt b\/later\.txt\n[^]*-stays\n$/,
    );
    const { dryRun, diff } = JSON.parse(
      await run(rig, '.', 'restore', '1', '--dry-run', '--patch', '--json'),
    );
    assert.equal([dryRun, diff.files.length], [true, 2]);
    assert.is(rig.read('a.txt'), 'two\n');
  }));

test.run();
