// Limits by count, age and bytes with store/gc and its report, and deletions in the middle, on every strategy.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';

const names = Object.keys(strategies);
const noise = (seed: number, length: number): string => {
  let state = seed + 1;
  let text = '';
  while (text.length < length) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    text += state.toString(36);
  }
  return text;
};

/** A session with a turn for each content of `a.txt`. */
async function turns(
  daemon: InProcessDaemon,
  strategy: string,
  contents: readonly string[],
  limits = {},
): Promise<{ readonly session: string; readonly root: string }> {
  const root = repository({ 'a.txt': 'base\n', 'same.txt': 'same\n' });
  const { session } = await daemon.open(root, { strategy, limits });
  for (const content of contents) {
    write(root, { 'a.txt': content });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
  }
  return { session, root };
}

const tagsOf = async (daemon: InProcessDaemon, session: string): Promise<(string | undefined)[]> => {
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  return checkpoints.map(({ tag }) => tag);
};

test('limits.maxCheckpoints: a collection keeps the newest, the base and what has a name, and says so (O29)', async () => {
  const daemon = new InProcessDaemon();
  for (const strategy of names) {
    const contents = [1, 2, 3, 4, 5, 6].map((n) => `turn ${n}\n`);
    const { session, root } = await turns(daemon, strategy, contents, { maxCheckpoints: 3 });
    await daemon.call('checkpoint/rename', { session, tag: '2', name: 'kept' });
    const before = await daemon.call('store/usage', { session });
    const report = await daemon.call('store/gc', { session });
    assert.equal(await tagsOf(daemon, session), ['0', '2', '6'], strategy);
    assert.is(report.checkpointsRemoved, 4);
    assert.is((await daemon.call('store/usage', { session })).checkpoints, before.checkpoints - 4);
    const again = await daemon.call('store/gc', { session });
    assert.is(again.checkpointsRemoved, 0, 'a second collection finds nothing');
    const gone = await failure(daemon.call('checkpoint/restore', { session, tag: '1' }));
    assert.is(gone.kind, 'UnknownCheckpoint');
    await daemon.call('checkpoint/restore', { session, tag: 'kept', mode: 'hard' });
    assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'turn 2\n');
  }
  await daemon.close();
});

test('limits.maxAgeDays: a collection removes what is older (O29)', async () => {
  const daemon = new InProcessDaemon();
  const { now } = Date;
  for (const strategy of names) {
    const dayMs = 24 * 60 * 60 * 1000;
    Date.now = () => now() - 40 * dayMs;
    const { session, root } = await turns(daemon, strategy, ['old 1\n', 'old 2\n'], { maxAgeDays: 30 });
    Date.now = now;
    write(root, { 'a.txt': 'new\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    const report = await daemon.call('store/gc', { session });
    assert.is(report.checkpointsRemoved, 2, strategy);
    assert.equal(await tagsOf(daemon, session), ['0', '3']);
  }
  Date.now = now;
  await daemon.close();
});

test('limits.maxStoreBytes: a collection removes the oldest until the store fits, and reports what it freed (O29)', async () => {
  for (const strategy of names) {
    const daemon = new InProcessDaemon();
    const contents = Array.from({ length: 40 }, (_, n) => noise(n, 60_000));
    const { session, root } = await turns(daemon, strategy, contents, { maxStoreBytes: 900_000 });
    const before = await daemon.call('store/usage', { session });
    const report = await daemon.call('store/gc', { session });
    const after = await daemon.call('store/usage', { session });
    assert.ok(before.bytes > 900_000, `${strategy}: ${before.bytes}`);
    assert.ok(report.checkpointsRemoved >= 10, `${strategy}: ${JSON.stringify(report)}`);
    assert.ok(report.blobsFreed >= report.checkpointsRemoved, `${strategy}: ${JSON.stringify(report)}`);
    assert.ok(report.bytesFreed > 0 && after.bytes < before.bytes, `${strategy}: ${JSON.stringify(after)}`);
    assert.ok(after.bytes <= 900_000, `${strategy}: ${after.bytes} after ${before.bytes}`);
    const [base, oldest] = await tagsOf(daemon, session);
    assert.is(base, '0');
    await daemon.call('checkpoint/restore', { session, tag: oldest ?? '', mode: 'hard' });
    assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), contents[Number(oldest) - 1]);
    await daemon.close();
  }
});

test('limits.maxStoreBytes: what other sessions hold in a shared database does not count (O29)', async () => {
  const daemon = new InProcessDaemon();
  const large = Array.from({ length: 6 }, (_, n) => noise(100 + n, 400_000));
  const other = await turns(daemon, 'sqlite', large);
  const contents = Array.from({ length: 30 }, (_, n) => noise(n, 20_000));
  const { session, root } = await turns(daemon, 'sqlite', contents, { maxStoreBytes: 1_000_000 });
  const { bytes } = await daemon.call('store/usage', { session });
  assert.ok(bytes > 1_000_000, `the database is larger: ${bytes}`);
  const report = await daemon.call('store/gc', { session });
  assert.is(report.checkpointsRemoved, 0, 'its own 30 turns fit');
  const { session: small } = await daemon.open(root, {
    strategy: 'sqlite',
    conversationId: 'small',
    limits: { maxStoreBytes: 150_000 },
  });
  for (const content of contents) {
    write(root, { 'a.txt': content });
    await daemon.call('checkpoint/create', { session: small, kind: 'turn' });
  }
  const { checkpointsRemoved } = await daemon.call('store/gc', { session: small });
  assert.ok(checkpointsRemoved >= 10 && checkpointsRemoved < 30, `${checkpointsRemoved} removed`);
  assert.is((await tagsOf(daemon, session)).length, 31, 'nobody else loses any');
  assert.is((await tagsOf(daemon, other.session)).length, 7);
  const listed = (await daemon.call('session/list', {})).sessions.map(({ bytes = 0 }) => bytes);
  assert.ok(
    listed.some((each) => each < 300_000) && listed.some((each) => each > 1_000_000),
    listed.join(' '),
  );
  await daemon.close();
});

test('deleting checkpoints in the middle leaves every other one restorable (O30, R9)', async () => {
  const daemon = new InProcessDaemon();
  for (const strategy of names) {
    const { session, root } = await turns(daemon, strategy, []);
    const states = [manifest(root)];
    for (let turn = 1; turn <= 8; turn += 1) {
      write(root, { [`only-${turn}.txt`]: `${turn}\n`, 'a.txt': `turn ${turn}\n` });
      await daemon.call('checkpoint/create', { session, kind: 'turn' });
      states.push(manifest(root));
    }
    for (const tag of ['3', '4', '1', '6']) await daemon.call('checkpoint/delete', { session, tag });
    await daemon.call('store/gc', { session });
    const { ok, problems } = await daemon.call('store/verify', { session });
    assert.ok(ok, JSON.stringify(problems));
    for (const tag of [0, 2, 5, 7, 8]) {
      await daemon.call('checkpoint/restore', { session, tag: String(tag), mode: 'hard' });
      assert.equal(manifest(root), states[tag], `${strategy} ${tag}`);
    }
    const stats = await daemon.call('checkpoint/stats', { session, tag: '5' });
    assert.equal([stats.added, stats.modified, stats.deleted], [3, 1, 0], 'against the nearest earlier one');
  }
  await daemon.close();
});

test.run();
