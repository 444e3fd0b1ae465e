// Tests the answer of a create: fields, statistics, changes, descriptions, skipped paths, and the kind of capture.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ResultOf } from '../../src/protocol/types.ts';
import { git, opened, write } from '../support/in-process-daemon.ts';
import { withSessions } from '../support/session-rig.ts';
import { until } from '../support/until.ts';

test('the answer of a create has the nine specified fields (Q4)', async () => {
  const { daemon, root, session, shadow } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': 'changed' });
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  const { manager } = await daemon.call('session/get', { session });
  assert.is(manager.shadowRepoPath, shadow);
  assert.is(manager.workTreePath, root);
  assert.is(manager.checkpoints, 3);
  assert.is(manager.tagIndex, 3);
  assert.is(manager.currentTurn, 1);
  assert.is(manager.toolsInTurn, 1);
  assert.is(manager.pendingUserMessage, undefined);
  assert.is(manager.messageLocked, false);
  assert.is(manager.fileStatsCache.size, 1, 'only the tool changed anything');
  await daemon.call('conversation/setNextMessage', { session, message: { content: 'next' }, lock: true });
  const pending = (await daemon.call('session/get', { session })).manager;
  assert.equal([pending.pendingUserMessage, pending.messageLocked], ['next', true]);
  await daemon.close();
});

test('even if nothing changed, a create commits the same tree as git, and sets the tag (Q17)', async () => {
  const { daemon, root, session, shadow } = await opened();
  const empty = await daemon.call('checkpoint/create', {
    session,
    kind: 'turn',
    description: 'nothing changed',
  });
  assert.ok(empty.created);
  write(root, { 'new.txt': 'new\n', 'a.txt': 'other\n' });
  rmSync(join(root, 'src/b.txt'));
  const { checkpoint } = await daemon.call('checkpoint/create', {
    session,
    kind: 'tool',
    description: 'a subject',
  });
  assert.equal(checkpoint.stats, { added: 1, modified: 1, deleted: 1 });
  assert.is(git('/', `--git-dir=${shadow}`, 'tag').replaceAll('\n', ' '), '0 1 1.1');
  assert.is(
    git('/', `--git-dir=${shadow}`, 'log', '-1', '--format=%s|%an|%ae', '1.1'),
    'a subject|Q|qcli@local',
  );
  assert.is(git('/', `--git-dir=${shadow}`, 'rev-parse', '1.1^{commit}'), checkpoint.commit);
  git('/', `--git-dir=${shadow}`, 'fsck', '--strict');
  git(root, 'add', '-A');
  assert.is(git('/', `--git-dir=${shadow}`, 'rev-parse', '1.1^{tree}'), git(root, 'write-tree'));
  await daemon.close();
});

test('checkpoint/hasChanges compares the work tree with the latest create or restore (Q20)', async () => {
  const { daemon, root, session } = await opened();
  const changed = async (): Promise<boolean> =>
    (await daemon.call('checkpoint/hasChanges', { session })).hasChanges;
  assert.is(await changed(), false);
  write(root, { 'x.txt': 'x' });
  assert.is(await changed(), true);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.is(await changed(), false);
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'soft' });
  assert.is(await changed(), false, 'a restore leaves nothing to find');
  await daemon.close();
});

test('a description that consists of blanks stays unchanged; an empty description counts as missing', async () => {
  const { daemon, session } = await opened();
  for (const description of [' ', '\n\n', ' \t\n ', '\u2028']) {
    const made = await daemon.call('checkpoint/create', { session, kind: 'turn', description });
    assert.is(made.checkpoint.description, description);
    const { tag = '' } = made.checkpoint;
    assert.is((await daemon.call('checkpoint/get', { session, tag })).checkpoint.description, description);
  }
  const empty = { session, kind: 'turn', description: '', message: 'said' } as const;
  assert.is((await daemon.call('checkpoint/create', empty)).checkpoint.description, 'said');
  await daemon.close();
});

test('the default description is the message (at most 60 bytes), "Turn started" or the tool’s name (Q22)', async () => {
  const { daemon, session } = await opened();
  const turn = async (message?: string): Promise<string> => {
    const params = { session, kind: 'turn' as const, ...(message === undefined ? {} : { message }) };
    return (await daemon.call('checkpoint/create', params)).checkpoint.description;
  };
  assert.is(await turn(), 'Turn started');
  const cut = await turn('Please rewrite the whole parser so that it understands the new grammar at last');
  assert.ok(Buffer.byteLength(cut) <= 63 && cut.endsWith('...'));
  assert.is(
    (await daemon.call('checkpoint/create', { session, kind: 'tool', toolName: 'fs_write' })).checkpoint
      .description,
    'Tool: fs_write',
  );
  await daemon.close();
});

