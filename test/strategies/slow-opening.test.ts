// R26: a session/open that takes more than five seconds logs a warning and continues. The test does not really wait for
// five seconds.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';

const { setTimeout: timer } = globalThis;

/** Replaces setTimeout, and shortens only timers of five seconds. */
const hasty = ((work: () => void, ms?: number) => {
  if (ms !== 5_000) return timer(work, ms);
  work();
  return timer(() => undefined, 0);
}) as typeof globalThis.setTimeout;

test('a session/open that takes five seconds logs one warning and continues; a quick session/open logs no warning (R26)', async () => {
  for (const strategy of Object.keys(strategies)) {
    const daemon = new InProcessDaemon();
    const warnings = (): string[] =>
      daemon.logged.filter(({ level }) => level === 'warn').map(({ message }) => message);
    const limits = { initTimeoutMs: 600_000 };
    await daemon.open(repository(), { strategy, limits });
    if (warnings().length > 0) console.log(`skipped: a quick opening took five seconds here (${strategy})`);
    daemon.logged.length = 0;
    globalThis.setTimeout = hasty;
    try {
      const { checkpoints } = await daemon.open(repository(), { strategy, limits });
      assert.ok(checkpoints.enabled, 'it goes on all the same');
    } finally {
      globalThis.setTimeout = timer;
    }
    assert.is(warnings().length, 1, strategy);
    assert.match(warnings()[0] ?? '', /takes long.*if you ignore/s, 'with the remedy');
    await daemon.close();
  }
});

test.run();
