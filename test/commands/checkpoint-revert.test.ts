// Tests that a revert reverses the changes of a range and keeps later changes.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listedPaths } from '../../src/commands/checkpoint-revert.ts';
import type * as Wire from '../../src/protocol/types.ts';
import type { TreePath } from '../../src/tree/tree-path.ts';
import { failure } from '../support/failures.ts';
import { InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';

const lines = (...changes: readonly [number, string][]): string => {
  const text = Array.from({ length: 12 }, (_, n) => `line ${n}`);
  for (const [at, what] of changes) text[at] = what;
  return `${text.join('\n')}\n`;
};

type Strategy = NonNullable<Wire.SessionOpenParams['strategy']>;
const strategies: readonly Strategy[] = ['shadow', 'local', 'sqlite'];

interface Opened {
  readonly daemon: InProcessDaemon;
  readonly root: string;
  readonly session: string;
}

async function opened(
  strategy: Strategy = 'shadow',
  limits: NonNullable<Wire.SessionOpenParams['limits']> = {},
): Promise<Opened> {
  const daemon = new InProcessDaemon();
  const root = repository();
  const { session } = await daemon.open(root, { strategy, limits });
  return { daemon, root, session };
}

/** Runs `first` in turn 1 and `later` in turn 2, and then reverts turn 1. */
async function revertFirst(
  start: Record<string, string>,
  first: (root: string) => void,
  later: (root: string) => void,
  { strategy, ...params }: Partial<Wire.CheckpointRevertParams> & { readonly strategy?: Strategy } = {},
): Promise<Opened & { result: Wire.RevertResult; before: unknown }> {
  const rig = await opened(strategy);
  write(rig.root, start);
  await rig.daemon.call('checkpoint/create', { session: rig.session, kind: 'turn' });
  first(rig.root);
  await rig.daemon.call('checkpoint/create', { session: rig.session, kind: 'turn' });
  later(rig.root);
  const before = manifest(rig.root);
  const result = await rig.daemon.call('checkpoint/revert', { session: rig.session, tag: '1', ...params });
  return { ...rig, result, before };
}

const outcomes = ({ paths }: Wire.RevertResult): unknown[] =>
  paths.map(({ path, outcome, reason }) =>
    reason === undefined ? [path, outcome] : [path, outcome, reason],
  );

for (const strategy of strategies) {
  test(`${strategy}: a revert of a turn keeps later edits of the same file, and undo brings the turn back`, async () => {
    const { daemon, root, session, result, before } = await revertFirst(
      { 'a.txt': lines(), 'old.txt': lines(), 'run.sh': lines() },
      (at) => {
        write(at, { 'a.txt': lines([1, 'turn']), 'made.txt': 'made' });
        renameSync(join(at, 'old.txt'), join(at, 'new.txt'));
        chmodSync(join(at, 'run.sh'), 0o755);
      },
      (at) => {
        write(at, { 'a.txt': lines([1, 'turn'], [9, 'later']), 'new.txt': lines([9, 'later']) });
        write(at, { 'run.sh': lines([9, 'later']) });
      },
      { strategy },
    );
    for (const name of ['a.txt', 'old.txt', 'run.sh'])
      assert.is(readFileSync(join(root, name), 'utf8'), lines([9, 'later']), name);
    assert.is(statSync(join(root, 'run.sh')).mode & 0o111, 0);
    for (const name of ['made.txt', 'new.txt']) assert.not(existsSync(join(root, name)), name);
    assert.equal(
      outcomes(result),
      ['a.txt', 'made.txt', 'new.txt', 'old.txt', 'run.sh'].map((path) => [path, 'clean']),
    );
    assert.is(result.checkpoint?.kind, 'restore');
    const after = manifest(root);
    await daemon.call('checkpoint/undo', { session });
    assert.equal(manifest(root), before);
    await daemon.call('checkpoint/redo', { session });
    assert.equal(manifest(root), after);
    assert.equal((await daemon.call('store/verify', { session })).problems, []);
    await daemon.close();
  });
}

test('without later changes, a revert of the newest turn equals a hard restore of its checkpoint', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'a.txt': lines(), 'old.txt': 'old' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const then = manifest(root);
  write(root, { 'a.txt': lines([3, 'turn']), 'made.txt': 'made' });
  rmSync(join(root, 'old.txt'));
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  const { to } = await daemon.call('checkpoint/revert', { session, tag: '1' });
  assert.is(to, undefined);
  assert.equal(manifest(root), then);
  await daemon.close();
});

