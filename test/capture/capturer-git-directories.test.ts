// A capture skips and reports git directories, whatever their names. A capture includes files of a git directory only
// if the user's repository tracks them.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Capture } from '../../src/capture/capturer.ts';
import { fromText, toText } from '../../src/tree/tree-path.ts';
import { makeRig, pathsOf, type Rig } from '../support/capture-rig.ts';

const test = suite('git directories');

async function withRig(
  body: (rig: Rig) => Promise<void>,
  options: Parameters<typeof makeRig>[0] = {},
): Promise<void> {
  const rig = makeRig(options);
  try {
    await body(rig);
  } finally {
    await rig.remove();
  }
}

const told = (capture: Capture): string[] =>
  capture.skipped.filter(({ reason }) => reason === 'nestedGitDirectory').map(({ path }) => toText(path));

/** Makes one capture with the records of an earlier scan and one without them, and expects equal results. */
async function captured(rig: Rig): Promise<{ readonly paths: string[]; readonly told: string[] }> {
  const first = await rig.capturer.capture();
  const again = await rig.capturer.capture({ previous: first.snapshot });
  const fresh = await rig.another({}).capture();
  assert.is(again.snapshot, first.snapshot);
  assert.is(fresh.snapshot, first.snapshot);
  assert.equal(told(again), told(first));
  return { paths: await pathsOf(rig.store, first), told: told(first) };
}

test('a capture includes the work trees beside a bare repository, but not the repository itself', () =>
  withRig(
    async (rig) => {
      rig.write('seed/f', '1');
      rig.git('init', '-q', '-b', 'main', 'seed');
      rig.git('-C', 'seed', 'add', '-A');
      rig.git('-C', 'seed', 'commit', '-q', '-m', 'first');
      rig.git('clone', '-q', '--bare', 'seed', '.bare');
      rmSync(join(rig.root, 'seed'), { recursive: true });
      rig.write('.git', 'gitdir: ./.bare\n');
      rig.git('worktree', 'add', '-q', 'main-tree', 'main');
      assert.equal(await captured(rig), { paths: ['main-tree/f'], told: ['.bare'] });
    },
    { repository: false },
  ));

test('a capture skips a storage directory of checkpointd in the work tree, as it skips a git directory', () =>
  withRig(async (rig) => {
    const id = `ses_${'a1'.repeat(13)}`;
    rig.write(`store/${id}/checkpointd/session.json`, '{}');
    rig.write(`store/${id}/checkpointd/session.log`, 'log');
    rig.write('store/checkpointd.sqlite', 'database');
    rig.write(`other/${id}/message.json`, 'of another program, whose sessions are called the same');
    assert.equal(await captured(rig), { paths: [`other/${id}/message.json`], told: ['store'] });
  }));

test('a capture recognises a git directory that only a .git pointer names, even if the directory is listed before the pointer', () =>
  withRig(async (rig) => {
    rig.write('deep/er/tree/f', '1');
    rig.git('init', '-q', '--separate-git-dir', join(rig.root, 'a-git'), 'deep/er/tree');
    // A repository whose objects are elsewhere. Only its .git pointer shows that the directory is a git directory.
    const shared = join(rig.top, 'shared');
    mkdirSync(shared);
    for (const name of ['objects', 'refs', 'config'])
      renameSync(join(rig.root, 'a-git', name), join(shared, name));
    writeFileSync(join(shared, 'HEAD'), 'ref: refs/heads/main\n');
    rig.write('a-git/commondir', `${shared}\n`);
    const all = await captured(rig);
    assert.equal(all.paths, ['deep/er/tree/f']);
    assert.equal(all.told, ['a-git']);
    rmSync(join(rig.root, 'deep/er/tree/.git'));
    const without = await captured(rig);
    assert.ok(without.paths.includes('a-git/HEAD'), 'nothing says any more that it is one');
  }));

test('a capture recognises a bare repository whatever its name, even if its HEAD is a link', () =>
  withRig(async (rig) => {
    rig.git('init', '-q', '--bare', 'x/mirror.git');
    rig.git('init', '-q', '--bare', 'y');
    symlinkSync('refs/heads/main', join(rig.root, 'y/HEAD.new'));
    renameSync(join(rig.root, 'y/HEAD.new'), join(rig.root, 'y/HEAD')); // old versions of git made HEAD as a link
    rig.write('x/f', '1');
    rig.write('no/HEAD', 'ref: refs/heads/main\n');
    rig.write('no/objects', 'a file');
    rig.write('no/refs/f', '1');
    assert.equal(await captured(rig), {
      paths: ['no/HEAD', 'no/objects', 'no/refs/f', 'x/f'],
      told: ['x/mirror.git', 'y'],
    });
  }));

test('a capture includes only those files of a git directory that the outer repository tracks', () =>
  withRig(async (rig) => {
    rig.git('init', '-q', '--bare', 'fixture.git');
    rig.write('fixture.git/objects/keep', '');
    rig.write('fixture.git/refs/keep', '');
    rig.git(
      'add',
      '-f',
      'fixture.git/HEAD',
      'fixture.git/config',
      'fixture.git/objects/keep',
      'fixture.git/refs/keep',
    );
    rig.write('fixture.git/index', 'not tracked');
    rig.write('fixture.git/objects/pack/p', 'not tracked');
    assert.equal(await captured(rig), {
      paths: ['fixture.git/HEAD', 'fixture.git/config', 'fixture.git/objects/keep', 'fixture.git/refs/keep'],
      told: ['fixture.git'],
    });
    rig.git('rm', '-q', '--cached', 'fixture.git/config');
    assert.not((await captured(rig)).paths.includes('fixture.git/config'), 'no longer tracked');
  }));

test('a capture includes no untracked file of a git directory, even if a glob or a restore asks for the file', () =>
  withRig(
    async (rig) => {
      rig.write('store/HEAD', 'ref: refs/heads/main\n');
      rig.write('store/objects/f', '1');
      const before = await rig.capturer.capture();
      assert.equal(await pathsOf(rig.store, before), ['store/HEAD', 'store/objects/f']);
      mkdirSync(join(rig.root, 'store/refs'));
      const after = await rig.capturer.capture({ previous: before.snapshot });
      assert.equal(await pathsOf(rig.store, after), []);
      for (const path of ['store', 'store/objects', 'store/objects/f']) {
        const saved = await rig.capturer.capture({
          previous: before.snapshot,
          alsoInclude: [fromText(path)],
        });
        assert.equal(await pathsOf(rig.store, saved), [], path);
        assert.equal(told(saved), ['store'], path);
      }
      rmSync(join(rig.root, 'store/refs'), { recursive: true });
      assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['store/HEAD', 'store/objects/f']);
    },
    { include: ['store/**'] },
  ));

test('on a file system that distinguishes .GIT from .git, a capture reports a path named .GIT', () =>
  withRig(
    async (rig) => {
      mkdirSync(join(rig.root, 'd/.GIT'), { recursive: true });
      if (existsSync(join(rig.root, 'd/.git')))
        return console.log('skipped: letter case does not count here');
      rig.write('d/.GIT/f', '');
      rig.write('e/.Git', '');
      assert.equal(readdirSync(join(rig.root, 'd')), ['.GIT']);
      assert.equal(await captured(rig), { paths: [], told: ['d/.GIT', 'e/.Git'] });
      return undefined;
    },
    { repository: false },
  ));

test.run();
