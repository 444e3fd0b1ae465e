// Tests the time at which a session starts its watcher, and the content of the watcher's event.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WorktreeDidChangeParams } from '../../src/protocol/types.ts';
import { startWatching } from '../../src/session/watching.ts';
import { opened } from '../support/in-process-daemon.ts';
import { withSessions } from '../support/session-rig.ts';
import { until } from '../support/until.ts';

const test = suite('watching');

test('reopening a session scans its work tree before the first capture', () =>
  withSessions(async (rig) => {
    rig.settings.retention = 'keep';
    rig.write('a.txt', 'a');
    const { id } = await rig.open();
    await rig.sessions.close(id);
    const session = await rig.open();
    const capture = session.requireCheckpoints().capture;
    await until('the tree is watched', () => capture.isWatched);
    rig.write('a.txt', 'b');
    const made = await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    assert.is(made.capture?.path, 'fast');
    // If the directory handles became available before checkpoints were enabled, there is no later event about them.
    // Therefore the session must ask.
    let asked = 0;
    capture.scanSoon = () => (asked += 1);
    startWatching(session);
    assert.is(asked, 1);
  }));

test('if the watcher has lost reports, the event for changed files says so', async () => {
  const { daemon, root, session } = await opened();
  const isLive = async (): Promise<boolean> =>
    (await daemon.call('worktree/status', { session })).state === 'live';
  await until('the watch is live', isLive);
  // This loop blocks the daemon. Meanwhile the daemon's watcher can collect only a few thousand events.
  for (let number = 0; number < 12_000; number += 1) symlinkSync('nowhere', join(root, `link-${number}`));
  const lost = (): unknown =>
    daemon.told.find(
      ({ method, params }) =>
        method === 'worktree/didChange' && (params as WorktreeDidChangeParams).overflowed === true,
    )?.params;
  await until('the loss is reported', () => lost() !== undefined);
  const { more, paths } = lost() as WorktreeDidChangeParams;
  assert.equal([more, paths], [true, []]);
  await daemon.close();
});

test.run();
