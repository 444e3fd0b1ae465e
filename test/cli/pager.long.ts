// Prints a diff of a hundred megabytes with little memory. A pipe gets a complete patch or nothing, and the command
// ends when its pager ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { daemonEntry } from '../support/wire-client.ts';

const peakMb = (pid: number | undefined): number => {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
};

test('a patch of 110 MB is refused; printing a patch of 25 MB takes bounded memory, and ends when the pager is closed', () =>
  withRig(async (rig) => {
    const { client, session } = await rig.opened();
    const line = (file: number, at: number): string => `line ${file * 7919 + at} of a file ${at * 31}\n`;
    for (let file = 0; file < 110; file += 1)
      rig.write(`big${file}.txt`, Array.from({ length: 33_000 }, (_, at) => line(file, at)).join(''));
    await client.request('checkpoint/create', { session, kind: 'turn' });
    const run = { cwd: rig.work, env: rig.environment } as const;
    const words = [daemonEntry, 'diff', '0', '1', `--storage=${rig.storage}`];
    const whole = spawn(process.execPath, words, { ...run, stdio: ['ignore', 'pipe', 'pipe'] });
    let [shown, refusal] = ['', ''];
    whole.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    whole.stderr.on('data', (chunk: Buffer) => (refusal += chunk.toString()));
    assert.equal(await once(whole, 'close'), [1, null]);
    assert.is(shown, '', 'a patch that would be cut is not begun');
    assert.match(refusal, /too large/);

    const some = Array.from({ length: 25 }, (_, file) => `big${file}.txt`);
    const plain = spawn(process.execPath, [...words, ...some], {
      ...run,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let bytes = 0;
    let peak = 0;
    plain.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (plain.exitCode === null) peak = Math.max(peak, peakMb(plain.pid));
    });
    assert.equal(await once(plain, 'close'), [0, null]);
    console.log(`note: ${(bytes / 1e6).toFixed(0)} MB shown, peak ${peak.toFixed(0)} MB`);
    assert.ok(bytes > 20e6 && bytes < 32e6, `${bytes} bytes`);
    assert.ok(peak < 400, `${peak} MB`);

    for (const command of [
      `PAGER='head -3' script -qec "'${process.execPath}' '${daemonEntry}' diff 0 1 --storage='${rig.storage}'" /dev/null`,
      `'${process.execPath}' '${daemonEntry}' diff 0 1 ${some.join(' ')} --storage='${rig.storage}' | head -3`,
    ]) {
      const shell = spawn('sh', ['-c', command], {
        ...run,
        env: { ...rig.environment, TERM: 'xterm' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [out, err] = ['', ''];
      shell.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      shell.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
      assert.equal(await once(shell, 'close'), [0, null]);
      assert.match(out, /diff --git/);
      assert.ok(out.length < 10_000, `${out.length} characters: ${out.slice(0, 500)}`);
      assert.is(err, '', command);
    }
    await client.close();
  }));

test.run();
