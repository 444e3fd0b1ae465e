// Runs the full cycle with each strategy on a repository of more than 20,000 files. The repository is generated, or
// cloned from the path in REAL_REPOSITORY. The test never changes the original of a clone.
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GeneratedTree } from '../../scripts/bench/generated-tree.ts';
import { strategies } from '../../src/store/strategies.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { withClient } from '../support/wire-client.ts';
import { fullCycle } from './full-cycle.ts';

const top = realpathSync(temporaryDirectory('large'));
const workTree = join(top, 'work');
const source = process.env['REAL_REPOSITORY'];

test.before(() => {
  mkdirSync(workTree);
  if (source === undefined) assert.is(new GeneratedTree(workTree, 20_000).files, 20_000);
  else execFileSync('git', ['clone', '--quiet', '--no-hardlinks', source, workTree]);
});

for (const strategy of Object.keys(strategies)) {
  test(`${strategy}: with more than 20,000 files, restores bring back contents, modes and git trees exactly`, () =>
    withClient(
      async (client) => {
        await client.initialize();
        const options = { strategy, workTree, repository: workTree, scratch: top, edits: 600 };
        console.log(`note: ${strategy} ${JSON.stringify(await fullCycle(client, options))}`);
      },
      { timeoutMs: 600_000 },
    ));
}

test.run();
