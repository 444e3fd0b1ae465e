// The lock of a directory excludes other processes, prepared or not, and ends with its holder.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lockDirectory, PreparedLock } from '../../src/base/directory-lock.ts';
import { installFault } from '../../src/base/seam.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const lockModule = new URL('../../src/base/directory-lock.js', import.meta.url).href;
const isSupported = process.platform === 'linux' && spawnSync('flock', ['--version']).status === 0;

/** Runs a test where the system has flock(1) and lists processes. */
function supported(title: string, body: () => Promise<void>): void {
  test(title, () => (isSupported ? body() : Promise.resolve(console.log('skipped: needs flock and /proc'))));
}

/** True when another program can take the lock: flock(1) itself, which earlier versions start for each lock. */
const isFree = (directory: string): boolean => spawnSync('flock', ['-n', directory, 'true']).status === 0;

const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');

/** Returns a lock of a directory, prepared, and the id of the process that waits. */
async function prepared(
  directory: string,
  restMs?: number,
): Promise<{ readonly lock: PreparedLock; readonly pid: number }> {
  const first = await lockDirectory(directory);
  if (first.is === 'locked') first.release();
  const lock = new PreparedLock(directory, restMs);
  lock.prepare();
  await until('the lock is prepared', () => lock.pid !== undefined);
  return { lock, pid: lock.pid ?? -1 };
}

supported('a prepared lock is taken by the process that waits, and excludes other programs', async () => {
  const directory = temporaryDirectory('lock');
  const { lock, pid } = await prepared(directory);
  assert.ok(isFree(directory), 'a preparation locks nothing');
  const taken = await lock.take();
  assert.is(taken.is, 'locked');
  assert.not.ok(isRunning(pid), 'the process has done its work');
  assert.not.ok(isFree(directory));
  assert.is((await lock.take()).is, 'busy', 'also for the same process');
  if (taken.is === 'locked') taken.release();
  assert.ok(isFree(directory));
});

supported('a prepared lock that another program has is busy', async () => {
  const directory = temporaryDirectory('lock');
  const { lock } = await prepared(directory);
  const holder = spawn('flock', [directory, 'sleep', '60']);
  try {
    await until('it is locked', () => !isFree(directory));
    assert.is((await lock.take()).is, 'busy');
  } finally {
    holder.kill('SIGKILL');
  }
});

supported('a killed or stopped preparation does no harm', async () => {
  const directory = temporaryDirectory('lock');
  const killed = await prepared(directory);
  process.kill(killed.pid, 'SIGKILL');
  const taken = await killed.lock.take();
  assert.is(taken.is, 'locked');
  assert.not.ok(isFree(directory), 'the lock is taken without it');
  if (taken.is === 'locked') taken.release();
  const ended = await prepared(directory);
  process.kill(ended.pid, 'SIGKILL');
  await until('its end is noticed', () => ended.lock.pid === undefined);
  ended.lock.prepare();
  await until('another one waits', () => ended.lock.pid !== undefined);
  ended.lock.close();
  assert.is(ended.lock.pid, undefined);
});

supported('a preparation for a directory that was replaced locks the new directory', async () => {
  const top = temporaryDirectory('lock');
  const [directory, old] = [join(top, 'tree'), join(top, 'old')];
  mkdirSync(directory);
  const { lock, pid } = await prepared(directory);
  renameSync(directory, old);
  mkdirSync(directory);
  const taken = await lock.take();
  assert.is(taken.is, 'locked');
  assert.equal([isFree(directory), isFree(old)], [false, true]);
  await until('the preparation has ended', () => !isRunning(pid));
  if (taken.is === 'locked') taken.release();
  assert.ok(isFree(directory));
});

supported('a preparation that is not used ends', async () => {
  const { lock, pid } = await prepared(temporaryDirectory('lock'), 20);
  await until('it has ended', () => !isRunning(pid));
  assert.is(lock.pid, undefined);
});

supported('SIGKILL frees a prepared lock at once, and ends a preparation', async () => {
  const directory = temporaryDirectory('lock');
  const script = `const { lockDirectory, PreparedLock } = await import(${JSON.stringify(lockModule)});
    const [directory] = ${JSON.stringify([directory])};
    (await lockDirectory(directory)).release();
    const [taken, waiting] = [new PreparedLock(directory), new PreparedLock(directory)];
    for (const each of [taken, waiting]) each.prepare();
    while (taken.pid === undefined || waiting.pid === undefined) await new Promise((next) => setTimeout(next, 5));
    const lock = await taken.take();
    console.log(lock.is, waiting.pid);
    setInterval(() => undefined, 1000);`;
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout ?? process.stdin, 'data')) as [Buffer];
  const [is, pid] = said.toString().trim().split(' ');
  assert.is(is, 'locked');
  assert.not.ok(isFree(directory));
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.ok(isFree(directory));
  await until('the preparation has ended', () => !isRunning(Number(pid)));
});

supported('a failed call leaves the directory unlocked, prepared or not', async () => {
  const directory = temporaryDirectory('lock');
  const { lock } = await prepared(directory);
  for (let time = 0; time < 2; time += 1) {
    installFault((call) => {
      if (call === 'spawn') throw Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' });
    });
    try {
      assert.is((await lock.take()).is, 'unavailable');
    } finally {
      installFault(undefined);
    }
    assert.ok(isFree(directory));
  }
});

test.run();
