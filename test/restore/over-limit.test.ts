// Resumes a session with a smaller size limit for files. Files that a restore wrote still count as restored.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionLimits } from '../../src/protocol/types.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

const large = 'larger than the limit of later\n';

async function open(rig: SessionRig, limits: SessionLimits): Promise<string> {
  const asked = { workspace: rig.work, conversationId: 'c', retention: 'keep' } as const;
  return (await rig.request('session/open', { ...asked, limits })).session;
}

/**
 * Makes a session with a large file in checkpoint 0 and with checkpoint 1 as the current checkpoint. Opens this session
 * with a smaller limit.
 */
async function resumed(rig: SessionRig, change: () => void): Promise<string> {
  rig.write('large', large);
  rig.write('k', '0\n');
  const session = await open(rig, {});
  change();
  rig.write('k', '1\n');
  await rig.request('checkpoint/create', { session, kind: 'turn' });
  await rig.request('session/close', { session });
  return open(rig, { maxFileBytes: 10 });
}

const paths = (list: readonly { readonly path: string }[]): string[] => list.map(({ path }) => path);

for (const mode of ['soft', 'hard'] as const) {
  test(`${mode}: undo removes a restored file over the size limit, and redo restores it`, () =>
    withSessions(async (rig) => {
      const session = await resumed(rig, () => rmSync(join(rig.work, 'large')));
      assert.equal(paths((await rig.request('checkpoint/restore', { session, tag: '0', mode })).restored), [
        'k',
        'large',
      ]);
      const undone = await rig.request('checkpoint/undo', { session, mode });
      assert.equal([paths(undone.deleted), undone.failed], [['large'], []]);
      assert.not(existsSync(join(rig.work, 'large')));
      await rig.request('checkpoint/redo', { session, mode });
      assert.is(rig.read('large'), large);
    }));

  test(`${mode}: if a restore replaced a small file by a file over the size limit, undo restores the small file`, () =>
    withSessions(async (rig) => {
      const session = await resumed(rig, () => rig.write('large', 'small\n'));
      await rig.request('checkpoint/restore', { session, tag: '0', mode });
      assert.is(rig.read('large'), large);
      const undone = await rig.request('checkpoint/undo', { session, mode });
      assert.equal([paths(undone.restored), undone.failed], [['k', 'large'], []]);
      assert.is(rig.read('large'), 'small\n');
    }));

  test(`${mode}: undo keeps and reports a file over the size limit that was written after the restore`, () =>
    withSessions(async (rig) => {
      const session = await resumed(rig, () => rmSync(join(rig.work, 'large')));
      await rig.request('checkpoint/restore', { session, tag: '0', mode });
      rig.write('large', `${large}and more of the user's\n`);
      const undone = await rig.request('checkpoint/undo', { session, mode });
      assert.equal([undone.deleted, undone.failed], [[], [{ path: 'large', reason: 'unsaved' }]]);
      assert.is(rig.read('large'), `${large}and more of the user's\n`);
    }));
}

test.run();