test('a revert of a tool keeps the changes of other tools', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'a.txt': lines() });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  for (const [at, what] of [
    [1, 'one'],
    [5, 'two'],
    [9, 'three'],
  ] as const) {
    const text = readFileSync(join(root, 'a.txt'), 'utf8').replace(`line ${at}\n`, `${what}\n`);
    write(root, { 'a.txt': text });
    await daemon.call('checkpoint/create', { session, kind: 'tool' });
  }
  await daemon.call('checkpoint/revert', { session, tag: '1.2' });
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), lines([1, 'one'], [9, 'three']));
  await daemon.close();
});

test('in a conflict, a revert skips the path, writes conflict markers, or fails, as the request asks', async () => {
  const start = { 'a.txt': lines(), 'b.txt': lines() };
  const first = (at: string): void => write(at, { 'a.txt': lines([1, 'turn']), 'b.txt': lines([1, 'turn']) });
  const later = (at: string): void => write(at, { 'a.txt': lines([1, 'later']) });
  const left = await revertFirst(start, first, later);
  assert.is(readFileSync(join(left.root, 'a.txt'), 'utf8'), lines([1, 'later']));
  assert.is(readFileSync(join(left.root, 'b.txt'), 'utf8'), lines());
  assert.equal(outcomes(left.result), [
    ['a.txt', 'conflict', 'content'],
    ['b.txt', 'clean'],
  ]);
  assert.equal(left.result.skipped, [{ path: 'a.txt', reason: 'conflict' }]);
  await left.daemon.close();
  const marked = await revertFirst(start, first, later, { conflicts: 'markers' });
  assert.is(
    readFileSync(join(marked.root, 'a.txt'), 'utf8'),
    lines([1, '<<<<<<< present\nlater\n=======\nline 1\n>>>>>>> checkpoint 1']),
  );
  assert.equal(marked.result.skipped, []);
  await marked.daemon.close();
  const stopped = await opened();
  write(stopped.root, start);
  await stopped.daemon.call('checkpoint/create', { session: stopped.session, kind: 'turn' });
  first(stopped.root);
  await stopped.daemon.call('checkpoint/create', { session: stopped.session, kind: 'turn' });
  later(stopped.root);
  const before = manifest(stopped.root);
  const asked = { session: stopped.session, tag: '1', conflicts: 'fail' } as const;
  const error = await failure(stopped.daemon.call('checkpoint/revert', asked));
  assert.is(error.kind, 'Conflict');
  const { conflicts, count } = error.details ?? {};
  assert.equal([conflicts, count], [['a.txt'], 1]);
  assert.equal(manifest(stopped.root), before);
  await stopped.daemon.close();
});

test('a revert follows a renamed file, whether the turn or a later edit renamed it', async () => {
  const rename = (at: string, from: string, to: string): void => renameSync(join(at, from), join(at, to));
  const later = await revertFirst(
    { 'a.txt': lines() },
    (at) => write(at, { 'a.txt': lines([1, 'turn']) }),
    (at) => rename(at, 'a.txt', 'b.txt'),
  );
  assert.is(readFileSync(join(later.root, 'b.txt'), 'utf8'), lines());
  assert.not(existsSync(join(later.root, 'a.txt')));
  await later.daemon.close();
  const turn = await revertFirst(
    { 'a.txt': lines() },
    (at) => rename(at, 'a.txt', 'b.txt'),
    (at) => write(at, { 'b.txt': lines([9, 'later']) }),
    { paths: [{ path: 'a.txt' }] },
  );
  assert.is(readFileSync(join(turn.root, 'a.txt'), 'utf8'), lines([9, 'later']));
  assert.not(existsSync(join(turn.root, 'b.txt')));
  await turn.daemon.close();
});

