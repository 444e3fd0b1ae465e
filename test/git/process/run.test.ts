// Tests the errors when git cannot start, because git or its directory is missing.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { GitChild, takeLine } from '../../../src/git/process/child.ts';
import type { GitPlace } from '../../../src/git/process/environment.ts';
import { runGit, streamGit } from '../../../src/git/process/run.ts';
import { inTemporary } from '../../support/git-oracle.ts';

async function allOf(place: GitPlace): Promise<string[]> {
  const child = new GitChild(place, ['cat-file', '--batch']);
  const streamed = async (): Promise<void> => {
    for await (const chunk of streamGit(place, ['version'])) assert.ok(chunk.length > 0);
  };
  const asked = [
    runGit({ place, args: ['version'] }),
    streamed(),
    child.ask(Buffer.from('HEAD\n'), takeLine, 5000),
  ];
  const told = await Promise.all(
    asked.map((work) =>
      work.then(
        () => 'done',
        (error: unknown) => (error instanceof CheckpointdError ? error.kind : String(error)),
      ),
    ),
  );
  await child.close();
  return told;
}

test('if git cannot start because its working directory is missing, the error names the directory', () =>
  inTemporary(async (directory) => {
    const gone = join(directory, 'gone');
    assert.equal(await allOf({ gitDir: gone }), ['StoreUnavailable', 'StoreUnavailable', 'StoreUnavailable']);
    const tree = { gitDir: directory, workTree: gone, cwd: gone };
    assert.equal(await allOf(tree), ['WorkTreeMissing', 'WorkTreeMissing', 'WorkTreeMissing']);
    await runGit({ place: { gitDir: gone }, args: ['version'] }).catch((error: unknown) => {
      assert.ok(error instanceof CheckpointdError);
      assert.ok(error.message.includes(gone), error.message);
      assert.is(error.details?.['path'], gone);
    });
  }));

test('if git cannot start although its working directory exists, the error says that git is missing', () =>
  inTemporary(async (directory) => {
    const path = process.env['PATH'];
    process.env['PATH'] = directory;
    try {
      assert.equal(await allOf({ gitDir: directory }), ['GitMissing', 'GitMissing', 'GitMissing']);
    } finally {
      process.env['PATH'] = path;
    }
  }));

test.run();
