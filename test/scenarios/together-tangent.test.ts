// Tests tangents that include the files. When the client leaves the tangent, the files are restored. While the client
// is in the tangent, only checkpoint/clean removes the checkpoint of the tangent.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { manifest, write } from '../support/in-process-daemon.ts';
import { append, create, daemons, type Home, home, reopened, said, whole } from '../support/together/home.ts';

// Closes the daemons even after a failed test, because the daemons' watchers would keep the process alive.
test.after.each(async () => {
  await Promise.all(daemons.splice(0).map((daemon) => daemon.close()));
});

test('if a tangent includes the files, leaving it restores files and counters, and undo returns to the tangent (C23)', async () => {
  const at = await home();
  const { daemon, root, session } = at;
  await append(at, 'main');
  await create(at);
  write(root, { 'a.txt': 'uncommitted work' });
  const main = await whole(at);
  const listed = await daemon.call('checkpoint/list', { session });
  const entered = await daemon.call('conversation/enterTangent', { session, files: true });
  assert.ok(entered.entered && entered.checkpoint !== undefined);
  assert.equal(await daemon.call('checkpoint/list', { session }), listed, 'no tag of the user moved');
  const again = await daemon.call('conversation/enterTangent', { session, files: true });
  assert.equal([again.entered, again.checkpoint], [false, undefined]);
  assert.is((await daemon.call('conversation/tangent', { session })).files, true);
  write(root, { 'a.txt': 'tangent', 'x/y.txt': 'new' });
  await append(at, 'aside');
  await create(at);
  const aside = await whole(at);
  const left = await daemon.call('conversation/exitTangent', { session });
  assert.equal(left.restore?.restored, [{ path: 'a.txt' }]);
  assert.equal(left.restore?.deleted, [{ path: 'x/y.txt' }]);
  assert.is(left.historyLength, 1);
  assert.equal(await whole(at), main);
  await daemon.call('checkpoint/undo', { session });
  assert.equal(await whole(at), aside);
  await daemon.call('checkpoint/redo', { session });
  assert.equal(await whole(at), main);
  assert.is((await create(at)).tag, '2');
});

test('leaving a tangent with keepTail keeps the files; outside a tangent, exitTangent does nothing (C19, C23)', async () => {
  const at = await home();
  const { daemon, root, session } = at;
  await append(at, 'main');
  await daemon.call('conversation/enterTangent', { session, files: true });
  write(root, { 'a.txt': 'tangent' });
  const { id } = await append(at, 'tail');
  const files = manifest(root);
  const { exited, tail, restore } = await daemon.call('conversation/exitTangent', {
    session,
    keepTail: true,
  });
  assert.equal([exited, tail, restore], [true, id, undefined]);
  assert.equal(manifest(root), files);
  assert.equal(await said(at), ['main', 'tail']);
  assert.is((await daemon.call('conversation/exitTangent', { session })).exited, false);
});

test('if checkpoint/clean removed the checkpoint of a tangent, leaving the tangent keeps the files', async () => {
  const at = await home();
  const { daemon, root, session } = at;
  const { checkpoint: needed = '' } = await daemon.call('conversation/enterTangent', {
    session,
    files: true,
  });
  await create(at); // this checkpoint refers to the tangent's checkpoint
  const refused = await failure(daemon.call('checkpoint/delete', { session, tag: needed }));
  assert.is(refused.kind, 'PreconditionFailed');
  await daemon.call('store/gc', { session });
  write(root, { 'a.txt': 'tangent' });
  await daemon.call('conversation/exitTangent', { session });
  await daemon.call('store/gc', { session });
  const entered = { session, tag: '1', mode: 'hard' } as const;
  await daemon.call('checkpoint/restore', entered);
  assert.is((await daemon.call('conversation/tangent', { session })).files, true);
  await daemon.call('checkpoint/clean', { session });
  write(root, { 'a.txt': 'stays' });
  const files = manifest(root);
  const { exited, restore } = await daemon.call('conversation/exitTangent', { session });
  assert.equal([exited, restore], [true, undefined]);
  assert.equal(manifest(root), files);
  assert.ok(daemon.logged.some(({ level, message }) => level === 'warn' && message.includes('tangent')));
  const disabled = await failure(daemon.call('conversation/enterTangent', { session, files: true }));
  assert.is(disabled.kind, 'CheckpointsDisabled');
  assert.is((await daemon.call('conversation/tangent', { session })).active, false);
});

for (const [name, remove] of [
  [
    'checkpoint/clean',
    async ({ daemon, session }: Home) => void (await daemon.call('checkpoint/clean', { session })),
  ],
  [
    'the deletion of its current checkpoint',
    async (at: Home) => {
      const { id } = await create(at);
      await at.daemon.call('checkpoint/delete', { session: at.session, tag: id });
    },
  ],
] as const) {
  test(`after ${name}, a reopened conversation still has the same messages`, async () => {
    let at = await home();
    for (const content of ['a', 'b', 'c']) {
      await append(at, content);
      await create(at);
    }
    await at.daemon.call('checkpoint/restore', { session: at.session, tag: '1' });
    await append(at, 'instead');
    await remove(at);
    for (let times = 0; times < 2; times += 1) {
      at = await reopened(at);
      assert.equal(await said(at), ['a', 'instead'], `opened again, ${times}`);
    }
    await append(at, 'more');
    at = await reopened(at);
    assert.equal(await said(at), ['a', 'instead', 'more']);
  });
}

test.run();
