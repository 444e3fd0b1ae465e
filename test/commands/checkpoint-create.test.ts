// Tests checkpoints with the state of files and conversation, and requests for checkpoints that are refused or
// cancelled.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { opened, write } from '../support/in-process-daemon.ts';

test('the state of a workspace is saved and restored during a session (Q1)', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'a.txt': 'changed\n', 'new.txt': 'new\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.not(existsSync(join(root, 'new.txt')));
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'a\n');
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'changed\n');
  assert.is(readFileSync(join(root, 'new.txt'), 'utf8'), 'new\n');
  await daemon.close();
});

test('checkpoints of turns and tools contain the history, and can be restored by their tag, soft or hard (Q2, C32)', async () => {
  const { daemon, root, session, shadow } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'x.txt': 'x' });
  const { checkpoint } = await daemon.call('checkpoint/create', {
    session,
    kind: 'tool',
    toolName: 'fs_write',
  });
  assert.is(checkpoint.tag, '1.1');
  assert.is(checkpoint.historyLength, 0);
  assert.is((await daemon.call('checkpoint/get', { session, tag: '1.1' })).checkpoint.id, checkpoint.id);
  assert.ok(shadow.startsWith(daemon.storage));
  const entry = { user: { content: 'go on' }, assistant: { content: 'done' } };
  await daemon.call('conversation/append', { session, entry });
  write(root, { 'x.txt': 'changed', 'later.txt': 'later' });
  const restore = { session, tag: '1.1' } as const;
  const soft = await daemon.call('checkpoint/restore', { ...restore, mode: 'soft' });
  assert.equal([soft.conversation?.historyLength, existsSync(join(root, 'later.txt'))], [0, true]);
  await daemon.call('checkpoint/restore', { ...restore, mode: 'hard' });
  assert.is(readFileSync(join(root, 'x.txt'), 'utf8'), 'x');
  assert.not.ok(existsSync(join(root, 'later.txt')));
  await daemon.close();
});

test('a checkpoint has six fields, and its tag is enough to read its history (Q5)', async () => {
  const { daemon, session } = await opened();
  const before = Date.now() - 1;
  const entry = { user: { content: 'hi' }, assistant: { content: 'ho' } };
  await daemon.call('conversation/append', { session, entry });
  const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn', message: 'do it' });
  assert.is(checkpoint.tag, '1');
  const made = Date.parse(checkpoint.timestamp);
  assert.ok(made >= before && made <= Date.now(), checkpoint.timestamp);
  assert.is(checkpoint.description, 'do it');
  assert.is(checkpoint.historyLength, 1);
  await daemon.call('conversation/append', { session, entry });
  const { entries } = await daemon.call('conversation/history', { session, tag: '1' });
  assert.equal(
    entries.map(({ user }) => user.content),
    ['hi'],
  );
  assert.is(checkpoint.isTurn, true);
  assert.is(checkpoint.toolName, undefined);
  const tool = await daemon.call('checkpoint/create', { session, kind: 'tool', toolName: 'fs_write' });
  assert.is(tool.checkpoint.isTurn, false);
  assert.is(tool.checkpoint.toolName, 'fs_write');
  await daemon.close();
});

test('even an aborted turn has a checkpoint, because this checkpoint is made at the start of the turn (Q21)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn', message: 'never finished' });
  write(root, { 'half.txt': 'half' });
  const { checkpoint } = await daemon.call('checkpoint/get', { session, tag: '1' });
  assert.is(checkpoint.description, 'never finished');
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.not.ok(existsSync(join(root, 'half.txt')), 'it holds the state before the turn');
  await daemon.close();
});

test('the error for an unknown tag names the tag and the method checkpoint/list (Q40)', async () => {
  const { daemon, session } = await opened();
  const error = await failure(daemon.call('checkpoint/restore', { session, tag: '9' }));
  assert.is(error.kind, 'UnknownCheckpoint');
  assert.match(error.message, /Checkpoint "9" not found\. Use checkpoint\/list/);
  assert.is((await failure(daemon.call('checkpoint/list', { session: 'ses_none' }))).kind, 'UnknownSession');
  await daemon.close();
});

test.run();