test('a revert merges modes, links, binary files and line ends without conversion', async () => {
  const binary = 'a\0b';
  const { daemon, root, result } = await revertFirst(
    { 'run.sh': lines(), 'secret.txt': lines(), 'bin.dat': binary, 'ends.txt': 'a\nb\nc\n' },
    (at) => {
      chmodSync(join(at, 'run.sh'), 0o755);
      chmodSync(join(at, 'secret.txt'), 0o600);
      symlinkSync('one', join(at, 'link'));
      write(at, { 'bin.dat': `${binary}1`, 'ends.txt': 'a\r\nb\r\nc\r\n' });
    },
    (at) => {
      write(at, { 'run.sh': lines([9, 'later']), 'bin.dat': `${binary}2`, 'ends.txt': 'a\r\nB\r\nc\r\n' });
      write(at, { 'secret.txt': lines([9, 'later']) });
      rmSync(join(at, 'link'));
      symlinkSync('two', join(at, 'link'));
    },
  );
  assert.equal(outcomes(result), [
    ['bin.dat', 'conflict', 'binary'],
    ['ends.txt', 'conflict', 'content'],
    ['link', 'conflict', 'deleted'],
    ['run.sh', 'clean'],
    ['secret.txt', 'clean'],
  ]);
  assert.is(statSync(join(root, 'run.sh')).mode & 0o111, 0);
  assert.is(readFileSync(join(root, 'run.sh'), 'utf8'), lines([9, 'later']));
  assert.is(readFileSync(join(root, 'secret.txt'), 'utf8'), lines([9, 'later']));
  await daemon.close();
});

test('a revert skips a path whose file was later deleted, made again, or replaced by a directory', async () => {
  const { daemon, root, result } = await revertFirst(
    { 'edited.txt': lines(), 'gone.txt': 'gone', place: 'file' },
    (at) => {
      write(at, { 'edited.txt': lines([1, 'turn']), 'new.txt': 'new' });
      for (const name of ['gone.txt', 'place']) rmSync(join(at, name));
    },
    (at) => {
      rmSync(join(at, 'edited.txt'));
      write(at, { 'new.txt': 'newer', 'gone.txt': 'another' });
      mkdirSync(join(at, 'place'));
      write(at, { 'place/below.txt': 'below' });
    },
  );
  assert.equal(outcomes(result), [
    ['edited.txt', 'conflict', 'deleted'],
    ['gone.txt', 'conflict', 'bothAdded'],
    ['new.txt', 'conflict', 'deleted'],
    ['place', 'conflict', 'inTheWay'],
  ]);
  assert.is(readFileSync(join(root, 'gone.txt'), 'utf8'), 'another');
  assert.is(readFileSync(join(root, 'place/below.txt'), 'utf8'), 'below');
  await daemon.close();
});

test('if an ignored file is at a path that a revert would write, the revert keeps this file and reports a conflict', async () => {
  const { daemon, root, result } = await revertFirst(
    { 'kept.log': 'captured' },
    (at) => rmSync(join(at, 'kept.log')),
    (at) => write(at, { '.gitignore': '*.log\n', 'kept.log': 'ignored' }),
  );
  assert.equal(outcomes(result), [['kept.log', 'conflict', 'bothAdded']]);
  assert.is(readFileSync(join(root, 'kept.log'), 'utf8'), 'ignored');
  await daemon.close();
});

test('a dry run of a revert changes nothing, and lists the result for each path', async () => {
  const { daemon, root, result, before } = await revertFirst(
    { 'a.txt': lines(), 'b.txt': lines() },
    (at) => write(at, { 'a.txt': lines([1, 'turn']), 'b.txt': lines([1, 'turn']), 'c.txt': 'c' }),
    (at) => write(at, { 'a.txt': lines([1, 'later']), 'b.txt': lines() }),
    { dryRun: true },
  );
  assert.equal(outcomes(result), [
    ['a.txt', 'conflict', 'content'],
    ['b.txt', 'alreadyGone'],
    ['c.txt', 'clean'],
  ]);
  assert.equal(result.paths[0]?.taken, { author: 'user' });
  assert.equal(result.paths[0]?.later, { author: 'user' });
  assert.equal(result.deleted, [{ path: 'c.txt' }]);
  assert.is(result.safety, undefined);
  assert.equal(manifest(root), before);
  await daemon.close();
});

test('if a restore detached a turn, a revert of the turn reverses the work from the turn to the restore', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'two.txt': 'two' });
  await daemon.call('checkpoint/restore', { session, tag: '1' });
  assert.ok(existsSync(join(root, 'two.txt')), 'a soft restore keeps it');
  await daemon.call('checkpoint/revert', { session, tag: '2' });
  assert.not(existsSync(join(root, 'two.txt')));
  const error = await failure(daemon.call('checkpoint/revert', { session, from: '2' }));
  assert.is(error.kind, 'InvalidRange');
  await daemon.close();
});

