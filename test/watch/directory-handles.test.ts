// Tests the directory handles and `fence()`. When `fence()` has returned true, every earlier change is in the change
// log.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import { fromText, rootPath, type TreePath } from '../../src/tree/tree-path.ts';
import { ChangeLog } from '../../src/watch/change-log.ts';
import { DirectoryHandles } from '../../src/watch/directory-handles.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const test = suite('directory handles');

interface Rig {
  readonly root: string;
  readonly fence: string;
  readonly handles: DirectoryHandles;
}

/** Runs `body` with directory handles that are ready, on a work tree with these directories. */
async function withHandles(
  directories: readonly string[],
  body: (rig: Rig) => Promise<void>,
  program?: URL,
): Promise<void> {
  const root = temporaryDirectory('work');
  const fence = join(temporaryDirectory('fence'), 'fence');
  for (const path of directories) mkdirSync(join(root, path), { recursive: true });
  const options = { root, fenceDirectory: fence, changes: new ChangeLog(), log: silentLog };
  const handles = new DirectoryHandles(program === undefined ? options : { ...options, program });
  const alive = setInterval(() => undefined, 1000); // the handles do not keep the process alive
  try {
    handles.start();
    await until('the handles are ready', () => handles.isReady);
    if (program === undefined) assert.equal(await handles.open([rootPath, ...directories.map(fromText)]), []);
    await body({ root, fence, handles });
  } finally {
    clearInterval(alive);
    await handles.close();
  }
}

/**
 * Changes the tree and then calls `fence()`. Returns the position before the change. On a busy machine, `fence()` may
 * be late or the thread may suspect a loss; both steps are then repeated.
 */
async function fencedAfter({ handles }: Rig, change: () => void): Promise<number> {
  for (let i = 0; i < 20; i += 1) {
    const from = handles.changes.position;
    change();
    if ((await handles.fence()) && handles.changes.isCompleteSince(from)) return from;
  }
  assert.unreachable('no fence was passed');
  return Number.NaN;
}

const fences = Number(process.env['RUNS'] ?? 300);

