// checkpoint/clean where there is nothing to remove, or nothing that it can reach.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

test('checkpoint/clean where there are no checkpoints removes none, again and again (Q38)', async () => {
  const daemon = new InProcessDaemon();
  const outside = temporaryDirectory('outside');
  const { session } = await daemon.open(outside);
  const none = await daemon.call('checkpoint/clean', { session, idempotencyKey: 'k' });
  assert.equal(
    [none.removed, none.path, none.checkpoints.enabled, none.checkpoints.reason],
    [0, undefined, false, 'NotARepository'],
  );
  assert.is((await daemon.call('checkpoint/clean', { session, idempotencyKey: 'k' })).replayed, true);
  await daemon.call('checkpoint/init', { session });
  assert.is((await daemon.call('checkpoint/clean', { session })).removed, 1);
  const again = await daemon.call('checkpoint/clean', { session });
  assert.equal([again.removed, again.checkpoints.reason], [0, 'Cleaned']);
  await daemon.close();
});

test('checkpoint/clean refuses where kept checkpoints cannot be reached, instead of calling them none', async () => {
  const root = repository();
  const kept = { conversationId: 'c', retention: 'keep' } as const;
  const first = new InProcessDaemon();
  const { session } = await first.open(root, kept);
  await first.close();
  const second = new InProcessDaemon(first.storage);
  await second.open(root, { ...kept, init: 'never' });
  const refused = await failure(second.call('checkpoint/clean', { session }));
  assert.is(refused.kind, 'CheckpointsDisabled');
  assert.match(refused.message, /checkpoint\/init/);
  await second.close();
});

test.run();
