// Runs the demo as a person would: with an unusable path, and with a repository whose list of files is longer than the
// usual buffer of a pipe.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { git, repository, repositoryState, write } from './support/in-process-daemon.ts';
import { temporaryDirectory } from './support/temporary.ts';
import { until } from './support/until.ts';

const demo = fileURLToPath(new URL('../scripts/demo.js', import.meta.url));

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [demo, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
}

/**
 * Adds a commit with the given number of files. The files are only in the commit, not in the work tree. Only a clone
 * has these files on the disk.
 */
function commitFiles(root: string, count: number, name: (number: number) => string): void {
  const lines = [
    'blob\nmark :1\ndata 5\nhello\n',
    'commit refs/heads/main\ncommitter A <a@example.com> 0 +0000\ndata 4\nmany\nfrom refs/heads/main^0\n',
  ];
  for (let number = 0; number < count; number += 1) lines.push(`M 100644 :1 ${name(number)}\n`);
  execFileSync('git', ['-C', root, 'fast-import', '--quiet'], { input: lines.join('') });
}

test('for an unusable path, the demo prints one line and exits with 2', () => {
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

test('for a repository that git cannot clone, the demo prints one line', () => {
  const root = repository();
  const tree = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  rmSync(join(root, '.git', 'objects', tree.slice(0, 2), tree.slice(2)));
  const { status, stderr } = run(root);
  assert.is(status, 2, stderr);
  assert.match(stderr, /^npm start: git could not clone .*: .*\n$/);
});

test('the demo runs on a repository with over 1 MB of file names, a link to the outside and a nested repository', () => {
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

test('the demo starts even if git packs the objects of the repository while the demo copies these objects', async () => {
  const root = repository();
  const gitDirectory = join(root, '.git');
  const objects = join(gitDirectory, 'objects');
  const isFanOut = (name: string) => /^[0-9a-f]{2}$/.test(name);
  // A program that copied the files would block at the pipe in each directory. Git's transport does not open the
  // pipes, and runs the hook.
  const pipes = readdirSync(objects)
    .filter(isFanOut)
    .map((name) => join(objects, name, '0'.repeat(38)));
  execFileSync('mkfifo', pipes);
  const programs = temporaryDirectory('programs');
  const collect = join(programs, 'collect.sh');
  writeFileSync(
    collect,
    `#!/bin/sh\nrm -f ${pipes.join(' ')}
git --git-dir=${gitDirectory} repack -adq && git --git-dir=${gitDirectory} prune-packed -q
[ $# = 0 ] || exec "$@"\n`,
    { mode: 0o755 },
  );
  const settings = join(programs, 'gitconfig');
  writeFileSync(settings, `[uploadpack]\n\tpackObjectsHook = ${collect}\n`);

  const child = spawn(process.execPath, [demo, root], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: settings },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  await until('the demo has ended', () => {
    const reader = firstReader(pipes);
    if (reader !== undefined) {
      execFileSync(collect);
      closeSync(reader);
    }
    return child.exitCode !== null;
  });
  assert.is(child.exitCode, 0, said);
  assert.match(said, /Everything held/);
  assert.equal(readdirSync(objects).filter(isFanOut), [], 'git packed every object');
});

/** Opens the first of these pipes that another process is reading. Returns undefined if no process reads a pipe. */
function firstReader(pipes: string[]): number | undefined {
  for (const pipe of pipes) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      // ENXIO means that no process reads the pipe. ENOENT means that git has packed the objects beside the pipe.
      if (error.code !== 'ENXIO' && error.code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

test('the demo accepts a repository behind a link', () => {
  const root = repository();
  const link = join(temporaryDirectory('link'), 'here');
  symlinkSync(root, link);
  const { status, stdout, stderr } = run(link);
  assert.is(status, 0, stdout + stderr);
});

test.run();
