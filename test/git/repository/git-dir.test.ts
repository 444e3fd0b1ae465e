import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findRepository, repositoryAt } from '../../../src/git/repository/git-dir.ts';
import { git } from '../../support/capture-rig.ts';

const test = suite('git dir');

function withTop(body: (top: string) => void): void {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'ckpt-gitdir-')));
  try {
    body(top);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** Returns the directory that git finds, for comparison. */
function asked(top: string, at: string): { root: string; gitDir: string; commonDir: string } {
  const ask = (...args: string[]): string =>
    git(top, at, 'rev-parse', '--path-format=absolute', ...args).trimEnd();
  return {
    root: ask('--show-toplevel'),
    gitDir: ask('--absolute-git-dir'),
    commonDir: ask('--git-common-dir'),
  };
}

test('the daemon finds a repository, a linked worktree, a separate git directory and a submodule as git does', () =>
  withTop((top) => {
    git(top, top, 'init', '-q', 'r');
    const at = join(top, 'r');
    mkdirSync(join(at, 'sub/deep'), { recursive: true });
    assert.equal(findRepository(join(at, 'sub/deep')), asked(top, join(at, 'sub/deep')));
    git(top, at, 'commit', '-q', '--allow-empty', '-m', 'x');
    git(top, at, 'worktree', 'add', '-q', '../linked');
    assert.equal(findRepository(join(top, 'linked')), asked(top, join(top, 'linked')));
    git(top, top, 'init', '-q', '--separate-git-dir', 'apart.git', 's');
    assert.equal(findRepository(join(top, 's')), asked(top, join(top, 's')));
    git(top, at, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', at, 'module');
    assert.equal(findRepository(join(at, 'module')), asked(top, join(at, 'module')));
  }));

test('the search for a repository skips bare repositories, garbage and dangling pointers, and continues upwards', () =>
  withTop((top) => {
    git(top, top, 'init', '-q', '--bare', 'bare.git');
    assert.is(findRepository(join(top, 'bare.git')), undefined);
    mkdirSync(join(top, 'g/x/y'), { recursive: true });
    writeFileSync(join(top, 'g/x/.git'), 'garbage');
    writeFileSync(join(top, 'g/x/y/.git'), 'gitdir: ../nowhere\n');
    assert.is(findRepository(join(top, 'g/x/y')), undefined);
    git(top, top, 'init', '-q', 'g');
    assert.is(findRepository(join(top, 'g/x/y'))?.root, join(top, 'g'));
    assert.is(repositoryAt(join(top, 'g/x')), undefined);
    mkdirSync(join(top, 'empty/.git'), { recursive: true });
    assert.is(findRepository(join(top, 'empty')), undefined);
    writeFileSync(join(top, 'g/x/.git'), Buffer.alloc(100_000));
    assert.is(repositoryAt(join(top, 'g/x')), undefined);
  }));

test('the search also finds repositories in formats that the daemon cannot use (F65)', () =>
  withTop((top) => {
    git(top, top, 'init', '-q', '--object-format=sha256', 'sha256');
    assert.is(findRepository(join(top, 'sha256'))?.gitDir, join(top, 'sha256/.git'));
    git(top, top, 'init', '-q', 'future');
    git(top, join(top, 'future'), 'config', 'core.repositoryFormatVersion', '1');
    git(top, join(top, 'future'), 'config', 'extensions.refStorage', 'reftable');
    assert.throws(() => asked(top, join(top, 'future')));
    assert.is(findRepository(join(top, 'future'))?.gitDir, join(top, 'future/.git'));
  }));

test.run();
