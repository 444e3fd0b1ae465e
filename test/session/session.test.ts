import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { git, InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

test('opening a session makes its bare repository and the checkpoint "Initial state" (Q11)', async () => {
  const daemon = new InProcessDaemon();
  const opened = await daemon.open(repository());
  const shadow = opened.shadowRepoPath ?? '';
  assert.is(git('/', `--git-dir=${shadow}`, 'rev-parse', '--is-bare-repository'), 'true');
  assert.is(git('/', `--git-dir=${shadow}`, 'log', '-1', '--format=%s', '0'), 'Initial state');
  assert.is(opened.base?.tag, '0');
  assert.is(opened.base?.description, 'Initial state');
  assert.is(opened.base?.previousTag, '0');
  await daemon.close();
});

test('each conversation has its own shadow repository in the storage, and reopening the conversation uses this repository again (Q14)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const one = await daemon.open(root, { conversationId: 'one' });
  const two = await daemon.open(root, { conversationId: 'two' });
  assert.is.not(one.session, two.session);
  assert.is(one.shadowRepoPath, join(daemon.storage, one.session));
  const again = await daemon.open(`${root}/./`, { conversationId: 'one' });
  assert.is(again.session, one.session, 'identity, not spelling');
  assert.is(again.resumed, true);
  assert.equal(
    readdirSync(daemon.storage)
      .filter((name) => name.startsWith('ses_'))
      .sort(),
    [one.session, two.session].sort(),
  );
  await daemon.close();
});

test('checkpoint/list refuses a cursor if the order of the checkpoints has changed since the previous page', async () => {
  const daemon = new InProcessDaemon();
  const { session } = await daemon.open(repository());
  for (let i = 0; i < 3; i += 1) await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const { nextCursor = '' } = await daemon.call('checkpoint/list', { session, limit: 2 });
  await daemon.call('checkpoint/delete', { session, tag: '1' });
  assert.is(
    (await failure(daemon.call('checkpoint/list', { session, cursor: nextCursor }))).kind,
    'CursorExpired',
  );
  assert.is(
    (await failure(daemon.call('checkpoint/list', { session, cursor: 'nonsense' }))).kind,
    'CursorExpired',
  );
  await daemon.close();
});

test('session/open without a conversation id begins a conversation with a random id (C1)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const ids = new Set<string>();
  for (let opening = 0; opening < 3; opening += 1) {
    const { session, resumed } = await daemon.open(root);
    assert.is(resumed, false);
    ids.add((await daemon.call('conversation/get', { session })).conversationId);
  }
  assert.is(ids.size, 3, [...ids].join());
  await daemon.close();
});

test('a session answers create, hasChanges, stats, diff, restore, list and expand (Q42)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const { session, checkpoints } = await daemon.open(root);
  assert.ok(checkpoints.enabled);
  await daemon.call('checkpoint/create', { session, kind: 'turn', description: 'Turn 1' });
  write(root, { 'made.txt': 'x' });
  await daemon.call('checkpoint/create', {
    session,
    kind: 'tool',
    toolName: 'fs_write',
    description: 'Tool: fs_write',
  });
  assert.is((await daemon.call('checkpoint/hasChanges', { session })).hasChanges, false);
  assert.is((await daemon.call('checkpoint/stats', { session, tag: '1.1' })).added, 1);
  assert.match(
    (await daemon.call('checkpoint/diff', { session, from: '1', to: '1.1', format: 'text' })).text ?? '',
    /made\.txt/,
  );
  await daemon.call('checkpoint/restore', { session, tag: '1' });
  assert.ok(existsSync(join(root, 'made.txt')), 'soft');
  const { checkpoints: listed } = await daemon.call('checkpoint/list', { session });
  assert.equal(
    listed.map(({ tag, description }) => `[${tag}] ${description}`),
    ['[0] Initial state', '[1] Turn 1', '[1.1] Tool: fs_write'],
  );
  assert.is(listed[2]?.previousTag, '1');
  assert.is((await daemon.call('checkpoint/stats', { session, from: '1', to: '1.1' })).added, 1);
  const { tools } = await daemon.call('checkpoint/expand', { session, tag: '1' });
  assert.equal(
    tools.map(({ tag }) => tag),
    ['1.1'],
  );
  await daemon.close();
});

test('after a checkpoint in the middle was deleted, all remaining checkpoints can be restored', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const { session } = await daemon.open(root);
  for (const turn of ['1', '2', '3']) {
    write(root, { [`${turn}.txt`]: turn });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
  }
  await daemon.call('checkpoint/delete', { session, tag: '2' });
  await daemon.call('store/gc', { session });
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.equal(
    readdirSync(root).filter((name) => /^\d/.test(name)),
    ['1.txt'],
  );
  await daemon.call('checkpoint/restore', { session, tag: '3', mode: 'hard' });
  assert.equal(
    readdirSync(root).filter((name) => /^\d/.test(name)),
    ['1.txt', '2.txt', '3.txt'],
  );
  assert.is((await failure(daemon.call('checkpoint/get', { session, tag: '2' }))).kind, 'UnknownCheckpoint');
  await daemon.close();
});

test('store/usage, store/verify and store/gc report their results', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const { session } = await daemon.open(root);
  write(root, { 'big.txt': 'x'.repeat(100_000) });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const { bytes, checkpoints } = await daemon.call('store/usage', { session });
  assert.ok(bytes > 0);
  assert.is(checkpoints, 2);
  assert.equal((await daemon.call('store/verify', { session })).problems, []);
  await daemon.call('checkpoint/create', { session, kind: 'turn', tag: '1' });
  assert.is((await daemon.call('store/gc', { session })).checkpointsRemoved, 0);
  const { checkpointsRemoved } = await daemon.call('store/gc', { session, prune: 'now' });
  assert.is(checkpointsRemoved, 1, 'the one that lost its tag');
  assert.equal((await daemon.call('store/verify', { session })).problems, []);
  await daemon.close();
});

test('if a client opens a session again with different settings, the answer warns of exactly these settings', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const asked = { conversationId: 'c', exclude: ['x'], limits: { maxFileBytes: 1000 } } as const;
  assert.is((await daemon.open(root, { ...asked, exclude: ['x'] })).warnings, undefined);
  assert.is((await daemon.open(root, { conversationId: 'c' })).warnings, undefined);
  assert.is((await daemon.open(root, { ...asked, exclude: ['x'] })).warnings, undefined);
  const { warnings = [] } = await daemon.open(root, {
    conversationId: 'c',
    exclude: ['y'],
    include: ['.env'],
    durability: 'power',
    retention: 'keep',
    limits: { maxFileBytes: 1000 },
  });
  assert.is(warnings.length, 1);
  for (const name of ['exclude', 'include', 'durability', 'retention']) assert.match(warnings[0] ?? '', name);
  assert.not.match(warnings[0] ?? '', 'limits');
  await daemon.close();
});

test('if a client opens a session again with a different storageDir, the answer warns that the storageDir is ignored', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const storageDir = temporaryDirectory('storage');
  const elsewhere = temporaryDirectory('elsewhere');
  const { session } = await daemon.open(root, { conversationId: 'c', storageDir });
  assert.is((await daemon.open(root, { conversationId: 'c', storageDir })).warnings, undefined);
  for (const more of [{ storageDir: elsewhere }, { storageDir: elsewhere, limits: {} }]) {
    const { session: same, warnings = [] } = await daemon.open(root, { conversationId: 'c', ...more });
    assert.is(same, session);
    assert.is(warnings.length, 1);
    assert.match(warnings[0] ?? '', /ignored: storageDir\./);
  }
  await daemon.close();
});

test.run();