test('if a revert is repeated after a restart with the same idempotencyKey, it returns the range of the first answer', async () => {
  const first = new InProcessDaemon();
  const root = repository();
  const { session } = await first.open(root, { retention: 'keep', conversationId: 'c' });
  for (const text of ['one', 'two', 'three']) {
    await first.call('checkpoint/create', { session, kind: 'turn' });
    write(root, { [`${text}.txt`]: text });
  }
  const asked = { session, tag: '3', idempotencyKey: 'k' } as const;
  const { from, to, checkpoint } = await first.call('checkpoint/revert', asked);
  assert.is(to, undefined);
  await first.close();
  const second = new InProcessDaemon(first.storage);
  await second.open(root, { retention: 'keep', conversationId: 'c' });
  await second.call('checkpoint/create', { session, kind: 'turn' });
  await second.call('checkpoint/delete', { session, tag: '3' });
  const again = await second.call('checkpoint/revert', asked);
  assert.equal([again.from, again.to, again.checkpoint?.id], [from, to, checkpoint?.id]);
  assert.is(again.replayed, true);
  await second.close();
});

test('a revert skips a path that a checkpoint could not capture, and refuses an unknown path', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'a.txt': lines() });
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  rmSync(join(root, 'pipe'));
  write(root, { 'a.txt': lines([1, 'turn']), pipe: 'a file' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const paths = [{ path: 'a.txt' }, { path: 'pipe' }];
  const before = manifest(root);
  const error = await failure(
    daemon.call('checkpoint/revert', { session, tag: '1', paths: [...paths, { path: 'b.txt' }] }),
  );
  assert.equal([error.kind, error.details?.['paths']], ['UnknownPart', ['b.txt']]);
  assert.equal(manifest(root), before);
  const { skipped } = await daemon.call('checkpoint/revert', { session, tag: '1', paths });
  assert.equal(skipped, [{ path: 'pipe', reason: 'notCapturedThen' }]);
  assert.is(readFileSync(join(root, 'pipe'), 'utf8'), 'a file');
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), lines());
  await daemon.close();
});

test('a revert of one path restores the permissions of a directory whose files are unchanged', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'd/file': 'text' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  chmodSync(join(root, 'd'), 0o700);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const params = { session, tag: '1', paths: [{ path: 'd' }] };
  await daemon.call('checkpoint/revert', params);
  assert.is(statSync(join(root, 'd')).mode & 0o777, 0o755);
  await daemon.close();
});

test('if a long list of paths is shortened, the conflicts stay in the list', () => {
  const paths = Array.from('abcdef', (path) => {
    const outcome = path > 'd' ? ('conflict' as const) : ('clean' as const);
    return { path: path as TreePath, outcome };
  });
  const cut = (max: number): string =>
    listedPaths(paths, max)
      .map(({ path }) => path)
      .join('');
  assert.equal([cut(6), cut(4), cut(1)], ['abcdef', 'abef', 'e']);
});

test('the answer of a revert contains its patch, as base64 if a content is not UTF-8', async () => {
  const { daemon, session, result } = await revertFirst(
    { 'a.txt': 'zero\n' },
    (at) => write(at, { 'a.txt': 'one\n' }),
    () => undefined,
    { patch: true, dryRun: true },
  );
  assert.match(result.text ?? '', /^diff --git a\/a\.txt[^]*-one\n\+zero\n$/);
  assert.is(result.encoding, undefined);
  await daemon.close();
  const odd = await revertFirst(
    { 'a.txt': 'caf\xe9\n' },
    (at) => write(at, { 'a.txt': 'one\n' }),
    () => undefined,
    { patch: true },
  );
  assert.is(odd.result.encoding, 'base64');
  assert.match(Buffer.from(odd.result.text ?? '', 'base64').toString('latin1'), /-one\n\+caf\xe9\n$/);
  await odd.daemon.close();
  assert.type(session, 'string');
});

