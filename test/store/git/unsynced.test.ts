// A git store syncs its objects in the pauses between requests. Therefore a later restore has little to sync.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../../src/base/seam.ts';
import { withSessions } from '../../support/session-rig.ts';
import { until } from '../../support/until.ts';

const test = suite('unsynced files');
const turn = { kind: 'turn' } as const;

test('after twenty checkpoints and a pause, a restore syncs only its own files', () =>
  withSessions(async (rig) => {
    let synced = 0;
    let lastMs = 0;
    installFault((call) => {
      if (call !== 'fsync') return;
      synced += 1;
      lastMs = performance.now();
    });
    try {
      const params = { workspace: rig.work, conversationId: 'c', retention: 'keep' } as const;
      const { session } = await rig.request('session/open', params);
      for (let i = 1; i <= 20; i += 1) {
        rig.write('f', `edit ${i}`);
        await rig.request('checkpoint/create', { session, ...turn });
      }
      assert.ok(synced < 20, `while checkpoints follow each other nothing waits for the disk: ${synced}`);
      const isQuiet = (): boolean => performance.now() - lastMs > 300;
      await until('the objects and refs of all checkpoints are synced', () => synced > 80 && isQuiet());
      const before = synced;
      await rig.request('checkpoint/restore', { session, tag: '1', mode: 'hard' });
      assert.ok(
        synced - before < 40,
        `the restore called fsync ${synced - before} times, ${before} were called before`,
      );
    } finally {
      installFault(undefined);
    }
  }));

test.run();
