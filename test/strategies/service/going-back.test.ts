// Tests requests for checkpoints on every strategy: the safety checkpoint, diffs, restores, and the full cycle.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../../support/failures.ts';
import { git, manifest, write } from '../../support/in-process-daemon.ts';
import { each } from '../rigs/each.ts';

test('a create lists skipped files, and a refused restore changes nothing (R17, R20)', () =>
  each(async ({ daemon, root, session }) => {
    write(root, { 'a.txt': 'two\n' });
    git(root, 'config', 'x.y', 'z');
    const made = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    assert.equal([made.skipped, made.complete], [[], true]);
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const partial = await daemon.call('checkpoint/create', { session, kind: 'turn' });
    assert.equal([partial.skipped, partial.complete], [[{ path: 'pipe', reason: 'fifo' }], false]);
    rmSync(join(root, 'pipe'));
    const before = manifest(root);
    for (const tag of ['9', '1.7', 'no-such-name']) {
      const refused = await failure(daemon.call('checkpoint/restore', { session, tag, mode: 'hard' }));
      assert.is(refused.kind === 'UnknownCheckpoint' || refused.kind === 'InvalidTag', true, refused.kind);
    }
    assert.equal(manifest(root), before);
    await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'a\n');
  }));

test('a restore first saves the current state, and undo brings back files and conversation (R18, R19)', () =>
  each(async ({ daemon, root, session }) => {
    const before = manifest(root);
    await daemon.call('checkpoint/create', { session, kind: 'turn', message: 'please change it' });
    write(root, { 'a.txt': 'changed by the agent\n', 'new.txt': 'n\n' });
    await daemon.call('conversation/append', {
      session,
      entry: { user: { content: 'please change it' }, assistant: { content: 'done' } },
    });
    const present = manifest(root);
    const dry = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard', dryRun: true });
    assert.equal([dry.restored.length, dry.deleted.length, dry.safety], [1, 1, undefined], 'a preview');
    assert.equal(manifest(root), present, 'a preview changes nothing');
    const done = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.equal(manifest(root), before);
    assert.is(done.conversation?.historyLength, 0);
    const saved = await daemon.call('checkpoint/files', { session, tag: done.safety ?? '' });
    assert.equal(
      saved.files.map(({ path }) => path),
      Object.keys(present),
    );
    const undone = await daemon.call('checkpoint/undo', { session });
    assert.equal([manifest(root), undone.conversation?.historyLength], [present, 1]);
  }));

test('each diff has the old and the new content, between checkpoints and between a checkpoint and the work tree (R22, R27)', () =>
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

test('a create with onlyIfChanged makes no checkpoint if nothing changed (R23)', () =>
  each(async ({ daemon, root, session }) => {
    const create = async (): Promise<boolean> =>
      (await daemon.call('checkpoint/create', { session, kind: 'turn', onlyIfChanged: true })).created;
    assert.equal([await create(), await create()], [false, false]);
    write(root, { 'a.txt': 'changed\n' });
    assert.equal([await create(), await create()], [true, false]);
  }));

test('creating, listing, diffing, reading and restoring work together (O2, O3, O4, O5, O8, O13, O24)', () =>
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
      checkpoints.map(({ tag, parent }) => [tag, parent]),
      [
        ['0', undefined],
        ['1', checkpoints[0]?.id],
      ],
    );
    assert.is((await daemon.call('checkpoint/get', { session, tag: '1' })).message, 'do it');
    const files = await daemon.call('checkpoint/files', { session, tag: '1' });
    assert.equal([files.fileCount, files.totalSize], [3, 9 + 2 + large.length]);
    assert.equal(
      files.files.map(({ path, change, size, hash }) => [path, change, size, hash === undefined]),
      [
        ['a.txt', 'modified', 9, false],
        ['large.txt', 'added', large.length, false],
        ['src/b.txt', undefined, 2, false],
      ],
    );
    const part = { session, tag: '1', path: 'large.txt', offset: 21, length: 21 };
    assert.is((await daemon.call('checkpoint/readFile', part)).data, 'line of a large file\n');
    assert.not.ok(
      (await daemon.call('checkpoint/readFile', { session, tag: '0', path: 'large.txt' })).exists,
    );
    const { files: differing } = await daemon.call('checkpoint/diff', { session, from: '0', to: '1' });
    assert.equal(
      differing.map(({ path, change }) => [path, change]),
      [
        ['a.txt', 'modified'],
        ['large.txt', 'added'],
      ],
    );
    write(root, { 'a.txt': 'again\n', 'large.txt': 'small now\n' });
    const one = { session, from: '1', format: 'unified', paths: [{ path: 'a.txt' }] } as const;
    const { text = '' } = await daemon.call('checkpoint/diff', one);
    assert.match(text, /^--- a\/a\.txt\n\+\+\+ b\/a\.txt\n@@ -1 \+1 @@\n-modified\n\+again\n$/m);
    assert.not.match(text, /large\.txt/, 'one file against the present');
    const back = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    assert.equal([back.restored.length, back.failed], [2, []]);
    assert.is.not(back.checkpoint?.id, checkpoint.id, 'a new checkpoint stands for the state after it');
    assert.is(back.checkpoint?.snapshot, checkpoint.snapshot);
    assert.is(readFileSync(join(root, 'large.txt'), 'utf8'), large);
  }));

test("a hard restore warns of the user's later changes, restores deleted files and removes newer files (O25, O26, O28)", () =>
  each(async ({ daemon, root, session }) => {
    write(root, { 'a.txt': 'one\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    write(root, { 'later.txt': 'l\n' });
    execFileSync('sh', ['-c', 'rm src/b.txt'], { cwd: root }); // the daemon also captures edits by shell commands
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
