// What a session watches, from its opening on.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWatching } from '../../src/session/watching.ts';
import { withSessions } from '../support/session-rig.ts';
import { until } from '../support/until.ts';

const test = suite('watching');

test('a session that is opened again holds its tree before anything is captured', () =>
  withSessions(async (rig) => {
    rig.settings.retention = 'keep';
    rig.write('a.txt', 'a');
    const { id } = await rig.open();
    await rig.sessions.close(id);
    const session = await rig.open();
    const capture = session.requireCheckpoints().capture;
    await until('the tree is held', () => capture.isHeld);
    rig.write('a.txt', 'b');
    const made = await rig.request('checkpoint/create', { session: session.id, kind: 'turn' });
    assert.is(made.capture?.path, 'fast');
    // Directories may have been holdable before there were checkpoints, and are not told again.
    let asked = 0;
    capture.scanSoon = () => (asked += 1);
    startWatching(session);
    assert.is(asked, 1);
  }));

test.run();
