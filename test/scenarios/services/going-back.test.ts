// What the specified services and commands promise of looking and going back: previews, diffs, rollbacks and what they warn of.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../../support/failures.ts';
import {
  git,
  InProcessDaemon,
  manifest,
  opened,
  repository,
  write,
} from '../../support/in-process-daemon.ts';

test('request, look, restore: the preview changes nothing, the restore drops later messages (R19)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  await daemon.call('conversation/append', {
    session,
    entry: { user: { content: 'later' }, assistant: { content: 'yes' } },
  });
  write(root, { 'a.txt': 'later' });
  const present = manifest(root);
  const preview = await daemon.call('checkpoint/restore', { session, tag: '1', dryRun: true });
  assert.equal(
    preview.restored.map(({ path }) => path),
    ['a.txt'],
  );
  assert.equal(manifest(root), present);
  await daemon.call('checkpoint/restore', { session, tag: '1' });
  assert.equal((await daemon.call('conversation/history', { session })).entries, []);
  await daemon.close();
});

test('a content that is missing is found before the first write: the workspace is as before, the error says what (R20)', async () => {
  const { daemon, root, session, shadow } = await opened({ 'a.txt': 'only here\n', 'b.txt': 'b\n' });
  const blob = git('/', `--git-dir=${shadow}`, 'rev-parse', '0:a.txt');
  write(root, { 'a.txt': 'other', 'b.txt': 'other' });
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const present = manifest(root);
  const loose = join(shadow, 'objects', blob.slice(0, 2), blob.slice(2));
  assert.ok(existsSync(loose), 'a small capture is loose objects');
  rmSync(loose);
  const error = await failure(daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' }));
  assert.is(error.kind, 'DataCorrupt');
  assert.is(error.effects, 'none');
  assert.equal(manifest(root), present);
  const { problems } = await daemon.call('store/verify', { session });
  assert.ok(problems.some(({ kind }) => kind === 'missing'));
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  await daemon.close();
});

test('diffs from the start, since the previous, to the present, and of any two (R27)', async () => {
  const { daemon, root, session } = await opened();
  const names = async (params: { from?: string; to?: string }): Promise<string[]> =>
    (await daemon.call('checkpoint/diff', { session, ...params })).files.map(({ path }) => path);
  for (const turn of ['1', '2']) {
    write(root, { [`${turn}.txt`]: turn });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
  }
  write(root, { 'now.txt': 'n' });
  const { checkpoint } = await daemon.call('checkpoint/get', { session, tag: '2' });
  assert.equal(await names({ to: '2' }), ['1.txt', '2.txt'], 'from the start');
  assert.equal(await names({ from: checkpoint.previousTag ?? '', to: '2' }), ['2.txt'], 'since the previous');
  assert.equal(await names({ from: '2' }), ['now.txt'], 'to the present');
  assert.equal(await names({}), ['1.txt', '2.txt', 'now.txt'], 'all of it');
  await daemon.close();
});

test('create, list, rollback, diff and file content: the specified commands and the fields of their answers (O3, O8, O13)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'one\n' });
  const { session } = await daemon.open(root, { strategy: 'sqlite' });
  const { checkpoint } = await daemon.call('checkpoint/create', {
    session,
    kind: 'turn',
    message: 'make it two',
  });
  write(root, { 'a.txt': 'two\n', 'b.txt': 'b\n' });
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  const { fileCount, totalSize } = await daemon.call('checkpoint/files', { session, tag: '1.1' });
  assert.equal([fileCount, totalSize], [2, 6]);
  assert.is((await daemon.call('checkpoint/get', { session, tag: '1' })).message, 'make it two');
  assert.ok(checkpoint.parent !== undefined && checkpoint.timestamp.endsWith('Z'));
  const { files, text = '' } = await daemon.call('checkpoint/diff', {
    session,
    from: '1',
    to: '1.1',
    format: 'unified',
  });
  assert.equal(
    files.map(({ path, change }) => [path, change]),
    [
      ['a.txt', 'modified'],
      ['b.txt', 'added'],
    ],
  );
  assert.match(text, /^-one\n\+two$/m);
  assert.is((await daemon.call('checkpoint/readFile', { session, tag: '1', path: 'a.txt' })).data, 'one\n');
  assert.is((await daemon.call('checkpoint/readFile', { session, tag: '1', path: 'b.txt' })).exists, false);
  const back = await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.equal(
    back.restored.map(({ path }) => path),
    ['a.txt'],
  );
  assert.equal(back.failed, []);
  assert.is(back.checkpoint?.kind, 'restore');
  assert.is.not(back.checkpoint?.id, checkpoint.id, 'the state after the rollback is a new checkpoint');
  await daemon.close();
});

test('requirement 3.3: before a rollback it is said which files the user changed since (O25)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': 'by hand' });
  const { conflicts } = await daemon.call('checkpoint/restore', { session, tag: '1', dryRun: true });
  assert.equal(
    conflicts.map(({ path }) => path),
    ['a.txt'],
  );
  const { present } = await daemon.call('ledger/history', { session, path: 'a.txt' });
  assert.is(present?.author, 'user');
  await daemon.close();
});

test.run();
