// Tests how the command line reads and prints paths, and how it treats words that are not paths.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandRefusal } from '../../src/cli/refusal.ts';
import { TreePaths, workDirectory } from '../../src/cli/tree-paths.ts';
import { type CommandResult, type DaemonRig, withRig } from '../support/daemon-rig.ts';

/** Runs a command in a directory of the work tree. */
const run = (rig: DaemonRig, directory: string, ...words: string[]): Promise<CommandResult> =>
  rig.commandIn({ directory }, ...words);

/**
 * Makes a checkpoint with files of the same name in the root, in `src` and in `lib`. Then changes all three files. The
 * session stays open, so that commands need not start a daemon.
 */
async function spoilt(rig: DaemonRig): Promise<void> {
  const { client, session } = await rig.opened({ retention: 'keep' });
  for (const path of ['x', 'src/x', 'lib/x']) rig.write(path, 'good\n');
  await client.request('checkpoint/create', { session, kind: 'turn', name: 'before' });
  for (const path of ['x', 'src/x', 'lib/x']) rig.write(path, 'spoilt\n');
}

const contents = (rig: DaemonRig): (string | undefined)[] =>
  ['x', 'src/x', 'lib/x'].map((path) => rig.read(path)?.trim());

test('the command line reads and prints paths relative to the current directory', () =>
  withRig(async (rig) => {
    await spoilt(rig);
    for (const words of [['x'], ['--', 'x']]) {
      const plan = await run(rig, 'src', 'restore', '1', '--dry-run', ...words);
      assert.match(
        plan.stdout,
        /^Would restore \(1\):\n {2}x\nChanged outside .* \(1\):\n {2}x\n$/,
        words.join(' '),
      );
    }
    const restored = await run(rig, 'src', 'restore', '1', '--yes', 'x');
    assert.is(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /^Restored \(1\):\n {2}x\n/);
    assert.equal(contents(rig), ['spoilt', 'good', 'spoilt']);
    const above = await run(rig, 'src', 'restore', '1', '--yes', '../lib', ':/x');
    assert.match(above.stdout, /^Restored \(2\):\n {2}\.\.\/lib\/x\n {2}\.\.\/x\n/);
    assert.equal(contents(rig), ['good', 'good', 'good']);
  }));

test('with -C DIRECTORY, paths are relative to DIRECTORY, wherever the command runs', () =>
  withRig(async (rig) => {
    await spoilt(rig);
    for (const words of [
      ['restore', '1', '--dry-run', 'x', '-C', join(rig.work, 'src')],
      ['restore', '-C', 'src', '1', '--dry-run', 'x'],
    ])
      assert.match((await run(rig, '.', ...words)).stdout, /^Would restore \(1\):\n {2}x\n/, words.join(' '));
    const before = await rig.command('-C', 'src', 'restore', '1', '--dry-run', 'x');
    assert.is(before.code, 0, before.stderr);
    assert.match(before.stdout, /^Would restore \(1\):\n {2}x\n/);
  }));

test('the command `diff` takes paths relative to the current directory; patches have paths from the root', () =>
  withRig(async (rig) => {
    await spoilt(rig);
    const patch = await run(rig, 'src', 'diff', 'before', 'x', '../lib/x');
    assert.equal(patch.stdout.match(/^diff .*$/gm), [
      'diff --git a/lib/x b/lib/x',
      'diff --git a/src/x b/src/x',
    ]);
    const json = await run(rig, 'src', 'restore', '1', '--dry-run', '--json', 'x');
    assert.equal(JSON.parse(json.stdout).restored, [{ path: 'src/x' }]);
  }));

test('a word after the tag of `restore` is a path, and only this path is restored', () =>
  withRig(async (rig) => {
    await spoilt(rig);
    assert.is((await run(rig, '.', 'restore', '1', 'src', '--yes')).code, 0);
    assert.equal(contents(rig), ['spoilt', 'good', 'spoilt']);
    assert.match(
      (await run(rig, '.', 'diff', '0', '1', 'lib/x')).stdout,
      /^diff --git a\/lib\/x b\/lib\/x\n[^]*(?<!diff)$/,
    );
    assert.equal((await run(rig, '.', 'diff', '1', 'x')).stdout.match(/^diff/gm), ['diff']);
  }));

test('the command `restore` finds a deleted file or a directory by its path in the checkpoint', () =>
  withRig(async (rig) => {
    await spoilt(rig);

    rmSync(join(rig.work, 'src'), { recursive: true });
    rmSync(join(rig.work, 'x'));
    const ran = await run(rig, 'lib', 'restore', '1', '--yes', '../src', ':/x');
    assert.is(ran.code, 0, ran.stderr);
    assert.equal(contents(rig), ['good', 'good', 'spoilt']);
  }));

