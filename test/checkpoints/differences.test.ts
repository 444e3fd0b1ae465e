// Tests that a diff shows all differences exactly: permissions, contents that are not UTF-8, and names that look like
// lines of a diff. A diff also has the sizes and modes of both sides. For each file, a diff says which part of the
// unified text belongs to the file.
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { git, InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const formats = ['nameStatus', 'stat', 'unified', 'contents', 'text'] as const;
const strategies = ['shadow', 'local', 'sqlite'] as const;

for (const strategy of strategies) {
  test(`if only the permissions of a file changed, every diff format and the statistics include the file (${strategy})`, async () => {
    const daemon = new InProcessDaemon();
    const root = repository({ 'a.txt': 'a\n', 'secret.txt': 'secret\n', 'z.txt': 'z\n' });
    const { session } = await daemon.open(root, { strategy });
    chmodSync(join(root, 'secret.txt'), 0o600);
    assert.is((await daemon.call('checkpoint/hasChanges', { session })).hasChanges, true);
    write(root, { 'z.txt': 'other\n' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    const difference = { session, from: '0', to: '1' };
    assert.is((await daemon.call('checkpoint/stats', difference)).modified, 2);
    for (const format of formats) {
      const { files, stats, text } = await daemon.call('checkpoint/diff', { ...difference, format });
      assert.equal(
        files.map(({ path, change, beforeMode, afterMode }) => [path, change, beforeMode, afterMode]),
        [
          ['secret.txt', 'modified', '100644', '100600'],
          ['z.txt', 'modified', '100644', '100644'],
        ],
        format,
      );
      assert.is(stats.modified, 2, format);
      if (format === 'contents') assert.is(files[0]?.after, 'secret\n');
      if (text !== undefined) assert.match(text, /secret\.txt/, format);
    }
    const only = { ...difference, paths: [{ path: 'z.txt' }] };
    assert.is((await daemon.call('checkpoint/diff', only)).files.length, 1);
    await daemon.close();
  });
}

test('statistics count a change of permissions even if the file was also renamed', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'old.txt': 'a\nb\nc\nd\n', 'secret.txt': 's\n' });
  const { session } = await daemon.open(root);
  renameSync(join(root, 'old.txt'), join(root, 'new.txt'));
  chmodSync(join(root, 'secret.txt'), 0o600);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  const expected = { added: 0, modified: 2, deleted: 0 };
  assert.equal(await daemon.call('checkpoint/stats', { session, tag: '1' }), expected);
  assert.equal((await daemon.call('checkpoint/diff', { session, from: '0', to: '1' })).stats, expected);
  await daemon.close();
});

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

test('checkpoint/diff returns contents that are not UTF-8 as bytes, without guessing their encoding', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'a\n' });
  writeFileSync(join(root, 'ok.txt'), 'é\n');
  writeFileSync(join(root, 'latin.txt'), latin('caf\xe9\n'));
  const { session } = await daemon.open(root);
  writeFileSync(join(root, 'latin.txt'), 'café\n');
  writeFileSync(join(root, 'ok.txt'), 'éé\n');
  const { files } = await daemon.call('checkpoint/diff', { session, format: 'contents' });
  const [odd, fine] = files;
  assert.is(odd?.encoding, 'base64');
  assert.equal(Buffer.from(odd?.before ?? '', 'base64'), latin('caf\xe9\n'));
  assert.is(Buffer.from(odd?.after ?? '', 'base64').toString('utf8'), 'café\n');
  assert.equal([fine?.encoding, fine?.before, fine?.after], [undefined, 'é\n', 'éé\n']);
  await daemon.close();
});

