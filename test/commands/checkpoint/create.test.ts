import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  failure,
  git,
  InProcessDaemon,
  repository,
  repositoryState,
  write,
} from '../../support/in-process-daemon.ts';
import { withSessions } from '../../support/session-rig.ts';
import { until } from '../../support/until.ts';

async function opened(
  files?: Record<string, string>,
): Promise<{ daemon: InProcessDaemon; root: string; session: string; shadow: string }> {
  const daemon = new InProcessDaemon();
  const root = repository(files);
  const { session, shadowRepoPath } = await daemon.open(root);
  assert.ok(shadowRepoPath);
  return { daemon, root, session, shadow: shadowRepoPath };
}

test('the state of a workspace is saved and restored during a session (Q1)', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'a.txt': 'changed\n', 'new.txt': 'new\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.not(existsSync(join(root, 'new.txt')));
  await daemon.close();
});

test('shadow repository, turn and tool checkpoints, history in step, soft and hard, lookup by tag (Q2)', async () => {
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
  await daemon.close();
});

test('the nine fields of the manager are shown (Q4)', async () => {
  const { daemon, root, session, shadow } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
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
  assert.type(manager.fileStatsCache.size, 'number');
  await daemon.close();
});

test('the six fields of a checkpoint; its history is a reference that costs no copy (Q5)', async () => {
  const { daemon, session } = await opened();
  const before = Date.now() - 1;
  const { checkpoint } = await daemon.call('checkpoint/create', { session, kind: 'turn', message: 'do it' });
  assert.is(checkpoint.tag, '1');
  assert.ok(Date.parse(checkpoint.timestamp) >= before);
  assert.is(checkpoint.description, 'do it');
  assert.is(checkpoint.historyLength, 0);
  assert.is(checkpoint.isTurn, true);
  assert.is(checkpoint.toolName, undefined);
  const tool = await daemon.call('checkpoint/create', { session, kind: 'tool', toolName: 'fs_write' });
  assert.is(tool.checkpoint.isTurn, false);
  assert.is(tool.checkpoint.toolName, 'fs_write');
  await daemon.close();
});