if (process.platform === 'linux') {
  test('after fence() has returned true, every earlier change is in the change log', () => {
    const directories = Array.from({ length: 50 }, (_, i) => `d${i}`);
    return withHandles(directories, async (rig) => {
      const { changes } = rig.handles;
      const write = (path: string, content = ''): void => writeFileSync(join(rig.root, path), content);
      let passed = 0;
      for (let i = 0; i < fences; i += 1) {
        const from = changes.position;
        const path = `d${i % 50}/${i % 3 === 0 ? 'f' : `new${i}`}`;
        write(path, String(i));
        // On a busy machine, `fence()` may take more than a second, or the thread may suspect a loss.
        if (!(await rig.handles.fence()) || !changes.isCompleteSince(from)) continue;
        assert.ok(changes.isMarkedByHandles(fromText(path), from), `${path} was not marked at ${i}`);
        passed += 1;
      }
      assert.ok(passed > fences / 2, `${passed} of ${fences} fences were passed`);
      const from = await fencedAfter(rig, () => {
        for (let i = 0; i < 500; i += 1) write(`d${i % 50}/burst${i}`);
      });
      for (let i = 0; i < 500; i += 1)
        assert.ok(changes.isMarkedByHandles(fromText(`d${i % 50}/burst${i}`), from), String(i));
    });
  });

  test('the directory handles report a rename, a removal and a new directory', () =>
    withHandles(['a', 'b'], async (rig) => {
      const { root, handles } = rig;
      const from = await fencedAfter(rig, () => {
        for (const path of ['a/f', 'b/f']) writeFileSync(join(root, path), '');
        renameSync(join(root, 'a/f'), join(root, 'a/g'));
        rmSync(join(root, 'b/f'));
        mkdirSync(join(root, 'c'));
        rmdirSync(join(root, 'c'));
      });
      for (const path of ['a/f', 'a/g', 'b/f', 'c/below'])
        assert.ok(handles.changes.isMarkedByHandles(fromText(path), from), path);
    }));

  test('parallel calls of fence() share one cookie file, and return false after the handles are closed', () =>
    withHandles([], async ({ fence, handles }) => {
      const all = await Promise.all(Array.from({ length: 20 }, () => handles.fence()));
      assert.is(all.length, 20);
      assert.is(readdirSync(fence).length, 1);
      await handles.close();
      assert.not(existsSync(fence));
      assert.is(await handles.fence(), false);
      assert.not(existsSync(fence));
    }));

  test('fence() returns false if the thread does not report the cookie file, or if the handles are closed during the call', async () => {
    const program = new URL(
      "data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.on('message', ({ seat }) => parentPort.postMessage({ kind: 'message', seat, message: { kind: 'up' } }))",
    );
    await withHandles([], async ({ handles }) => assert.is(await handles.fence(), false), program);
    const closed = async ({ handles }: Rig): Promise<void> => {
      const waiting = handles.fence();
      await handles.close();
      assert.is(await waiting, false);
    };
    await withHandles([], closed, program);
  });

  test('without the directory for cookie files, no directory handle is opened, but nothing fails', async () => {
    const file = join(temporaryDirectory('fence'), 'file');
    writeFileSync(file, '');
    const root = temporaryDirectory('work');
    const changes = new ChangeLog();
    const handles = new DirectoryHandles({
      root,
      fenceDirectory: join(file, 'fence'),
      changes,
      log: silentLog,
    });
    handles.start();
    assert.equal([handles.isReady, await handles.fence()], [false, false]);
    assert.equal(await handles.open([rootPath]), [rootPath]);
    assert.equal(changes.changesSince(changes.position), { kind: 'everything', reason: 'unwatched' });
    await handles.close();
  });

  test('a process can end although directory handles are open and calls of fence() are waiting', () => {
    const moduleOf = (name: string): string =>
      JSON.stringify(new URL(`../../src/watch/${name}.js`, import.meta.url).href);
    const script = `
      const { DirectoryHandles } = await import(${moduleOf('directory-handles')});
      const { ChangeLog } = await import(${moduleOf('change-log')});
      const log = { error() {}, warn() {}, info() {}, debug() {} };
      const [root, fenceDirectory] = process.argv.slice(1);
      const alive = setInterval(() => undefined, 1000);
      const onReady = () => {
        clearInterval(alive);
        void handles.fence().then(() => handles.fence());
        console.log('ready');
      };
      const handles = new DirectoryHandles({ root, fenceDirectory, changes: new ChangeLog(), onReady, log });
      handles.start();`;
    const places = [temporaryDirectory('work'), join(temporaryDirectory('fence'), 'fence')];
    const answer = execFileSync(process.execPath, ['--input-type=module', '-e', script, ...places], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.is(answer.trim(), 'ready');
  });

  test('closing the directory handles waits for a thread that is already ending', () =>
    withHandles([], async ({ fence, handles }) => {
      const terminate = Reflect.get<Worker, 'terminate'>(Worker.prototype, 'terminate');
      let isEnding = false;
      let end: () => void = () => undefined;
      Worker.prototype.terminate = async function terminated(this: Worker) {
        isEnding = true;
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        const code = await terminate.call(this);
        isEnding = false;
        return code;
      };
      try {
        rmSync(fence, { recursive: true });
        assert.not(await handles.fence());
        assert.ok(isEnding, 'the thread without a fence was given up');
        let isClosed = false;
        const closed = handles.close().then(() => (isClosed = true));
        await new Promise((resolve) => setImmediate(resolve));
        assert.not(isClosed, 'the thread has not ended');
        end();
        await closed;
        assert.not(isEnding);
      } finally {
        Worker.prototype.terminate = terminate;
        end();
      }
    }));

  test('no change is lost while very many directory handles are opened', () =>
    withHandles([], async ({ handles }) => {
      // The test opens missing directories, because making them would take long. Opening a missing directory takes as
      // long as opening an existing one.
      const paths = ['', ...Array.from({ length: 200_000 }, (_, i) => `gone-${i}`)] as TreePath[];
      let isComplete = false;
      // On a busy machine the system may let the thread wait so long that the thread itself suspects a loss.
      for (let tries = 0; tries < 10 && !isComplete; tries += 1) {
        const { position } = handles.changes;
        assert.is((await handles.open(paths)).length, 200_000);
        await sleep(1000); // the thread checks its loop every 200 ms
        isComplete = handles.changes.isCompleteSince(position);
      }
      assert.ok(isComplete, 'the loop stood still, and the log is incomplete');
    }));
} else console.log('skipped: there are directory handles on Linux only');

test.run();
