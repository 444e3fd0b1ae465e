// A create that fails has taken nothing: the message that waits for the turn waits on.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import { installFault } from '../../src/base/seam.ts';
import { toWireError } from '../../src/rpc/error-response.ts';
import { breakAt } from '../support/interrupted-restore.ts';
import { withSessions } from '../support/session-rig.ts';

test('a create that cannot publish leaves the message of the turn to the next one, also after a restart', () =>
  withSessions(async (rig) => {
    rig.settings = { retention: 'keep' };
    const session = await rig.open();
    const { id } = session;
    await rig.request('conversation/setNextMessage', {
      session: id,
      message: { content: 'tidy up the parser' },
      lock: true,
    });
    const { conversation } = session.parts;
    assert.is(conversation.state.pendingUserMessage, 'tidy up the parser');
    rig.write('a', 'one\n');
    const { store } = session.requireCheckpoints();
    const publish = store.publish.bind(store);
    store.publish = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
    let failure: unknown;
    try {
      await rig.request('checkpoint/create', { session: id, kind: 'turn' });
    } catch (error) {
      failure = error;
    }
    store.publish = publish;
    assert.ok(failure instanceof Error, 'it failed');
    assert.is(conversation.state.pendingUserMessage, 'tidy up the parser');
    assert.ok(conversation.state.messageLocked);
    await rig.sessions.close(id, 'abrupt');
    const again = await rig.open();
    assert.is(again.parts.conversation.state.pendingUserMessage, 'tidy up the parser');
    const { checkpoint } = await rig.request('checkpoint/create', { session: id, kind: 'turn' });
    assert.is(checkpoint.description, 'tidy up the parser');
    assert.is(again.parts.conversation.state.pendingUserMessage, undefined);
  }));

test('a create on a full disk says to free space, and a restore that stops says how to go on (Q40)', () =>
  withSessions(async (rig) => {
    const { id: session } = await rig.open();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) rig.write(name, 'one\n');
    await rig.request('checkpoint/create', { session, kind: 'turn' });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) rig.write(name, 'two\n');
    installFault((_, target) => {
      if (target.includes('/objects/')) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    const full = await failed(rig.request('checkpoint/create', { session, kind: 'turn' }));
    assert.is(full.kind, 'NoSpace');
    assert.match(full.message, /[Ff]ree some space/);
    installFault(breakAt(5));
    const stopped = await failed(rig.request('checkpoint/restore', { session, tag: '1', mode: 'hard' }));
    assert.is(stopped.kind, 'RestoreFailed');
    assert.match(stopped.message, /next (change|request)|work tree/);
  }));

/** Returns the failure as a client gets it. */
async function failed(
  request: Promise<unknown>,
): Promise<{ readonly kind: string; readonly message: string }> {
  try {
    await request;
  } catch (error) {
    const { message, data } = toWireError(error, { method: 'm', mutates: true, log: silentLog });
    return { kind: data.kind, message };
  } finally {
    installFault(undefined);
  }
  throw new Error('it did not fail');
}

test.run();
