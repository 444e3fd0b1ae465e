// When everything is looked at in the quiet after captures.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IdleScans } from '../../src/capture/idle-scans.ts';
import { until } from '../support/until.ts';

const test = suite('idle scans');
const fails = (error: unknown): never => {
  throw error;
};

/** Scans that take so long each, or until they are ended, and when each of them began and ended. */
function scans(tookMs: number, idleMs: number) {
  const began: number[] = [];
  const ended: number[] = [];
  const idle = new IdleScans(
    async (signal) => {
      began.push(performance.now());
      await sleep(tookMs, undefined, { signal, ref: true }).catch(() => undefined);
      ended.push(performance.now());
    },
    fails,
    idleMs,
  );
  return { idle, began, ended };
}

test('a scan that takes long waits for a longer quiet than the first one did', async () => {
  const { idle, began, ended } = scans(300, 1);
  const alive = setInterval(() => undefined, 1000); // its timer keeps no process alive
  try {
    idle.after(false);
    await until('a scan has ended', () => ended.length === 1);
    const asked = performance.now();
    idle.after(false);
    await until('the next one has begun', () => began.length === 2);
    const waited = (began[1] ?? 0) - asked;
    assert.ok(waited > 1000, `after ${waited} ms`);
  } finally {
    clearInterval(alive);
    await idle.close();
  }
});

test('one that a capture has ended is remembered for as far as it came', async () => {
  const { idle, began, ended } = scans(60_000, 1);
  const alive = setInterval(() => undefined, 1000);
  try {
    idle.after(false);
    await until('a scan runs', () => began.length === 1);
    await sleep(300); // how long it ran is what is told apart
    idle.captureBegins();
    await until('it has ended', () => ended.length === 1);
    idle.captureEnds();
    const asked = performance.now();
    idle.after(false);
    await until('the next one has begun', () => began.length === 2);
    const waited = (began[1] ?? 0) - asked;
    assert.ok(waited > 1000, `after ${waited} ms`);
  } finally {
    clearInterval(alive);
    await idle.close();
  }
});

test('the one that captures wait for comes at once, whatever the last one took', async () => {
  const { idle, began, ended } = scans(2000, 1);
  const alive = setInterval(() => undefined, 1000);
  try {
    idle.after(false);
    await until('a scan has ended', () => ended.length === 1);
    const asked = performance.now();
    idle.after(true);
    await until('the next one has begun', () => began.length === 2);
    const waited = (began[1] ?? 0) - asked;
    assert.ok(waited < 8000, `after ${waited} ms`); // ten seconds otherwise
  } finally {
    clearInterval(alive);
    await idle.close();
  }
});

test.run();
