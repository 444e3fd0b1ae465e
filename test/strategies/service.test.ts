// The checkpoint service as a client sees it, on every strategy: where the shadow lies, what it never touches, the shape of
// diffs, saving only what changed, events and durations, one operation at a time.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import {
  failure,
  git,
  InProcessDaemon,
  manifest,
  repository,
  repositoryState,
  write,
} from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const names = Object.keys(strategies);

/** Runs a body with a session of each strategy on a repository of its own. */
async function each(
  body: (at: { daemon: InProcessDaemon; strategy: string; root: string; session: string }) => Promise<void>,
  files?: Record<string, string>,
): Promise<void> {
  for (const strategy of names) {
    const daemon = new InProcessDaemon();
    const root = repository(files);
    const { session, checkpoints } = await daemon.open(root, { strategy, conversationId: 'c' });
    assert.ok(checkpoints.enabled, checkpoints.message);
    await body({ daemon, strategy, root, session });
    await daemon.close();
  }
}

test('the shadow lies elsewhere, with its own settings; nothing is put into the work tree (R10, R14)', () =>
  each(async ({ daemon, strategy, root, session }) => {
    assert.equal(Object.keys(manifest(root)), ['a.txt', 'src/b.txt']);
    assert.not.ok(existsSync(join(root, '.git', 'checkpointd')));
    if (strategy !== 'shadow') return;
    const shadow = join(daemon.storage, session);
    assert.is(git(root, `--git-dir=${shadow}`, 'config', 'core.bare'), 'true');
    assert.is(git(root, `--git-dir=${shadow}`, 'config', 'user.name'), 'Q', 'the identity of the shadow');
  }));

test('nested repositories are saved and restored as files, and no .git is renamed or touched (R11, R12, R21)', () =>
  each(async ({ daemon, root, session }) => {
    const nested = join(root, 'nested');
    mkdirSync(nested);
    git(nested, 'init', '-q', '-b', 'main');
    write(nested, { 'inner.txt': 'inner\n' });
    git(nested, 'add', '-A');
    git(nested, 'commit', '-q', '-m', 'inner');
    const state = repositoryState(nested);
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(nested, { 'inner.txt': 'edited\n' });
    await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.is(readFileSync(join(nested, 'inner.txt'), 'utf8'), 'inner\n');
    await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.not.ok(existsSync(join(nested, 'inner.txt')));
    assert.is(repositoryState(nested), state, 'its repository was not deleted (R12)');
    assert.not.ok(existsSync(join(nested, '.git_disabled')));
  }));

test('protected places are refused on every strategy, however they are spelled (R13)', async () => {
  const daemon = new InProcessDaemon();
  const home = process.env['HOME'] ?? '/root';
  const link = join(temporaryDirectory('link'), 'home');
  symlinkSync(home, link);
  for (const strategy of names)
    for (const workspace of ['/', home, `${home}/`, `${home}/.`, link]) {
      const refused = await failure(daemon.open(workspace, { strategy }));
      assert.is(refused.kind, 'ProtectedWorkTree', `${strategy} ${workspace}`);
    }
  await daemon.close();
});

test('no GIT_ variable of the environment reaches our git (R15)', async () => {
  const elsewhere = repository({ 'other.txt': 'o\n' });
  const hostile: Record<string, string> = {
    GIT_DIR: join(elsewhere, '.git'),
    GIT_WORK_TREE: elsewhere,
    GIT_INDEX_FILE: '/nonexistent/index',
    GIT_OBJECT_DIRECTORY: '/nonexistent/objects',
    GIT_NAMESPACE: 'x',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.bare',
    GIT_CONFIG_VALUE_0: 'broken',
  };
  const before = repositoryState(elsewhere);
  const inherited = { ...process.env };
  Object.assign(process.env, hostile);
  try {
    await each(async ({ daemon, root, session }) => {
      write(root, { 'a.txt': 'b\n' });
      await daemon.call('checkpoint/create', { session, kind: 'turn' });
      const { stats } = await daemon.call('checkpoint/diff', { session, from: '0', to: '1' });
      assert.is(stats.modified, 1);
    });
  } finally {
    for (const name of Object.keys(hostile)) delete process.env[name];
    Object.assign(process.env, inherited);
  }
  assert.is(repositoryState(elsewhere), before);
});

