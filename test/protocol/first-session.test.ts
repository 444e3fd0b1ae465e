// Checks that the first session in REFERENCE.md is what a real daemon sends, byte for byte. The test sends the client's
// frames again. The answers must equal the recorded answers except for ids, times and paths.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstSession } from '../../scripts/generate/first-session.ts';
import { git } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { daemonEntry } from '../support/wire-client.ts';

/** Masks all parts that differ in each run: ids, hashes, times, durations, and the reason of an early capture. */
function withoutChance(text: string, place: string): string {
  return text
    .replaceAll(place, '/home/ada')
    .replace(/\b(ses|ckpt|op)_[0-9a-z]+/g, '$1_x')
    .replace(/"schemaHash":"[0-9a-f]+"/g, '"schemaHash":"x"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/"(commit|snapshot)":"[0-9a-f]+"/g, '"$1":"x"')
    .replace(/"capture":\{[^}]*\}/g, '"capture":{}')
    .replace(/"(ms|\w+Ms)":\d+(\.\d+)?/g, '"$1":0');
}

test('the first session in the reference equals a real session, byte for byte', async () => {
  const place = realpathSync(temporaryDirectory('first'));
  const work = join(place, 'project');
  git(place, 'init', '-q', work);
  const daemon = spawn(process.execPath, [daemonEntry, '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: place, XDG_STATE_HOME: join(place, '.local/state') },
  });
  const exited = once(daemon, 'exit');
  let received = Buffer.alloc(0);
  let wake: () => void = () => undefined;
  daemon.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  /** Returns the next frame, whose header must have the form in the reference. */
  const next = async (): Promise<string> => {
    for (;;) {
      const header = /^Content-Length: (\d+)\r\n\r\n/.exec(received.toString('latin1'));
      const end = header === null ? 0 : header[0].length + Number(header[1]);
      if (header !== null && received.length >= end) {
        const body = received.toString('utf8', header[0].length, end);
        received = received.subarray(end);
        return body;
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  let session = '';
  try {
    for (const { who, text } of firstSession) {
      if (text.includes('writes `hello.txt`')) writeFileSync(join(work, 'hello.txt'), 'hello\n');
      if (who === 'client') {
        const body = text.replaceAll('/home/ada', place).replace(/ses_[0-9a-z]+/, session);
        daemon.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      } else if (who === 'server') {
        const body = await next();
        session = /ses_[0-9a-z]+/.exec(body)?.[0] ?? session;
        assert.is(
          withoutChance(body, place),
          withoutChance(text, place),
          'stale: npm run build && node dist/scripts/record-first-session.js && npm run generate',
        );
      }
    }
    assert.equal(await exited, [0, null]);
    assert.is(received.length, 0, 'nothing but the frames of the reference');
  } finally {
    daemon.kill('SIGKILL');
  }
});

test.run();
