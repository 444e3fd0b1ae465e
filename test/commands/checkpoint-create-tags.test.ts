// Tests how tags and names of checkpoints are counted, used again and refused.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { git, opened, write } from '../support/in-process-daemon.ts';

test('a turn gets its checkpoint when the turn starts, so the tags are 0, 1, 1.1, 1.2, 2, 2.1, 3 (Q8, Q16)', async () => {
  const { daemon, session } = await opened();
  for (const kind of ['turn', 'tool', 'tool', 'turn', 'tool', 'turn'] as const) {
    await daemon.call('checkpoint/create', { session, kind });
  }
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  assert.equal(
    checkpoints.map(({ tag }) => tag),
    ['0', '1', '1.1', '1.2', '2', '2.1', '3'],
  );
  assert.equal(
    checkpoints.map(({ previousTag }) => previousTag),
    ['0', '0', '1', '1.1', '1', '2', '2'],
  );
  await daemon.close();
});

test('if the tag of a turn is used again, the old checkpoint leaves the list, and the new checkpoint is appended (Q18)', async () => {
  const { daemon, session } = await opened();
  for (const kind of ['turn', 'tool', 'turn'] as const)
    await daemon.call('checkpoint/create', { session, kind });
  const old = (await daemon.call('checkpoint/get', { session, tag: '1' })).checkpoint.id;
  await daemon.call('checkpoint/create', { session, kind: 'turn', tag: '1', message: 'again' });
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  assert.equal(
    checkpoints.map(({ tag }) => tag),
    ['0', '2', '1'],
  );
  assert.is(
    (await daemon.call('checkpoint/get', { session, tag: old })).checkpoint.tag,
    undefined,
    'reachable by its id',
  );
  await daemon.close();
});

test('if the tag of a tool is used again, the new checkpoint and its metadata replace the old ones in place (Q19)', async () => {
  const { daemon, root, session, shadow } = await opened();
  for (const kind of ['turn', 'tool', 'tool'] as const)
    await daemon.call('checkpoint/create', { session, kind });
  const old = (await daemon.call('checkpoint/get', { session, tag: '1.1' })).checkpoint.id;
  write(root, { 'again.txt': 'x' });
  const entry = { user: { content: 'hi' }, assistant: { content: 'ho' } };
  await daemon.call('conversation/append', { session, entry });
  await daemon.call('checkpoint/create', {
    session,
    kind: 'tool',
    tag: '1.1',
    description: 'the second',
    toolName: 'other',
  });
  const { checkpoints } = await daemon.call('checkpoint/list', { session });
  assert.equal(
    checkpoints.map(({ tag }) => tag),
    ['0', '1', '1.1', '1.2'],
  );
  assert.is(checkpoints[2]?.description, 'the second');
  assert.is(checkpoints[2]?.toolName, 'other');
  assert.is(checkpoints[2]?.historyLength, 1);
  assert.equal(checkpoints[2]?.stats, { added: 1, modified: 0, deleted: 0 });
  assert.is(git('/', `--git-dir=${shadow}`, 'log', '-1', '--format=%s', '1.1'), 'the second');
  const older = (await daemon.call('checkpoint/get', { session, tag: old })).checkpoint;
  assert.equal([older.id, older.tag], [old, undefined], 'the older checkpoint keeps its id');
  assert.ok((checkpoints[2]?.timestamp ?? '') > older.timestamp, 'the time is that of the second');
  await daemon.close();
});

test('a tool before the first turn gets the tag 0.1; an explicit tag sets the counters', async () => {
  const { daemon, session } = await opened();
  const tagOf = async (params: { kind: 'turn' | 'tool'; tag?: string }): Promise<string | undefined> =>
    (await daemon.call('checkpoint/create', { session, ...params })).checkpoint.tag;
  assert.is(await tagOf({ kind: 'tool' }), '0.1');
  assert.is(await tagOf({ kind: 'turn', tag: '7' }), '7');
  assert.is(await tagOf({ kind: 'tool' }), '7.1');
  assert.is(await tagOf({ kind: 'turn' }), '8');
  assert.is(
    (await failure(daemon.call('checkpoint/create', { session, kind: 'turn', tag: '9.1' }))).kind,
    'InvalidTag',
  );
  await daemon.close();
});

test('names of checkpoints are unique, and never look like a tag, an id or a commit', async () => {
  const { daemon, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn', name: 'before the storm' });
  assert.is((await daemon.call('checkpoint/get', { session, tag: 'before the storm' })).checkpoint.tag, '1');
  const again = daemon.call('checkpoint/create', { session, kind: 'turn', name: 'before the storm' });
  assert.is((await failure(again)).kind, 'DuplicateName');
  for (const name of ['1.1', 'ckpt_x', 'deadbeef', 'a\tb']) {
    assert.is(
      (await failure(daemon.call('checkpoint/rename', { session, tag: '1', name }))).kind,
      'InvalidName',
      name,
    );
  }
  const { checkpoint } = await daemon.call('checkpoint/rename', { session, tag: '1', name: 'calm' });
  assert.is(checkpoint.name, 'calm');
  await daemon.close();
});

test.run();
