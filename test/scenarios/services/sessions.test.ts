// What the specified services and commands promise of sessions: what is told of their operations, in which order they run, what they share.
import { readdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../../support/failures.ts';
import { InProcessDaemon, opened, repository, write } from '../../support/in-process-daemon.ts';

test('results carry durations, and listeners are told of opening, creating, restoring and failing (R24)', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'x.txt': 'x' });
  const { capture } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.ok(Number.isInteger(capture.ms));
  const { ms } = await daemon.call('checkpoint/restore', { session, tag: '0' });
  assert.ok(Number.isInteger(ms));
  await failure(daemon.call('checkpoint/restore', { session, tag: '0', expect: { head: '0' } }));
  const told = daemon.told.map(({ method }) => method);
  for (const event of [
    'session/didOpen',
    'checkpoint/didCreate',
    'checkpoint/didRestore',
    'checkpoint/didFail',
  ]) {
    assert.ok(told.includes(event), event);
  }
  await daemon.close();
});

test('operations of a session run one after the other, in the order they came (R25)', async () => {
  const { daemon, root, session } = await opened();
  const creates = Array.from({ length: 12 }, () =>
    daemon.call('checkpoint/create', { session, kind: 'turn' as const }),
  );
  const back = daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  write(root, { 'late.txt': 'x' });
  const made = await Promise.all(creates);
  assert.equal(
    made.map(({ checkpoint }) => checkpoint.tag),
    Array.from({ length: 12 }, (_, i) => String(i + 1)),
  );
  assert.ok((await back).checkpoint);
  await daemon.close();
});

test('sessions of one workspace may share one store, and see nothing of each other (R28, O1)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const one = await daemon.open(root, { strategy: 'sqlite', conversationId: 'one' });
  const two = await daemon.open(root, { strategy: 'sqlite', conversationId: 'two' });
  await daemon.call('checkpoint/create', { session: one.session, kind: 'turn' });
  assert.is((await daemon.call('checkpoint/list', { session: one.session })).checkpoints.length, 2);
  assert.is((await daemon.call('checkpoint/list', { session: two.session })).checkpoints.length, 1);
  assert.is(readdirSync(daemon.storage).filter((name) => name.endsWith('.sqlite')).length, 1);
  await daemon.close();
});

test.run();
