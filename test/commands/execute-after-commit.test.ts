// Runs a sample of execute-after-commit.long.ts: one method of each kind, with strategy shadow.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { installFault } from '../../src/base/seam.ts';
import { withSessions } from '../support/session-rig.ts';
import { FaultSweep } from './execute-after-commit.ts';
import { changes } from './execute-changes.ts';

for (const name of [
  'create',
  'restore',
  'revert',
  'delete',
  'append',
  'addContext',
  'recordWrite',
] as const) {
  test(`${name}: a failing call after the commit causes only a warning, and repeating the request changes nothing`, () =>
    withSessions(async (rig) => {
      const change = changes[name];
      assert.ok(change);
      await new FaultSweep(rig, change, 'shadow').run({ callsMax: 12 });
    }));
}

test('if the disk is full after a checkpoint was published, the answer only warns, and a repeated request makes no second checkpoint', () =>
  withSessions(async (rig) => {
    rig.write('a.txt', 'one\n');
    const { session } = await rig.request('session/open', { workspace: rig.work, retention: 'keep' });
    rig.write('a.txt', 'two\n');
    // The session's log is written through a descriptor, so the target is a number.
    installFault((call, target) => {
      if (call === 'write' && /^\d+$/.test(target))
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    const asked = { session, kind: 'turn', idempotencyKey: 'k' } as const;
    const made = await rig.request('checkpoint/create', asked).finally(() => installFault(undefined));
    assert.match(made.warnings?.join('\n') ?? '', /could not record who changed which file.*disk is full/s);
    assert.ok(
      made.warnings?.every((warning) => rig.logged.includes(`warn ${warning}`)),
      'told by window/logMessage',
    );
    const again = await rig.request('checkpoint/create', asked);
    assert.equal(again, { ...made, replayed: true });
    const { checkpoints } = await rig.request('checkpoint/list', { session });
    assert.equal(
      checkpoints.map(({ tag }) => tag),
      ['0', '1'],
    );
  }));

test('if a session’s directory cannot be removed, the close succeeds with a warning; a repeated request gets the same answer', () =>
  withSessions(async (rig) => {
    const { session } = await rig.request('session/open', { workspace: rig.work, retention: 'session' });
    installFault((call, target) => {
      if (call === 'rename' && target.endsWith(session))
        throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
    });
    const asked = { session, idempotencyKey: 'k' };
    const closed = await rig.request('session/close', asked).finally(() => installFault(undefined));
    assert.is(closed.removed, false);
    assert.match(
      closed.warnings?.join('\n') ?? '',
      /is closed, but some of its data could not be removed.*EBUSY/s,
    );
    assert.equal(await rig.request('session/close', asked), { ...closed, replayed: true });
  }));

test.run();
