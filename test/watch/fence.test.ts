// The fence: after it, every change made before it has been told.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { type WatcherOptions, WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { makeRig, type Rig } from '../support/capture-rig.ts';

const test = suite('fence');

interface Fenced {
  readonly rig: Rig;
  readonly watcher: WorkTreeWatcher;
  readonly directory: string;
}

async function fenced(
  body: (fenced: Fenced) => Promise<void>,
  prepare: (rig: Rig) => void = () => undefined,
  options: Partial<WatcherOptions> = {},
): Promise<void> {
  const rig = makeRig();
  prepare(rig);
  const directory = join(rig.top, 'fence');
  const watcher = new WorkTreeWatcher({
    root: rig.root,
    fenceDirectory: directory,
    isIgnored: () => false,
    log: silentLog,
    ...options,
  });
  const alive = setInterval(() => undefined, 1000); // neither a watcher nor a fence keeps a process alive
  try {
    watcher.start();
    await watcher.ready();
    await body({ rig, watcher, directory });
  } finally {
    clearInterval(alive);
    await watcher.close();
    await rig.remove();
  }
}

if (process.platform === 'linux') {
  test('what was changed before it is told after it, a thousand times and in one burst', async () => {
    const fill = (rig: Rig): void => {
      for (let i = 0; i < 50; i += 1) rig.write(`d${i}/f`, '0');
    };
    await fenced(async ({ rig, watcher }) => {
      const { changes } = watcher;
      let heard = 0;
      for (let i = 0; i < 1000; i += 1) {
        const from = changes.position;
        const path = `d${i % 50}/${i % 3 === 0 ? 'f' : `new${i}`}`;
        rig.write(path, String(i));
        // A busy machine may take longer than a second, or make the thread believe that it has lost something.
        if (!(await watcher.fence()) || !changes.isWholeSince(from)) continue;
        assert.ok(changes.hasTold(fromText(path), from), `${path} was not told at ${i}`);
        heard += 1;
      }
      assert.ok(heard > 500, `${heard} of 1000 were heard`);
      const from = await heardAfter(watcher, () => {
        for (let i = 0; i < 500; i += 1) rig.write(`d${i % 50}/burst${i}`, '');
      });
      for (let i = 0; i < 500; i += 1)
        assert.ok(changes.hasTold(fromText(`d${i % 50}/burst${i}`), from), String(i));
    }, fill);
  });

  test('several at once are all passed, and one cookie serves them', async () => {
    await fenced(async ({ watcher, directory }) => {
      const all = await Promise.all(Array.from({ length: 20 }, () => watcher.fence()));
      assert.is(all.length, 20);
      assert.is(readdirSync(directory).length, 1);
      await watcher.close();
      assert.not(existsSync(directory));
      assert.is(await watcher.fence(), false, 'a closed one proves nothing');
      assert.not(existsSync(directory));
    });
  });

  test('a thread that does not read the cookie is no proof', async () => {
    const program = new URL(
      "data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ kind: 'live', directories: 1 }); setInterval(() => {}, 1000)",
    );
    await fenced(
      async ({ watcher }) => {
        assert.is(watcher.figures.state, 'live');
        assert.is(await watcher.fence(), false);
      },
      undefined,
      { program },
    );
  });

  test('one that waits when the watcher is closed is not passed', async () => {
    const program = new URL(
      "data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ kind: 'live', directories: 1 }); setInterval(() => {}, 1000)",
    );
    await fenced(
      async ({ watcher }) => {
        const waiting = watcher.fence();
        await watcher.close();
        assert.is(await waiting, false);
      },
      undefined,
      { program },
    );
  });

  test('without its directory it is not passed, and nothing fails', async () => {
    await fenced(async ({ watcher, directory }) => {
      rmSync(directory, { recursive: true });
      assert.is(await watcher.fence(), false);
    });
    const inTheWay = (rig: Rig): void => writeFileSync(join(rig.top, 'no-directory'), '');
    const fenceDirectory = (rig: Rig): string => join(rig.top, 'no-directory', 'fence');
    const rig = makeRig();
    inTheWay(rig);
    const watcher = new WorkTreeWatcher({
      root: rig.root,
      fenceDirectory: fenceDirectory(rig),
      isIgnored: () => false,
      log: silentLog,
    });
    const alive = setInterval(() => undefined, 1000);
    try {
      watcher.start();
      await watcher.ready();
      assert.is(watcher.figures.state, 'live', 'the work tree is watched all the same');
      assert.is(await watcher.fence(), false);
    } finally {
      clearInterval(alive);
      await watcher.close();
      await rig.remove();
    }
  });

  test('it keeps no process alive', () => {
    const rig = makeRig();
    const module = JSON.stringify(new URL('../../src/watch/watcher.js', import.meta.url).href);
    const script = `
      const { WorkTreeWatcher } = await import(${module});
      const log = { error() {}, warn() {}, info() {}, debug() {} };
      const [root, fenceDirectory] = process.argv.slice(1);
      const watcher = new WorkTreeWatcher({ root, fenceDirectory, isIgnored: () => false, log });
      const alive = setInterval(() => undefined, 1000);
      watcher.start(); await watcher.ready(); clearInterval(alive);
      void watcher.fence().then(() => watcher.fence());
      console.log(watcher.figures.state);`;
    const answer = execFileSync(
      process.execPath,
      ['--input-type=module', '-e', script, rig.root, join(rig.top, 'fence')],
      { encoding: 'utf8', timeout: 60_000 },
    );
    assert.is(answer.trim(), 'live');
    return rig.remove();
  });

  test('what the rules leave out is told to nobody, and takes one place in the change log', async () => {
    const isIgnored = (path: string): boolean => path === 'build' || path.startsWith('build/');
    const fill = (rig: Rig): void => rig.write('build/deep/f', '');
    await fenced(
      async ({ rig, watcher }) => {
        const from = await heardAfter(watcher, () => rig.write('build/deep/f', 'changed'));
        assert.ok(watcher.changes.hasTold(fromText('build/deep/f'), from));
        assert.ok(watcher.changes.hasTold(fromText('build/other'), from), 'as a whole');
        assert.not(watcher.changes.hasTold(fromText('src'), from));
        assert.is(watcher.figures.dirtyPaths, 0);
      },
      fill,
      { isIgnored },
    );
  });

  test('a rename, a removal and a directory made are told as well', async () => {
    await fenced(
      async ({ rig, watcher }) => {
        const from = await heardAfter(watcher, () => {
          renameSync(join(rig.root, 'a/f'), join(rig.root, 'a/g'));
          rmSync(join(rig.root, 'b/f'));
          mkdirSync(join(rig.root, 'c'));
          rig.write('a/f', 'for the next time');
          rig.write('b/f', 'for the next time');
          rmdirSync(join(rig.root, 'c'));
        });
        for (const path of ['a/f', 'a/g', 'b/f', 'c/below'])
          assert.ok(watcher.changes.hasTold(fromText(path), from), path);
      },
      (rig) => {
        rig.write('a/f', '');
        rig.write('b/f', '');
      },
    );
  });
} else console.log('skipped: there is a fence on Linux only');

/**
 * Changes, and waits for the fence behind it; returns the position before. On a busy machine a fence may be late, or
 * the thread may believe that it has lost something: then all of it is done again.
 */
async function heardAfter(watcher: WorkTreeWatcher, change: () => void): Promise<number> {
  for (let i = 0; i < 20; i += 1) {
    const from = watcher.changes.position;
    change();
    if ((await watcher.fence()) && watcher.changes.isWholeSince(from)) return from;
  }
  assert.unreachable('no fence was passed');
  return Number.NaN;
}

test.run();
