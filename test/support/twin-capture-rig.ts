// A work tree with two capturers. The first capturer uses the directory handles for fast captures, and the second
// always scans everything. The two capturers must make the same snapshots.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { SnapshotId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Capture, Capturer, CapturerOptions } from '../../src/capture/capturer.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { ChangeLog } from '../../src/watch/change-log.ts';
import { DirectoryHandles } from '../../src/watch/directory-handles.ts';
import { makeRig, type Rig } from './capture-rig.ts';
import { seed } from './property.ts';
import { Random, RandomEdits } from './trees/random-edits.ts';
import { until } from './until.ts';
import { keepWatchingThreads } from './watching-threads.ts';

export class TwinCaptureRig {
  readonly rig: Rig;
  readonly handles: DirectoryHandles;
  readonly fast: Capturer;
  readonly full: Capturer;
  /** The number of captures by kind: "fast", or the reason for a full capture. */
  readonly counts = new Map<string, number>();
  previous: SnapshotId | undefined;
  readonly #alive = setInterval(() => undefined, 1000);

  private constructor(options: Partial<CapturerOptions>) {
    this.rig = makeRig();
    const fenceDirectory = join(this.rig.top, 'fence');
    const changes = new ChangeLog();
    this.handles = new DirectoryHandles({ root: this.rig.root, fenceDirectory, changes, log: silentLog });
    this.fast = this.rig.another({ handles: () => this.handles, backgroundDelayMs: 3_600_000, ...options });
    this.full = this.rig.another(options);
  }

  /** Runs `body` with a rig whose directory handles are ready. */
  static async with(
    body: (it: TwinCaptureRig) => Promise<void>,
    options: Partial<CapturerOptions> = {},
  ): Promise<void> {
    keepWatchingThreads();
    const it = new TwinCaptureRig(options);
    try {
      it.handles.start();
      await until('the watcher is ready', () => it.handles.isReady);
      await body(it);
    } finally {
      await it.fast.close();
      await it.handles.close();
      await it.rig.remove();
      clearInterval(it.#alive);
    }
  }

  at(path: string): string {
    return join(this.rig.root, path);
  }

  /** Makes a capture that may be fast. The next capture builds on this capture. */
  async capture(): Promise<Capture> {
    const previous = this.previous;
    const capture = this.#count(await this.fast.capture(previous === undefined ? {} : { previous }));
    this.previous = capture.snapshot;
    return capture;
  }

  #count(capture: Capture): Capture {
    const how = capture.reason ?? 'fast';
    this.counts.set(how, (this.counts.get(how) ?? 0) + 1);
    return capture;
  }

  /** Makes a capture, and checks that a full capture gives the same tree. Returns true if the capture was fast. */
  async agrees(why: string): Promise<boolean> {
    const { previous } = this;
    const capture = await this.capture();
    const full = await this.full.capture(previous === undefined ? {} : { previous });
    assert.is(capture.snapshot, full.snapshot, why);
    assert.equal([capture.skipped, capture.unknown], [full.skipped, full.unknown], why);
    return capture.path === 'fast';
  }

  /**
   * Makes the capture at the end of a restore. The restore began just after `capture`, and wrote and removed these paths. Checks that a
   * full capture gives the same tree.
   */
  async agreesAfter(
    capture: Capture,
    written: readonly string[],
    removed: readonly string[],
    why = '',
  ): Promise<void> {
    const alsoInclude = written.map(fromText);
    const request = { previous: capture.snapshot, alsoInclude };
    const since = { capture, touched: [...alsoInclude, ...removed.map(fromText)] };
    const after = this.#count(await this.fast.capture({ ...request, since }));
    const full = await this.full.capture(request);
    assert.is(after.snapshot, full.snapshot, why);
    assert.equal([after.skipped, after.unknown], [full.skipped, full.unknown], why);
    this.previous = after.snapshot;
  }

  /** Like `agrees`, but requires that the capture was fast. */
  async agreesFast(why: string): Promise<void> {
    const isFast = await this.agrees(why);
    assert.ok(isFast, `${why}: ${JSON.stringify([...this.counts])}`);
  }
}

/** Makes random edits of every kind. After every few edits, checks that a fast capture equals a full capture. */
export async function fastEqualsFull(it: TwinCaptureRig, rounds: number): Promise<void> {
  const random = new Random(seed);
  const edits = new RandomEdits(it.rig.root, join(it.rig.top, 'outside'), random);
  const history: string[] = [];
  const earlier: SnapshotId[] = [];
  for (const path of ['a/f', 'a/b/g.txt', 'b/f', 'deep/a/b/c/f']) it.rig.write(path, path);
  await it.capture();
  // A capture reads the 200 youngest files again, so this function makes 250 files that are younger than all others.
  // For all other files, a fast capture relies on the directory handles.
  for (let i = 0; i < 250; i += 1) it.rig.write(`young/${i}`, 'young');
  await it.capture();
  for (let round = 0; round < rounds; round += 1) {
    for (let i = random.below(5); i >= 0; i -= 1) history.push(`${round} ${edits.edit()}`);
    // Sometimes builds on a snapshot that is older than the last scan, as the capture after a restore does.
    if (it.previous !== undefined) earlier.push(it.previous);
    if (random.below(8) === 0) it.previous = random.pick(earlier.slice(-5));
    await it.agrees(`SEED=${seed}, round ${round}: ${history.slice(-20).join('; ')}`);
  }
  const told = `SEED=${seed}: ${JSON.stringify([...it.counts])}`;
  assert.ok((it.counts.get('fast') ?? 0) > rounds / 3, `too few were fast: ${told}`);
  console.log(told);
}
