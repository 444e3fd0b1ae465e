// A hard restore saves each path before it deletes the path. A restore keeps each path that it cannot read, and lists
// the path in the answer.
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import type { RestoreResult } from '../../src/protocol/types.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

/** Makes a hard restore of the first checkpoint. Every call of the given kind on the given path fails. */
async function restoreWith(
  rig: SessionRig,
  session: string,
  [failing, code]: readonly [call: string, code: string],
  more: { readonly mode?: 'soft' | 'hard'; readonly dryRun?: boolean } = {},
): Promise<RestoreResult> {
  installFault((call, target) => {
    if (call === failing && target.endsWith('/later/made'))
      throw Object.assign(new Error(`${code}: injected`), { code });
  });
  try {
    return await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard', ...more });
  } finally {
    installFault(undefined);
  }
}

const failures = ({ failed }: RestoreResult): string[] =>
  failed.map(({ path, reason }) => `${path} ${reason}`);

for (const call of [
  ['open', 'EIO'],
  ['open', 'EACCES'],
  ['lstat', 'EIO'],
] as const)
  test(`a restore keeps a file that cannot be read (${call.join(' ')}), and reports it as failed`, () =>
    withSessions(async (rig) => {
      rig.write('kept', 'kept\n');
      const { id: session } = await rig.open();
      rig.write('later/made', 'made\n');
      rig.write('later/other', 'other\n');
      await rig.request('checkpoint/create', { session, kind: 'turn' });
      // The restore reads only changed paths, because all other paths have been saved already.
      rig.write('later/other', 'changed\n');
      const foreseen = await restoreWith(rig, session, call, { dryRun: true });
      const done = await restoreWith(rig, session, call);
      assert.is(rig.read('later/made'), 'made\n');
      const told = failures(done);
      assert.ok(
        told.some((each) => /^later(\/made)? unsaved$/.test(each)),
        told.join(),
      );
      assert.equal(failures(foreseen), told, 'the dry run foretells it');
      const again = await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
      assert.equal(failures(again), []);
    }));

test('a soft restore does not report an unreadable file that it would not delete', () =>
  withSessions(async (rig) => {
    const { id: session } = await rig.open();
    rig.write('later/made', 'made\n');
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    assert.equal(failures(await restoreWith(rig, session, ['open', 'EIO'], { mode: 'soft' })), []);
  }));

test('a hard restore restores the permission bits of a directory even if nothing else differs', () =>
  withSessions(async (rig) => {
    rig.write('shut/same.txt', 'same');
    const { session } = await rig.request('session/open', { workspace: rig.work });
    const bits = (): number => statSync(join(rig.work, 'shut')).mode & 0o777;
    const usual = bits();
    chmodSync(join(rig.work, 'shut'), 0o700);
    await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.is(bits(), usual);
    await rig.request('checkpoint/undo', { session });
    assert.is(bits(), 0o700);
  }));

test.run();
