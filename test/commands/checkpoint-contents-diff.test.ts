import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/failures.ts';
import { git, InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

const lines = (n: number): string => Array.from({ length: n }, (_, i) => `line ${i}\n`).join('');

/**
 * Makes a session with checkpoints "0" and "1". Between these checkpoints, files are added, modified, deleted and
 * renamed, and a file becomes a link.
 */
async function variety(): Promise<{
  daemon: InProcessDaemon;
  root: string;
  session: string;
  shadow: string;
}> {
  const daemon = new InProcessDaemon();
  const root = repository({
    'file2.txt': lines(5),
    'file3.txt': lines(20),
    'old name.txt': lines(40),
    'kind.txt': 'a file',
    'run.sh': '#!/bin/sh\n',
  });
  const { session, shadowRepoPath = '' } = await daemon.open(root);
  write(root, { 'file1.txt': lines(10), 'file2.txt': `${lines(5)}more\n` });
  rmSync(join(root, 'file3.txt'));
  renameSync(join(root, 'old name.txt'), join(root, 'näw.txt'));
  rmSync(join(root, 'kind.txt'));
  symlinkSync('file1.txt', join(root, 'kind.txt'));
  chmodSync(join(root, 'run.sh'), 0o755);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  return { daemon, root, session, shadow: shadowRepoPath };
}

test('statistics count files as git does, and count renames and changes of type as modified (Q6, Q30)', async () => {
  const { daemon, session, shadow } = await variety();
  const stats = await daemon.call('checkpoint/stats', { session, tag: '1' });
  assert.equal(stats, { added: 1, modified: 4, deleted: 1 });
  const letters = git('/', `--git-dir=${shadow}`, 'diff', '--name-status', '0', '1')
    .split('\n')
    .map((line) => line[0]);
  assert.is(letters.filter((letter) => letter === 'A').length, stats.added);
  assert.is(letters.filter((letter) => letter === 'D').length, stats.deleted);
  assert.is(letters.length - stats.added - stats.deleted, stats.modified);
  assert.equal(await daemon.call('checkpoint/stats', { session, tag: '0' }), {
    added: 0,
    modified: 0,
    deleted: 0,
  });
  await daemon.close();
});

test('statistics are cached, but a tag that moves to a new checkpoint gets new statistics (Q31, Q41)', async () => {
  const { daemon, root, session } = await variety();
  const figures = async (): Promise<{ hits: number; misses: number }> =>
    (await daemon.call('session/get', { session })).cache;
  const before = await figures();
  await daemon.call('checkpoint/stats', { session, tag: '1' });
  await daemon.call('checkpoint/get', { session, tag: '1' });
  const after = await figures();
  assert.is(after.misses, before.misses);
  assert.ok(after.hits > before.hits);
  write(root, { 'another.txt': 'x' });
  await daemon.call('checkpoint/create', { session, kind: 'turn', tag: '1' });
  assert.is((await daemon.call('checkpoint/stats', { session, tag: '1' })).added, 2);
  await daemon.close();
});

test('the text of a diff has the specified layout, and does not quote or escape file names (Q32)', async () => {
  const { daemon, session } = await variety();
  const { text = '' } = await daemon.call('checkpoint/diff', { session, from: '0', to: '1', format: 'text' });
  const [list = '', stat = ''] = text.split('\n\n');
  assert.equal(list.split('\n').sort(), [
    '  + file1.txt (added)',
    '  - file3.txt (deleted)',
    '  ~ file2.txt (modified)',
    '  ~ kind.txt (modified)',
    '  ~ old name.txt -> näw.txt (renamed)',
    '  ~ run.sh (modified)',
  ]);
  assert.match(stat, /^ file1\.txt +\| 10 \+{5,}$/m);
  assert.match(stat, /6 files changed, \d+ insertions\(\+\), \d+ deletions\(-\)/);
  const { files } = await daemon.call('checkpoint/diff', { session, from: '0', to: '1' });
  assert.is(files.find(({ path }) => path === 'kind.txt')?.change, 'typeChanged');
  assert.is(files.find(({ path }) => path === 'näw.txt')?.oldPath, 'old name.txt');
  await daemon.close();
});

test('statistics compare any two checkpoints (Q33)', async () => {
  const { daemon, root, session } = await variety();
  write(root, { 'x/y.txt': 'y' });
  await daemon.call('checkpoint/create', { session, kind: 'tool' });
  assert.equal(await daemon.call('checkpoint/stats', { session, from: '0', to: '1.1' }), {
    added: 2,
    modified: 4,
    deleted: 1,
  });
  assert.equal(await daemon.call('checkpoint/stats', { session, from: '1.1', to: '1' }), {
    added: 0,
    modified: 0,
    deleted: 1,
  });
  assert.is((await failure(daemon.call('checkpoint/stats', { session, from: '0' }))).kind, 'InvalidParams');
  await daemon.close();
});

test('a diff without "to" compares with the present work tree, and changes nothing (Q34)', async () => {
  const { daemon, root, session } = await variety();
  assert.equal((await daemon.call('checkpoint/diff', { session, from: '1' })).files, []);
  write(root, { 'now.txt': 'now' });
  const { files, stats } = await daemon.call('checkpoint/diff', { session, from: '1' });
  assert.equal(
    files.map(({ path, change }) => [path, change]),
    [['now.txt', 'added']],
  );
  assert.is(stats.added, 1);
  assert.is(
    (await daemon.call('checkpoint/hasChanges', { session })).hasChanges,
    true,
    'a diff is no checkpoint',
  );
  assert.is((await daemon.call('checkpoint/list', { session, kind: 'every' })).checkpoints.length, 2);
  assert.is(
    (await failure(daemon.call('checkpoint/diff', { session, from: '9' }))).kind,
    'UnknownCheckpoint',
  );
  await daemon.close();
});

test('a diff has the old and new path and content of each file, and marks binary files and shortened contents (R22)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'before\n', gone: 'gone\n' });
  const { session } = await daemon.open(root);
  writeFileSync(join(root, 'a.txt'), 'after\n');
  rmSync(join(root, 'gone'));
  writeFileSync(join(root, 'picture'), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(root, 'large.txt'), 'x\n'.repeat(1 << 20));
  const { files } = await daemon.call('checkpoint/diff', { session, format: 'contents' });
  const find = (path: string): (typeof files)[number] | undefined => files.find((file) => file.path === path);
  assert.is(find('a.txt')?.absolutePath, join(root, 'a.txt'));
  assert.equal([find('a.txt')?.before, find('a.txt')?.after], ['before\n', 'after\n']);
  assert.equal([find('gone')?.before, find('gone')?.after], ['gone\n', undefined]);
  assert.is(find('picture')?.binary, true);
  assert.is(find('picture')?.after, undefined, 'never a guess at text');
  assert.is(find('large.txt')?.truncated, true);
  await daemon.close();
});

