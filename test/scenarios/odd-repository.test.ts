// Runs the full cycle with each strategy on a small repository with odd names, links, modes, a nested repository and
// ignored files. The work tree is a sub-directory of the repository.
import { chmodSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import { git } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { withClient } from '../support/wire-client.ts';
import { fullCycle } from './full-cycle.ts';

const oddNames = [
  'spaced name.txt',
  '-rf',
  '--upload-pack=x',
  ':(top)magic',
  '*?[glob]',
  'quote"and\\backslash',
  'new\nline',
  'tab\tname',
  'na\xc3\xafve-\xe6\x97\xa5\xe6\x9c\xac.txt',
  'not-utf8-\xff\xfe',
  'nfc-\xc3\xa9',
  'nfd-e\xcc\x81',
  'UPPER',
  'upper',
  '.hidden',
  '.gitattributes',
  'con.txt',
  `long-${'x'.repeat(240)}`,
  'deep/er/and/deeper/file',
];

/** Makes the repository. Returns the sub-directory that serves as work tree. */
function oddRepository(top: string): string {
  const root = join(top, 'repository');
  const work = join(root, 'packages', 'odd one');
  const put = (name: string, content: string | Buffer, mode = 0o644): void => {
    const file = Buffer.from(`${work}/${name}`, 'latin1');
    mkdirSync(Buffer.from(dirname(`${work}/${name}`), 'latin1'), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
  };
  mkdirSync(work, { recursive: true });
  git(root, 'init', '-q', '-b', 'main');
  writeFileSync(join(root, '.gitignore'), '*.secret\nbuild/\n');
  writeFileSync(join(root, 'outside.txt'), 'not of the work tree\n');
  for (const [i, name] of oddNames.entries())
    put(name, name === '.gitattributes' ? '* text=auto eol=crlf\n' : `${i}\n`);
  put('crlf.txt', 'one\r\ntwo\r\n');
  put('binary', Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 31) & 255)));
  put('two megabytes', Buffer.alloc(2 << 20, 'ab\0c'));
  put('empty', '');
  put('run.sh', '#!/bin/sh\n', 0o755);
  put('private', 'key\n', 0o600);
  put('read-only', 'r\n', 0o444);
  for (const [name, target] of [
    ['link', 'empty'],
    ['dangling', '../../nowhere'],
    ['absolute', '/etc/hostname'],
    ['to-directory', 'deep/er'],
  ] as const)
    symlinkSync(target, join(work, name));
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'odd');
  git(root, 'mv', '-k', 'packages/odd one/UPPER', 'packages/odd one/staged-rename');
  const nested = join(work, 'vendor', 'nested');
  mkdirSync(nested, { recursive: true });
  git(nested, 'init', '-q', '-b', 'main');
  writeFileSync(join(nested, 'inner.txt'), 'inner\n');
  git(nested, 'add', '-A');
  git(nested, 'commit', '-q', '-m', 'inner');
  put('local.secret', 'ignored\n');
  put('build/out.o', 'ignored too\n');
  return work;
}

const top = realpathSync(temporaryDirectory('odd'));
const workTree = oddRepository(top);
const nestedHead = git(join(workTree, 'vendor', 'nested'), 'rev-parse', 'HEAD');

for (const strategy of Object.keys(strategies)) {
  test(`${strategy}: checkpoints and restores work with every kind of unusual file (R11, R21)`, () =>
    withClient(async (client) => {
      await client.initialize();
      const repository = join(top, 'repository');
      await fullCycle(client, {
        strategy,
        workTree,
        repository,
        scratch: top,
        edits: 12,
        ignored: /^build\/|\.secret$/,
      });
      const nested = join(workTree, 'vendor', 'nested');
      assert.is(git(nested, 'rev-parse', 'HEAD'), nestedHead, 'the nested repository was not touched');
      assert.is(git(nested, 'status', '--porcelain'), '');
      assert.not.ok(existsSync(join(nested, '.git_disabled')));
    }));
}

test.run();
