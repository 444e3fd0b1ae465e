// Tests that the torture test can fail: it finds a planted defect, and reduces the steps that lead to the defect.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Tally } from '../../scripts/torture/tally.ts';
import { run, type TortureOptions, torture } from '../../scripts/torture/torture.ts';

const options: TortureOptions = {
  seed: 4203550413, // with this seed, the first episode writes files and restores them
  clients: ['own'],
  ms: 60_000,
  strategies: ['shadow'],
  patienceMs: 10_000,
  power: 0,
  shrinkTries: 20,
  length: 6,
  say: () => undefined,
};

test('the torture test finds a planted defect, and reduces its run to the few steps that show the defect', async () => {
  // The planted fault makes every file executable after the daemon has checked the file. After a restore, the daemon
  // compares contents, but not permissions. Therefore only the checker of the torture test can find the defect.
  const planted = { act: 'executable', at: 1, times: 1_000_000, match: '^rename .*\\.ckpt-tmp-' } as const;
  const { finding } = await torture({ ...options, planted });
  assert.ok(finding !== undefined);
  assert.ok(finding.steps.length <= 3, JSON.stringify(finding.steps));
  assert.ok(
    finding.steps.some(({ op }) => op === 'restore' || op === 'undo'),
    JSON.stringify(finding.steps),
  );
  const again = await run(finding.circumstances, finding.steps, new Tally());
  assert.ok(again !== undefined);
  assert.is(
    await run({ ...finding.circumstances, planted: undefined }, finding.steps, new Tally()),
    undefined,
  );
});

test.run();
