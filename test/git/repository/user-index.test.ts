import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../../src/base/log.ts';
import { findRepository } from '../../../src/git/repository/git-dir.ts';
import { UserIndex } from '../../../src/git/repository/user-index.ts';
import { git } from '../../support/capture-rig.ts';

const test = suite('user index');

async function withRepository(
  body: (root: string, index: UserIndex, log: string[]) => Promise<void>,
): Promise<void> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'ckpt-index-')));
  const root = join(top, 'w');
  mkdirSync(root);
  git(top, root, 'init', '-q');
  const log: string[] = [];
  const repository = findRepository(root);
  try {
    assert.ok(repository !== undefined);
    await body(
      root,
      new UserIndex(repository, createLog('debug', [(level, message) => log.push(`${level} ${message}`)])),
      log,
    );
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

const paths = async (index: UserIndex): Promise<string[]> =>
  (await index.entries()).map((entry) => String(entry.path));

test('the daemon reads tracked paths as bytes, detects changes of the index, and never writes the index', () =>
  withRepository(async (root, index) => {
    assert.equal(await paths(index), [], 'no index yet');
    const names = ['a', 'd/é', 'new\nline', '"q"', '-x', ':x'];
    mkdirSync(join(root, 'd'));
    for (const name of names) writeFileSync(join(root, name), '');
    git(root, root, 'add', '-A');
    const before = readFileSync(join(root, '.git/index'));
    assert.equal(
      new Set(await paths(index)),
      new Set(names.map((name) => Buffer.from(name).toString('latin1'))),
    );
    assert.ok(readFileSync(join(root, '.git/index')).equals(before));
    git(root, root, 'rm', '-q', '--cached', 'a');
    assert.not.ok((await paths(index)).includes('a'));
  }));

test('a path with a merge conflict is listed once, and a submodule is marked', () =>
  withRepository(async (root, index) => {
    const blob = git(root, root, 'hash-object', '-w', '--stdin').trim();
    const commit = 'c'.repeat(40);
    const lines = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\tboth`);
    const info = [...lines, `160000 ${commit} 0\tmodule`].join('\n');
    writeFileSync(join(root, 'info'), `${info}\n`);
    const { execFileSync } = await import('node:child_process');
    execFileSync('git', ['update-index', '--index-info'], {
      cwd: root,
      input: `${info}\n`,
      env: { PATH: process.env.PATH ?? '', HOME: root },
    });
    assert.equal(
      (await index.entries()).map((entry) => ({ ...entry, path: String(entry.path) })),
      [
        { path: 'both', isSubmodule: false },
        { path: 'module', isSubmodule: true },
      ],
    );
  }));

test('reading the index does not run a program from a hostile configuration (F55)', () =>
  withRepository(async (root, index) => {
    const ran = join(root, 'ran');
    writeFileSync(join(root, 'f'), '');
    git(root, root, 'add', 'f');
    for (const key of ['core.fsmonitor', 'core.pager', 'core.editor', 'alias.ls-files', 'core.sshCommand']) {
      git(root, root, 'config', key, key.startsWith('alias') ? `!touch ${ran}` : `touch ${ran}`);
    }
    mkdirSync(join(root, '.git/hooks'), { recursive: true });
    writeFileSync(join(root, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    assert.equal(await paths(index), ['f']);
    assert.not.ok(existsSync(ran));
  }));

test('an unreadable index is reported, and counts as empty until git writes a new one', () =>
  withRepository(async (root, index, log) => {
    writeFileSync(join(root, '.git/index'), 'garbage');
    assert.equal(await paths(index), []);
    assert.ok(log.some((line) => line.startsWith('warn ')));
    rmSync(join(root, '.git/index'));
    writeFileSync(join(root, 'f'), '');
    git(root, root, 'add', 'f');
    assert.equal(await paths(index), ['f']);
  }));

test.run();
