// Tests that a capture reads nothing outside the work tree, even if a link to the outside replaces a directory during
// the capture.
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import type { Capture } from '../../src/capture/capturer.ts';
import { pathsOf, type Rig, withRig } from '../support/capture-rig.ts';
import { TwinCaptureRig } from '../support/twin-capture-rig.ts';

const test = suite('captures while a directory is replaced');

/** Makes `a/b` with files inside. Also makes files of the same names beside the work tree, with other contents. */
function layOut(rig: Rig): void {
  for (const path of ['a/b/c/f', 'a/b/f', 'a/b/g']) rig.write(path, `inside ${path}`);
  symlinkSync('inside', join(rig.root, 'a/b/link'));
  const outside = join(rig.top, 'outside');
  mkdirSync(join(outside, 'b/secret'), { recursive: true });
  for (const path of ['b/f', 'b/g', 'b/only', 'b/secret/f']) writeFileSync(join(outside, path), 'outside');
  symlinkSync('outside', join(outside, 'b/link'));
}

/** A capture reads a link through a descriptor of the directory that contains the link. */
const isReadAt = (target: string, name: string): boolean =>
  target.startsWith('/proc/self/fd/') && target.endsWith(`/${name}`.slice(name.lastIndexOf('/') + 1));

/** For the duration of one call, replaces `a` by a link to the outside. */
class Exchange {
  readonly #rig: Rig;
  #isOut = false;
  count = 0;

  constructor(rig: Rig, call: string, name: string) {
    this.#rig = rig;
    installFault((made, target) => {
      if (this.#isOut) this.#back();
      else if (
        made === call &&
        this.count === 0 &&
        (target === join(rig.root, name) || isReadAt(target, name))
      )
        this.#out();
    });
  }

  #out(): void {
    this.#isOut = true;
    this.count += 1;
    renameSync(join(this.#rig.root, 'a'), join(this.#rig.top, 'aside'));
    symlinkSync(join(this.#rig.top, 'outside'), join(this.#rig.root, 'a'));
  }

  #back(): void {
    this.#isOut = false;
    unlinkSync(join(this.#rig.root, 'a'));
    renameSync(join(this.#rig.top, 'aside'), join(this.#rig.root, 'a'));
  }
}

const moments = [
  ['a file is opened', 'open', 'a/b/f'],
  ['a link is read', 'readlink', 'a/b/link'],
  ['a directory is checked', 'lstat', 'a/b'],
  ['a directory below is checked', 'lstat', 'a/b/c'],
  ['a directory is opened', 'openPath', 'a/b'],
  ['a directory is listed', 'readdir', 'a/b'],
] as const;

async function check(rig: Rig, capture: Capture, why: string): Promise<void> {
  const expected = ['a/b/c/f', 'a/b/f', 'a/b/g', 'a/b/link'];
  assert.equal(await pathsOf(rig.store, capture), expected, why);
  assert.equal(capture.skipped, [], why);
  const taken = (await rig.store.entries(capture.snapshot)).map(({ blob }) => rig.store.blobs.get(blob));
  assert.equal(
    taken.map(String),
    ['a/b/c/f', 'a/b/f', 'a/b/g', ''].map((path) => `inside ${path}`.trim()),
    why,
  );
  assert.not(
    [...rig.store.blobs.values()].some((bytes) => bytes.includes('outside')),
    why,
  );
}

for (const [when, call, name] of moments)
  test(`if a directory is replaced by a link just as ${when}, a capture reads nothing outside the work tree`, () =>
    withRig({}, async (rig) => {
      layOut(rig);
      const exchange = new Exchange(rig, call, name);
      const capture = await rig.capturer.capture();
      installFault(undefined);
      assert.is(exchange.count, 1, 'it came to that');
      await check(rig, capture, when);
    }));

for (const [when, call, name] of moments)
  test(`if a directory is replaced by a link just as ${when}, a fast capture reads nothing outside the work tree`, () =>
    TwinCaptureRig.with(async (it) => {
      layOut(it.rig);
      await it.capture();
      for (const path of ['a/b/f', 'a/b/c/f']) it.rig.write(path, `inside ${path}`);
      unlinkSync(it.at('a/b/link'));
      symlinkSync('inside', it.at('a/b/link'));
      const exchange = new Exchange(it.rig, call, name);
      try {
        const capture = await it.capture();
        assert.is(exchange.count, 1, 'it came to that');
        await check(it.rig, capture, when);
      } finally {
        installFault(undefined);
      }
      await it.agrees('the next one');
    }));

test.run();
