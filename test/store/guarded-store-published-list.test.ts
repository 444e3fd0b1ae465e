// Tests a list of published checkpoints that can be neither written nor removed. On every strategy a checkpoint can
// still be made, and the session continues.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { InProcessDaemon, repository, write } from '../support/in-process-daemon.ts';

async function unwritable<T>(work: () => Promise<T>): Promise<T> {
  installFault((call, target) => {
    if (!target.endsWith('/published.log') || call === 'readFile') return;
    throw Object.assign(new Error(`EPERM: ${call}`), { code: 'EPERM' });
  });
  try {
    return await work();
  } finally {
    installFault(undefined);
  }
}

for (const strategy of ['shadow', 'local', 'sqlite'] as const)
  test(`${strategy}: checkpoints can be made even if the list of published checkpoints cannot be written`, async () => {
    const daemon = new InProcessDaemon();
    try {
      const root = repository();
      const open = { strategy, conversationId: 'c', retention: 'keep' } as const;
      const { session } = await daemon.open(root, open);
      const create = (): Promise<unknown> => daemon.call('checkpoint/create', { session, kind: 'turn' });
      const tags = async (): Promise<unknown[]> => {
        const { checkpoints } = await daemon.call('checkpoint/list', { session });
        return checkpoints.map(({ tag }: { readonly tag?: string | undefined }) => tag);
      };
      write(root, { 'a.txt': 'one\n' });
      await unwritable(create);
      // The deletion of a checkpoint must change the list, because otherwise the deleted checkpoint would count as
      // lost.
      const removal = (): Promise<unknown> => daemon.call('checkpoint/delete', { session, tag: '1' });
      assert.match(String(await unwritable(() => removal().catch(String))), 'EPERM');
      await create();
      assert.equal(await tags(), ['0', '1', '2']);
      const { checkpoints } = await daemon.call('checkpoint/list', { session });
      const list = readFileSync(join(daemon.storage, session, 'checkpointd/published.log'), 'utf8');
      for (const { id } of checkpoints) assert.match(list, `+${id} `, 'the next line brings what is missing');

      await daemon.call('session/close', { session });
      await daemon.open(root, open);
      assert.equal(await tags(), ['0', '1', '2']);
      const { problems } = await daemon.call('store/verify', { session });
      assert.equal(problems, []);
      await daemon.call('checkpoint/restore', { session, tag: '1', mode: 'hard' });
    } finally {
      await daemon.close();
    }
  });

test.run();