test('a unified diff equals git’s diff, and can be restricted to paths', async () => {
  const { daemon, session, shadow } = await variety();
  const { text = '' } = await daemon.call('checkpoint/diff', {
    session,
    from: '0',
    to: '1',
    format: 'unified',
    paths: [{ path: 'file2.txt' }],
  });
  const expected = git(
    '/',
    `--git-dir=${shadow}`,
    '-c',
    'core.abbrev=7',
    'diff',
    '0',
    '1',
    '--',
    'file2.txt',
  );
  assert.is(text.trimEnd(), expected);
  await daemon.close();
});

test('client and daemon exchange file names unchanged, whatever bytes the names have', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'a' });
  writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), 'latin');
  const { session } = await daemon.open(root);
  const { files } = await daemon.call('checkpoint/files', { session, tag: '0' });
  const odd = files.find(({ pathBytes }) => pathBytes !== undefined);
  assert.is(odd?.path, 'caf\ufffd');
  assert.is(odd?.pathBytes, Buffer.from([0x63, 0x61, 0x66, 0xe9]).toString('base64'));
  const { data } = await daemon.call('checkpoint/readFile', {
    session,
    tag: '0',
    path: 'x',
    ...(odd?.pathBytes === undefined ? {} : { pathBytes: odd.pathBytes }),
  });
  assert.is(data, 'latin');
  await daemon.close();
});

test('readFile reads ranges, returns binary contents as base64, and reports missing files', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'abcdef' });
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/x'), Buffer.from([255, 0, 1]));
  const { session } = await daemon.open(root);
  const part = await daemon.call('checkpoint/readFile', {
    session,
    tag: '0',
    path: 'a.txt',
    offset: 2,
    length: 3,
  });
  assert.equal([part.data, part.size, part.eof], ['cde', 6, false]);
  const end = await daemon.call('checkpoint/readFile', { session, tag: '0', path: 'a.txt', offset: 6 });
  assert.equal([end.data, end.eof], ['', true]);
  const binary = await daemon.call('checkpoint/readFile', { session, tag: '0', path: 'bin/x' });
  assert.equal([binary.data, binary.encoding], ['/wAB', 'base64']);
  assert.is((await daemon.call('checkpoint/readFile', { session, tag: '0', path: 'none' })).exists, false);
  await daemon.close();
});

test('the text of a diff ends after 32 MiB, and the answer marks it as incomplete', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'a\n' });
  const { session } = await daemon.open(root);
  for (let i = 0; i < 45; i += 1)
    write(root, { [`f${i}`]: `${i} a line of forty bytes, and many of it\n`.repeat(20_000) });
  const {
    text = '',
    truncated,
    stats,
  } = await daemon.call('checkpoint/diff', {
    session,
    from: '0',
    format: 'unified',
  });
  assert.is(truncated, true);
  assert.ok(text.length <= 32 << 20 && text.length > 31 << 20);
  assert.is(stats.added, 45);
  await daemon.close();
});

test.run();