test('no list of our own leaves anything out: .env, lock files, archives and databases are saved (R16)', () =>
  each(
    async ({ daemon, root, session }) => {
      const odd = ['.env', 'yarn.lock', 'data.csv', 'dump.sql', 'a.zip', '.vscode/settings.json', 'big.bin'];
      write(root, Object.fromEntries(odd.map((name) => [name, `${name}\n`])));
      await daemon.call('checkpoint/create', { session, kind: 'turn' });
      const { files } = await daemon.call('checkpoint/files', { session, tag: '1' });
      for (const name of odd)
        assert.ok(
          files.some(({ path }) => path === name),
          name,
        );
    },
    { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' },
  ));

test('what a capture left out is said; a failed restore leaves the work tree and the checkpoints (R17, R20)', () =>
  each(async ({ daemon, root, session }) => {
    write(root, { 'a.txt': 'two\n' });
    git(root, 'config', 'x.y', 'z');
    const made = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    assert.equal([made.skipped, made.complete], [[], true]);
    const before = manifest(root);
    for (const tag of ['9', '1.7', 'no-such-name']) {
      const refused = await failure(daemon.call('checkpoint/restore', { session, tag, mode: 'hard' }));
      assert.is(refused.kind === 'UnknownCheckpoint' || refused.kind === 'InvalidTag', true, refused.kind);
    }
    assert.equal(manifest(root), before);
    await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  }));

test('saved before the change, a restore brings back the state before it, files and conversation (R18, R19)', () =>
  each(async ({ daemon, root, session }) => {
    const before = manifest(root);
    await daemon.call('checkpoint/create', { session, kind: 'turn', message: 'please change it' });
    write(root, { 'a.txt': 'changed by the agent\n', 'new.txt': 'n\n' });
    await daemon.call('conversation/append', {
      session,
      entry: { user: { content: 'please change it' }, assistant: { content: 'done' } },
    });
    const dry = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard', dryRun: true });
    assert.equal([dry.restored.length, dry.deleted.length], [1, 1], 'a preview');
    const done = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.equal(manifest(root), before);
    assert.is(done.conversation?.historyLength, 0);
  }));

test('diffs: relative and absolute path, before and after; from the base, the previous, to the present (R22, R27)', () =>
  each(async ({ daemon, root, session }) => {
    write(root, { 'a.txt': 'one\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(root, { 'a.txt': 'two\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(root, { 'a.txt': 'now\n' });
    const contents = async (from?: string, to?: string): Promise<unknown> => {
      const ends = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
      const { files } = await daemon.call('checkpoint/diff', { session, format: 'contents', ...ends });
      assert.is(files[0]?.absolutePath, join(root, 'a.txt'));
      return files.map(({ path, before, after }) => [path, before, after]);
    };
    assert.equal(await contents(), [['a.txt', 'a\n', 'now\n']], 'from the start to the present');
    assert.equal(await contents('1', '2'), [['a.txt', 'one\n', 'two\n']], 'since the previous');
    assert.equal(await contents('2'), [['a.txt', 'two\n', 'now\n']], 'to the present');
    assert.equal(await contents(undefined, '2'), [['a.txt', 'a\n', 'two\n']], 'in full');
  }));

test('incremental: only when something changed (R23)', () =>
  each(async ({ daemon, root, session }) => {
    const create = async (): Promise<boolean> =>
      (await daemon.call('checkpoint/create', { session, kind: 'turn', onlyIfChanged: true })).created;
    assert.equal([await create(), await create()], [false, false]);
    write(root, { 'a.txt': 'changed\n' });
    assert.equal([await create(), await create()], [true, false]);
  }));

test('durations in results and in the log, events for initialise, checkpoint, restore and error (R24)', () =>
  each(async ({ daemon, root, session, strategy }) => {
    write(root, { 'a.txt': 'changed\n' });
    const { capture } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    assert.ok(capture.ms >= 0);
    const { ms } = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.ok(ms >= 0);
    assert.ok(daemon.logged.some(({ message }) => /captured \d+ files.* in \d+ ms/.test(message)));
    const told = daemon.told.map(({ method }) => method);
    for (const event of ['session/didOpen', 'checkpoint/didCreate', 'checkpoint/didRestore'])
      assert.ok(told.includes(event), `${strategy}: ${event} in ${told.join(', ')}`);
    for (const { method, params } of daemon.told)
      if (method.startsWith('checkpoint/')) assert.type((params as { ms: unknown }).ms, 'number');
    writeFileSync(join(root, 'a.txt'), 'mine\n');
    await failure(
      daemon.call('checkpoint/restore', { session, tag: '1', onConflict: 'fail', expect: { head: '1' } }),
    );
    const failed = daemon.told.find(({ method }) => method === 'checkpoint/didFail');
    const { operation = '' } = (failed?.params ?? {}) as { readonly operation?: string };
    assert.is((await daemon.call('operation/get', { session, operation })).state, 'failed');
  }));

test('one change at a time: twenty creates at once give twenty checkpoints in order of arrival (R25)', () =>
  each(async ({ daemon, session }) => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        daemon.call('checkpoint/create', { session, kind: 'turn', message: `message ${i}` }),
      ),
    );
    assert.equal(
      made.map(({ checkpoint }) => checkpoint.tag),
      Array.from({ length: 20 }, (_, i) => String(i + 1)),
    );
  }));