for (const strategy of strategies) {
  test(`${strategy}: a revert can reverse single hunks, which have the same names as in checkpoint/diff`, async () => {
    const { daemon, root, session } = await opened(strategy);
    write(root, { 'a.txt': lines(), 'gone.txt': lines() });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    const changed = lines([1, 'one'], [10, 'ten']);
    write(root, { 'a.txt': changed, 'made.txt': 'made\n' });
    rmSync(join(root, 'gone.txt'));
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(root, { 'a.txt': changed.replace('line 5\n', 'later\n') });
    const range = { session, from: '1', to: '2' };
    const { files } = await daemon.call('checkpoint/diff', { ...range, format: 'unified', perFile: true });
    const hunksAt = (path: string): Wire.HunkRef[] =>
      files
        .filter((file) => file.path === path)
        .flatMap(({ hunks = [] }) => hunks.map(({ id }) => ({ path, id })));
    const [first, second] = hunksAt('a.txt');
    assert.ok(first && second);
    const result = await daemon.call('checkpoint/revert', { ...range, hunks: [second] });
    assert.equal(outcomes(result), [['a.txt', 'clean']]);
    assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), lines([1, 'one'], [5, 'later']));
    const others = [...hunksAt('made.txt'), ...hunksAt('gone.txt')];
    assert.is(others.length, 2);
    await daemon.call('checkpoint/revert', { ...range, hunks: others });
    assert.not(existsSync(join(root, 'made.txt')));
    assert.is(readFileSync(join(root, 'gone.txt'), 'utf8'), lines());
    const wrong = { path: 'a.txt', pathBytes: Buffer.from('a.txt').toString('base64'), id: 'none' };
    const error = await failure(daemon.call('checkpoint/revert', { ...range, hunks: [first, wrong] }));
    assert.equal([error.kind, error.details?.['paths']], ['UnknownPart', ['a.txt']]);
    assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), lines([1, 'one'], [5, 'later']));
    await daemon.close();
  });
}

