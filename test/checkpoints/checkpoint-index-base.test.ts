// Tests sessions whose checkpoint "0" was deleted, alone or with all other checkpoints. No answer mentions a "0" that
// the client did not name.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

for (const strategy of ['shadow', 'sqlite'] as const) {
  test(`if the first checkpoint of a session was deleted, the session continues from the oldest remaining checkpoint (${strategy})`, async () => {
    const storage = join(temporaryDirectory('storage'), 'storage');
    const root = repository();
    let daemon = new InProcessDaemon(storage);
    const options = { strategy, conversationId: 'c', retention: 'keep' } as const;
    const { session } = await daemon.open(root, options);
    write(root, { 'a.txt': 'one\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(root, { 'a.txt': 'two\n' });
    await daemon.call('checkpoint/create', { session, kind: 'tool', toolName: 't' });
    await daemon.call('checkpoint/delete', { session, tag: '0' });
    for (const isResumed of [false, true]) {
      if (isResumed) {
        await daemon.close();
        daemon = new InProcessDaemon(storage);
      }
      assert.is((await daemon.open(root, options)).base?.tag, '1');
      const { files } = await daemon.call('checkpoint/diff', { session, format: 'contents' });
      assert.equal(
        files.map(({ path, before, after }) => [path, before, after]),
        [['a.txt', 'one\n', 'two\n']],
      );
      assert.is((await daemon.call('checkpoint/init', { session })).base.tag, '1');
      const { checkpoints } = await daemon.call('checkpoint/list', { session });
      assert.equal(
        checkpoints.map(({ tag, previousTag, stats }) => [tag, previousTag, stats.modified]),
        [
          ['1', undefined, 0],
          ['1.1', '1', 1],
        ],
      );
      for (const tag of ['1', '1.1']) await daemon.call('checkpoint/expand', { session, tag });
      await daemon.call('checkpoint/hasChanges', { session });
      await daemon.call('store/gc', { session });
      await daemon.call('ledger/history', { session, path: 'a.txt' });
    }
    const asked = await failure(daemon.call('checkpoint/get', { session, tag: '0' }));
    assert.is(asked.kind, 'UnknownCheckpoint');
    await daemon.close();
  });
}

test('after all checkpoints were deleted, a diff against the first checkpoint reports its deletion, and the next create works', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const options = { conversationId: 'c' };
  const { session } = await daemon.open(root, options);
  await daemon.call('checkpoint/delete', { session, tag: '0' });
  const refused = await failure(daemon.call('checkpoint/diff', { session }));
  assert.is(refused.kind, 'UnknownCheckpoint');
  assert.match(refused.message, /All checkpoints of this session were deleted.*checkpoint\/create/);
  assert.not.match(refused.message, /"0"/);
  assert.is((await daemon.open(root, options)).base, undefined);
  const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.is(checkpoint?.tag, '1');
  assert.is((await daemon.open(root, options)).base?.tag, '1');
  assert.equal((await daemon.call('checkpoint/diff', { session })).files, []);
  await daemon.close();
});

test.run();
