// What the specified services and commands promise of saving: nothing is left out by its kind, or silently, and only changes are saved.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, manifest, opened, repository, write } from '../../support/in-process-daemon.ts';

test('nothing is excluded by its kind: .env, lock files and media are captured unless the user ignores them (R16, O29)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({
    '.gitignore': 'secret.env\nnode_modules\n',
    'package.lock': 'l',
    'logo.png': 'p',
    '.env': 'e',
  });
  write(root, { 'secret.env': 's', 'node_modules/x.js': 'x', 'huge.csv': 'c' });
  const { session } = await daemon.open(root, { include: ['secret.env'], exclude: ['*.csv'] });
  const { files } = await daemon.call('checkpoint/files', { session, tag: '0' });
  assert.equal(
    files.map(({ path }) => path),
    ['.env', '.gitignore', 'logo.png', 'package.lock', 'secret.env'],
  );
  await daemon.close();
});

test('what cannot be captured is in the answer and not only in a log (R17, O29)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository();
  writeFileSync(join(root, 'large.bin'), Buffer.alloc(5000));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const { session, skipped } = await daemon.open(root, { limits: { maxFileBytes: 4096 } });
  assert.equal(skipped, [
    { path: 'large.bin', reason: 'tooLarge' },
    { path: 'pipe', reason: 'fifo' },
  ]);
  const { complete } = await daemon.call('checkpoint/create', { session, kind: 'turn' });
  assert.is(complete, false);
  await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.ok(existsSync(join(root, 'large.bin')), 'a hard restore never deletes what was never saved');
  await daemon.close();
});

test('the state is saved before the change: a turn’s checkpoint holds what was there before the agent began (R18)', async () => {
  const { daemon, root, session } = await opened();
  const before = manifest(root);
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  write(root, { 'a.txt': 'by the agent' });
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.equal(manifest(root), before);
  await daemon.close();
});

test('incremental saving: nothing changed, nothing made (R23)', async () => {
  const { daemon, session } = await opened();
  assert.is(
    (await daemon.call('checkpoint/create', { session, kind: 'tool', onlyIfChanged: true })).created,
    false,
  );
  await daemon.close();
});

test('edits made by shell commands are seen like any other (O28)', async () => {
  const { daemon, root, session } = await opened();
  await daemon.call('checkpoint/create', { session, kind: 'turn' });
  execFileSync('sh', ['-c', 'sed -i s/a/z/ a.txt; mv src renamed; rm -f nothing'], { cwd: root });
  const { checkpoint } = await daemon.call('checkpoint/create', {
    session,
    kind: 'tool',
    toolName: 'execute_bash',
  });
  assert.equal(checkpoint.stats, { added: 0, modified: 2, deleted: 0 });
  await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  assert.is(readFileSync(join(root, 'a.txt'), 'utf8'), 'a\n');
  assert.ok(statSync(join(root, 'src/b.txt')).isFile());
  await daemon.close();
});

test.run();
