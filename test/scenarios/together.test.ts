// Files and conversation in one step: what a restore brings back, in which scope, and that going back and forth, leaving
// tangents and removing checkpoints loses nothing.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type * as Wire from '../../src/protocol/types.ts';
import { failure, InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';

interface Home {
  daemon: InProcessDaemon;
  readonly root: string;
  readonly session: string;
}

const daemons: InProcessDaemon[] = [];
// A failed test must not leave a watcher behind that keeps the process alive.
test.after.each(async () => {
  await Promise.all(daemons.splice(0).map((daemon) => daemon.close()));
});

async function home(): Promise<Home> {
  const daemon = new InProcessDaemon();
  daemons.push(daemon);
  const root = repository();
  const { session } = await daemon.open(root, { conversationId: 'c', retention: 'keep' });
  return { daemon, root, session };
}

async function reopened({ daemon, root }: Home, more: Partial<Wire.SessionOpenParams> = {}): Promise<Home> {
  await daemon.close();
  const next = new InProcessDaemon(daemon.storage);
  daemons.push(next);
  const { session } = await next.open(root, { conversationId: 'c', ...more });
  return { daemon: next, root, session };
}

function append({ daemon, session }: Home, content: string): Promise<Wire.ConversationAppendResult> {
  return daemon.call('conversation/append', {
    session,
    entry: { user: { content }, assistant: { content: 'ok' } },
  });
}

async function create({ daemon, session }: Home, kind: 'turn' | 'tool' = 'turn'): Promise<Wire.Checkpoint> {
  return (await daemon.call('checkpoint/create', { session, kind })).checkpoint;
}

interface Whole {
  readonly files: Record<string, string>;
  readonly document: unknown;
  readonly counters: readonly number[];
}

async function whole({ daemon, root, session }: Home): Promise<Whole> {
  const { document } = await daemon.call('conversation/export', { session });
  const { manager } = await daemon.call('session/get', { session });
  return { files: manifest(root), document, counters: [manager.currentTurn, manager.toolsInTurn] };
}

async function said({ daemon, session }: Home): Promise<string[]> {
  const { entries } = await daemon.call('conversation/history', { session });
  return entries.map(({ user }) => user.content ?? '');
}

/** A conversation with a summary, a tangent and a tracker, and files beside it; the wholes at its checkpoints. */
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

test('after a restore everything is as at the checkpoint; back and forth loses nothing (C33, C34, Q26)', async () => {
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

test('scope: files leaves the conversation, conversation leaves the files; each can be had back', async () => {
  const at = await home();
  const wholes = await lived(at);
  const { daemon, session } = at;
  const end = await whole(at);
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard', scope: 'files' });
  let now = await whole(at);
  assert.equal(now, { ...end, files: wholes.get('1')?.files });
  await daemon.call('checkpoint/undo', { session });
  assert.equal(await whole(at), end);
  await daemon.call('checkpoint/restore', { session, tag: '1', scope: 'conversation' });
  now = await whole(at);
  assert.equal(now, { ...wholes.get('1'), files: end.files });
  await daemon.call('checkpoint/undo', { session });
  assert.equal(await whole(at), end);
});

test('a refused restore leaves files and conversation as they were', async () => {
  const at = await home();
  await append(at, 'a');
  await create(at);
  const before = await whole(at);
  const { daemon, session, root } = at;
  write(root, { 'a.txt': 'other' });
  const error = await failure(
    daemon.call('checkpoint/restore', { session, tag: '0', expect: { head: '0' } }),
  );
  assert.is(error.kind, 'PreconditionFailed');
  assert.equal((await whole(at)).document, before.document);
});

test('a tangent with files brings them back, with the counters; undo goes back into it (C23)', async () => {
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

test('leaving with the tail keeps the files; leaving outside a tangent does nothing (C19, C23)', async () => {
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

test('the checkpoint that a tangent needs is not deleted or collected; after a clean leaving leaves the files', async () => {
  const at = await home();
  const { daemon, root, session } = at;
  const { checkpoint: needed = '' } = await daemon.call('conversation/enterTangent', {
    session,
    files: true,
  });
  await create(at); // remembers the tangent
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
    'the deletion of the checkpoint it stands on',
    async (at: Home) => {
      const { id } = await create(at);
      await at.daemon.call('checkpoint/delete', { session: at.session, tag: id });
    },
  ],
] as const) {
  test(`after ${name} a reopened conversation is where it was, not in the future`, async () => {
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

test('a session that is opened without checkpoints has the restored conversation, and keeps what comes then', async () => {
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

test('without checkpoints nothing is changed over an interrupted restore; checkpoint/init comes first', async () => {
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
  rmSync(intent); // as the refusal says
  await at.daemon.call('checkpoint/init', { session });
  await append(at, 'b');
  assert.equal(await said(at), ['a', 'b']);
});

test('a deleted storage leaves an export whole: the document owns no checkpoint (C2, C32)', async () => {
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
