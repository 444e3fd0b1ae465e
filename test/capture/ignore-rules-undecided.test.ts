// If git crashes at a path, the capture reports the path. The snapshot neither gains nor loses this path.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromText } from '../../src/tree/tree-path.ts';
import { pathsOf, withRig } from '../support/capture-rig.ts';
import { withDyingGit } from '../support/dying-git.ts';
import { kindOf } from '../support/stores/store-rig.ts';
import { TwinCaptureRig } from '../support/twin-capture-rig.ts';

test('an ignored file is not captured even if 24 or more directories are above it', () =>
  TwinCaptureRig.with(async (it) => {
    const deep = 'd/'.repeat(30);
    it.rig.write('.gitignore', '*.log\n');
    it.rig.write(`${deep}f`, 'f');
    it.rig.write(`${deep}x.log`, 'log');
    const first = await it.capture();
    assert.equal(await pathsOf(it.rig.store, first), ['.gitignore', `${deep}f`]);
    it.rig.write(`${deep}y.log`, 'log');
    it.rig.write(`${deep}g`, 'g');
    await it.agreesFast('a deep directory is listed again');
    assert.ok(await it.rig.store.entry(it.previous ?? first.snapshot, fromText(`${deep}g`)));
    assert.not(await it.rig.store.entry(it.previous ?? first.snapshot, fromText(`${deep}y.log`)));
    assert.equal(first.skipped, []);
  }));

test('a capture skips and reports a path that makes git crash, and includes the path as soon as git answers', () =>
  withRig({}, async (rig) => {
    rig.write('.gitignore', '*.log\n');
    for (const path of ['a/f', 'a/x.log', 'a/poison.txt', 'poison/f', 'poison/x.log']) rig.write(path, path);
    const git = { directory: join(rig.top, 'bin'), command: 'check-ignore', word: 'poison' };
    await withDyingGit(git, async () => {
      for (const round of [1, 2]) {
        const capture = await rig.capturer.capture();
        assert.equal(await pathsOf(rig.store, capture), ['.gitignore', 'a/f'], `round ${round}`);
        assert.equal(
          capture.skipped.map(({ path, reason }) => `${path} ${reason}`),
          ['a/poison.txt undecided', 'poison undecided'],
        );
        assert.equal(capture.unknown, ['a/poison.txt', 'poison'].map(fromText), 'no restore deletes them');
      }
    });
    const capture = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, capture), ['.gitignore', 'a/f', 'a/poison.txt', 'poison/f']);
    assert.equal(capture.skipped, []);
  }));

test('if a file of the previous snapshot makes git crash, the next snapshot still has the file', () =>
  withRig({}, async (rig) => {
    rig.write('.gitignore', '*.log\n');
    rig.write('poison/f', 'then');
    const { snapshot } = await rig.capturer.capture();
    rig.write('poison/f', 'now');
    rig.write('poison/new', 'new');
    rmSync(join(rig.top, 'ignore-0'), { recursive: true });
    const git = { directory: join(rig.top, 'bin'), command: 'check-ignore', word: 'poison' };
    await withDyingGit(git, async () => {
      const capture = await rig.another({}).capture({ previous: snapshot });
      assert.equal(await pathsOf(rig.store, capture), ['.gitignore', 'poison/f']);
      assert.equal(
        capture.skipped.map(({ path, reason }) => `${path} ${reason}`),
        ['poison/new undecided'],
      );
    });
  }));

for (const [what, command] of [
  ['the user’s index', 'ls-files'],
  ['the user’s configuration', 'config'],
] as const)
  test(`if git crashes while it reads ${what}, the capture fails`, () =>
    withRig({}, async (rig) => {
      rig.write('.gitignore', '*.log\n');
      rig.write('x.log', 'tracked against the rules');
      rig.git('add', '-f', 'x.log');
      rig.git('config', 'core.excludesFile', '/nowhere');
      const git = { directory: join(rig.top, 'bin'), command, word: command };
      await withDyingGit(git, async () => {
        assert.is(await kindOf(rig.capturer.capture()), 'GitFailed');
      });
      assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['.gitignore', 'x.log']);
    }));

test.run();
