// A capture reuses a content only when any later change would change the stamp of the file. Shortly after one change,
// another change may leave the stamp as it is. Only the clock of the file system says how long ago a change was.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stampOf } from '../../src/base/file-stamp.ts';
import { type Fault, installFault } from '../../src/base/seam.ts';
import { areNamesSettled, isSettled, readFileClock, settleMsUsual } from '../../src/capture/settled.ts';
import { openWorkTree } from '../../src/work-tree/work-tree.ts';
import { contentOf, type Rig, withRig } from '../support/capture-rig.ts';

const test = suite('settled contents');

/** Makes a capture that builds on the previous capture. Returns true if the capture opened `f`. */
async function readsAgain(rig: Rig, also: Fault = () => undefined): Promise<boolean> {
  const previous = (await rig.capturer.capture()).snapshot;
  let isRead = false;
  installFault((call, target) => {
    also(call, target);
    if (call === 'open' && target.endsWith('/f')) isRead = true;
  });
  try {
    await rig.capturer.capture({ previous });
    return isRead;
  } finally {
    installFault(undefined);
  }
}

const later = (ms: number) => (): number => Date.now() + ms;

test('a time stamp is trusted when it is older than the resolution of the file system’s clock', () =>
  withRig({}, async (rig) => {
    rig.write('f', '');
    const stamp = stampOf(lstatSync(join(rig.root, 'f'), { bigint: true }));
    const changedMs = Number(stamp.ctimeNs / 1_000_000n);
    const clock = { device: stamp.dev, isLocal: true, isStamped: true, behindMs: 0 };
    const at = (reachedMs: number): boolean => isSettled(stamp, { ...clock, reachedMs }, 1000);
    assert.not.ok(at(changedMs));
    assert.not.ok(at(changedMs + 1000));
    assert.ok(at(changedMs + 1002));
    assert.not.ok(at(changedMs - 3_600_000), 'F47 a clock set back proves nothing');
    assert.not.ok(at(0), 'a clock of which nothing is known');
    const elsewhere = { ...clock, device: stamp.dev + 1, reachedMs: changedMs + 5000 };
    assert.not.ok(isSettled(stamp, elsewhere, 1000), 'another file system has another clock');
  }));

test('the names of a directory are settled after some ticks if its stamp is fine, and otherwise after a second', () => {
  const changedMs = 1_800_000_000_123;
  const clock = { device: 7, isLocal: true, isStamped: true, behindMs: 0 };
  const at = (ctimeNs: bigint, afterMs: number, isStamped = true): boolean => {
    const stamp = { mtimeNs: ctimeNs, ctimeNs, size: 4096, ino: 5, dev: 7, mode: 0o40755 };
    return areNamesSettled(stamp, { ...clock, isStamped, reachedMs: changedMs + afterMs });
  };
  const fine = BigInt(changedMs) * 1_000_000n + 4567n;
  const coarse = BigInt(changedMs) * 1_000_000n;
  assert.equal(
    [0, 10, 20, 21].map((ms) => at(fine, ms)),
    [false, false, false, true],
  );
  assert.equal(
    [21, 1000, 1001].map((ms) => at(coarse, ms)),
    [false, false, true],
  );
  assert.equal(
    [21, 1000, 1001].map((ms) => at(fine, ms, false)),
    [false, false, true],
    'another clock',
  );
});

test('in the first minute after a change of a file, every capture reads the file again', () =>
  withRig({}, async (rig) => {
    rig.write('f', '1');
    assert.is(await readsAgain(rig), true);
  }));

