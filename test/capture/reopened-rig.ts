// A work tree whose session is opened again and again. Each capturer begins with only the list of known files. A
// content counts as settled immediately.
import { createHash } from 'node:crypto';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Deserializer, Serializer } from 'node:v8';
import * as assert from 'uvu/assert';
import type { SnapshotId } from '../../src/base/ids.ts';
import { installFault } from '../../src/base/seam.ts';
import type { Capture, CapturerOptions } from '../../src/capture/capturer.ts';
import { makeRig, type Rig } from '../support/capture-rig.ts';

/**
 * Waits longer than a tick of the clock of the file system. Afterwards, all stamps from before the wait count as
 * settled.
 */
const tick = (): Promise<void> => delay(30);

/** A work tree that is opened again and again. */
export class Reopened {
  readonly rig: Rig;
  readonly file: string;
  previous: SnapshotId | undefined;
  /** The number of contents that the last capture read. */
  read = -1;

  constructor(rig: Rig) {
    this.rig = rig;
    this.file = join(rig.top, 'known-files');
  }

  /** Makes one capture with a new capturer, and closes the capturer. */
  async once(changes: Partial<CapturerOptions> = {}): Promise<Capture> {
    await tick();
    const { rig, previous } = this;
    const capturer = rig.another({ knownFile: this.file, settleMs: 0, ...changes });
    const capture = await capturer.capture(previous === undefined ? {} : { previous });
    await capturer.close();
    const line = rig.log.findLast((one) => one.startsWith('debug captured'));
    this.read = Number(/read (\d+)/.exec(line ?? '')?.[1]);
    this.previous = capture.snapshot;
    return capture;
  }

  /** Makes a capture, and compares it with another capture that reuses nothing. */
  async agrees(why: string, changes: Partial<CapturerOptions> = {}): Promise<Capture> {
    const request = this.previous === undefined ? {} : { previous: this.previous };
    const { knownFile: _, ...rest } = changes;
    await tick();
    const want = await this.rig.another(rest).capture(request);
    const got = await this.once(changes);
    assert.is(got.snapshot, want.snapshot, why);
    assert.equal([got.skipped, got.unknown], [want.skipped, want.unknown], why);
    return got;
  }

  /** Changes the header of the file, and makes its checksum valid again. */
  rewrite(change: (header: Record<string, unknown>) => void): void {
    const bytes = readFileSync(this.file);
    const first = bytes.indexOf('\n');
    const before = new Deserializer(bytes.subarray(first + 1));
    const after = new Serializer();
    before.readHeader();
    after.writeHeader();
    const header = before.readValue() as Record<string, unknown>;
    change(header);
    after.writeValue(header);
    for (let value: unknown = header; value !== undefined; ) {
      value = before.readValue();
      after.writeValue(value);
    }
    const content = after.releaseBuffer();
    const start = bytes.subarray(0, first - 40).toString('latin1');
    const sum = createHash('sha1').update(content).digest('hex');
    writeFileSync(this.file, Buffer.concat([Buffer.from(`${start}${sum}\n`), content]));
  }
}

/** The number of files and links in the work tree. Links are not read. */
const files = 12;
export const filesRead = files - 1;

export async function withReopened(body: (it: Reopened) => Promise<void>, fill = true): Promise<void> {
  const rig = makeRig();
  try {
    const it = new Reopened(rig);
    if (fill) {
      for (let i = 0; i < filesRead; i += 1) rig.write(`d${i % 3}/e/f${i}`, `content ${i}\n`);
      symlinkSync('d0', join(rig.root, 'link'));
      await it.once();
      assert.is(it.read, filesRead, 'the first opening reads every file');
    }
    await body(it);
  } finally {
    installFault(undefined);
    await rig.remove();
  }
}
