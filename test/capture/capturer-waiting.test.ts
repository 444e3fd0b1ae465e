// Git would wait for ever if it read certain files. The daemon detects and reports such files before it asks git.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeRig, pathsOf, reasonFor } from '../support/capture-rig.ts';

const test = suite('files for which git would wait');

if (process.platform !== 'win32') {
  test('if a .gitignore file is a FIFO, a capture reports the FIFO without waiting, and continues without rules from this file', async () => {
    const rig = makeRig();
    try {
      rig.write('.gitignore', '*.log\n');
      rig.write('odd/f.log', 'captured, because the rules here are unknown');
      rig.write('odd/below/f.log', 'the same');
      rig.write('usual/f.log', 'left out');
      execFileSync('mkfifo', [join(rig.root, 'odd/.gitignore')]);
      const capture = await rig.capturer.capture();
      assert.equal(await pathsOf(rig.store, capture), ['.gitignore', 'odd/below/f.log', 'odd/f.log']);
      assert.is(reasonFor(capture, 'odd/.gitignore'), 'fifo');
      const said = (): string[] => rig.log.filter((line) => line.startsWith('warn odd/.gitignore is not'));
      assert.is(said().length, 1);
      await rig.capturer.capture({ previous: capture.snapshot });
      assert.is(said().length, 1, 'once');
      rmSync(join(rig.root, 'odd/.gitignore'));
      assert.equal(
        await pathsOf(rig.store, await rig.capturer.capture()),
        ['.gitignore'],
        'the rules hold again',
      );
    } finally {
      await rig.remove();
    }
  });

  test('if the git index would make git wait, a capture reports the index and treats it as empty', async () => {
    const rig = makeRig();
    try {
      rig.write('.gitignore', '*.log\n');
      rig.write('f.log', '');
      rig.git('add', '-f', 'f.log');
      const config = readFileSync(join(rig.root, '.git/config'));
      execFileSync('mkfifo', [join(rig.top, 'fifo')]);
      writeFileSync(join(rig.root, '.git/config'), `[include]\n\tpath = ${join(rig.top, 'fifo')}\n`);
      assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['.gitignore']);
      assert.ok(rig.log.some((line) => line.startsWith('warn The index of') && line.includes('fifo')));
      writeFileSync(join(rig.root, '.git/config'), config);
      const index = join(rig.root, '.git/index');
      utimesSync(index, new Date(), new Date()); // changes the stamp of the index, as git does when it writes the index
      assert.equal(await pathsOf(rig.store, await rig.another({}).capture()), ['.gitignore', 'f.log']);
      rmSync(index);
      execFileSync('mkfifo', [index]);
      assert.equal(await pathsOf(rig.store, await rig.capturer.capture()), ['.gitignore']);
    } finally {
      await rig.remove();
    }
  });
}

test.run();
