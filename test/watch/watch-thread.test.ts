// Tests the watcher threads that all sessions of a daemon share: their number, and what happens to other sessions when
// a thread fails or a session ends.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { WatchThread } from '../../src/watch/watch-thread.ts';
import { WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const test = suite('shared watching threads');
const names = ['a', 'b', 'c', 'd', 'e'];

function threads(): number {
  return readdirSync('/proc/self/task').length;
}

function inotifyInstances(): number {
  return readdirSync('/proc/self/fdinfo').filter((fd) => {
    try {
      return readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').includes('inotify');
    } catch {
      return false; // this descriptor is open only for reading the directory
    }
  }).length;
}

/** A work tree with the directory `d` and a live watcher. */
async function watch(root: string): Promise<WorkTreeWatcher> {
  mkdirSync(join(root, 'd'), { recursive: true });
  const fenceDirectory = join(temporaryDirectory('fence'), 'fence');
  const watcher = new WorkTreeWatcher({ root, fenceDirectory, isIgnored: () => false, log: silentLog });
  watcher.start();
  await until('the handles are ready', () => watcher.handles?.isReady === true);
  await watcher.ready();
  await openHandles(watcher);
  return watcher;
}

async function openHandles(watcher: WorkTreeWatcher): Promise<void> {
  await until('each directory has a handle', async () => {
    const missing = await watcher.handles?.open([fromText(''), fromText('d')]);
    return missing?.length === 0;
  });
}

/**
 * Changes a file in `d`. Checks that the directory handles report the change before `fence()` returns true, and that
 * chokidar reports the change, too.
 */
async function requireMarks(watcher: WorkTreeWatcher, root: string, name: string): Promise<void> {
  const path = fromText(`d/${name}`);
  await until(`${name} is marked`, async () => {
    const from = watcher.changes.position;
    writeFileSync(join(root, 'd', name), 'x');
    if (!(await watcher.handles?.fence()) || !watcher.changes.isCompleteSince(from)) return false;
    assert.ok(watcher.changes.isMarkedByHandles(path, from), `${root}: ${name} was not marked`);
    return true;
  });
  await until(`${name} is reported`, () => {
    if (watcher.dirtyPaths(1000).includes(path)) return true;
    writeFileSync(join(root, 'd', name), 'x'); // this write may come before the new directory is watched
    return false;
  });
}

async function withWatchers(
  roots: readonly string[],
  body: (watchers: WorkTreeWatcher[]) => Promise<void>,
): Promise<void> {
  const alive = setInterval(() => undefined, 1000); // a watcher does not keep the process alive
  const watchers: WorkTreeWatcher[] = [];
  try {
    for (const root of roots) watchers.push(await watch(root));
    await body(watchers);
  } finally {
    clearInterval(alive);
    await Promise.all(watchers.map((watcher) => watcher.close()));
  }
}

if (process.platform === 'linux') {
  test('five sessions share two threads and two inotify instances until the last session ends', async () => {
    await stat('/'); // starts the threads of Node's own pool before the first count
    const [threadsBefore, instancesBefore] = [threads(), inotifyInstances()];
    const roots = names.map((name) => temporaryDirectory(name));
    await withWatchers(roots, async (watchers) => {
      assert.is(threads() - threadsBefore, 2);
      assert.is(inotifyInstances() - instancesBefore, 2);
      for (const [i, watcher] of watchers.entries()) await requireMarks(watcher, roots[i] ?? '', 'f');
      for (const [i, watcher] of watchers.entries())
        assert.equal(watcher.dirtyPaths(1000), ['d/f'], `session ${i} hears of its own work tree only`);
    });
    await until('no thread is left', () => threads() === threadsBefore);
    assert.is(inotifyInstances(), instancesBefore);
  });

  test('a session that ends does not stop the watcher of another session on the same work tree', () => {
    const root = temporaryDirectory('same');
    return withWatchers([root, root, temporaryDirectory('other')], async ([first, second, third]) => {
      assert.ok(first && second && third);
      await requireMarks(second, root, 'before');
      await first.close();
      await requireMarks(second, root, 'after');
      // The two sessions must both watch the directory that takes the place of `d`.
      rmSync(join(root, 'd'), { recursive: true });
      mkdirSync(join(root, 'd'));
      await openHandles(second);
      await requireMarks(second, root, 'replaced');
      assert.is(second.figures.state, 'live');
      assert.equal(third.dirtyPaths(10), []);
    });
  });

  test('chokidar reports changes in new directories to both of two sessions on one work tree', async () => {
    const root = temporaryDirectory('twice');
    const watchers = [root, root].map((one) => {
      const watcher = new WorkTreeWatcher({ root: one, isIgnored: () => false, log: silentLog });
      watcher.start();
      return watcher;
    });
    const alive = setInterval(() => undefined, 1000);
    try {
      for (const watcher of watchers) await watcher.ready();
      for (let i = 0; i < 5; i += 1) {
        mkdirSync(join(root, `d${i}`));
        const file = join(root, `d${i}`, 'f');
        const isMarked = (watcher: WorkTreeWatcher): boolean =>
          watcher.dirtyPaths(1000).includes(fromText(`d${i}/f`));
        await until(`directory ${i} is watched for both`, () => {
          writeFileSync(file, '');
          return watchers.every(isMarked);
        });
      }
    } finally {
      clearInterval(alive);
      await Promise.all(watchers.map((watcher) => watcher.close()));
    }
  });

  test('the process waits until sessions have left the thread that they share', () => {
    // The thread answers only when the process has nothing else to do.
    const program = `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ kind, seat, order }) => {
        if (kind === 'leave') setTimeout(() => parentPort.postMessage({ kind: 'left', seat }), 100);
      });
      // Delays the end of the thread.
      process.on('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100));`)}`;
    const code = `
      import { WatchThread } from ${JSON.stringify(new URL('../../src/watch/watch-thread.js', import.meta.url))};
      const thread = { name: 'test', program: new URL(${JSON.stringify(program)}), heapMb: 64 };
      const sessions = [1, 2, 3].map(() => new WatchThread(thread, { onMessage() {}, onFailure() {} }));
      for (const session of sessions) session.start({});
      const [first, ...others] = sessions;
      await first.stop();
      await Promise.all(others.map((session) => session.stop()));
      console.log('all sessions have left');`;
    const { stdout, stderr, status } = spawnSync(execPath, ['--input-type=module', '--eval', code], {
      encoding: 'utf8',
    });
    assert.is(stdout, 'all sessions have left\n', stderr);
    assert.is(status, 0);
  });

  test('if a shared thread dies, each of its sessions gets its own thread', async () => {
    // The thread fails when a session with the name `poison` begins to use it.
    const program = new URL(
      `data:text/javascript,import { parentPort } from 'node:worker_threads';
       parentPort.on('message', ({ kind, seat, order }) => {
         if (kind === 'enter' && order.name === 'poison') throw new Error('a defect');
         if (kind === 'enter') parentPort.postMessage({ kind: 'message', seat, message: order.name });
       })`.replaceAll('\n', ' '),
    );
    const heard: string[] = [];
    const failed: string[] = [];
    const begin = (name: string): WatchThread<string> => {
      const start = (): void => session.start({ name });
      const session: WatchThread<string> = new WatchThread(
        { name: 'test', program, heapMb: 64 },
        {
          onMessage: (message) => heard.push(message),
          onFailure: (reason, isHopeless) => {
            failed.push(`${name}: ${reason} ${isHopeless}`);
            void session.stop();
            session.startLater(start);
          },
        },
      );
      start();
      return session;
    };
    const sessions = [begin('a'), begin('b')];
    const alive = setInterval(() => undefined, 1000);
    try {
      // A thread that dies may lose its last messages.
      await until('two sessions are in the thread', () => heard.length === 2);
      sessions.push(begin('poison'));
      await until(
        'the third thread failed twice',
        () => failed.filter((one) => one.startsWith('poison')).length >= 2,
      );
      await until('the other sessions watch again', () => heard.length >= 4);
      for (const name of ['a', 'b'])
        assert.equal(
          failed.filter((one) => one.startsWith(name)),
          [`${name}: its thread failed (Error: a defect) false`],
        );
    } finally {
      clearInterval(alive);
      await Promise.all(sessions.map((session) => session.stop()));
    }
  });
} else console.log('skipped: sessions share threads on Linux only');

test.run();