test('a default description equals the commit’s one-line subject; a given description stays unchanged (Q22)', async () => {
  const { daemon, root, session } = await opened();
  const { shadowRepoPath = '' } = (await daemon.call('session/get', { session })).manager;
  const subjectOf = (tag: string): string =>
    git('/', `--git-dir=${shadowRepoPath}`, 'log', '-1', '--format=%s', `refs/tags/${tag}`);
  const made = async (params: object): Promise<string> => {
    const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'tool', ...params });
    assert.is(subjectOf(checkpoint.tag ?? ''), checkpoint.description);
    return checkpoint.description;
  };
  assert.is(await made({ kind: 'turn', message: 'two\nlines' }), 'two lines');
  const given = 'first\n\n  second\u001b[0m ';
  const { checkpoint } = await daemon.call('checkpoint/create', {
    session,
    kind: 'tool',
    description: given,
  });
  assert.is(checkpoint.description, given, 'what a client says comes back as it was');
  assert.is(subjectOf(checkpoint.tag ?? ''), 'first   second [0m');
  const message = 'Wrote the parser\nand its tests';
  assert.is(await made({ toolName: 'fs_write', message }), 'Wrote the parser and its tests');
  assert.is((await daemon.call('checkpoint/get', { session, tag: '1.2' })).message, message);
  assert.is(await made({ toolName: 'fs_read', message: 'Read it' }), 'Read it');
  write(root, { 'by-hand.txt': 'x' });
  const found = await made({ toolName: 'fs_read', message: 'Read it' });
  assert.is(found, 'External edits detected (likely manual change)');
  await daemon.close();
});

test('a create with onlyIfChanged makes no checkpoint if nothing changed', async () => {
  const { daemon, root, session } = await opened();
  const first = await daemon.call('checkpoint/create', { session, kind: 'turn', onlyIfChanged: true });
  assert.is(first.created, false);
  assert.is(first.checkpoint.tag, '0');
  write(root, { 'x.txt': 'x' });
  const second = await daemon.call('checkpoint/create', { session, kind: 'turn', onlyIfChanged: true });
  assert.is(second.created, true);
  await daemon.close();
});

test('a create lists every skipped file with the reason (R17)', async () => {
  const { daemon, root, session } = await opened();
  git('/', 'version');
  const { execFileSync } = await import('node:child_process');
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const { skipped, complete } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.equal(skipped, [{ path: 'pipe', reason: 'fifo' }]);
  assert.is(complete, false);
  await daemon.close();
});

test('the answer of a create says whether the capture was full, and why', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    const alive = setInterval(() => undefined, 1000); // keeps the process alive, because a watcher does not do this
    const create = async (): Promise<string | undefined> => {
      const { capture } = await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
      assert.is(capture.path, capture.reason === undefined ? 'fast' : 'cold');
      return capture.reason;
    };
    try {
      await until('the work tree is watched', () => session.enabled?.capture.isWatched === true);
      rig.write('a', '2');
      assert.is(await create(), undefined);
      rig.write('.gitignore', '*.log\n');
      assert.is(await create(), 'ignoreRules');
      // chokidar may report the change of .gitignore only now. The next capture then also checks more files.
      await until('a capture is fast again', async () => (await create()) === undefined);
      session.enabled?.capture.requireFullScan();
      assert.is(await create(), 'unwatched');
    } finally {
      clearInterval(alive);
    }
  }));

for (const strategy of ['shadow', 'local', 'sqlite'] as const) {
  test(`${strategy}: a create skips and reports a user's file that is named like a temporary file of a restore`, () =>
    withSessions(async (rig) => {
      rig.write('d/a.txt', 'a');
      const { session } = await rig.request('session/open', { workspace: rig.work, strategy });
      const create = (): Promise<ResultOf<'checkpoint/create'>> =>
        rig.request('checkpoint/create', { session, kind: 'turn' });
      await until('a capture is fast', async () => (await create()).capture.path === 'fast');
      const path = `d/.ckpt-tmp-${'0a'.repeat(10)}-7`;
      rig.write(path, 'of the user');
      const expected = [{ path, reason: 'temporaryName' }];
      for (const what of ['new', 'unchanged']) {
        const { complete, skipped } = await create();
        assert.equal([complete, skipped], [false, expected], what);
      }
      await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard', confirm: true });
      assert.is(rig.read(path), 'of the user', 'a restore leaves the file where it is');
    }));
}

test.run();