test('a command refuses a word that is neither a checkpoint nor a path, and says so', () =>
  withRig(async (rig) => {
    await spoilt(rig);
    for (const [words, said] of [
      [
        ['restore', 'befor', '--yes'],
        /"befor" is neither a checkpoint \(tag, name or id\) nor a path in the work tree\..*Did you mean before\?/,
      ],
      [
        ['restore', '1', 'nope', '--yes'],
        /"nope" is neither a checkpoint .* nor a path in the work tree or in \[1\].*relative to the current directory/,
      ],
      [['restore', '1', '--yes', '--', 'nope'], /no path "nope" exists in the work tree or in \[1\]/],
      [
        ['restore', '1', 'before', '--yes'],
        /the command expects a path here, but "before" is a checkpoint, and no path "before" exists in the work tree or in \[1\]/,
      ],
      [['restore', 'src', '--yes'], /"src" is a path, not a checkpoint\. .*checkpointd restore <tag> src/],
      [['restore', 'src', '1', '--yes'], /"src" is a path, not a checkpoint/],
      [['diff', 'nope'], /"nope" is neither a checkpoint .* nor a path in the work tree/],
      [['diff', '0', 'nope'], /"nope" is neither a checkpoint .* nor a path in the work tree or in \[0\]/],
      [
        ['diff', '0', '1', 'before'],
        /the command expects a path here, but "before" is a checkpoint, and no path "before" exists in the work tree or in \[0\] or \[1\]/,
      ],
      [['restore', '1', '../x', '--yes'], /"\.\.\/x" is outside the work tree .*current directory/],
      [['restore', '1', '', '--yes'], /a path is empty/],
      [['restore', '', '--yes'], /a path is empty/],
    ] as const) {
      const ran = await run(rig, '.', ...words);
      assert.is(ran.code, 2, `${words.join(' ')}: ${ran.stdout}`);
      assert.match(ran.stderr, said, words.join(' '));
      assert.is(ran.stdout, '');
    }
    assert.equal(contents(rig), ['spoilt', 'spoilt', 'spoilt']);
  }));

test('a command that takes no paths refuses a path, and names a command that takes paths', () =>
  withRig(async (rig) => {
    const stray = await run(rig, '.', 'create', 'my message');
    assert.is(stray.code, 2);
    assert.match(stray.stderr, /"create" does not take "my message"\. .*checkpointd create -m/);
    assert.not.ok(existsSync(rig.storage), 'no session was made');
    await spoilt(rig);
    for (const command of [
      'list',
      'status',
      'undo',
      'redo',
      'gc',
      'verify',
      'console',
      'show 1',
      'forget 1',
    ]) {
      const ran = await run(rig, '.', ...command.split(' '), 'src');
      assert.equal([ran.code, ran.stdout], [2, ''], command);
      assert.match(ran.stderr, /does not take "src"\. .*Use -C <directory>/, command);
    }
    assert.match((await run(rig, '.', 'list', '--', 'x')).stderr, /"list" does not take "x"/);
    assert.match((await run(rig, '.', 'list', '--')).stderr, /takes no paths after --/);
    for (const command of ['sessions', 'mcp']) {
      const ran = await run(rig, '.', command, 'src');
      assert.is(ran.code, 2, `${command}: ${ran.stdout}`);
    }
  }));

test('every command refuses a missing directory after -C', () =>
  withRig(async (rig) => {
    await spoilt(rig);
    for (const command of ['list', 'create', 'restore 1 --yes', 'mcp'])
      for (const place of ['missing', 'x']) {
        const ran = await run(rig, '.', ...command.split(' '), '-C', place);
        assert.is(ran.code, 2, `${command}: ${ran.stdout}`);
        assert.match(ran.stderr, new RegExp(`/${place} is not a directory\\. -C names`), command);
      }
    assert.equal(contents(rig), ['spoilt', 'spoilt', 'spoilt']);
  }));

test('a command follows links in the parents of a path, but not a link at the path itself', () =>
  withRig(async (rig) => {
    const link = join(rig.top, 'link');
    mkdirSync(join(rig.work, 'src'));
    symlinkSync(rig.work, link);
    symlinkSync('/nowhere', join(rig.work, 'src', 'broken'));
    const inside = new TreePaths(rig.work, workDirectory(join(link, 'src')));
    for (const [typed, path] of [
      ['x', 'src/x'],
      ['.', 'src'],
      ['..', ''],
      [':/', ''],
      [':/deep/../x', 'x'],
      ['./:/x', 'src/:/x'.replace(':/', ':/')],
      ['broken', 'src/broken'],
      [join(link, 'deep', 'b.txt'), 'deep/b.txt'],
      [join(link, 'gone', 'deeper', 'b.txt'), 'gone/deeper/b.txt'],
      [join(rig.work, 'x'), 'x'],
    ] as const)
      assert.is(inside.fromTyped(typed), path, typed);
    for (const typed of ['../../y', '/', ':/../y', rig.storage, `${rig.work}-2/x`])
      assert.throws(
        () => inside.fromTyped(typed),
        (error: unknown) => error instanceof CommandRefusal && error.code === 2,
      );
    assert.equal(
      ['src/x', 'x', 'src', ''].map((path) => inside.toShow(path)),
      ['x', '../x', '.', '..'],
    );
    assert.is(new TreePaths(rig.work, rig.work).toShow('src/x'), 'src/x');
    assert.is(new TreePaths(rig.work, rig.top).toShow('src/x'), ':/src/x');
  }));

test.run();