test('a revert of single hunks skips a file that was too large at the beginning of the range', async () => {
  const { daemon, root, session } = await opened('shadow', { maxFileBytes: 100 });
  write(root, { 'large.txt': lines().repeat(9), 'other.bin': lines().repeat(9), 'small.txt': 'one\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'large.txt': 'short\n', 'other.bin': 'short\n', 'small.txt': 'two\n' });
  const { files } = await daemon.call('checkpoint/diff', {
    session,
    from: '1',
    format: 'unified',
    perFile: true,
  });
  const hunks = files
    .filter(({ path }) => path !== 'other.bin')
    .flatMap(({ path, hunks: found = [] }) => found.map(({ id }) => ({ path, id })));
  assert.is(hunks.length, 2);
  const result = await daemon.call('checkpoint/revert', { session, tag: '1', hunks });
  assert.equal([outcomes(result), result.deleted], [[['small.txt', 'clean']], []]);
  assert.equal(result.skipped, [{ path: 'large.txt', reason: 'notCapturedThen' }]);
  assert.equal(
    ['large.txt', 'small.txt'].map((path) => readFileSync(join(root, path), 'utf8')),
    ['short\n', 'one\n'],
  );
  await daemon.close();
});

test('if a file becomes a link or a link becomes a file, the change has no hunks; a changed link has one hunk', async () => {
  const { daemon, root, session } = await opened();
  const [file, was, link] = ['file', 'was', 'link'].map((name) => join(root, name));
  assert.ok(file && was && link);
  write(root, { file: 'text\n' });
  for (const each of [was, link]) symlinkSync('old', each);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  for (const each of [file, was, link]) rmSync(each);
  for (const each of [file, link]) symlinkSync('new', each);
  write(root, { was: 'text\n' });
  const diff = { session, from: '1', format: 'unified', perFile: true } as const;
  const { files } = await daemon.call('checkpoint/diff', diff);
  assert.equal(
    files.map(({ path, change, hunks = [] }) => [path, change, hunks.length]),
    [
      ['file', 'typeChanged', 0],
      ['link', 'modified', 1],
      ['was', 'typeChanged', 0],
    ],
  );
  const id = files[1]?.hunks?.[0]?.id ?? '';
  await daemon.call('checkpoint/revert', { session, tag: '1', hunks: [{ path: 'link', id }] });
  assert.equal([readlinkSync(link), readlinkSync(file)], ['old', 'new']);
  await daemon.close();
});

test('if a later change of the same agent causes a conflict, both `paths` and `conflicts` contain the author', async () => {
  const { daemon, root, session } = await opened();
  for (const [what, kind] of [
    ['zero', 'turn'],
    ['one', 'tool'],
    ['two', 'tool'],
  ] as const) {
    write(root, { 'a.txt': `${what}\n` });
    await daemon.call('checkpoint/create', { session, kind });
  }
  const { paths, conflicts } = await daemon.call('checkpoint/revert', { session, tag: '1.1' });
  assert.equal(paths[0]?.later, { author: 'agent' });
  assert.equal(conflicts, [{ path: 'a.txt', author: 'agent' }]);
  await daemon.close();
});

test('if an undo brought back an edit of the user, a later conflict still names the user as the author of this edit', async () => {
  const { daemon, root, session } = await opened();
  for (const [what, kind] of [
    ['zero', 'turn'],
    ['one', 'tool'],
  ] as const) {
    write(root, { 'a.txt': `${what}\n`, 'b.txt': `${what}\n`, 'c.txt': `${what}\n` });
    await daemon.call('checkpoint/create', { session, kind });
  }
  write(root, { 'a.txt': 'edit in a checkpoint\n' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'b.txt': 'edit in no checkpoint\n' });
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard', scope: 'files' });
  await daemon.call('checkpoint/undo', { session });
  write(root, { 'c.txt': 'one\ntwo\n' });
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  const { paths } = await daemon.call('checkpoint/revert', { session, tag: '1.1' });
  assert.equal(
    paths.map(({ path, later }) => [path, later?.author]),
    [
      ['a.txt', 'user'],
      ['b.txt', 'user'],
      ['c.txt', 'agent'],
    ],
  );
  await daemon.close();
});

test('a revert reports its progress while it merges, and ends when the client cancels it', async () => {
  const { daemon, root, session } = await opened();
  const names = Array.from({ length: 12 }, (_, n) => `${n}.txt`);
  const writeAll = (text: string): void => write(root, Object.fromEntries(names.map((name) => [name, text])));
  for (const text of [lines(), lines([1, 'turn'])]) {
    writeAll(text);
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
  }
  writeAll(lines([1, 'turn'], [9, 'later']));
  const before = manifest(root);
  const cancel = new AbortController();
  const merged: unknown[] = [];
  const revert = (onMerged: () => void): Promise<unknown> =>
    daemon.call(
      'checkpoint/revert',
      { session, tag: '1' },
      {
        signal: cancel.signal,
        progress: {
          report: ({ phase, filesDone, bytesDone, cancellable }) => {
            if (phase !== 'merge') return;
            merged.push([filesDone, bytesDone, cancellable]);
            onMerged();
          },
        },
      },
    );
  const size = Buffer.byteLength(lines([9, 'later']));
  await revert(() => undefined);
  assert.equal(
    merged,
    names.map((_, n) => [n + 1, (n + 1) * size, true]),
  );
  await daemon.call('checkpoint/undo', { session });
  assert.equal(manifest(root), before);
  merged.length = 0;
  const stopped = await revert(() => cancel.abort()).catch((error: Error) => error.name);
  assert.is(stopped, 'AbortError');
  assert.ok(merged.length < names.length);
  assert.equal(manifest(root), before);
  await daemon.close();
});

test('each wrong revert request has its own error with advice, and changes nothing', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'a.txt': lines() });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': lines([1, 'one']) });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const { files } = await daemon.call('checkpoint/diff', {
    session,
    from: '1',
    to: '2',
    format: 'unified',
    perFile: true,
  });
  const hunks = [{ path: 'a.txt', id: files[0]?.hunks?.[0]?.id ?? '' }];
  write(root, { 'a.txt': lines([1, 'two']) });
  const before = manifest(root);
  const { checkpoints } = await daemon.call('checkpoint/list', { session, kind: 'every' });
  for (const [asked, kind, remedy] of [
    [{ from: '2', to: '1' }, 'InvalidRange', /The later end of a range must descend from the earlier end/],
    [{ from: '1', hunks }, 'UnknownPart', /Look at checkpoint\/diff of the range/],
    [{ tag: '1', paths: [{ path: 'none.txt' }] }, 'UnknownPart', /Look at the plan without this path/],
    [{ tag: '1', author: 'cursor' }, 'UnknownPart', /Give the id of a session on this work tree/],
    [{ tag: '7' }, 'UnknownCheckpoint', /checkpoint\/list/],
    [{ from: '1', to: '7' }, 'UnknownCheckpoint', /checkpoint\/list/],
    [{ tag: '1', from: '1' }, 'InvalidParams', /Give either "tag", or "from" and "to"/],
    [{ tag: '1', conflicts: 'fail' }, 'Conflict', /Repeat the revert with conflicts "leave"/],
  ] as const) {
    const error = await failure(daemon.call('checkpoint/revert', { session, ...asked }));
    assert.is(error.kind, kind);
    assert.match(error.message, remedy);
    assert.equal(manifest(root), before, kind);
  }
  const left = await daemon.call('checkpoint/list', { session, kind: 'every' });
  assert.equal(left.checkpoints, checkpoints, 'no safety checkpoint is left of a refused revert');
  await daemon.close();
});

