// Tests checkpoint/clean when there are no checkpoints, and when the daemon cannot reach the checkpoints.
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

test('without checkpoints, checkpoint/clean removes nothing, even when it is repeated (Q38)', async () => {
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

test('if checkpoints are disabled, checkpoint/clean is refused, because checkpoints on disk may exist', async () => {
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

test('an interrupted checkpoint/clean leaves no ref without its object', async () => {
  const root = repository();
  chmodSync(join(root, 'a.txt'), 0o400); // a table of permissions has its own ref
  const daemon = new InProcessDaemon();
  const { session } = await daemon.open(root, { conversationId: 'c', retention: 'keep' });
  installFault((call, target) => {
    if (call === 'rename' && target.endsWith(`${session}/refs`))
      throw Object.assign(new Error('injected'), { code: 'EIO' });
  });
  try {
    await daemon.call('checkpoint/clean', { session });
  } finally {
    installFault(undefined);
  }
  const shadow = join(daemon.storage, session);
  assert.ok(existsSync(join(shadow, 'refs')), 'the refs could not be moved away');
  assert.ok(existsSync(join(shadow, 'objects')), 'so their objects stay');
  await daemon.close();
});

test.run();
