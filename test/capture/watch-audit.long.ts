// The check of the watch beside the real watcher, real captures and other processes that change the tree at
// random: no drift that is told may be one that the watcher had told.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import type { Capture } from '../../src/capture/capturer.ts';
import type { TreeCapturer } from '../../src/capture/tree-capturer.ts';
import { WatchAudit } from '../../src/capture/watch-audit.ts';
import { isWithin, type TreePath } from '../../src/tree/tree-path.ts';
import type { FromThread } from '../../src/watch/thread/messages.ts';
import { WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { makeRig, type Rig } from '../support/capture-rig.ts';
import { type Sent, sentFile } from '../support/programs/teed-watcher-thread.ts';
import { seed } from '../support/property.ts';

const test = suite('watch audit beside other processes');
const writer = fileURLToPath(new URL('../support/programs/busy-writer.js', import.meta.url));
const program = new URL('../support/programs/teed-watcher-thread.js', import.meta.url);

/** Every drift with the moment when the look began that came before it. */
interface Drift {
  readonly paths: readonly TreePath[];
  readonly since: number;
  readonly at: number;
}

class Beside {
  readonly rig: Rig = makeRig();
  readonly drifts: Drift[] = [];
  readonly watcher: WorkTreeWatcher;
  readonly audit: WatchAudit;
  readonly capturer: TreeCapturer;
  /** How often it was asked whether a path had been told. */
  asked = 0;
  #before = 0;
  #latest = 0;

  constructor() {
    const { rig } = this;
    for (let i = 0; i < 20; i += 1) for (let f = 0; f < 8; f += 1) rig.write(`d${i}/f${f}`, `${i} ${f}`);
    this.watcher = new WorkTreeWatcher({
      root: rig.root,
      fenceDirectory: join(rig.top, 'fence'),
      isIgnored: (path) => this.capturer.isLeftOut(path),
      leftOut: () => this.capturer.leftOutDirectories(),
      program,
      log: silentLog,
    });
    const { changes } = this.watcher;
    const hasTold = changes.hasTold.bind(changes);
    changes.hasTold = (path, since) => {
      this.asked += 1;
      return hasTold(path, since);
    };
    this.audit = new WatchAudit({
      watch: () => this.watcher,
      onDrift: (untold) => {
        const paths = untold.map(({ path }) => path);
        this.drifts.push({ paths, since: this.#before, at: Date.now() });
        this.watcher.mend(paths, [...new Set(untold.flatMap(({ directories }) => directories))]);
      },
      log: silentLog,
    });
    this.capturer = rig.another({
      onScan: () => {
        this.#before = this.#latest;
        this.#latest = Date.now();
        const { position } = this.watcher.changes;
        const audited = this.audit.begin();
        return {
          changes: this.watcher.changesSinceCapture(),
          succeeded: (seen) => {
            this.watcher.captured(position);
            audited?.(seen);
          },
        };
      },
    });
  }

  /** What the thread has sent in that time. */
  sent({ since, at }: Drift): FromThread[] {
    return readFileSync(sentFile(this.rig.root), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Sent)
      .filter((line) => line.at >= since && line.at <= at)
      .map(({ message }) => message);
  }

  /** Runs with writers beside it, which end with it. */
  async run(kind: 'files' | 'trees', writers: number, body: () => Promise<void>): Promise<void> {
    const alive = setInterval(() => undefined, 1000); // neither a watcher nor a check keeps a process alive
    this.watcher.start();
    await this.watcher.ready();
    assert.is(this.watcher.figures.state, 'live');
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
      await this.audit.idle();
      await this.watcher.close();
      await this.rig.remove();
      clearInterval(alive);
    }
  }
}

if (process.platform === 'linux') {
  test('edits in unchanged directories are told, all of them', async () => {
    const beside = new Beside();
    let captures = 0;
    await beside.run('files', 2, async () => {
      let previous: Capture | undefined;
      const lane = async (): Promise<void> => {
        for (const end = performance.now() + 40_000; performance.now() < end; captures += 1)
          previous = await beside.capturer.capture(
            previous === undefined ? {} : { previous: previous.snapshot },
          );
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

  test('where directories come, go and move, every drift that is told is one that the thread did not tell', async () => {
    const beside = new Beside();
    let [captures, checked] = [0, 0];
    await beside.run('trees', 2, async () => {
      let previous: Capture | undefined;
      for (const end = performance.now() + 40_000; performance.now() < end; captures += 1) {
        previous = await beside.capturer.capture(
          previous === undefined ? {} : { previous: previous.snapshot },
        );
        await beside.audit.idle();
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
