// Tests captures while another process writes, moves and removes files.
import { type ChildProcess, spawn } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { fromText } from '../../src/tree/tree-path.ts';
import { contentOf, copiesLeft, pathsOf, reasonFor, withRig } from '../support/capture-rig.ts';

const test = suite('captures while other programs write');

const captures = Number(process.env['RUNS'] ?? 10);

/** Runs `body` while another process runs the script. `body` begins when the script has printed something. */
async function beside(script: string, cwd: string, body: () => Promise<void>): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, ['-e', script], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    await body();
    assert.is(child.exitCode, null, 'the other process ran to the end of the test');
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

test('if a program rewrites a file without pause, a capture never has the file half old and half new (F7)', () =>
  withRig({}, async (rig) => {
    const size = 1 << 20;
    rig.write('f', 'A'.repeat(size));
    const script = `const fs = require('fs'); const fd = fs.openSync('f', 'r+');
      const a = Buffer.alloc(${size}, 'A'), b = Buffer.alloc(${size}, 'B'); console.log('go');
      for (;;) { fs.writeSync(fd, b, 0, b.length, 0); fs.writeSync(fd, a, 0, a.length, 0); }`;
    const counts = { whole: 0, flagged: 0 };
    await beside(script, rig.root, async () => {
      for (let i = 0; i < captures; i += 1) {
        const capture = await rig.capturer.capture();
        const content = await contentOf(rig.store, capture, 'f');
        if (content === undefined) {
          assert.is(reasonFor(capture, 'f'), 'unstable');
          assert.equal(capture.unknown, [fromText('f')]);
          counts.flagged += 1;
        } else {
          assert.ok(/^(A+|B+)$/.test(content) && content.length === size, 'all A or all B');
          counts.whole += 1;
        }
      }
    });
    console.log(`note: F7 saw ${counts.whole} whole and ${counts.flagged} flagged`);
  }));

test('if a large file is truncated while a capture hashes it, the file is captured whole or empty, or reported as unstable (F8)', () =>
  withRig({}, async (rig) => {
    const size = 16 << 20;
    rig.write('big', Buffer.alloc(size, 1));
    const script = `const fs = require('fs'); console.log('go'); const full = Buffer.alloc(${size}, 1);
      for (;;) { fs.truncateSync('big', 0); fs.writeFileSync('big', full);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25); }`;
    await beside(script, rig.root, async () => {
      for (let i = 0; i < captures / 2; i += 1) {
        const capture = await rig.capturer.capture();
        const content = await contentOf(rig.store, capture, 'big');
        if (content === undefined) assert.is(reasonFor(capture, 'big'), 'unstable');
        else assert.is(content.replaceAll('\u0001', ''), '', 'nothing but what was written');
      }
    });
    assert.equal(copiesLeft(rig.store), [], 'no private copy is left');
  }));

test('a capture includes every unchanged file while other files appear and disappear (F10)', () =>
  withRig({}, async (rig) => {
    for (let i = 0; i < 20; i += 1) rig.write(`stable/s${i}`, String(i));
    const script = `const fs = require('fs'); console.log('go');
      for (;;) for (let i = 0; i < 200; i += 1) { const f = 'v' + i; if (fs.existsSync(f)) fs.unlinkSync(f); else fs.writeFileSync(f, f); }`;
    await beside(script, rig.root, async () => {
      for (let i = 0; i < captures; i += 1) {
        const paths = await pathsOf(rig.store, await rig.capturer.capture());
        assert.is(paths.filter((path) => path.startsWith('stable/')).length, 20);
      }
    });
  }));

test('a file that moves between three hundred directories during a capture is captured exactly once (F11)', () =>
  withRig({}, async (rig) => {
    for (let d = 0; d < 300; d += 1) rig.write(`d${d}/f`, '');
    rig.write('d0/X', 'x');
    const script = `const fs = require('fs'); console.log('go'); let at = 0;
      setInterval(() => { const to = (at + 1 + Math.floor(Math.random() * 299)) % 300;
        fs.renameSync('d' + at + '/X', 'd' + to + '/X'); at = to; }, 30);`;
    await beside(script, rig.root, async () => {
      for (let i = 0; i < 2 * captures; i += 1) {
        const capture = await rig.capturer.capture();
        const found = (await pathsOf(rig.store, capture)).filter((path) => path.endsWith('/X'));
        const isFlagged = capture.skipped.some(({ reason }) => reason === 'unstable');
        assert.ok(found.length === 1 || isFlagged, `found ${found.length}`);
      }
    });
  }));

test('a path is captured exactly once if it moves to a directory that the capture lists earlier or later (F11)', async () => {
  for (const what of ['X', 'sub'] as const) {
    for (const direction of ['to a listed directory', 'to one not yet listed'] as const) {
      await withRig({}, async (rig) => {
        const names = Array.from({ length: 10 }, (_, i) => `d${i}`);
        for (const name of names) rig.write(`${name}/f`, '');
        const listed = new Set<string>();
        let moved = false;
        installFault((call, target) => {
          const name = target.slice(rig.root.length + 1);
          if (call !== 'readdir' || !names.includes(name) || moved) return;
          listed.add(name);
          if (listed.size !== 5) return;
          moved = true;
          const before = [...listed].find((one) => one !== name) ?? '';
          const after = names.find((one) => !listed.has(one)) ?? '';
          const [from, to] = direction === 'to a listed directory' ? [after, before] : [before, after];
          renameSync(join(rig.root, 'away'), join(rig.root, from, what)); // the file exists during the whole capture
          renameSync(join(rig.root, from, what), join(rig.root, to, what));
        });
        if (what === 'X') rig.write('away', 'x');
        else rig.write('away/g', 'g');
        const capture = await rig.capturer.capture();
        assert.ok(moved);
        const found = (await pathsOf(rig.store, capture)).filter(
          (path) => path.includes(what) || path === 'away' || path.includes('away/'),
        );
        assert.is(found.length, 1, `${what} ${direction}: ${found.join(' ')}`);
        assert.equal(capture.skipped, []);
      });
    }
  }
});

test.run();
