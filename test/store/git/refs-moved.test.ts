// Another program removes or rewrites the daemon's refs, while a session is open or between two runs. The daemon
// reports this, and restores the refs and pruned objects.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../../support/failures.ts';
import { git, InProcessDaemon, repository, write } from '../../support/in-process-daemon.ts';

interface Rig {
  readonly daemon: InProcessDaemon;
  readonly root: string;
  readonly session: string;
  /** Runs git in the repository that has the checkpoints. */
  readonly inStore: (...args: string[]) => string;
  readonly refs: () => string[];
  readonly create: (text: string) => Promise<void>;
  readonly reopen: () => Promise<void>;
}

type Strategy = 'shadow' | 'local';

async function withSession(strategy: Strategy, body: (rig: Rig) => Promise<void>): Promise<void> {
  const daemon = new InProcessDaemon();
  const root = repository();
  const open = { strategy, conversationId: 'c', retention: 'keep' } as const;
  const { session } = await daemon.open(root, open);
  const gitDir = strategy === 'local' ? join(root, '.git') : join(daemon.storage, session);
  const inStore = (...args: string[]): string => git(root, `--git-dir=${gitDir}`, ...args);
  const under = strategy === 'local' ? ['refs/checkpointd'] : ['refs/tags', 'refs/checkpointd'];
  const refs = (): string[] =>
    inStore('for-each-ref', '--format=%(refname) %(objectname)', ...under)
      .split('\n')
      .filter(Boolean);
  const create = async (text: string): Promise<void> => {
    write(root, { 'a.txt': text });
    await daemon.call('checkpoint/create', { session, kind: 'turn', message: text });
  };
  const reopen = async (): Promise<void> => {
    const opened = await daemon.open(root, open);
    assert.equal([opened.session, opened.checkpoints.enabled], [session, true]);
  };
  try {
    await create('one\n');
    await create('two\n');
    await daemon.call('checkpoint/rename', { session, tag: '1', name: 'first' });
    await body({ daemon, root, session, inStore, refs, create, reopen });
  } finally {
    await daemon.close();
  }
}

function removeAll({ inStore, refs }: Rig): void {
  for (const line of refs()) inStore('update-ref', '-d', line.split(' ')[0] ?? '');
  assert.equal(refs(), []);
}

/** Moves all refs to another commit, as a rewrite of the history does. */
function rewriteAll({ inStore, refs }: Rig): void {
  const tree = inStore('mktree', '--missing').trim();
  const other = inStore('commit-tree', '-m', 'another', tree).trim();
  for (const line of refs()) inStore('update-ref', line.split(' ')[0] ?? '', other);
}

const losses: readonly (readonly [what: string, lose: (rig: Rig) => void])[] = [
  ['removed', removeAll],
  ['rewritten', rewriteAll],
  [
    'packed and then removed',
    (rig) => {
      rig.inStore('pack-refs', '--all', '--prune');
      removeAll(rig);
    },
  ],
];

const told = ({ daemon }: Rig): string[] =>
  daemon.logged.map(({ message }) => message).filter((message) => message.includes('put back'));

for (const strategy of ['shadow', 'local'] as const) {
  for (const [what, lose] of losses) {
    test(`${strategy}: the next checkpoint restores refs that were ${what} while the session was open`, () =>
      withSession(strategy, async (rig) => {
        const before = rig.refs();
        lose(rig);
        await rig.create('three\n');
        for (const ref of before) assert.ok(rig.refs().includes(ref), ref);
        assert.is(told(rig).length, 1, told(rig).join('\n'));
        assert.ok((await rig.daemon.call('store/verify', { session: rig.session })).ok);
      }));
  }

  test(`${strategy}: refs in packed-refs do not count as removed`, () =>
    withSession(strategy, async (rig) => {
      rig.inStore('pack-refs', '--all', '--prune');
      await rig.create('three\n');
      assert.equal(told(rig), []);
    }));

  test(`${strategy}: if refs were removed between two runs, the daemon recovers them from the commits`, () =>
    withSession(strategy, async (rig) => {
      const { daemon, session, root } = rig;
      const before = rig.refs();
      await daemon.call('session/close', { session });
      removeAll(rig);
      await rig.reopen();
      const names = before.filter((line) => line.includes('/names/'));
      assert.is(names.length, 1);
      assert.equal(
        rig.refs(),
        before.filter((line) => !names.includes(line)),
        'all but the name, which no commit holds',
      );
      assert.match(told(rig).join('\n'), /3 checkpoints .*put back.*names/);
      const { checkpoints } = await daemon.call('checkpoint/list', { session });
      assert.equal(
        checkpoints.map(({ tag }) => tag),
        ['0', '1', '2'],
      );
      await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
      assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'one\n');
      assert.ok((await daemon.call('store/verify', { session })).ok);
    }));
}