test('the first capture gives up after the limit, and the session can be opened again (R26)', async () => {
  for (const strategy of names) {
    const daemon = new InProcessDaemon();
    const many = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`d${i % 50}/${i}.txt`, `${i}\n`]),
    );
    const root = repository(many);
    const limits = { initTimeoutMs: 1 };
    const refused = await failure(daemon.open(root, { strategy, conversationId: 'c', limits }));
    assert.is(refused.kind, 'CaptureTimedOut', strategy);
    assert.ok(refused.retryable);
    const again = await daemon.open(root, { strategy, conversationId: 'c' });
    assert.ok(again.checkpoints.enabled);
    await daemon.close();
  }
});

test('many conversations on one work tree share nothing that one can break for another (O24) (R28)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  const sessions: string[] = [];
  for (const strategy of names)
    for (const conversationId of ['one', 'two', 'three'])
      sessions.push((await daemon.open(root, { strategy, conversationId })).session);
  write(root, { 'a.txt': 'all\n', 'large.bin': 'x'.repeat(3 << 20) });
  await Promise.all(sessions.map((session) => daemon.call('checkpoint/create', { session, kind: 'turn' })));
  const wanted = manifest(root);
  await daemon.call('session/delete', { session: sessions[0] ?? '' });
  await daemon.call('session/delete', { session: sessions[3] ?? '' });
  await daemon.call('session/delete', { session: sessions[6] ?? '' });
  for (const i of [1, 2, 4, 5, 7, 8]) {
    const session = sessions[i] ?? '';
    await daemon.call('store/gc', { session });
    write(root, { 'a.txt': `${i}\n`, 'large.bin': 'gone' });
    await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.equal(manifest(root), wanted, `session ${i}`);
  }
  await daemon.close();
});

test('the full cycle of the file service: create, list, diff, read, roll back (O2, O3, O4, O5, O8, O13, O24)', () =>
  each(async ({ daemon, root, session }) => {
    const large = 'line of a large file\n'.repeat(60_000);
    write(root, { 'a.txt': 'modified\n', 'large.txt': large });
    const { checkpoint } = await daemon.call('checkpoint/create', {
      session,
      kind: 'turn',
      message: 'do it',
    });
    assert.equal(checkpoint.stats, { added: 1, modified: 1, deleted: 0 });
    const { checkpoints } = await daemon.call('checkpoint/list', { session });
    assert.equal(
      checkpoints.map(({ tag, parent }) => [tag, parent !== undefined]),
      [
        ['0', false],
        ['1', true],
      ],
    );
    const files = await daemon.call('checkpoint/files', { session, tag: '1' });
    assert.equal([files.fileCount, files.totalSize], [3, 9 + 2 + large.length]);
    const part = { session, tag: '1', path: 'large.txt', offset: 21, length: 21 };
    assert.is((await daemon.call('checkpoint/readFile', part)).data, 'line of a large file\n');
    assert.not.ok(
      (await daemon.call('checkpoint/readFile', { session, tag: '0', path: 'large.txt' })).exists,
    );
    write(root, { 'a.txt': 'again\n', 'large.txt': 'small now\n' });
    const back = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.equal([back.restored.length, back.failed], [2, []]);
    assert.is.not(back.checkpoint?.id, checkpoint.id, 'a new checkpoint stands for the state after it');
    assert.is(readFileSync(join(root, 'large.txt'), 'utf8'), large);
  }));

test('a rollback warns of what the user changed since, restores deletions, removes later files (O25, O26, O28)', () =>
  each(async ({ daemon, root, session }) => {
    write(root, { 'a.txt': 'one\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(root, { 'later.txt': 'l\n' });
    git(root, 'rm', '-q', '-f', '--cached', 'src/b.txt');
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(root, { 'a.txt': 'edited by the user\n' });
    const dry = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard', dryRun: true });
    assert.equal(
      dry.conflicts.map(({ path }) => path),
      ['a.txt'],
      'requirement 3.3',
    );
    await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.equal(Object.keys(manifest(root)), ['a.txt', 'src/b.txt']);
  }));

test.run();
