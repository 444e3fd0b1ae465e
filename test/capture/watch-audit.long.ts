// Tests the audit with real directory handles and captures, while other processes change the tree at random. The audit
// must not report a change that the handles had reported.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import type { Capture, CaptureRequest, Capturer } from '../../src/capture/capturer.ts';
import { WatchAudit } from '../../src/capture/watch-audit.ts';
import { isWithin, type TreePath } from '../../src/tree/tree-path.ts';
import { ChangeLog } from '../../src/watch/change-log.ts';
import { DirectoryHandles, type FromHandles } from '../../src/watch/directory-handles.ts';
import { makeRig, type Rig } from '../support/capture-rig.ts';
import { type Sent, sentFile } from '../support/programs/teed-handles-thread.ts';
import { seed } from '../support/property.ts';
import { until } from '../support/until.ts';

const test = suite('watch audit beside other processes');
const writer = fileURLToPath(new URL('../support/programs/busy-writer.js', import.meta.url));
const program = new URL('../support/programs/teed-handles-thread.js', import.meta.url);

/** A drift, with the time at which the previous scan began. */
interface Drift {
  readonly paths: readonly TreePath[];
  readonly since: number;
  readonly at: number;
}

class Beside {
  readonly rig: Rig = makeRig();
  readonly drifts: Drift[] = [];
  readonly handles: DirectoryHandles;
  readonly audit: WatchAudit;
  readonly capturer: Capturer;
  /** How often the audit asked whether the directory handles had marked a path. */
  asked = 0;
  #before = 0;
  #latest = 0;
  #began = 0;

  constructor() {
    const { rig } = this;
    for (let i = 0; i < 20; i += 1) for (let f = 0; f < 8; f += 1) rig.write(`d${i}/f${f}`, `${i} ${f}`);
    const changes = new ChangeLog();
    this.handles = new DirectoryHandles({
      root: rig.root,
      fenceDirectory: join(rig.top, 'fence'),
      changes,
      program,
      log: silentLog,
    });
    const isMarked = changes.isMarkedByHandles.bind(changes);
    changes.isMarkedByHandles = (path, since) => {
      this.asked += 1;
      return isMarked(path, since);
    };
    this.audit = new WatchAudit({
      handles: () => ({ changes, isTrusted: this.capturer.isWatched, fence: () => this.handles.fence() }),
      onDrift: (paths) => {
        this.drifts.push({ paths, since: this.#before, at: Date.now() });
        this.capturer.requireFullScan();
      },
      log: silentLog,
    });
    this.capturer = rig.another({
      handles: () => this.handles,
      onScanned: ({ position, tree, isPlain }) => {
        this.#before = this.#latest;
        this.#latest = this.#began;
        if (isPlain) this.audit.compare(position, tree);
      },
    });
  }

  /** Makes a capture, and records when it began. */
  capture(request: CaptureRequest): Promise<Capture> {
    this.#began = Date.now();
    return this.capturer.capture(request);
  }

  /** Returns the messages that the watch thread sent between the two scans that found a drift. */
  sent({ since, at }: Drift): FromHandles[] {
    return readFileSync(sentFile(this.rig.root), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Sent)
      .filter((line) => line.at >= since && line.at <= at)
      .map(({ message }) => message);
  }

  /** Runs `body` while writers change the tree, and ends the writers afterwards. */
  async run(kind: 'files' | 'trees', writers: number, body: () => Promise<void>): Promise<void> {
    // Keeps the process alive, because neither directory handles nor an audit do this.
    const alive = setInterval(() => undefined, 1000);
    this.handles.start();
    await until('the handles are ready', () => this.handles.isReady);
    const children = Array.from({ length: writers }, (_, i) =>
      spawn(process.execPath, [writer, this.rig.root, kind, String(seed + i)], {
        stdio: ['pipe', 'ignore', 'inherit'],
      }),
    );
    const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    try {
      await body();
    } finally {
      for (const child of children) child.stdin?.end();
      assert.equal(
        await Promise.all(ended),
        Array.from({ length: writers }, () => 0),
      );
      await this.audit.whenIdle();
      await this.capturer.close();
      await this.handles.close();
      await this.rig.remove();
      clearInterval(alive);
    }
  }
}

if (process.platform === 'linux') {
  test('while no directory is created, removed or moved, the watcher reports all edits of files', async () => {
    const beside = new Beside();
    let captures = 0;
    await beside.run('files', 2, async () => {
      let previous: Capture | undefined;
      const lane = async (): Promise<void> => {
        for (const end = performance.now() + 40_000; performance.now() < end; captures += 1)
          previous = await beside.capture(previous === undefined ? {} : { previous: previous.snapshot });
      };
      await Promise.all([lane(), lane()]);
    });
    const { asked, drifts } = beside;
    console.log(
      `note: ${captures} captures, ${asked} changes looked for, ${drifts.length} drifts (seed ${seed})`,
    );
    assert.equal(drifts, []);
    assert.ok(captures > 15 && asked > 200, `${captures} captures, ${asked} changes`);
  });

  test('while directories are created, removed and moved, the audit reports only changes that the watcher missed', async () => {
    const beside = new Beside();
    let [captures, checked] = [0, 0];
    await beside.run('trees', 2, async () => {
      let previous: Capture | undefined;
      for (const end = performance.now() + 40_000; performance.now() < end; captures += 1) {
        previous = await beside.capture(previous === undefined ? {} : { previous: previous.snapshot });
        await beside.audit.whenIdle();
      }
      for (const drift of beside.drifts) {
        for (const message of beside.sent(drift)) {
          if (message.kind !== 'marks') continue;
          assert.not(message.isEverything);
          for (const path of drift.paths)
            assert.not(
              message.paths.some((told) => isWithin(path, told)),
              `${path} was told`,
            );
        }
        checked += drift.paths.length;
      }
    });
    const { asked, drifts } = beside;
    console.log(
      `note: ${captures} captures, ${asked} changes looked for, ${drifts.length} true drifts of ${checked} paths (seed ${seed})`,
    );
    assert.ok(captures > 10 && asked > 200, `${captures} captures, ${asked} changes`);
  });
} else console.log('skipped: the watch is checked on Linux only');

test.run();
