// Makes captures and runs an audit after each capture. The watcher misses only the changes that the test names.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { createLog } from '../../src/base/log.ts';
import type { Capture, CaptureRequest, Capturer } from '../../src/capture/capturer.ts';
import { stampGrainMs } from '../../src/capture/settled.ts';
import { WatchAudit } from '../../src/capture/watch-audit.ts';
import { makeRig, type Rig } from '../support/capture-rig.ts';
import { PerfectWatch } from './perfect-watch.ts';

export class Audited {
  readonly rig: Rig;
  readonly watch: PerfectWatch;
  readonly capturer: Capturer;
  readonly drifts: string[][] = [];
  readonly logged: string[] = [];
  readonly audit: WatchAudit;
  /** The number of audits that have begun but not ended. */
  #fences = 0;

  constructor(graceMs = 0) {
    this.rig = makeRig();
    this.watch = new PerfectWatch(this.rig.root);
    this.audit = new WatchAudit({
      handles: () => this.watch,
      onDrift: (paths) => this.drifts.push(paths.toSorted()),
      graceMs,
      log: createLog('debug', [(level, message) => this.logged.push(`${level} ${message}`)]),
    });
    this.capturer = this.rig.another({
      settleMs: stampGrainMs,
      handles: () => this.watch,
      onScanned: ({ position, tree, isPlain }) => {
        if (isPlain) this.audit.compare(position, tree);
      },
    });
    this.watch.fence = async () => {
      this.#fences += 1;
      await turn();
      return true;
    };
  }

  get fences(): number {
    return this.#fences;
  }

  at(path: string): string {
    return join(this.rig.root, path);
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
  }

  /** Makes a capture and waits for its audit. */
  async capture(request: CaptureRequest = {}): Promise<Capture> {
    const capture = await this.capturer.capture(request);
    await this.audit.whenIdle();
    return capture;
  }
}

export async function audited(body: (it: Audited) => Promise<void>, graceMs = 0): Promise<void> {
  const it = new Audited(graceMs);
  const alive = setInterval(() => undefined, 1000); // keeps the process alive, because the audit's own timer does not
  try {
    await body(it);
  } finally {
    clearInterval(alive);
    await it.rig.remove();
  }
}
