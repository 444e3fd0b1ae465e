// What the settings of the user's repository include is read by nobody: a FIFO there holds up nothing.
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withSessions } from '../../support/session-rig.ts';

test('a FIFO as included configuration of the user’s repository holds up no opening, create or restore', () =>
  withSessions(async (rig) => {
    execFileSync('mkfifo', [join(rig.work, '.git/included')]);
    appendFileSync(join(rig.work, '.git/config'), '[include]\n\tpath = included\n');
    rig.write('a', 'one\n');
    const opened = await rig.request('session/open', {
      workspace: rig.work,
      strategy: 'local',
      conversationId: 'c',
    });
    assert.ok(opened.checkpoints.enabled);
    const { session } = opened;
    rig.write('a', 'two\n');
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    await rig.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
    assert.is(rig.read('a'), 'one\n');
  }));

test.run();
