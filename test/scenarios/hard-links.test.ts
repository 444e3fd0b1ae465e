// Tests that a restore treats each hard link of a file as a separate file.
import { chmodSync, linkSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';

test('a restore handles each hard link of a file separately, and may remove one link and keep another (Q25, O16)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'd/x': 'three\n', 'd/y': 'four\n' });
  const { session } = await daemon.open(root, { strategy: 'sqlite' });
  const before = manifest(root);
  write(root, { linked: 'linked\n' });
  for (const name of ['also', 'e1', 'e2']) linkSync(join(root, 'linked'), join(root, name));
  for (const name of ['a.txt', 'b.txt']) {
    write(root, { [name]: 'same\n' });
  }
  rmSync(join(root, 'b.txt'));
  linkSync(join(root, 'a.txt'), join(root, 'b.txt'));
  rmSync(join(root, 'd'), { recursive: true });
  linkSync(join(root, 'linked'), join(root, 'd'));
  const present = manifest(root);
  const answer = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.equal(answer.failed, []);
  assert.equal(manifest(root), before);
  assert.equal(
    answer.deleted.map(({ path }) => path),
    ['also', 'd', 'e1', 'e2', 'linked'],
  );
  await daemon.call('checkpoint/undo', { session });
  assert.equal(manifest(root), present);
  await daemon.close();
});

test('restoring the mode of a file does not change its other hard links (Q25)', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'run.sh': 'echo\n', 'read.txt': 'echo\n' });
  chmodSync(join(root, 'run.sh'), 0o755);
  const { session } = await daemon.open(root, { strategy: 'shadow' });
  const before = manifest(root);
  rmSync(join(root, 'run.sh'));
  linkSync(join(root, 'read.txt'), join(root, 'run.sh'));
  const dry = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard', dryRun: true });
  const { restored, failed } = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  assert.equal([restored, failed], [dry.restored, []]);
  assert.equal(manifest(root), before);
  assert.is(readFileSync(join(root, 'run.sh'), 'utf8'), 'echo\n');
  assert.is(lstatSync(join(root, 'run.sh')).nlink, 1);
  await daemon.close();
});

test.run();