test('whether a time stamp is trusted depends on the file system’s clock, even if our clock is minutes ahead', async () => {
  await withRig({ now: later(10 * settleMsUsual) }, async (rig) => {
    rig.write('f', '1');
    const tree = openWorkTree(rig.root);
    const clock = readFileClock(tree, rig.store.spoolDirectory, later(10 * settleMsUsual));
    assert.ok(Math.abs(clock.reachedMs - Date.now()) < 5000);
    assert.ok(clock.behindMs > 9 * settleMsUsual);
    assert.equal(readdirSync(rig.store.spoolDirectory), ['clock'], 'one file serves every capture');
    await delay(50);
    const next = readFileClock(tree, rig.store.spoolDirectory, later(10 * settleMsUsual));
    assert.ok(next.reachedMs >= clock.reachedMs + 40, 'and tells the time of each');
    assert.is(await readsAgain(rig), true, 'ten minutes ago by our clock, and just now by its own');
  });
  await withRig({ now: later(-10 * settleMsUsual) }, async (rig) => {
    rig.write('f', '1');
    assert.is(await readsAgain(rig), true, 'a stamp in the future');
  });
});

test('if the file system’s clock cannot be read, captures read a file again until it has been unchanged for long enough', async () => {
  const unknown: Fault = (call) => {
    if (call === 'statfs') throw Object.assign(new Error('no'), { code: 'ENOSYS' });
  };
  await withRig({ settleMs: 1000, now: later(settleMsUsual) }, async (rig) => {
    rig.write('f', '1');
    installFault(unknown);
    let { snapshot: previous } = await rig.capturer.capture();
    const isRead = async (): Promise<boolean> => {
      let seen = false;
      installFault((call, target) => {
        unknown(call, target);
        if (call === 'open' && target.endsWith('/f')) seen = true;
      });
      previous = (await rig.capturer.capture({ previous })).snapshot;
      return seen;
    };
    assert.is(await isRead(), true, 'whatever our clock says');
    await delay(3100);
    assert.is(await isRead(), true, 'for the last time');
    assert.is(await isRead(), false);
  });
});

test('a capture works on a file system on which the daemon cannot create files', () =>
  withRig({}, async (rig) => {
    rig.write('f', '1');
    const full: Fault = (call, target) => {
      if ((call === 'utimes' || call === 'writeFile') && target.endsWith('/clock'))
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    assert.is(await readsAgain(rig, full), true);
  }));

test('if a link replaces the file from which the daemon reads the clock, the daemon does not follow the link', () =>
  withRig({}, async (rig) => {
    rig.write('victim', 'mine\n');
    const victim = join(rig.root, 'victim');
    const before = lstatSync(victim, { bigint: true });
    await rig.capturer.capture();
    rmSync(join(rig.store.spoolDirectory, 'clock'));
    symlinkSync(victim, join(rig.store.spoolDirectory, 'clock'));
    assert.ok(readFileClock(openWorkTree(rig.root), rig.store.spoolDirectory, Date.now).reachedMs > 0);
    assert.equal(stampOf(lstatSync(victim, { bigint: true })), stampOf(before));
  }));

const mapping = `
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    view = mmap.mmap(file.fileno(), 0)
    for line in sys.stdin:
        view[0:1] = line.strip().encode()
        print('written', flush=True)
`;

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import mmap'], { stdio: 'ignore' });
    return process.platform === 'linux';
  } catch {
    return false;
  }
}

if (hasPython()) {
  test('a capture includes a write through mmap that follows shortly after another change (F4)', async () => {
    await withRig({}, async (rig) => {
      rig.write('f', 'a and more');
      const writer = spawn('python3', ['-c', mapping, join(rig.root, 'f')], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const write = async (letter: string): Promise<void> => {
        writer.stdin.write(`${letter}\n`);
        await once(writer.stdout, 'data');
      };
      try {
        await write('b');
        await delay(1500); // longer than the resolution of any clock
        let capture = await rig.capturer.capture();
        for (const letter of ['c', 'd', 'e']) {
          await write(letter);
          capture = await rig.capturer.capture({ previous: capture.snapshot });
          assert.is(await contentOf(rig.store, capture, 'f'), `${letter} and more`);
        }
      } finally {
        writer.stdin.end();
        await once(writer, 'exit');
      }
    });
  });
} else console.log('skipped: no python3 to write through a mapping');

test.run();
