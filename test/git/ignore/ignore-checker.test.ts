import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../../src/base/log.ts';
import { userPlaces } from '../../../src/git/ignore/global-excludes.ts';
import { IgnoreChecker, type IgnoreVerdict } from '../../../src/git/ignore/ignore-checker.ts';
import { findRepository } from '../../../src/git/repository/git-dir.ts';
import { fromText } from '../../../src/tree/tree-path.ts';
import { git } from '../../support/capture-rig.ts';

const test = suite('ignore checker');

interface Bench {
  readonly root: string;
  readonly home: string;
  readonly checker: IgnoreChecker;
  readonly log: string[];
  readonly ignored: (...paths: string[]) => Promise<IgnoreVerdict[]>;
}

async function withChecker(body: (bench: Bench) => Promise<void>): Promise<void> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'ckpt-ignore-')));
  const root = join(top, 'w');
  const home = join(top, 'home');
  mkdirSync(root);
  mkdirSync(join(home, '.config/git'), { recursive: true });
  git(home, root, 'init', '-q');
  const log: string[] = [];
  const checker = new IgnoreChecker({
    root,
    repository: findRepository(root),
    directory: join(top, 'engine'),
    places: { ...userPlaces({ HOME: home }), systemConfig: join(top, 'system') },
    log: createLog('debug', [(level, message) => log.push(`${level} ${message}`)]),
  });
  const ignored = async (...paths: string[]): Promise<IgnoreVerdict[]> => {
    await checker.refresh();
    return checker.ignored(paths.map(fromText));
  };
  try {
    await body({ root, home, checker, log, ignored });
  } finally {
    await checker.close();
    rmSync(top, { recursive: true, force: true });
  }
}

test('git takes names from the checker as plain names, even if they look like options or quoted text', () =>
  withChecker(async ({ root, ignored }) => {
    writeFileSync(join(root, '.gitignore'), '*.o\n');
    const odd = ['-x', ':x', ':(top)x', ':!x', '*', '"q"', 'new\nline', 'r\r', 'é', ' ', '\\', '!n', '#h'];
    const asked = odd.flatMap((name) => [name, `${name}.o`]);
    assert.equal(
      await ignored(...asked),
      odd.flatMap(() => [false, true]),
    );
  }));

test('the checker uses info/exclude, the global ignore file and core.excludesFile, and detects their changes', () =>
  withChecker(async ({ root, home, checker, ignored }) => {
    assert.equal(await ignored('a', 'b', 'c'), [false, false, false]);
    assert.is((await checker.refresh()).hasRules, false);
    writeFileSync(join(root, '.git/info/exclude'), 'a\n');
    assert.equal(await ignored('a', 'b', 'c'), [true, false, false]);
    assert.is((await checker.refresh()).hasRules, true);
    writeFileSync(join(home, '.config/git/ignore'), 'b\n');
    assert.equal(await ignored('a', 'b', 'c'), [true, true, false]);
    writeFileSync(join(home, '.gitconfig'), '[include]\n\tpath = more\n');
    writeFileSync(join(home, 'more'), '[core]\n\texcludesFile = ~/third\n');
    writeFileSync(join(home, 'third'), 'c\n');
    assert.equal(await ignored('a', 'b', 'c'), [true, false, true]);
    git(home, root, 'config', 'core.excludesFile', 'local-rules'); // this path is relative to the work tree
    writeFileSync(join(root, 'local-rules'), 'd\n');
    assert.equal(await ignored('a', 'c', 'd'), [true, false, true]);
    git(home, root, 'config', 'core.excludesFile', '');
    assert.equal(await ignored('a', 'b', 'c', 'd'), [true, false, false, false]);
  }));

test('the checker keeps one git process until the checker is renewed, and then reads a changed .gitignore', () =>
  withChecker(async ({ root, checker, ignored }) => {
    writeFileSync(join(root, '.gitignore'), 'a\n');
    assert.equal(await ignored('a', 'b'), [true, false]);
    const { pid } = checker;
    assert.equal(await ignored('b', 'a'), [false, true]);
    assert.is(checker.pid, pid);
    writeFileSync(join(root, '.gitignore'), 'b\n');
    checker.renew();
    assert.equal(await ignored('a', 'b'), [false, true]);
    assert.is.not(checker.pid, pid);
  }));

test('if the git process of the checker is killed, the checker starts a new process and loses no answer (F61)', () =>
  withChecker(async ({ root, checker, ignored }) => {
    writeFileSync(join(root, '.gitignore'), '*.o\n');
    await ignored('a.o');
    for (let round = 0; round < 5; round += 1) {
      const names = Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? `f${i}` : `f${i}.o`));
      const answers = ignored(...names);
      if (checker.pid !== undefined) process.kill(checker.pid, 'SIGKILL');
      assert.equal(
        await answers,
        names.map((name) => name.endsWith('.o')),
      );
    }
  }));

