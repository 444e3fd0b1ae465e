// On request, a listing has the number of files and bytes of each checkpoint.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

for (const strategy of ['shadow', 'sqlite'] as const) {
  test(`checkpoint/list with withSizes counts the files and bytes of each checkpoint (O13, ${strategy})`, async () => {
    const daemon = new InProcessDaemon();
    const root = repository({ 'a.txt': '12345', 'b/c.txt': '1234567890' });
    const { session } = await daemon.open(root, { strategy });
    write(root, { 'd.txt': '1' });
    await daemon.call('checkpoint/create', { session, kind: 'turn' });
    rmSync(join(root, 'b'), { recursive: true });
    await daemon.call('checkpoint/create', { session, kind: 'tool' });
    const sized = async (withSizes?: boolean): Promise<unknown> => {
      const asked = withSizes === undefined ? {} : { withSizes };
      const { checkpoints } = await daemon.call('checkpoint/list', { session, ...asked });
      return checkpoints.map(({ tag, fileCount, totalSize }) => [tag, fileCount, totalSize]);
    };
    const expected = [
      ['0', 2, 15],
      ['1', 3, 16],
      ['1.1', 2, 6],
    ];
    assert.equal(await sized(true), expected);
    assert.equal(await sized(true), expected, 'asked again');
    const bare = expected.map(([tag]) => [tag, undefined, undefined]);
    assert.equal(await sized(), bare);
    assert.equal(await sized(false), bare);
    await daemon.close();
  });
}

test.run();