test('tags go 0, 1, 1.1, 1.2, 2, 2.1, 3; a turn is made at its start (Q8, Q16)', async () => {
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

test('the shadow has the identity and the settings that are specified (Q13)', async () => {
  const { daemon, shadow } = await opened();
  const config = (key: string): string => git('/', `--git-dir=${shadow}`, 'config', key);
  assert.is(config('user.name'), 'Q');
  assert.is(config('user.email'), 'qcli@local');
  assert.is(config('core.preloadindex'), 'true');
  await daemon.close();
});

test('a create stages everything, commits even nothing, tags, and computes its statistics; git agrees (Q17)', async () => {
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

test('the same turn tag again: the old one leaves the list, the new one stands at its end (Q18)', async () => {
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

test('the same tool tag again: replaced in place, metadata included (Q19)', async () => {
  const { daemon, root, session, shadow } = await opened();
  for (const kind of ['turn', 'tool', 'tool'] as const)
    await daemon.call('checkpoint/create', { session, kind });
  write(root, { 'again.txt': 'x' });
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
  assert.is(git('/', `--git-dir=${shadow}`, 'log', '-1', '--format=%s', '1.1'), 'the second');
  await daemon.close();
});

test('hasChanges is against what the last create or restore left (Q20)', async () => {
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

test('an aborted turn has its checkpoint, because a turn is made at its start (Q21)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn', message: 'never finished' });
  write(root, { 'half.txt': 'half' });
  const { checkpoint } = await daemon.call('checkpoint/get', { session, tag: '1' });
  assert.is(checkpoint.description, 'never finished');
  await daemon.close();
});

test('the default descriptions: the message cut to 60 bytes, that a turn began, the tool (Q22)', async () => {
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

test('a default description is one line and the subject of its commit, a given one comes back as it was; a tool’s message is kept (Q22)', async () => {
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

test('onlyIfChanged makes nothing when nothing changed', async () => {
  const { daemon, root, session } = await opened();
  const first = await daemon.call('checkpoint/create', { session, kind: 'turn', onlyIfChanged: true });
  assert.is(first.created, false);
  assert.is(first.checkpoint.tag, '0');
  write(root, { 'x.txt': 'x' });
  const second = await daemon.call('checkpoint/create', { session, kind: 'turn', onlyIfChanged: true });
  assert.is(second.created, true);
  await daemon.close();
});

test('a tool before the first turn is 0.1, and an explicit tag sets the counters', async () => {
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

test('names are unique, and never look like a tag, an id or a commit', async () => {
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

test('a work tree that is a sub-directory obeys the rules of the repository above it (Q36)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ '.gitignore': 'node_modules\n', 'packages/one/a.txt': 'a' });
  write(root, {
    'packages/one/node_modules/x.js': 'x',
    '.git/info/exclude': 'secret\n',
    'packages/one/secret': 's',
  });
  const { session } = await daemon.open(join(root, 'packages/one'));
  const { files } = await daemon.call('checkpoint/files', { session, tag: '0' });
  assert.equal(
    files.map(({ path }) => path),
    ['a.txt'],
  );
  await daemon.close();
});

test('nothing is left out silently: a create lists what it skipped, and why', async () => {
  const { daemon, root, session } = await opened();
  git('/', 'version');
  const { execFileSync } = await import('node:child_process');
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const { skipped, complete } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.equal(skipped, [{ path: 'pipe', reason: 'fifo' }]);
  assert.is(complete, false);
  await daemon.close();
});

test('the repository of the user is never touched', async () => {
  const { daemon, root, session } = await opened();
  const before = repositoryState(root);
  write(root, { 'x.txt': 'x', 'a.txt': 'y' });
  symlinkSync('a.txt', join(root, 'link'));
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  await daemon.call('checkpoint/undo', { session });
  assert.is(repositoryState(root), before);
  await daemon.close();
});

test('the shadow has the layout of a bare repository, description and excludes included (Q35)', async () => {
  const { daemon, session, shadow } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const names = readdirSync(shadow);
  for (const name of ['HEAD', 'config', 'description', 'hooks', 'info', 'objects', 'refs'])
    assert.ok(names.includes(name), name);
  assert.equal(readdirSync(join(shadow, 'hooks')), []);
  for (const path of [
    'info/exclude',
    'objects/info',
    'objects/pack',
    'refs/heads',
    'refs/tags/0',
    'refs/tags/1',
  ]) {
    assert.ok(existsSync(join(shadow, path)), path);
  }
  await daemon.close();
});

test('an operation error names the checkpoint that is not there and the way to the list (Q40)', async () => {
  const { daemon, session } = await opened();
  const error = await failure(daemon.call('checkpoint/restore', { session, tag: '9' }));
  assert.is(error.kind, 'UnknownCheckpoint');
  assert.match(error.message, /Checkpoint "9" not found\. Use checkpoint\/list/);
  assert.is((await failure(daemon.call('checkpoint/list', { session: 'ses_none' }))).kind, 'UnknownSession');
  await daemon.close();
});

test('a create that is cancelled changes nothing', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'x.txt': 'x' });
  const controller = new AbortController();
  controller.abort();
  const cancelled = daemon.call(
    'checkpoint/create',
    { session, kind: 'turn' },
    { signal: controller.signal },
  );
  await cancelled.then(
    () => assert.unreachable(),
    (error: unknown) => assert.is((error as Error).name, 'AbortError'),
  );
  assert.is((await daemon.call('checkpoint/list', { session })).checkpoints.length, 1);
  await daemon.close();
});

test('the answer says whether the capture looked at everything, and why', () =>
  withSessions(async (rig) => {
    const session = await rig.open();
    const alive = setInterval(() => undefined, 1000); // a watcher keeps no process alive
    const create = async (): Promise<string | undefined> => {
      const { capture } = await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
      assert.is(capture.path, capture.reason === undefined ? 'fast' : 'cold');
      return capture.reason;
    };
    try {
      await until('everything is held', () => session.enabled?.capture.isHeld === true);
      rig.write('a', '2');
      assert.is(await create(), undefined);
      rig.write('.gitignore', '*.log\n');
      assert.is(await create(), 'ignoreRules');
      assert.is(await create(), undefined);
      session.enabled?.capture.distrust();
      assert.is(await create(), 'unwatched');
    } finally {
      clearInterval(alive);
    }
  }));

test.run();
