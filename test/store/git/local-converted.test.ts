// While a session of strategy local is closed, the user converts the repository to another format.
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../../support/failures.ts';
import { git } from '../../support/git-oracle.ts';
import { type SessionRig, withSessions } from '../../support/session-rig.ts';
import { keptLocal, openLocal } from '../../support/stores/kept-local.ts';

/** Converts the repository. Returns a function that converts the repository back. */
const conversions: readonly (readonly [string, RegExp, (rig: SessionRig) => () => void])[] = [
  [
    'reftable',
    /reftable.*2 checkpoints.*git refs migrate --ref-format=files/s,
    (rig) => {
      const config = join(rig.work, '.git/config');
      const before = readFileSync(config, 'utf8');
      appendFileSync(config, '[extensions]\n\trefStorage = reftable\n');
      return () => writeFileSync(config, before);
    },
  ],
  [
    'SHA-256',
    /SHA-256.*2 checkpoints.*Put back the repository/s,
    (rig) => {
      renameSync(join(rig.work, '.git'), join(rig.top, 'before'));
      git(rig.work, 'init', '-q', '--object-format=sha256');
      return () => {
        rmSync(join(rig.work, '.git'), { recursive: true });
        renameSync(join(rig.top, 'before'), join(rig.work, '.git'));
      };
    },
  ],
];

for (const [format, said, convert] of conversions)
  test(`if the repository became ${format}, a session opens without checkpoints until the old repository is back`, () =>
    withSessions(async (rig) => {
      const session = await keptLocal(rig);
      const back = convert(rig);
      const config = readFileSync(join(rig.work, '.git/config'), 'utf8');
      const { resumed, checkpoints } = await openLocal(rig);
      assert.equal([resumed, checkpoints.enabled, checkpoints.reason], [true, false, 'RepositoryUnusable']);
      assert.match(checkpoints.message ?? '', said);
      assert.is((await rig.request('conversation/get', { session })).historyLength, 1);
      for (const request of [
        rig.request('checkpoint/create', { session, kind: 'turn' }),
        rig.request('session/delete', { session }),
      ]) {
        const error = await failure(request);
        assert.match(error.message, said);
        assert.is(error.effects, 'none');
      }
      assert.is(readFileSync(join(rig.work, '.git/config'), 'utf8'), config, 'nothing was touched');
      back();
      assert.ok((await rig.request('checkpoint/init', { session })).checkpoints.enabled);
      await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
      assert.is(rig.read('a'), 'one\n');
    }));

test.run();