test('git exits at a path beyond a symbolic link, but the checker loses no answer for other paths', () =>
  withChecker(async ({ root, ignored }) => {
    writeFileSync(join(root, '.gitignore'), '*.o\n');
    const { symlinkSync } = await import('node:fs');
    symlinkSync('/tmp', join(root, 'link'));
    assert.equal(await ignored('a.o', 'link/b.o', 'c.o', 'd'), [true, undefined, true, false]);
  }));

test('ignore rules apply to files at any depth', () =>
  withChecker(async ({ root, log, ignored }) => {
    writeFileSync(join(root, '.gitignore'), '*.o\n!kept.o\n');
    const paths: string[] = [];
    for (const depth of [1, 19, 20, 21, 23, 24, 25, 60]) {
      const directory = 'd/'.repeat(depth);
      mkdirSync(join(root, directory), { recursive: true });
      paths.push(`${directory}a.o`, `${directory}kept.o`, `${directory}a`);
    }
    const verdicts = paths.map((path) => path.endsWith('a.o'));
    assert.equal(await ignored(...paths), verdicts);
    assert.equal(await ignored(...paths.reverse()), verdicts.reverse());
    assert.equal(log, []);
  }));

test('a broken or hostile configuration file runs no program, and all other rules stay valid (F53, F55)', () =>
  withChecker(async ({ root, home, log, ignored }) => {
    const ran = join(home, 'ran');
    writeFileSync(join(root, '.gitignore'), 'a\n');
    writeFileSync(
      join(home, '.gitconfig'),
      Buffer.from([0x5b, 0, 0xff, 0x5d, 0x0a, ...Buffer.from('excludesFile')]),
    );
    git(join(home, '.config'), root, 'config', 'core.fsmonitor', `touch ${ran}`);
    git(join(home, '.config'), root, 'config', 'core.excludesFile', '~/mine');
    writeFileSync(join(home, 'mine'), 'b\n');
    assert.equal(await ignored('a', 'b', 'c'), [true, true, false]);
    assert.ok(log.some((line) => line.startsWith('warn ') && line.includes('.gitconfig')));
    assert.not.ok(existsSync(ran));
  }));

if (process.platform !== 'win32') {
  test('if a configuration file or a file of exclude patterns is a FIFO, the checker reports it without waiting', async () => {
    await withChecker(async ({ root, home, log, ignored }) => {
      const fifo = join(home, 'fifo');
      execFileSync('mkfifo', [fifo]);
      const said = (): string[] => log.splice(0).filter((line) => line.startsWith('warn'));
      writeFileSync(join(home, '.config/git/ignore'), '*.fallback\n');
      writeFileSync(
        join(home, '.gitconfig'),
        `[include]\n\tpath = deeper\n[core]\n\texcludesFile = ~/mine\n`,
      );
      writeFileSync(join(home, 'deeper'), '[includeIf "gitdir:/nowhere/"]\n\tpath = ~/fifo\n');
      writeFileSync(join(home, 'mine'), '*.mine\n');
      assert.equal(await ignored('a.mine', 'a.fallback'), [true, false], 'its own setting counts');
      assert.match(said().join(), `${fifo} is not a regular file`);

      writeFileSync(join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/fifo\n');
      assert.equal(await ignored('a.mine', 'a.fallback'), [false, false]);
      assert.match(said().join(), `${fifo} is not a regular file`);
      assert.equal(await ignored('a.mine'), [false]);
      assert.equal(said(), [], 'once');

      writeFileSync(join(home, '.gitconfig'), '[core]\n\texcludesFile = /dev/null\n');
      assert.equal(await ignored('a.fallback'), [false]);
      assert.equal(said(), [], 'the null device is a way to say none');

      rmSync(join(home, '.gitconfig'));
      execFileSync('mkfifo', [join(home, '.gitconfig')]);
      assert.equal(await ignored('a.fallback'), [true]);
      assert.match(said().join(), /[.]gitconfig is not a regular file/);

      rmSync(join(home, '.gitconfig'));
      writeFileSync(join(home, '.gitconfig'), '[core]\n\texcludesFile = ~/mine\n');
      writeFileSync(join(root, '.git/config'), `[include]\n\tpath = ${fifo}\n`);
      assert.equal(
        await ignored('a.mine'),
        [true],
        "the repository's own configuration is not read for the user's",
      );
      rmSync(join(root, '.git/info/exclude'), { force: true });
      execFileSync('mkfifo', [join(root, '.git/info/exclude')]);
      assert.equal(await ignored('a.mine', 'a.fallback'), [true, false]);
    });
  });
}

test.run();
