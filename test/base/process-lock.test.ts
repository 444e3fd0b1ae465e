import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describeSelf, holderState, parseHolder, takeProcessLock } from '../../src/base/process-lock.ts';
import { installFault } from '../../src/base/seam.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const lockModule = new URL('../../src/base/process-lock.js', import.meta.url).href;

test('a lock has one holder at a time, even within one process', async () => {
  const file = join(temporaryDirectory(), 'lock');
  const first = await takeProcessLock(`one ${file}`, file);
  assert.ok(first);
  assert.is(await takeProcessLock(`one ${file}`, file), undefined);
  first.release();
  const again = await takeProcessLock(`one ${file}`, file);
  assert.ok(again);
  again.release();
});

test('an ended process counts as dead even before its parent collects the exit status', async () => {
  // The shell replaces itself with a program that never waits for its child.
  const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const { startTime: _, ...self } = describeSelf();
    const child = { ...self, pid: Number(said.toString()) };
    await until('the child has ended', () => holderState(child) === 'dead');
    assert.is(process.kill(child.pid, 0), true, 'its number is still taken');
  } finally {
    parent.kill('SIGKILL');
  }
});

test('SIGKILL of a process immediately frees the locks of this process', async () => {
  const file = join(temporaryDirectory(), 'lock');
  const script = `const { takeProcessLock } = await import(${JSON.stringify(lockModule)});
    const lock = await takeProcessLock(${JSON.stringify(`two ${file}`)}, ${JSON.stringify(file)});
    console.log(lock ? 'held' : 'refused'); setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  assert.is(said.toString().trim(), 'held');
  assert.is(await takeProcessLock(`two ${file}`, file), undefined);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = await takeProcessLock(`two ${file}`, file);
  assert.ok(lock);
  lock.release();
});

test('the holder of a lock counts as dead if its pid now belongs to a process with a different start time (F97)', () => {
  const self = describeSelf();
  assert.is(holderState(self), 'alive');
  assert.is(holderState({ ...self, startTime: '1' }), 'dead');
  assert.is(holderState({ ...self, bootId: 'another boot' }), 'dead');
});

test('a lock holder that this process cannot see counts as unknown, not as dead', () => {
  const self = describeSelf();
  assert.is(holderState({ ...self, pidNamespace: 'pid:[1]' }), 'unknown');
  assert.is(holderState({ ...self, host: 'elsewhere' }), 'unknown');
  assert.is(holderState(parseHolder('not json')), 'unknown');
});

test('if /proc becomes unreadable, a process still describes itself as before', () => {
  const self = describeSelf();
  installFault((_call, target) => {
    if (target.startsWith('/proc/')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
  });
  try {
    assert.equal(describeSelf(), self);
  } finally {
    installFault(undefined);
  }
});

test.run();
