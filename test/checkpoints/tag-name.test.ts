// The methods checkpoint/create and checkpoint/rename accept the same names. Both methods refuse all other names with
// the same error.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, repository } from '../support/in-process-daemon.ts';

test('the name of a checkpoint is refused if it is empty, too long, has control characters, or looks like a tag, id or commit', async () => {
  const daemon = new InProcessDaemon();
  const { session } = await daemon.open(repository());
  const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const commit = checkpoint?.commit ?? '';
  const wrong = [
    '',
    '3',
    '3.2',
    'ckpt_mine',
    commit,
    commit.slice(0, 7),
    'ABCDEF0',
    'a\nb',
    'a\u0000b',
    'a\u0085b',
    'x'.repeat(257),
  ];
  for (const name of wrong) {
    const create = await failure(daemon.call('checkpoint/create', { session, kind: 'turn', name }));
    const rename = await failure(daemon.call('checkpoint/rename', { session, tag: '1', name }));
    assert.equal([create.kind, rename.kind], ['InvalidName', 'InvalidName'], JSON.stringify(name));
  }
  assert.is((await daemon.call('checkpoint/list', { session })).checkpoints.length, 2, 'nothing was made');
  for (const name of [
    'vor dem Umbau!',
    ' spaced ',
    '-x',
    '../../etc',
    '1.2.3',
    'v1',
    '检查点 ✓',
    '😀'.repeat(256),
  ]) {
    await daemon.call('checkpoint/rename', { session, tag: '1', name });
    const found = await daemon.call('checkpoint/get', { session, tag: name });
    assert.is(found.checkpoint.id, checkpoint?.id, JSON.stringify(name));
  }
  await daemon.close();
});

test.run();
