// On a full disk, a request fails with NoSpace and changes nothing. When there is space again, everything works.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withRig } from '../../support/daemon-rig.ts';
import { git } from '../../support/git-oracle.ts';
import { failureOf } from '../../support/wire-client.ts';

/** Fills the disk that contains the file. */
function fill(file: string): void {
  for (const size of [1 << 16, 1 << 10, 1]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

for (const strategy of ['shadow', 'local'] as const)
  test(`${strategy}: on a full disk, every request succeeds, or fails with NoSpace and changes nothing`, () =>
    withRig(async (rig) => {
      const disk = strategy === 'local' ? rig.work : rig.storage;
      mkdirSync(disk, { recursive: true });
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,mode=700', 'tmpfs', disk]).status !== 0) {
        console.log('skipped: mounting a small file system needs privileges');
        return;
      }
      try {
        if (strategy === 'local') git(rig.work, 'init', '-q', '-b', 'main');
        rig.write('a.txt', 'one\n');
        const { client, session } = await rig.opened({ strategy, retention: 'keep' });
        await client.request('checkpoint/create', { session, kind: 'turn' });
        rig.write('a.txt', 'two\n');
        const filling = join(strategy === 'local' ? join(rig.work, '.git') : rig.storage, 'fill');
        fill(filling);
        const list = async (): Promise<string> =>
          JSON.stringify(await client.request('checkpoint/list', { session, kind: 'every' }));
        for (const [method, params] of [
          ['checkpoint/rename', { tag: '1', name: 'given' }],
          ['checkpoint/create', { kind: 'turn' }],
          ['checkpoint/restore', { tag: '0', mode: 'hard' }],
        ] as const) {
          const before = await list();
          const failed = await failureOf(client.send(method, { session, ...params }).answer);
          assert.equal(
            [failed.kind, failed.data?.effects],
            ['NoSpace', 'none'],
            `${method}: ${failed.message}`,
          );
          assert.is(await list(), before, method);
        }
        rmSync(filling);
        const { checkpoint } = await client.request('checkpoint/create', { session, kind: 'turn' });
        assert.is(checkpoint.tag, '2');
        assert.ok((await client.request('store/verify', { session })).ok);
        await client.close();
      } finally {
        spawnSync('umount', ['-l', disk]);
      }
    }));

test.run();