for (const strategy of ['shadow', 'local'] as const) {
  test(`${strategy}: if a rewrite of the history moved refs between two runs, the daemon moves them back`, () =>
    withSession(strategy, async (rig) => {
      const { daemon, session, root } = rig;
      const before = rig.refs();
      await daemon.call('session/close', { session });
      rewriteAll(rig);
      await rig.reopen();
      for (const ref of before.filter((line) => !line.includes('/owner')))
        assert.ok(rig.refs().includes(ref), ref);
      assert.match(told(rig).join('\n'), /3 checkpoints .*put back/);
      await daemon.call('checkpoint/restore', { session, tag: 'first', mode: 'hard' });
      assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'one\n');
      assert.ok((await daemon.call('store/verify', { session })).ok);
    }));

  test(`${strategy}: if a checkpoint’s ref was moved to another checkpoint between two runs, the daemon moves it back`, () =>
    withSession(strategy, async (rig) => {
      const { daemon, session } = rig;
      const before = rig.refs();
      const [own = '', other = ''] = before.filter((line) => line.includes('/checkpoints/'));
      await daemon.call('session/close', { session });
      rig.inStore('update-ref', own.split(' ')[0] ?? '', other.split(' ')[1] ?? '');
      await rig.reopen();
      assert.equal(rig.refs(), before);
      assert.ok((await daemon.call('store/verify', { session })).ok);
    }));

  test(`${strategy}: the daemon reverses a swap of two tags that happened between two runs`, () =>
    withSession(strategy, async (rig) => {
      const { daemon, session, root } = rig;
      const before = rig.refs();
      const [first = '', second = ''] = before.filter((line) => /tags\/[12] /.test(line));
      await daemon.call('session/close', { session });
      rig.inStore('update-ref', first.split(' ')[0] ?? '', second.split(' ')[1] ?? '');
      rig.inStore('update-ref', second.split(' ')[0] ?? '', first.split(' ')[1] ?? '');
      await rig.reopen();
      assert.equal(rig.refs(), before);
      assert.match(told(rig).join('\n'), /2 tags and names had been moved .*put back/);
      await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
      assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'one\n');
    }));

  test(`${strategy}: if a backup brought back an older ref of a tag, the tag still means the newer checkpoint`, () =>
    withSession(strategy, async (rig) => {
      const { daemon, session, root } = rig;
      const tagged = rig.refs().filter((line) => /tags\/1 /.test(line))[0] ?? '';
      write(root, { 'a.txt': 'anew\n' });
      const made = await daemon.call('checkpoint/create', { session, kind: 'turn', tag: '1' });
      await daemon.call('session/close', { session });
      const id = made.checkpoint.id;
      const own = rig.refs().filter((line) => line.includes(id))[0] ?? '';
      rig.inStore('update-ref', '-d', own.split(' ')[0] ?? '');
      rig.inStore('update-ref', tagged.split(' ')[0] ?? '', tagged.split(' ')[1] ?? '');
      await rig.reopen();
      write(root, { 'a.txt': 'other\n' });
      await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
      assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'anew\n');
    }));
}

test('local: the store restores removed refs, and the objects of these refs that git has pruned', () =>
  withSession('local', async (rig) => {
    const before = rig.refs();
    removeAll(rig);
    rig.inStore('gc', '-q', '--prune=now');
    await rig.create('three\n');
    for (const ref of before) assert.ok(rig.refs().includes(ref), ref);
    assert.ok((await rig.daemon.call('store/verify', { session: rig.session })).ok);
    rig.inStore('fsck', '--full', '--strict');
    await rig.daemon.call('session/close', { session: rig.session });
    removeAll(rig);
    rig.inStore('gc', '-q', '--prune=now');
    await rig.reopen();
    assert.ok((await rig.daemon.call('store/verify', { session: rig.session })).ok);
    rig.inStore('fsck', '--full', '--strict');
  }));

test('local: after git init made a new repository, the daemon copies all checkpoints into it', () =>
  withSession('local', async (rig) => {
    const { daemon, root, session } = rig;
    await daemon.call('session/close', { session });
    rmSync(join(root, '.git'), { recursive: true });
    git(root, 'init', '-q');
    await rig.reopen();
    await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'one\n');
    rig.inStore('fsck', '--full', '--strict');
  }));

test('shadow: requests report a removed directory of refs, and reopening recovers all refs', () =>
  withSession('shadow', async (rig) => {
    const { daemon, session } = rig;
    rmSync(join(daemon.storage, session, 'refs'), { recursive: true });
    const refused = await failure(daemon.call('checkpoint/create', { session, kind: 'turn' }));
    assert.equal([refused.kind, refused.effects], ['StoreCorrupt', 'none']);
    await daemon.call('session/close', { session });
    await rig.reopen();
    assert.ok((await daemon.call('store/verify', { session })).ok);
  }));

test('shadow: if all refs and the commit of one checkpoint are lost, all other checkpoints are recovered', () =>
  withSession('shadow', async (rig) => {
    const { checkpoints } = await rig.daemon.call('checkpoint/list', { session: rig.session });
    const commit = checkpoints[1]?.commit ?? '';
    await rig.daemon.call('session/close', { session: rig.session });
    removeAll(rig);
    rmSync(join(rig.daemon.storage, rig.session, 'objects', commit.slice(0, 2), commit.slice(2)));
    await rig.reopen();
    const { ok, problems } = await rig.daemon.call('store/verify', { session: rig.session });
    assert.equal([ok, problems.map(({ affects }) => affects)], [false, [[checkpoints[1]?.id]]]);
  }));

test.run();
