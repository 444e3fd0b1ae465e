// Tests the errors of an object reader for missing and damaged objects.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ObjectReader } from '../../../src/git/objects/object-reader.ts';
import { withDyingGit } from '../../support/dying-git.ts';
import { git } from '../../support/git-oracle.ts';
import { kindOf } from '../../support/stores/store-rig.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

test('an object that makes git crash is reported neither as missing nor as damaged', async () => {
  const top = temporaryDirectory('reader');
  const gitDir = join(top, 'repository.git');
  git('/', 'init', '-q', '--bare', gitDir);
  const id = git(gitDir, 'commit-tree', '-m', 'text', emptyTree).trim();
  const size = Number(git(gitDir, 'cat-file', '-s', id));
  const reader = new ObjectReader({ gitDir });
  const read = (): Promise<Buffer> => reader.read('commit', id);
  const stream = async (): Promise<void> => {
    for await (const _ of reader.stream('commit', id, size));
  };
  try {
    await withDyingGit({ directory: join(top, 'bin'), command: 'cat-file', word: id }, async () => {
      assert.is(await kindOf(read()), 'GitFailed');
      assert.is(await kindOf(stream()), 'GitFailed');
    });
    assert.is((await read()).length, size);
    await stream();
    assert.is(await kindOf(reader.read('commit', '1'.repeat(40))), 'DataCorrupt');
  } finally {
    await reader.close();
  }
});

test.run();
