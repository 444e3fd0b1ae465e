// Runs random tests and races of `npm test` once more, with more inputs or repetitions. In `npm test`, these files have
// fewer, because they would take a tenth of its time.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

/** The value of RUNS for each test file. */
const runs: Readonly<Record<string, number>> = {
  'capture/capturer': 15,
  'capture/capturer-first': 8,
  'capture/capturer-meanwhile': 30,
  'capture/scan': 60,
  'capture/watch-audit': 25,
  'conversation/conversation-model': 600,
  'protocol/bad-values': 28,
  'protocol/projections': 1200,
  'restore/restorer': 120,
  'store/git/packed-records': 10,
  'store/sqlite/rows': 90,
  'watch/directory-handles': 600,
};

const pathOf = (file: string): string => fileURLToPath(new URL(`../${file}.js`, import.meta.url));

for (const [name, count] of Object.entries(runs))
  test(`${name}.test.ts also passes with RUNS=${count}`, () => {
    const words = ['--import', pathOf('support/object-details'), pathOf(`${name}.test`)];
    const env = { ...process.env, RUNS: String(count) };
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env });
    assert.is(status, 0, `${stdout}${stderr}`);
    assert.match(stdout, /Passed:\s+[1-9]/);
  });

test.run();
