// Tests the choice of the files that a capture takes. Covers ignored, tracked, included and excluded files, files of
// nested repositories, and files of the daemon.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installInterleaving } from '../../src/base/seam.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { contentOf, git, pathsOf, reasonFor, withRig } from '../support/capture-rig.ts';

const test = suite('which files a capture takes');

test('nested repositories are captured as files, with their own ignore rules, and without running their programs (F26)', () =>
  withRig({}, async (rig) => {
    const nested = join(rig.root, 'n');
    mkdirSync(nested);
    git(rig.home, nested, 'init', '-q');
    rig.write('n/a', 'committed');
    rig.write('n/.gitignore', '*.tmp\n');
    git(rig.home, nested, 'add', '-A');
    git(rig.home, nested, 'commit', '-qm', 'x');
    const ran = join(rig.top, 'ran');
    git(rig.home, nested, 'config', 'core.fsmonitor', `touch ${ran}; false`);
    rig.write('n/a', 'dirty');
    rig.write('n/new', 'untracked');
    rig.write('n/x.tmp', 'ignored by its own rules');
    rig.write('n/x.log', 'the outer rules do not reach in');
    rig.write('.gitignore', '*.log\nout/\n');
    mkdirSync(join(rig.root, 'unborn'));
    git(rig.home, join(rig.root, 'unborn'), 'init', '-q');
    rig.write('unborn/u', 'u');
    rig.write('broken/.git', 'gitdir: /nowhere\n');
    rig.write('broken/b', 'b');
    rig.write('broken/b.log', 'outer rules hold where .git is no repository');
    mkdirSync(join(rig.root, 'out'));
    git(rig.home, join(rig.root, 'out'), 'init', '-q');
    rig.write('out/o', 'the outer rules decide about the whole of it');
    const digest = (): string =>
      execFileSync('sh', ['-c', 'find . -path "*/.git/*" -type f | sort | xargs sha256sum'], {
        cwd: rig.root,
        encoding: 'utf8',
      });
    const before = digest();
    const capture = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, capture), [
      '.gitignore',
      'broken/b',
      'n/.gitignore',
      'n/a',
      'n/new',
      'n/x.log',
      'unborn/u',
    ]);
    assert.is(await contentOf(rig.store, capture, 'n/a'), 'dirty');
    assert.is(digest(), before);
    assert.throws(() => lstatSync(ran), /ENOENT/);
  }));

test('tracked files are captured even if a rule ignores them (F28)', () =>
  withRig({}, async (rig) => {
    rig.write('.gitignore', 'dist\n*.gen\n');
    rig.write('dist/x', 'tracked');
    rig.write('dist/y', 'not tracked');
    rig.write('a.gen', 'tracked');
    rig.write('b.gen', 'not tracked');
    rig.git('add', '-f', 'dist/x', 'a.gen', '.gitignore');
    const index = readFileSync(join(rig.root, '.git', 'index'));
    const capture = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, capture), ['.gitignore', 'a.gen', 'dist/x']);
    assert.ok(readFileSync(join(rig.root, '.git', 'index')).equals(index), 'the index is as it was');
    // A corrupt index is reported and counts as empty. Files of the previous snapshot stay in the next snapshot.
    writeFileSync(join(rig.root, '.git', 'index'), 'garbage');
    const second = await rig.capturer.capture({ previous: capture.snapshot });
    assert.is(second.snapshot, capture.snapshot);
    const third = await rig.another({}).capture();
    assert.equal(await pathsOf(rig.store, third), ['.gitignore']);
    assert.ok(rig.log.some((line) => line.startsWith('warn ') && line.includes('index')));
  }));

test('if an ignore rule is changed and changed back while git is running, no later capture is affected', () =>
  withRig({}, async (rig) => {
    rig.write('.gitignore', '*.log\n');
    for (const name of ['sub/a.log', 'sub/b.txt']) rig.write(name, name);
    installInterleaving((where) => {
      if (where === 'selection: rules read') rig.write('.gitignore', '*.txt\n');
      if (where === 'selection: git answered') rig.write('.gitignore', '*.log\n');
    });
    try {
      await rig.capturer.capture();
    } finally {
      installInterleaving(undefined);
    }
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['.gitignore', 'sub/b.txt']);
  }));

