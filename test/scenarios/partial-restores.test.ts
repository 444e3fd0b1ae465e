// Restores and undoes single paths. The restore must remove files above or below these paths.
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { strategies } from '../../src/store/strategies.ts';
import { InProcessDaemon, manifest, repository, write } from '../support/in-process-daemon.ts';

for (const strategy of Object.keys(strategies)) {
  test(`${strategy}: restoring a path below a link or a file replaces the link or file, and undo brings the link or file back (Q25, O25)`, async () => {
    const daemon = new InProcessDaemon();
    const root = repository({ 'src/a': 'a\n', 'src/b': 'b\n', 'lib/deep/c': 'c\n', x: 'x\n' });
    const { session } = await daemon.open(root, { strategy });
    for (const name of ['src', 'lib', 'x']) rmSync(join(root, name), { recursive: true });
    symlinkSync('gone', join(root, 'src'));
    write(root, { lib: 'a file now\n', 'x/1': '1\n', 'x/2': '2\n' });
    const before = manifest(root);
    const paths = ['src/a', 'lib/deep/c', 'x'].map((path) => ({ path }));
    const answer = await daemon.call('checkpoint/restore', { session, tag: '0', mode: 'hard', paths });
    assert.equal(answer.failed, []);
    const after = manifest(root);
    assert.equal(Object.keys(after), ['lib/deep/c', 'src/a', 'x'], 'and nothing that was not asked for');
    await daemon.call('checkpoint/undo', { session });
    assert.equal(manifest(root), before);
    await daemon.call('checkpoint/redo', { session });
    assert.equal(manifest(root), after);
    await daemon.call('checkpoint/undo', { session });
    assert.equal(manifest(root), before);
    await daemon.close();
  });
}

test.run();
