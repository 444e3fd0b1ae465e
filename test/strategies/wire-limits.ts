// The tests of the limits on age and size, for one strategy.
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../support/daemon-rig.ts';
import { daemonEntry, failureOf } from '../support/wire-client.ts';

/** A daemon whose clock is forty days behind. */
const fortyDaysAgo: [string, ...string[]] = [
  process.execPath,
  `--import=data:text/javascript,${encodeURIComponent('const { now } = Date; Date.now = () => now() - 40 * 86_400_000;')}`,
  daemonEntry,
];

/** Returns a different text for each turn. Compression hardly makes the text smaller. */
function noise(turn: number, length: number): string {
  let text = '';
  for (let n = 0; text.length < length; n += 1)
    text += createHash('sha256').update(`${turn}.${n}`).digest('base64');
  return text;
}

/** Tests that `store/gc` removes checkpoints older than the limit. */
export function testsAgeLimit(strategy: string): void {
  test(`${strategy}: store/gc removes checkpoints older than limits.maxAgeDays, even after a restart (O29)`, async () => {
    await withRig(async (rig) => {
      const params = { strategy, retention: 'keep', limits: { maxAgeDays: 30 } } as const;
      const old = await rig.opened(params, { command: fortyDaysAgo });
      const { session } = old;
      for (const turn of [1, 2, 3]) {
        rig.write('a.txt', noise(turn, 20_000));
        await old.client.request('checkpoint/create', { session, kind: 'turn' });
      }
      await old.client.request('checkpoint/rename', { session, tag: '2', name: 'kept' });
      await old.client.close();

      const { client } = await rig.opened(params);
      for (const turn of [4, 5]) {
        rig.write('a.txt', noise(turn, 20_000));
        await client.request('checkpoint/create', { session, kind: 'turn' });
      }
      const report = await client.request('store/gc', { session });
      assert.is(report.checkpointsRemoved, 2);
      assert.ok(report.blobsFreed >= 2 && report.bytesFreed > 0, JSON.stringify(report));
      const { checkpoints } = await client.request('checkpoint/list', { session });
      assert.equal(
        checkpoints.map(({ tag }) => tag),
        ['0', '2', '4', '5'],
        'the base, what has a name, and the young',
      );
      for (const tag of ['2', '4', '5']) {
        await client.request('checkpoint/restore', { session, tag, mode: 'hard' });
        assert.is(rig.read('a.txt'), noise(Number(tag), 20_000), tag);
      }
      const gone = await failureOf(client.request('checkpoint/restore', { session, tag: '1' }));
      assert.is(gone.kind, 'UnknownCheckpoint');
      await client.close();
    });
  });
}

/** Tests that `store/gc` makes the store fit its limit. */
export function testsSizeLimit(strategy: string): void {
  test(`${strategy}: store/gc removes the oldest checkpoints until the store fits limits.maxStoreBytes (O29)`, async () => {
    await withRig(async (rig) => {
      const limits = { maxStoreBytes: 900_000 };
      const { client, session } = await rig.opened({ strategy, retention: 'keep', limits });
      const turns = 25;
      for (let turn = 1; turn <= turns; turn += 1) {
        rig.write('a.txt', noise(turn, 80_000));
        await client.request('checkpoint/create', { session, kind: 'turn' });
      }
      const tagsOf = async (from: typeof client): Promise<(string | undefined)[]> =>
        (await from.request('checkpoint/list', { session })).checkpoints.map(({ tag }) => tag);
      const before = await client.request('store/usage', { session });
      // On a slow machine, the daemon may already have removed checkpoints between two turns.
      const unremoved = (await tagsOf(client)).length - 1;
      const report = await client.request('store/gc', { session });
      const after = await client.request('store/usage', { session });
      const { checkpointsRemoved, bytesFreed, blobsFreed } = report;
      assert.ok(unremoved < turns || before.bytes > limits.maxStoreBytes, `${before.bytes}`);
      assert.ok(unremoved < turns || checkpointsRemoved > 0, JSON.stringify(report));
      assert.ok(blobsFreed >= checkpointsRemoved, JSON.stringify(report));
      assert.ok(after.bytes <= limits.maxStoreBytes, `${after.bytes} after ${before.bytes}`);
      assert.ok(checkpointsRemoved === 0 || bytesFreed > 0, JSON.stringify(report));
      assert.ok(bytesFreed <= before.bytes, JSON.stringify(report));
      await client.kill();

      const again = await rig.opened({ strategy, retention: 'keep', limits });
      const tags = await tagsOf(again.client);
      const left = tags.length - 1;
      assert.ok(left > 0 && left <= unremoved - checkpointsRemoved, `${left} of ${unremoved}`);
      const youngest = Array.from({ length: left }, (_, n) => `${turns - left + 1 + n}`);
      assert.equal(tags, ['0', ...youngest], 'the base and the youngest');
      const { ok, problems } = await again.client.request('store/verify', { session });
      assert.ok(ok, JSON.stringify(problems));
      for (const tag of [youngest[0], youngest.at(-1)]) {
        await again.client.request('checkpoint/restore', { session, tag: tag ?? '', mode: 'hard' });
        assert.is(rig.read('a.txt'), noise(Number(tag), 80_000), tag);
      }
      await again.client.close();
    });
  });
}
