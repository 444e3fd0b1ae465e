// 100,000 pipelined requests against a real daemon: each has its one answer, and memory stays small.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { frameOf } from '../support/frames.ts';
import { repository } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { WireClient } from '../support/wire-client.ts';

const count = 100_000;

test('a flood of 100,000 requests is answered in full, in less than 150 MB', async () => {
  const env = { ...process.env, XDG_STATE_HOME: temporaryDirectory('storage') };
  const client = new WireClient({ validate: false, env, timeoutMs: 120_000 });
  try {
    await client.initialize();
    const { session } = await client.request('session/open', { workspace: repository() });
    const params = { session };
    const from = client.frames.length;
    const startedMs = performance.now();
    for (let at = 0; at < count; at += 1000) {
      const frames = Array.from({ length: 1000 }, (_, i) =>
        frameOf({ jsonrpc: '2.0', id: `f${at + i}`, method: 'checkpoint/list', params }),
      );
      client.write(Buffer.concat(frames)); // all at once: nothing is read before everything is written
    }
    client.write(frameOf({ jsonrpc: '2.0', id: 'last', method: 'shutdown' }));
    await client.next((frame) => frame.id === 'last', from);
    const ms = performance.now() - startedMs;
    const status = readFileSync(`/proc/${client.process.pid}/status`, 'utf8');
    const peakMb = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1000;
    const answers = client.frames.slice(from).filter(({ id }) => String(id).startsWith('f'));
    const served = answers.filter(({ error }) => error === undefined).length;
    console.log(`note: ${served} of ${count} served, ${peakMb.toFixed(0)} MB at most, ${Math.round(ms)} ms`);
    assert.is(answers.length, count);
    assert.is(new Set(answers.map(({ id }) => id)).size, count);
    const kinds = new Set(answers.flatMap(({ error }) => error?.data?.kind ?? []));
    assert.ok(
      [...kinds].every((kind) => kind === 'ServerBusy'),
      [...kinds].join(),
    );
    assert.ok(served > 0 && peakMb < 150);
  } finally {
    await client.kill();
  }
});

test.run();
