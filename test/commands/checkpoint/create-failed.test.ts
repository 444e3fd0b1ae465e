// A create that fails has taken nothing: the message that waits for the turn waits on.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withSessions } from '../../support/session-rig.ts';

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

test.run();