test('the description of a revert names the reverted range, hunks or author', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'a.txt': lines() });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': lines([1, 'tool']) });
  await daemon.call('ledger/recordWrite', { session, path: 'a.txt' });
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  const unified = { format: 'unified', perFile: true } as const;
  const { files } = await daemon.call('checkpoint/diff', { session, from: '1', to: '1.1', ...unified });
  const hunks = (files[0]?.hunks ?? []).map(({ id }) => ({ path: 'a.txt', id }));
  for (const [params, description] of [
    [{ tag: '1' }, 'Reverted 1'],
    [{ tag: '1.1' }, 'Reverted 1.1'],
    [{ from: '1' }, 'Reverted 1 to the present'],
    [{ from: '1', to: '1.1' }, 'Reverted 1 to 1.1'],
    [{ tag: '1.1', hunks }, 'Reverted 1 hunk of 1.1'],
    [{ tag: '1.1', author: session }, `Reverted 1.1 (only ${session})`],
    [{ author: session }, `Reverted all work of ${session}`],
  ] as const) {
    const made = await daemon.call('checkpoint/revert', { session, ...params });
    assert.is(made.checkpoint?.description, description);
    assert.equal(made.restored, [{ path: 'a.txt' }], description);
    await daemon.call('checkpoint/undo', { session });
  }
  await daemon.close();
});

test('restores and safety checkpoints can be reverted by their tags', async () => {
  const { daemon, root, session } = await opened();
  write(root, { 'a.txt': lines() });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': lines([1, 'turn']) });
  const { checkpoint, safety } = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  write(root, { 'a.txt': lines([9, 'later']) });
  await daemon.call('checkpoint/revert', { session, tag: checkpoint?.id ?? '' });
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), lines([1, 'turn'], [9, 'later']));
  await daemon.call('checkpoint/revert', { session, tag: safety ?? '' });
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), lines([9, 'later']));
  await daemon.close();
});

test('a conflict of a revert has the authors of both sides, and the bytes of a path that is not UTF-8', async () => {
  const { daemon, root, session } = await opened();
  const odd = Buffer.from('caf\xe9.txt', 'latin1');
  const oddPath = Buffer.concat([Buffer.from(`${root}/`), odd]);
  const writeBoth = (text: string): void => {
    for (const path of [join(root, 'a.txt'), oddPath]) writeFileSync(path, text);
  };
  const { session: other } = await daemon.open(root, { conversationId: 'other' });
  writeBoth(lines());
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  writeBoth(lines([1, 'turn']));
  await daemon.call('ledger/recordWrite', { session, path: 'a.txt' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  writeBoth(lines([1, 'later']));
  await daemon.call('ledger/recordWrite', { session: other, path: 'a.txt' });
  const { paths, conflicts } = await daemon.call('checkpoint/revert', {
    session,
    tag: '1',
    dryRun: true,
    confirm: true,
    workDoneToken: 'progress',
  });
  const [plain, byBytes] = paths;
  assert.equal([plain?.taken, plain?.later], [{ author: 'agent' }, { author: 'session', session: other }]);
  assert.equal([byBytes?.taken, byBytes?.later], [{ author: 'user' }, { author: 'user' }]);
  assert.is(byBytes?.pathBytes, odd.toString('base64'));
  assert.equal(
    conflicts.map(({ author }) => author),
    ['session', 'user'],
  );
  // The checkpoint records the id of the other session. The ledger still has this id after the other session is closed.
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('session/close', { session: other });
  const { entries } = await daemon.call('ledger/history', { session, path: 'a.txt' });
  assert.is(entries.at(-1)?.session, other);
  await daemon.close();
});

test.run();
