// The list of known files is ignored unless it is intact.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { faultyEntry, withRig } from '../support/daemon-rig.ts';
import { filesRead, withReopened } from './reopened-rig.ts';

const test = suite('the file of known files');

test('the daemon ignores a list of known files that is damaged, truncated, empty, not a file or in an unknown format', () =>
  withReopened(async (it) => {
    const whole = readFileSync(it.file);
    const flipped = (at: number): Buffer => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    };
    const damaged: (readonly [string, Buffer])[] = [
      ['empty', Buffer.alloc(0)],
      ['zeros', Buffer.alloc(whole.length)],
      ['the earlier form', Buffer.from(whole.toString('latin1').replace('files 3 ', 'files 2 '), 'latin1')],
      ['longer', Buffer.concat([whole, Buffer.from('x')])],
    ];
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 40)) {
      damaged.push([`flipped at ${at}`, flipped(at)], [`cut at ${at}`, whole.subarray(0, at)]);
    }
    for (const [what, bytes] of damaged) {
      writeFileSync(it.file, bytes);
      await it.once();
      assert.is(it.read, filesRead, what);
    }
    rmSync(it.file);
    mkdirSync(it.file);
    await it.agrees('a directory in its place');
    assert.is(it.read, filesRead);
    rmSync(it.file, { recursive: true });
    writeFileSync(`${it.file}.real`, whole);
    symlinkSync(`${it.file}.real`, it.file);
    await it.once();
    assert.is(it.read, filesRead, 'a link in its place');
    await it.once();
    assert.is(it.read, 0, 'it is whole again');
  }));

test('if the list of known files cannot be written, the earlier list stays, and no capture fails', () =>
  withReopened(async (it) => {
    const before = readFileSync(it.file);
    let calls = 0;
    for (let fails = 1; fails < 20; fails += 1) {
      calls = 0;
      installFault((call, target) => {
        if (!target.startsWith(it.file) || call === 'rm') return;
        calls += 1;
        if (calls === fails) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      });
      await it.once();
      installFault(undefined);
      if (calls < fails) break;
      const known = readFileSync(it.file);
      assert.ok(known.equals(before) || fails === 1, `call ${fails}`);
      assert.equal(temporaries(it.file), [], `call ${fails}`);
      writeFileSync(it.file, before);
    }
    assert.ok(calls >= 3, 'reading, opening and renaming were tried');
    assert.ok(
      it.rig.log.some((line) =>
        line.includes('could not write the list of known files for the next opening'),
      ),
    );
  }));

test('a half-written list of known files is ignored', () =>
  withReopened(async (it) => {
    const half = `${it.file}.0123456789ab.tmp`;
    cpSync(it.file, half);
    truncateSync(half, 100);
    await it.agrees('beside a whole one');
    assert.is(it.read, 0);
    rmSync(it.file);
    await it.agrees('alone');
    assert.is(it.read, filesRead);
  }));

test('if the daemon is killed while it writes the list of known files, a valid list or no list remains', () =>
  withRig(async (rig) => {
    const kinds = ['open', 'rename'];
    for (const [i, kind] of [...kinds, undefined].entries()) {
      const [arm, count] = [join(rig.top, `arm-${i}`), join(rig.top, `count-${i}`)];
      const plan = `--kill=1:${arm}:${count}:^${kind} .*known-files.*tmp`;
      const killed = { command: [process.execPath, faultyEntry, plan] as const };
      const { client, session } = await rig.opened({ retention: 'keep' }, kind === undefined ? {} : killed);
      rig.write('a.txt', `edition ${i}\n`);
      const { checkpoint } = await client.request('checkpoint/create', { session, kind: 'turn' });
      const read = await client.request('checkpoint/readFile', {
        session,
        tag: checkpoint.id,
        path: 'a.txt',
      });
      assert.ok(JSON.stringify(read).includes(`edition ${i}`));
      writeFileSync(arm, '');
      const closing = client.request('session/close', { session }).catch(() => undefined);
      await (kind === undefined ? closing : client.exited);
      assert.is(existsSync(count), kind !== undefined, `${kind} was met`);
    }
    const own = join(rig.storage, rig.sessions()[0] ?? '', 'checkpointd');
    const names = readdirSync(own).filter((name) => name.startsWith('known-files'));
    assert.equal(names, ['known-files'], 'what the kills left half-way is gone');
  }));

test('if the settings turn off the list of known files, a capture writes no list', async () => {
  await withReopened(async (it) => {
    it.rig.write('a', 'a');
    await it.rig.capturer.capture();
    await it.rig.capturer.close();
    assert.not.ok(existsSync(it.file));
    assert.equal(temporaries(it.file), []);
  }, false);
});

function temporaries(file: string): string[] {
  return readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.`));
}

test.run();
