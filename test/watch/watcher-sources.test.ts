// Tests captures with both sources of the change log, with one of them, and with none. Every capture must equal the
// work tree.
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SnapshotId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Capture, Capturer } from '../../src/capture/capturer.ts';
import { fromText, type TreePath } from '../../src/tree/tree-path.ts';
import { type ChangeBatch, WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { makeRig, type Rig } from '../support/capture-rig.ts';
import { seed } from '../support/property.ts';
import { Random, RandomEdits } from '../support/trees/random-edits.ts';
import { until } from '../support/until.ts';

const test = suite('sources of the change log');

/** Makes captures with the watcher, and captures without the watcher for comparison. */
class Watched {
  readonly rig: Rig = makeRig();
  readonly batches: ChangeBatch[] = [];
  readonly reasons: (string | undefined)[] = [];
  readonly watcher: WorkTreeWatcher;
  readonly #asking: Capturer;
  readonly #full: Capturer;
  #previous: SnapshotId | undefined;

  constructor(handles: boolean) {
    const { rig } = this;
    this.watcher = new WorkTreeWatcher({
      root: rig.root,
      ...(handles ? { fenceDirectory: join(rig.top, 'fence') } : {}),
      isIgnored: (path) => this.#asking.isLeftOut(path),
      ignoredDirectories: () => this.#asking.leftOutDirectories(),
      onChange: (batch) => this.batches.push(batch),
      log: silentLog,
    });
    this.#asking = rig.another({ handles: () => this.watcher.handles, backgroundDelayMs: 3_600_000 });
    this.#full = rig.another({});
  }

  async start(chokidar: boolean): Promise<void> {
    this.watcher.handles?.start();
    if (this.watcher.handles !== undefined)
      await until('the handles are ready', () => this.watcher.handles?.isReady === true);
    if (!chokidar) return;
    this.watcher.start();
    await this.watcher.ready();
    assert.is(this.watcher.figures.state, 'live');
  }

  /** Makes a capture, and checks that a full capture gives the same snapshot. */
  async capture(why: string): Promise<Capture> {
    const request = this.#previous === undefined ? {} : { previous: this.#previous };
    const { position } = this.watcher.changes;
    const capture = await this.#asking.capture(request);
    this.watcher.captured(position);
    const full = await this.#full.capture(request);
    assert.is(capture.snapshot, full.snapshot, why);
    assert.equal([capture.skipped, capture.unknown], [full.skipped, full.unknown], why);
    this.#previous = capture.snapshot;
    this.reasons.push(capture.reason);
    return capture;
  }

  async close(): Promise<void> {
    await this.#asking.close();
    await this.watcher.close();
    await this.rig.remove();
  }
}

async function withSources(
  { handles, chokidar }: { readonly handles: boolean; readonly chokidar: boolean },
  body: (it: Watched) => Promise<void>,
): Promise<void> {
  const it = new Watched(handles);
  const alive = setInterval(() => undefined, 1000); // neither source keeps the process alive
  try {
    await it.start(chokidar);
    await body(it);
  } finally {
    clearInterval(alive);
    await it.close();
  }
}

const isLinux = process.platform === 'linux';
const rounds = Number(process.env['RUNS'] ?? 60);

for (const handles of [true, false]) {
  for (const chokidar of [true, false]) {
    const on =
      [...(handles ? ['handles'] : []), ...(chokidar ? ['chokidar'] : [])].join(' and ') || 'neither';
    test(`watching by ${on}: every capture is correct, and only directory handles make captures fast (F37, F38)`, () =>
      withSources({ handles, chokidar }, async (it) => {
        const edits = new RandomEdits(it.rig.root, join(it.rig.top, 'outside'), new Random(seed));
        const history: string[] = [];
        for (const path of ['a/f', 'a/b/g.txt', 'b/f', 'deep/a/b/c/f']) it.rig.write(path, path);
        for (let round = 0; round < rounds; round += 1) {
          for (let i = round % 4; i >= 0; i -= 1) history.push(`${round} ${edits.edit()}`);
          await it.capture(`SEED=${seed}, round ${round}: ${history.slice(-20).join('; ')}`);
        }
        const fast = it.reasons.filter((reason) => reason === undefined).length;
        console.log(`note: ${on}: ${fast} of ${rounds} captures were fast (SEED=${seed})`);
        if (handles && isLinux) return assert.ok(fast > rounds / 3, JSON.stringify(it.reasons));
        assert.equal([it.reasons[0], new Set(it.reasons.slice(1))], ['first', new Set(['unwatched'])]);
      }));
  }
}

if (isLinux) {
  test('a fast capture also checks a path that only chokidar reported', () =>
    withSources({ handles: true, chokidar: false }, async (it) => {
      it.rig.write('d/f', 'then');
      const outside = join(it.rig.top, 'outside');
      linkSync(join(it.rig.root, 'd/f'), outside);
      await it.capture('first');
      await it.capture('second');
      writeFileSync(outside, 'now!'); // no handle reports a write through a hard link outside the work tree
      it.watcher.changes.mark(fromText('d/f'), 'chokidar');
      assert.is((await it.capture('widened')).path, 'fast');
      it.watcher.changes.mark(fromText(''), 'chokidar');
      assert.is((await it.capture('a mark on the root by chokidar')).path, 'fast');
    }));

  test('a fast capture also checks a directory that has no handle', () =>
    withSources({ handles: true, chokidar: false }, async (it) => {
      const { handles } = it.watcher;
      if (handles === undefined) return assert.unreachable();
      const open = handles.open.bind(handles);
      const isRefused = (path: TreePath): boolean => path === 'a/b';
      handles.open = async (paths) => [
        ...(await open(paths.filter((path) => !isRefused(path)))),
        ...paths.filter(isRefused),
      ];
      for (const path of ['a/b/f', 'c/f']) it.rig.write(path, 'then');
      await it.capture('first');
      for (const path of ['a/b/f', 'a/b/new', 'c/f']) {
        it.rig.write(path, `now: ${path}`);
        assert.equal((await it.capture(path)).reason, undefined, 'it was fast');
      }
    }));

  test('while chokidar runs, clients are also notified of changes that only the directory handles report', () =>
    withSources({ handles: true, chokidar: false }, async (it) => {
      mkdirSync(join(it.rig.root, 'd'));
      await it.capture('first');
      it.rig.write('d/early', '');
      await until('the handles mark the file', () => it.watcher.dirtyPaths(10).includes(fromText('d/early')));
      it.watcher.start();
      await it.watcher.ready();
      it.watcher.changes.mark(fromText('d/f'), 'handles');
      const notified = (): string[] => it.batches.flatMap((batch) => batch.paths);
      await until('d/f is in a batch', () => notified().includes('d/f'));
      assert.not(notified().includes('d/early'), 'before chokidar is live no client is promised anything');
    }));
}

test.run();
