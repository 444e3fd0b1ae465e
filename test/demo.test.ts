// The main command as a person types it: what it says of a path that it cannot use, and a day on a repository whose
// list of files is longer than a pipe's usual buffer.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { git, repository, repositoryState, write } from './support/in-process-daemon.ts';
import { temporaryDirectory } from './support/temporary.ts';

const demo = fileURLToPath(new URL('../scripts/demo.js', import.meta.url));

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [demo, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** Adds a commit with so many files, without a work tree of their own: only a clone has them on disk. */
function commitFiles(root: string, count: number, name: (number: number) => string): void {
  const lines = [
    'blob\nmark :1\ndata 5\nhello\n',
    'commit refs/heads/main\ncommitter A <a@example.com> 0 +0000\ndata 4\nmany\nfrom refs/heads/main^0\n',
  ];
  for (let number = 0; number < count; number += 1) lines.push(`M 100644 :1 ${name(number)}\n`);
  execFileSync('git', ['-C', root, 'fast-import', '--quiet'], { input: lines.join('') });
}

test('a path that cannot be used gets one line and exit code 2', () => {
  const root = repository();
  const plain = temporaryDirectory('plain');
  writeFileSync(join(plain, 'file'), '');
  git(plain, 'init', '-q', '--bare', 'bare.git');
  git(plain, 'init', '-q', 'empty');
  for (const [args, expected] of [
    [[join(plain, 'nowhere')], /nowhere does not exist/],
    [[join(plain, 'file')], /is not a directory/],
    [[plain], /is not a git repository/],
    [[join(plain, 'bare.git')], /has no work tree/],
    [[join(plain, 'empty')], /has no commit yet/],
    [[join(root, 'src')], /is inside the repository .*npm start -- .*work/],
    [[root, root], /one repository/],
    [['--bogus'], /--bogus/],
  ] as const) {
    const { status, stdout, stderr } = run(...args);
    assert.is(status, 2, `${args.join(' ')}: ${stderr}`);
    assert.is(stdout, '');
    assert.match(stderr, expected);
    assert.is(stderr.trimEnd().split('\n').length, 1, stderr);
  }
});

test('a repository that git cannot clone gets one line, too', () => {
  const root = repository();
  const tree = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  rmSync(join(root, '.git', 'objects', tree.slice(0, 2), tree.slice(2)));
  const { status, stderr } = run(root);
  assert.is(status, 2, stderr);
  assert.match(stderr, /^npm start: git could not clone .*: .*\n$/);
});

test('a day on a repository with over 1 MB of file names, a link out of it and a nested repository', () => {
  const root = repository({ link: '-> /etc/hostname', 'a.txt': 'a\n' });
  const inner = join(root, 'inner');
  mkdirSync(inner);
  git(inner, 'init', '-q');
  write(inner, { 'b.txt': 'b\n' });
  git(inner, 'add', '-A');
  git(inner, 'commit', '-q', '-m', 'inner');
  git(root, 'add', 'inner');
  git(root, 'commit', '-q', '-m', 'with a nested repository');
  const long = 'n'.repeat(240);
  commitFiles(root, 4300, (number) => `many/${long}${number}`);
  git(root, 'reset', '-q', '--mixed');
  const before = repositoryState(root);
  const { status, stdout, stderr } = run(root);
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /430[0-9] files/);
  assert.match(stdout, /Everything held/);
  assert.is(repositoryState(root), before);
});

test('a repository that is reached by a link is the repository', () => {
  const root = repository();
  const link = join(temporaryDirectory('link'), 'here');
  symlinkSync(root, link);
  const { status, stdout, stderr } = run(link);
  assert.is(status, 0, stdout + stderr);
});

test.run();
