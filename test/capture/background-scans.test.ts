// Tests the times at which background scans run.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BackgroundScans } from '../../src/capture/background-scans.ts';
import { until } from '../support/until.ts';

const test = suite('background scans');
const fails = (error: unknown): never => {
  throw error;
};

/**
 * Runs background scans that take `tookMs` each, unless a capture stops them. Records when each scan began and ended.
 */
async function scanning(
  tookMs: number,
  body: (scans: BackgroundScans, began: readonly number[], ended: readonly number[]) => Promise<void>,
): Promise<void> {
  const [began, ended]: [number[], number[]] = [[], []];
  const scans = new BackgroundScans(
    async (signal) => {
      began.push(performance.now());
      await sleep(tookMs, undefined, { signal, ref: true }).catch(() => undefined);
      ended.push(performance.now());
    },
    fails,
    1,
  );
  const alive = setInterval(() => undefined, 1000); // keeps the process alive, because the scans' own timer does not
  try {
    await body(scans, began, ended);
  } finally {
    clearInterval(alive);
    await scans.close();
  }
}

/** Schedules a second scan, and returns the milliseconds until it begins. */
async function untilSecond(
  scans: BackgroundScans,
  began: readonly number[],
  isAwaited: boolean,
): Promise<number> {
  const asked = performance.now();
  scans.schedule(isAwaited);
  await until('the second scan has begun', () => began.length === 2);
  return (began[1] ?? 0) - asked;
}

test('after a long background scan, the pause before the next scan is also long', () =>
  scanning(300, async (scans, began, ended) => {
    scans.schedule(false);
    await until('a scan has ended', () => ended.length === 1);
    const waited = await untilSecond(scans, began, false);
    assert.ok(waited > 1000, `after ${waited} ms`);
  }));

test('if a capture stops a long background scan, the pause before the next scan is also long', () =>
  scanning(60_000, async (scans, began, ended) => {
    scans.schedule(false);
    await until('a scan runs', () => began.length === 1);
    await sleep(300); // the scan lasts this long
    scans.captureBegins();
    await until('the scan has ended', () => ended.length === 1);
    scans.captureEnds();
    const waited = await untilSecond(scans, began, false);
    assert.ok(waited > 1000, `after ${waited} ms`);
  }));

test('if a capture waits for a background scan, the scan begins immediately, even after a long scan', () =>
  scanning(2000, async (scans, began, ended) => {
    scans.schedule(false);
    await until('a scan has ended', () => ended.length === 1);
    const waited = await untilSecond(scans, began, true);
    assert.ok(waited < 8000, `after ${waited} ms`); // ten seconds otherwise
  }));

test.run();
