import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

test('a restore reports exactly those requested paths that match nothing', async () => {
  const daemon = new InProcessDaemon();
  const root = repository({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', 'same/c.txt': 'c\n' });
  const { session } = await daemon.open(root);
  write(root, { 'a.txt': 'changed\n', 'later/d.txt': 'd\n' });
  rmSync(join(root, 'src/b.txt'));
  const warned = async (mode: 'soft' | 'hard', ...paths: string[]): Promise<readonly string[]> => {
    const request = { session, tag: '0', mode, paths: paths.map((path) => ({ path })), dryRun: true };
    const { warnings } = await daemon.call('checkpoint/restore', request);
    const done = await daemon.call('checkpoint/restore', { ...request, dryRun: false });
    if (done.restored.length + done.deleted.length > 0) await daemon.call('checkpoint/undo', { session });
    assert.equal(done.warnings, warnings, 'the dry run foretells it');
    return warnings ?? [];
  };
  for (const mode of ['soft', 'hard'] as const) {
    for (const path of ['a.txt', 'src', 'src/b.txt', 'same', 'same/c.txt', '.'])
      assert.equal(await warned(mode, path), [], `${mode} ${path}`);
    const both = await warned(mode, 'a.txt', 'src/typo.txt', 'same/c.txt/x');
    assert.is(both.length, 1);
    assert.match(
      both[0] ?? '',
      /holds nothing at "src\/typo.txt", "same\/c.txt\/x", so nothing was restored there/,
    );
    const many = await warned(mode, ...Array.from({ length: 9 }, (_, i) => `typo${i}`));
    assert.match(many[0] ?? '', /"typo4" and 4 more paths/);
  }
  assert.match((await warned('soft', 'later'))[0] ?? '', /"later"/, 'a soft restore deletes nothing');
  assert.equal(await warned('hard', 'later'), [], 'a hard one does');
  await daemon.close();
});

test.run();
