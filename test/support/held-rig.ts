// A work tree with a capture that looks at what changed, over a real watcher, and beside it one that always looks at
// everything: what the two make must be the same.
import { join } from 'node:path';
import type { SnapshotId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Capture } from '../../src/capture/capturer.ts';
import type { FullCapture, FullCaptureOptions } from '../../src/capture/full-capture.ts';
import { WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { makeRig, type Rig } from './capture-rig.ts';

export class HeldRig {
  readonly rig: Rig;
  readonly watcher: WorkTreeWatcher;
  readonly narrow: FullCapture;
  readonly full: FullCapture;
  readonly #alive = setInterval(() => undefined, 1000);
  /** By how the captures were made. */
  readonly counts = new Map<string, number>();
  previous: SnapshotId | undefined;

  constructor(options: Partial<FullCaptureOptions> & { repository?: boolean } = {}) {
    this.rig = makeRig(options.repository === undefined ? {} : { repository: options.repository });
    this.watcher = new WorkTreeWatcher({
      root: this.rig.root,
      fenceDirectory: join(this.rig.top, 'fence'),
      isIgnored: (path) => this.narrow.isLeftOut(path),
      log: silentLog,
    });
    this.narrow = this.rig.another({ held: () => this.watcher.held, idleMs: 3_600_000, ...options });
    this.full = this.rig.another({});
    this.watcher.start();
  }

  /** A capture that may look at what changed; the next one builds on it. */
  async capture(): Promise<Capture> {
    const previous = this.previous;
    const capture = await this.narrow.capture(previous === undefined ? {} : { previous });
    const how = capture.reason ?? 'fast';
    this.counts.set(how, (this.counts.get(how) ?? 0) + 1);
    this.previous = capture.snapshot;
    return capture;
  }

  /** What looking at everything makes of the same tree. */
  everything(previous = this.previous): Promise<Capture> {
    return this.full.capture(previous === undefined ? {} : { previous });
  }

  async close(): Promise<void> {
    clearInterval(this.#alive);
    await this.narrow.close();
    await this.watcher.close();
    await this.rig.remove();
  }
}
