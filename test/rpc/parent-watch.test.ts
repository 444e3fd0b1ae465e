import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isAlive } from '../../src/base/process-lock.ts';
import { type ParentWatchPorts, watchParent } from '../../src/rpc/parent-watch.ts';

/** Watches a simulated process for a while. Returns how often the watch reported the death of this process. */
async function watched(ports: Partial<ParentWatchPorts>, change: () => void): Promise<number> {
  let gone = 0;
  const stop = watchParent({ watchOwnParent: false, intervalMs: 2, onGone: () => (gone += 1), ...ports });
  await sleep(15);
  assert.is(gone, 0);
  change();
  await sleep(30);
  stop();
  return gone;
}

test('the death of a process that was visible at the start is reported once', async () => {
  let alive = true;
  assert.is(await watched({ processId: 7, isAlive: () => alive }, () => (alive = false)), 1);
});

test('the daemon does not watch a process that was not visible at the start', async () => {
  let alive = false;
  assert.is(await watched({ processId: 7, isAlive: () => alive }, () => (alive = false)), 0);
  alive = true;
  assert.is(await watched({ processId: 0, isAlive: () => alive }, () => (alive = false)), 0);
});

test('if the client is the parent process, a change of the parent means that the client is lost', async () => {
  let parent = 7;
  assert.is(await watched({ watchOwnParent: true, parentOf: () => parent }, () => (parent = 1)), 1);
  assert.is(await watched({ watchOwnParent: false, parentOf: () => parent }, () => (parent = 8)), 0);
});

test('if this process has no permission to signal another process, the other process counts as alive', () => {
  assert.ok(isAlive(process.pid));
  assert.not(isAlive(2 ** 30));
  const kill = process.kill.bind(process);
  try {
    process.kill = () => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
    };
    assert.ok(isAlive(1));
  } finally {
    process.kill = kill;
  }
});

test.run();
