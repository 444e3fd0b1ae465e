// Restores files and conversation in one step. Tests each scope, many restores in a row, and sessions that are opened
// with and without checkpoints.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { write } from '../support/in-process-daemon.ts';
import {
  append,
  create,
  daemons,
  type Home,
  home,
  reopened,
  said,
  type Whole,
  whole,
} from '../support/together/home.ts';

// Closes the daemons even after a failed test, because the daemons' watchers would keep the process alive.
test.after.each(async () => {
  await Promise.all(daemons.splice(0).map((daemon) => daemon.close()));
});

/**
 * Makes a conversation with a summary, a tangent and counted lines, and changes files in between. Returns the complete
 * state at each checkpoint.
 */
async function lived(at: Home): Promise<Map<string, Whole>> {
  const { daemon, root, session } = at;
  const wholes = new Map<string, Whole>();
  const mark = async (kind: 'turn' | 'tool'): Promise<void> => {
    const { tag } = await create(at, kind);
    wholes.set(tag ?? '', await whole(at));
  };
  await append(at, 'first');
  write(root, { 'a.txt': 'one' });
  await mark('turn');
  await daemon.call('conversation/recordLines', { session, path: 'a.txt', operation: 'create' });
  write(root, { 'b/c.txt': 'two' });
  await mark('tool');
  await append(at, 'second');
  await daemon.call('conversation/compact', { session, summary: 'sum' });
  await mark('turn');
  await daemon.call('conversation/enterTangent', { session });
  await append(at, 'aside');
  rmSync(join(root, 'a.txt'));
  await mark('tool');
  await daemon.call('conversation/exitTangent', { session, keepTail: true });
  await daemon.call('conversation/setNextMessage', { session, message: { content: 'n' }, lock: true });
  await append(at, 'third');
  await mark('turn');
  return wholes;
}

test('each of many restores brings back exactly the state of its checkpoint (C33, C34, Q26)', async () => {
  let at = await home();
  const wholes = await lived(at);
  for (const tag of ['1', '3', '2.1', '1.1', '2', '1', '3']) {
    const { daemon, session } = at;
    const result = await daemon.call('checkpoint/restore', { session, tag, mode: 'hard' });
    assert.equal(await whole(at), wholes.get(tag), tag);
    const get = await daemon.call('conversation/get', { session });
    assert.equal(result.conversation, {
      historyLength: get.historyLength,
      transcriptLength: get.transcriptLength,
      validHistoryRange: get.validHistoryRange,
    });
    const change = daemon.told.findLast(({ method }) => method === 'conversation/didChange');
    assert.equal(change?.params, { session, method: 'checkpoint/restore', ...result.conversation });
    at = await reopened(at);
    assert.equal(await whole(at), wholes.get(tag), `${tag}, opened again`);
  }
});

test('a session that is reopened without checkpoints has the restored conversation, and keeps new entries', async () => {
  let at = await home();
  await append(at, 'a');
  await create(at);
  await append(at, 'future');
  await create(at);
  await at.daemon.call('checkpoint/restore', { session: at.session, tag: '1' });
  at = await reopened(at, { init: 'never' });
  assert.equal(await said(at), ['a']);
  await append(at, 'meanwhile');
  at = await reopened(at);
  assert.equal(await said(at), ['a', 'meanwhile']);
  await at.daemon.call('checkpoint/restore', { session: at.session, tag: '2' });
  assert.equal(await said(at), ['a', 'future']);
});

test('after an interrupted restore, a session without checkpoints refuses changes until checkpoint/init', async () => {
  let at = await home();
  await append(at, 'a');
  const { daemon, session } = at;
  await daemon.close();
  const intent = join(daemon.storage, session, 'checkpointd', 'restore.json');
  writeFileSync(intent, '{');
  at = await reopened(at, { init: 'never' });
  const refused = await failure(append(at, 'b'));
  assert.is(refused.kind, 'CheckpointsDisabled');
  assert.match(refused.message, 'checkpoint/init');
  assert.equal(await said(at), ['a']);
  assert.is((await failure(at.daemon.call('checkpoint/init', { session }))).kind, 'StoreCorrupt');
  assert.is((await failure(append(at, 'b'))).kind, 'CheckpointsDisabled');
  rmSync(intent); // does what the error message advises
  await at.daemon.call('checkpoint/init', { session });
  await append(at, 'b');
  assert.equal(await said(at), ['a', 'b']);
});

test('if session B has imported the document of session A, deleting B deletes nothing of A (Q15)', async () => {
  const at = await home();
  write(at.root, { 'a.txt': 'precious' });
  await create(at);
  const { document = {} } = await at.daemon.call('conversation/export', { session: at.session });
  const other = await at.daemon.open(at.root, { conversationId: 'other' });
  await at.daemon.call('conversation/import', { session: other.session, document });
  await at.daemon.call('session/delete', { session: other.session });
  write(at.root, { 'a.txt': 'spoilt' });
  await at.daemon.call('checkpoint/restore', { session: at.session, tag: '1', mode: 'hard' });
  assert.is(readFileSync(join(at.root, 'a.txt'), 'utf8'), 'precious');
});

test('an exported document can be imported after its session and checkpoints were deleted (C2, C32)', async () => {
  const at = await home();
  await append(at, 'a');
  await create(at);
  const file = join(at.root, 'export.json');
  await at.daemon.call('conversation/export', { session: at.session, path: file });
  await at.daemon.call('session/delete', { session: at.session });
  assert.ok(existsSync(file));
  const other = await home();
  await create(other);
  await other.daemon.call('conversation/import', { session: other.session, path: file });
  assert.equal(await said(other), ['a']);
  await other.daemon.call('checkpoint/restore', { session: other.session, tag: '0' });
  assert.equal(await said(other), []);
});

test.run();