test('a new, changed, negated or nested ignore rule applies to the next capture, but not to earlier snapshots (F29)', () =>
  withRig({}, async (rig) => {
    rig.write('a.log', 'a');
    rig.write('d/b.log', 'b');
    rig.write('d/c.txt', 'c');
    const steps: [string, string, string[]][] = [
      ['.gitignore', '', ['a.log', 'd/b.log', 'd/c.txt']],
      ['.gitignore', '*.log\n', ['d/c.txt']],
      ['.gitignore', '*.txt\n', ['a.log', 'd/b.log']], // the size is unchanged, but a capture must detect the change
      ['d/.gitignore', '!c.txt\n', ['a.log', 'd/b.log', 'd/c.txt']],
      ['d/.gitignore', '!c.log\n', ['a.log', 'd/b.log']],
      ['.git/info/exclude', 'a.*\n', ['d/b.log']],
      ['../home/.config/git/ignore', 'b.*\n', []],
      ['../home/.gitconfig', '[core]\n\texcludesFile = ~/mine\n', ['d/b.log']],
      ['../home/mine', 'd\n', []],
    ];
    const first = await rig.capturer.capture();
    for (const [file, rules, want] of steps) {
      rig.write(file, rules);
      const seen = (await pathsOf(rig.store, await rig.capturer.capture())).filter(
        (path) => !path.endsWith('.gitignore'),
      );
      assert.equal(seen, want, `${file}: ${rules}`);
    }
    // The file is in the previous snapshot, so it is captured although it is ignored now.
    const held = await pathsOf(rig.store, await rig.capturer.capture({ previous: first.snapshot }));
    assert.equal(
      held.filter((path) => !path.endsWith('.gitignore')),
      ['a.log', 'd/b.log', 'd/c.txt'],
    );
  }));

test('if the work tree is a sub-directory of a repository, the ignore rules of the repository apply', () =>
  withRig({ below: 'sub/tree' }, async (rig) => {
    writeFileSync(join(rig.root, '../../.gitignore'), '*.log\n/sub/tree/only\n');
    writeFileSync(join(rig.root, '../.gitignore'), '!keep.log\ntree/mid\n');
    rig.write('a.log', '');
    rig.write('keep.log', '');
    rig.write('only', '');
    rig.write('mid', '');
    rig.write('free', '');
    rig.git('add', '-f', 'sub/tree/only');
    const capture = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, capture), ['free', 'keep.log', 'only']);
    writeFileSync(join(rig.root, '../../.gitignore'), '*.txt\n');
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), [
      'a.log',
      'free',
      'keep.log',
      'only',
    ]);
  }));

test('in a work tree outside a repository, the .gitignore files of the work tree apply', () =>
  withRig({ repository: false }, async (rig) => {
    rig.write('.gitignore', 'node_modules/\n');
    rig.write('node_modules/x', '');
    rig.write('d/.gitignore', 'y\n');
    rig.write('d/y', '');
    rig.write('d/z', '');
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), [
      '.gitignore',
      'd/.gitignore',
      'd/z',
    ]);
  }));

test('a capture includes ignored files that an include glob matches, and leaves out files that an exclude glob matches; .git is never captured (R16, O29)', () =>
  withRig({ include: ['.env', 'build/out/**', 'gen'], exclude: ['*.iso', 'secret/'] }, async (rig) => {
    rig.write('.gitignore', '.env\nbuild\nnode_modules\ngen\n');
    for (const path of [
      '.env',
      'p/.env',
      'build/x',
      'build/out/y',
      'build/out/d/z',
      'node_modules/.env',
      'gen/a/b',
      'a.iso',
      'secret/k',
      'q',
    ])
      rig.write(path, '');
    rig.git('add', '-f', 'a.iso');
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), [
      '.env',
      '.gitignore',
      'build/out/d/z',
      'build/out/y',
      'gen/a/b',
      'p/.env',
      'q',
    ]);
  }));

test('a capture before a restore includes the ignored files that the restore would replace, but no .git directory', () =>
  withRig({ exclude: ['*.bin'] }, async (rig) => {
    rig.write('.gitignore', 'data\nx\n');
    for (const path of ['data/a', 'data/d/b.bin', 'data/other', 'x']) rig.write(path, path);
    mkdirSync(join(rig.root, 'data/d/.git'));
    const some = await rig.capturer.capture({ alsoInclude: ['data/d', 'x'].map(fromText) });
    assert.equal(await pathsOf(rig.store, some), ['.gitignore', 'data/d/b.bin', 'x']);
    assert.is(reasonFor(some, 'data/d/.git'), 'nestedGitDirectory');
    const whole = await rig.capturer.capture({ alsoInclude: ['data/d', 'data', 'data/a'].map(fromText) });
    assert.equal(await pathsOf(rig.store, whole), ['.gitignore', 'data/a', 'data/d/b.bin', 'data/other']);
    assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['.gitignore']);
  }));

test('a capture skips and reports the storage of the daemon, and the temporary files of a restore', () =>
  withRig({ leftOut: [fromText('.state/checkpointd')] }, async (rig) => {
    rig.write('.state/checkpointd/s', '');
    rig.write('.state/other', '');
    const name = `.ckpt-tmp-${'0a'.repeat(10)}-12`;
    rig.write(name, '');
    rig.write(`d/${name}/below`, '');
    rig.write('.ckpt-tmp-mine', '');
    const captured = await rig.capturer.capture();
    assert.equal(await pathsOf(rig.store, captured), ['.ckpt-tmp-mine', '.state/other']);
    assert.equal(captured.skipped, [
      { path: name, reason: 'temporaryName' },
      { path: `d/${name}`, reason: 'temporaryName' },
    ]);
    rig.write('.gitignore', '.ckpt-tmp-*\n');
    assert.equal((await rig.capturer.capture()).skipped, [], 'what the user ignores is not reported');
  }));

test.run();
