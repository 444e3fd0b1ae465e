// The audit compares the watcher's reports with captures. The audit finds every unreported change, and never lists a
// reported change as unreported.
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Capture, CaptureRequest } from '../../src/capture/capturer.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { seed } from '../support/property.ts';
import { Random, RandomEdits } from '../support/trees/random-edits.ts';
import { type Audited, audited } from './audited.ts';

const test = suite('watch audit');

const rules = ['f\n', '*.log\n', 'b/\n', '/d\n', '!f\n', 'a/*\n', ''];

/** Makes random edits in a directory, while captures of every kind run. */
async function live(it: Audited, random: Random, directory: string, steps: number): Promise<void> {
  const root = it.at(directory);
  const edits = new RandomEdits(root, join(it.rig.top, 'outside'), random);
  const running: Promise<unknown>[] = [];
  let latest: Capture | undefined;
  const start = (request: CaptureRequest): void => {
    running.push(it.capturer.capture(request).then((capture) => (latest = capture)));
  };
  const others: (() => void)[] = [
    () => start({}),
    () => start(latest === undefined ? {} : { previous: latest.snapshot }),
    () => start({ alsoInclude: [fromText(random.pick(['a', 'a/f', 'b/h.log']))] }),
    () => latest && start({ previous: latest.snapshot, since: { capture: latest, touched: [] } }),
    () => latest && running.push(it.capturer.isChanged(latest.snapshot)),
    () => it.watch.change(() => writeFileSync(join(root, '.gitignore'), random.pick(rules))),
  ];
  try {
    for (let i = 0; i < steps; i += 1) {
      if (random.below(3) === 0) random.pick(others)();
      else it.watch.change(() => edits.edit());
      for (let turns = random.below(8); turns > 0; turns -= 1) await turn();
    }
  } finally {
    await Promise.allSettled(running); // all captures must end before the tree is removed
  }
  await Promise.all(running);
  await it.capture(latest === undefined ? {} : { previous: latest.snapshot });
}

test('the audit of the watcher never lists a reported change, whatever happens before, during and between captures', async () => {
  const random = new Random(seed);
  for (let run = 0; run < Number(process.env['RUNS'] ?? 8); run += 1)
    await audited(async (it) => {
      await live(it, random, '', 10 + random.below(50));
      assert.equal(it.drifts, [], `SEED=${seed}, run ${run}`);
      const warnings = it.logged.filter((line) => line.includes('could not check whether the watch'));
      assert.equal(warnings, [], `SEED=${seed}, run ${run}`);
    });
});

test('the audit finds exactly the changes that the watcher did not report', async () => {
  const random = new Random(seed);
  const quiet = ['quiet/one', 'quiet/two', 'quiet/deep/down/three', 'four'];
  for (let run = 0; run < Number(process.env['RUNS'] ?? 8); run += 1)
    await audited(async (it) => {
      it.watch.change(() => {
        for (const path of [...quiet, 'busy/f']) it.write(path, '0');
      });
      await live(it, random, 'busy', random.below(25));
      const how = random.pick(['write', 'remove', 'mode', 'replace']);
      const victims = quiet.filter((path) => path === quiet[run % 4] || random.below(3) === 0);
      it.watch.miss(() => {
        for (const path of victims) missed(it, path, how);
      });
      await live(it, random, 'busy', random.below(10));
      const why = `SEED=${seed}, run ${run}: ${how}`;
      assert.equal([...new Set(it.drifts.flat())].sort(), victims.toSorted(), why);
    });
});

function missed(it: Audited, at: string, how: string): void {
  if (how === 'write') writeFileSync(it.at(at), 'missed');
  else if (how === 'remove') rmSync(it.at(at));
  else if (how === 'mode') chmodSync(it.at(at), 0o755);
  else {
    rmSync(it.at(at));
    it.write(`${at}/below`, 'missed');
    rmSync(it.at(at), { recursive: true });
    symlinkSync('missed', it.at(at));
  }
}

test.run();