test('git apply accepts our unified diff for all encodings, file names and permissions', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'a\nb\n', 'sub/secret.txt': 's\n', 'gone.txt': 'g\n', 'kind.txt': 'k' });
  writeFileSync(join(root, 'latin.txt'), latin('caf\xe9\n'));
  writeFileSync(join(root, 'secret.bin'), latin('a\0b'));
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'before');
  const { session } = await daemon.open(root);
  const copy = join(temporaryDirectory('copy'), 'copy');
  execFileSync('cp', ['-a', root, copy]);
  writeFileSync(join(root, 'latin.txt'), latin('caf\xe9 cr\xe8me\n'));
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), latin('na\xefve.txt')]), latin('\xe0\n'));
  write(root, { 'a.txt': 'a\nc\n', 'line\nbreak "quoted".txt': 'x\n' });
  rmSync(join(root, 'gone.txt'));
  rmSync(join(root, 'kind.txt'));
  symlinkSync('a.txt', join(root, 'kind.txt'));
  chmodSync(join(root, 'sub/secret.txt'), 0o600);
  writeFileSync(join(root, 'secret.bin'), latin('a\0\xff'));
  chmodSync(join(root, 'secret.bin'), 0o600);
  const wanted = { session, format: 'unified', binary: true } as const;
  const { text = '', encoding } = await daemon.call('checkpoint/diff', wanted);
  assert.is(encoding, 'base64');
  execFileSync('git', ['-C', copy, 'apply', '--whitespace=nowarn'], { input: Buffer.from(text, 'base64') });
  assert.equal(execFileSync('diff', ['-r', '--no-dereference', '-x', '.git', root, copy]).length, 0);
  const { files } = await daemon.call('checkpoint/diff', { ...wanted, perFile: true });
  const parts = files.map((file) =>
    Buffer.from(file.unified ?? '', file.encoding === 'base64' ? 'base64' : 'utf8'),
  );
  assert.equal(Buffer.concat(parts), Buffer.from(text, 'base64'), 'the parts are the whole');
  const binary = files.findIndex(({ path }) => path === 'secret.bin');
  assert.match(
    parts[binary]?.toString() ?? '',
    /\nold mode 100644\nnew mode 100600\nindex \w+\.\.\w+\nGIT binary patch\n/,
  );
  const told = await daemon.call('checkpoint/diff', {
    session,
    format: 'unified',
    paths: [{ path: 'secret.bin' }],
  });
  assert.match(told.text ?? '', /\nBinary files a\/secret\.bin and b\/secret\.bin differ\n$/);
  const plain = files.find(({ path }) => path === 'a.txt');
  assert.is(plain?.encoding, undefined);
  assert.match(plain?.unified ?? '', /^diff --git a\/a\.txt b\/a\.txt\n[^]*-b\n\+c\n$/);
  await daemon.close();
});

test('a reversed diff shows the changes that a restore would make', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'a\n' });
  const { session } = await daemon.open(root);
  write(root, { 'a.txt': 'b\n', 'later.txt': 'x\n' });
  const wanted = { session, from: '0', format: 'unified', reverse: true } as const;
  const { text = '', files, stats } = await daemon.call('checkpoint/diff', wanted);
  assert.match(text, /\n-b\n\+a\n[^]*\ndeleted file mode 100644\n/);
  assert.equal(
    files.map(({ change }) => change),
    ['modified', 'deleted'],
  );
  assert.equal(stats, { added: 0, modified: 1, deleted: 1 });
  await daemon.close();
});

test('a unified diff is returned as text if all its contents are UTF-8', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'a\n' });
  const { session } = await daemon.open(root);
  writeFileSync(join(root, 'a.txt'), 'é\n');
  const { text, encoding } = await daemon.call('checkpoint/diff', { session, format: 'unified' });
  assert.match(text ?? '', /\+é\n$/);
  assert.is(encoding, undefined);
  await daemon.close();
});

test('a file name cannot imitate a line of a diff, because names are quoted as in git', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'a\n' });
  const { session } = await daemon.open(root);
  const names = [
    'x\n  - a.txt (deleted)',
    'tab\tbell\u0007',
    'quote"back\\slash',
    'del\u007f',
    'plain é.txt',
  ];
  for (const name of names) write(root, { [name]: 'new\n' });
  git(root, 'add', '-A');
  const { text = '' } = await daemon.call('checkpoint/diff', { session, format: 'text' });
  const listed = (text.split('\n\n')[0] ?? '').split('\n');
  const quoted = git(root, '-c', 'core.quotePath=false', 'diff', '--cached', '--name-only', 'HEAD');
  assert.equal(
    listed,
    quoted.split('\n').map((name) => `  + ${name} (added)`),
  );
  await daemon.close();
});

