// A restore that stops before any change leaves no file behind, or reports each file that it may have left.
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckpointdError } from '../../src/base/errors.ts';
import { installFault } from '../../src/base/seam.ts';
import { type SessionRig, withSessions } from '../support/session-rig.ts';

process.umask(0o022);

const failed = (code: string): Error => Object.assign(new Error(code), { code });
const leftIn = (rig: SessionRig): string[] =>
  readdirSync(rig.work).filter((name) => name.startsWith('.ckpt-tmp-'));

for (const [often, times, effects] of [
  ['once', 1, 'none'],
  ['again and again', 1000, 'unknown'],
] as const)
  test(`if writing a temporary file fails, and removing it fails ${often}, the daemon removes the file later`, () =>
    withSessions(async (rig) => {
      rig.write('a', 'one\n');
      const { id: session } = await rig.open();
      rig.write('a', 'two\n');
      chmodSync(join(rig.work, 'a'), 0o666); // with this umask, the restore has to set the mode of the new file
      await rig.request('checkpoint/create', { session, kind: 'turn' });
      let refusals = 0;
      installFault((call, target) => {
        if (call === 'fchmod' || call === 'chmod') throw failed('EIO');
        if (call === 'unlink' && target.includes('.ckpt-tmp-') && (refusals += 1) <= times)
          throw failed('EIO');
      });
      const error = await rig
        .request('checkpoint/restore', { session, tag: '0', mode: 'hard' })
        .catch((thrown: unknown) => thrown)
        .finally(() => installFault(undefined));
      assert.ok(refusals > 0);
      assert.is((error as CheckpointdError).kind, 'RestoreFailed');
      assert.is((error as CheckpointdError).effects, effects);
      assert.is(leftIn(rig).length, effects === 'none' ? 0 : 1);
      await rig.request('checkpoint/create', { session, kind: 'turn' });
      assert.equal(leftIn(rig), []);
    }));

test('a finished restore reports temporary files that it could not remove, and the next change removes these files', () =>
  withSessions(async (rig) => {
    rig.write('a', 'one\n');
    rig.write('new', 'one\n');
    const { id: session } = await rig.open();
    rig.write('a', 'two\n');
    // A new file first gets its final name as a second name. Then the restore removes the temporary name.
    rmSync(join(rig.work, 'new'));
    installFault((call, target) => {
      if (call === 'unlink' && target.includes('.ckpt-tmp-')) throw failed('EACCES');
    });
    const asked = { session, tag: '0', mode: 'hard' } as const;
    const restored = await rig.request('checkpoint/restore', asked).finally(() => installFault(undefined));
    const left = leftIn(rig);
    assert.ok(left.length > 0);
    const warning = (restored.warnings ?? []).join();
    for (const name of left) assert.match(warning, JSON.stringify(name));
    rig.write('a', 'of the user\n');
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    assert.equal(leftIn(rig), []);
    assert.is(readFileSync(join(rig.work, 'a'), 'utf8'), 'of the user\n');
  }));

test.run();
