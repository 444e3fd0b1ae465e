// Tests requests for checkpoints on every strategy: how operations are reported, in which order they run, their limits,
// and parallel sessions.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../../support/failures.ts';
import { InProcessDaemon, manifest, repository, write } from '../../support/in-process-daemon.ts';
import { each, names } from '../rigs/each.ts';

test('answers and the log contain durations, and clients get an event for each opening, create, restore and failure (R24)', () =>
  each(async ({ daemon, root, session, strategy }) => {
    write(root, { 'a.txt': 'changed\n' });
    const { capture } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    assert.ok(capture.ms >= 0);
    const { ms } = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.ok(ms >= 0);
    assert.ok(daemon.logged.some(({ message }) => /captured \d+ files.* in \d+ ms/.test(message)));
    const told = daemon.told.map(({ method }) => method);
    for (const event of ['session/didOpen', 'checkpoint/didCreate', 'checkpoint/didRestore'])
      assert.ok(told.includes(event), `${strategy}: ${event} in ${told.join(', ')}`);
    for (const { method, params } of daemon.told)
      if (method.startsWith('checkpoint/')) assert.type((params as { ms: unknown }).ms, 'number');
    writeFileSync(join(root, 'a.txt'), 'mine\n');
    await failure(
      daemon.call('checkpoint/restore', { session, tag: '1', onConflict: 'fail', expect: { head: '1' } }),
    );
    const failed = daemon.told.find(({ method }) => method === 'checkpoint/didFail');
    const { operation = '' } = (failed?.params ?? {}) as { readonly operation?: string };
    assert.is((await daemon.call('operation/get', { session, operation })).state, 'failed');
  }));

test('twenty creates that arrive together run one at a time, in the order of their arrival (R25)', () =>
  each(async ({ daemon, session }) => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        daemon.call('checkpoint/create', { session, kind: 'turn', message: `message ${i}` }),
      ),
    );
    assert.equal(
      made.map(({ checkpoint }) => checkpoint.tag),
      Array.from({ length: 20 }, (_, i) => String(i + 1)),
    );
  }));

test('the first capture stops at its time limit, and the session can then be opened again (R26)', async () => {
  for (const strategy of names) {
    const daemon = new InProcessDaemon();
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`d${i % 50}/${i}.txt`, `${i}\n`]));
    const root = repository(many);
    const limits = { initTimeoutMs: 1 };
    const refused = await failure(daemon.open(root, { strategy, conversationId: 'c', limits }));
    assert.is(refused.kind, 'CaptureTimedOut', strategy);
    assert.ok(refused.retryable);
    const again = await daemon.open(root, { strategy, conversationId: 'c' });
    assert.ok(again.checkpoints.enabled);
    await daemon.close();
  }
});

test("many conversations on one work tree cannot damage each other's data (O24) (R28)", async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const sessions: string[] = [];
  for (const strategy of names)
    for (const conversationId of ['one', 'two', 'three'])
      sessions.push((await daemon.open(root, { strategy, conversationId })).session);
  write(root, { 'a.txt': 'all\n', 'large.bin': 'x'.repeat(3 << 20) });
  await Promise.all(sessions.map((session) => daemon.call('checkpoint/create', { session, kind: 'turn' })));
  const wanted = manifest(root);
  await daemon.call('session/delete', { session: sessions[0] ?? '' });
  await daemon.call('session/delete', { session: sessions[3] ?? '' });
  await daemon.call('session/delete', { session: sessions[6] ?? '' });
  for (const i of [1, 2, 4, 5, 7, 8]) {
    const session = sessions[i] ?? '';
    await daemon.call('store/gc', { session });
    write(root, { 'a.txt': `${i}\n`, 'large.bin': 'gone' });
    await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.equal(manifest(root), wanted, `session ${i}`);
  }
  await daemon.close();
});

test.run();