test('a diff reports the sizes and modes of both sides', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'one\n', 'gone.txt': 'gone', 'old.txt': 'a\nb\nc\nd\n' });
  const { session } = await daemon.open(root);
  write(root, { 'a.txt': 'three\n', 'run.sh': '#!/bin/sh\n' });
  chmodSync(join(root, 'run.sh'), 0o755);
  rmSync(join(root, 'gone.txt'));
  renameSync(join(root, 'old.txt'), join(root, 'young.txt'));
  const { files } = await daemon.call('checkpoint/diff', { session });
  assert.equal(
    files.map(({ path, beforeSize, afterSize, beforeMode, afterMode }) => [
      path,
      beforeSize,
      afterSize,
      beforeMode,
      afterMode,
    ]),
    [
      ['a.txt', 4, 6, '100644', '100644'],
      ['gone.txt', 4, undefined, '100644', undefined],
      ['run.sh', undefined, 10, undefined, '100755'],
      ['young.txt', 8, 8, '100644', '100644'],
    ],
  );
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8').length, 6);
  await daemon.close();
});

test("a patch shows changed permissions in git's form, and git can apply it", async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ key: 'k\n', 'run.sh': 'x\n', image: '\0one' });
  const { session } = await daemon.open(root);
  write(root, { key: 'kk\n', 'run.sh': 'y\n', image: '\0two' });
  for (const name of ['key', 'image']) chmodSync(join(root, name), 0o600);
  chmodSync(join(root, 'run.sh'), 0o755);
  const { text = '' } = await daemon.call('checkpoint/diff', { session, format: 'unified' });
  const ours = text.split('\n');
  const theirs = git(root, 'diff').split('\n');
  const isMode = (line: string): boolean => /^(old|new) mode 100[64]/.test(line) && !line.endsWith('755');
  assert.equal(
    ours.filter(isMode),
    ['old mode 100644', 'new mode 100600', 'old mode 100644', 'new mode 100600', 'old mode 100644'],
    'of image, key, and what git tells of run.sh',
  );
  const plain = (lines: string[]): string[] =>
    lines
      .filter((line) => line !== '' && !isMode(line))
      .map((line) => line.replace(/^(index \S+) 100644$/, '$1'));
  assert.equal(plain(ours), plain(theirs), 'all else is what git says, binaries included');
  assert.match(text, /^diff --git a\/key b\/key\nold mode 100644\nnew mode 100600\nindex \w+\.\.\w+\n--- /m);
  const paths = [{ path: 'key' }, { path: 'run.sh' }];
  const { text: patch = '' } = await daemon.call('checkpoint/diff', { session, format: 'unified', paths });
  const elsewhere = repository({ key: 'k\n', 'run.sh': 'x\n' });
  const file = join(temporaryDirectory('patch'), 'diff.patch');
  writeFileSync(file, patch);
  git(elsewhere, 'apply', file);
  assert.is(readFileSync(join(elsewhere, 'key'), 'utf8'), 'kk\n');
  await daemon.close();
});

test('every text format lists a directory with changed permissions, but statistics do not count it as a file', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'd/f': 'f\n', 'e/g': 'g\n', 'a.txt': 'a\n' });
  const { session } = await daemon.open(root);
  chmodSync(join(root, 'd'), 0o700);
  const alone = await daemon.call('checkpoint/diff', { session });
  assert.equal(
    alone.files.map(({ path, change, beforeMode, afterMode }) => [path, change, beforeMode, afterMode]),
    [['d', 'modified', '040000', '040700']],
  );
  assert.equal(alone.stats, { added: 0, modified: 0, deleted: 0 });
  for (const format of ['unified', 'stat', 'text'] as const) {
    const { text } = await daemon.call('checkpoint/diff', { session, format });
    assert.match(text ?? '', / mode change 040000 => 040700 d\n/, format);
  }
  assert.is((await daemon.call('checkpoint/diff', { session, format: 'contents' })).files.length, 1);
  assert.equal((await daemon.call('checkpoint/diff', { session, paths: [{ path: 'e' }] })).files, []);
  write(root, { 'a.txt': 'changed\n', 'e/g': 'changed\n' });
  const { text: patch = '' } = await daemon.call('checkpoint/diff', { session, format: 'unified' });
  git(root, 'checkout', '-q', '.');
  const file = join(temporaryDirectory('patch'), 'diff.patch');
  writeFileSync(file, patch);
  git(root, 'apply', file);
  assert.is(readFileSync(join(root, 'e/g'), 'utf8'), 'changed\n');
  await daemon.close();
});

test.run();
