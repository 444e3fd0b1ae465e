// Tests the message that the user will send next, and how a checkpoint uses up this message.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { consumed } from './consumed.ts';
import { reopened, room, said } from './room.ts';

test('an empty next message becomes "Empty prompt" with a warning, and a later message replaces it (C37)', () => {
  const { conversation } = room();
  const { warnings } = conversation.setNextMessage('');
  assert.is(warnings.length, 1);
  assert.is(conversation.state.nextMessage?.content, 'Empty prompt');
  assert.equal(conversation.setNextMessage({ content: 'real' }).warnings, []);
  assert.is(conversation.state.nextMessage?.content, 'real');
  assert.equal(conversation.setNextMessage({ toolResults: [{ toolUseId: 't' }] }).warnings, []);
  conversation.append(said('real'));
  assert.is(conversation.state.nextMessage, undefined);
});

test('a pending message stays until a checkpoint with this message is published, even if the daemon is killed (F85)', () => {
  const here = room();
  const { conversation, log } = here;
  conversation.append(said('first'));
  conversation.setNextMessage('do it', { lock: true });
  const before = { head: conversation.head, length: log.length };
  const taken = conversation.proposeConsumed();
  assert.is(taken?.message, 'do it');
  assert.is(conversation.state.pendingUserMessage, 'do it', 'not published yet');
  let again = reopened(here);
  again.restoreHead(before.head, before.length);
  assert.equal([again.state.pendingUserMessage, again.state.messageLocked], ['do it', true]);
  again = reopened(here);
  again.restoreHead(taken?.head ?? 0, log.length);
  assert.equal([again.state.pendingUserMessage, again.state.messageLocked], [undefined, false]);
  assert.is(again.state.history.length, 1);
});

test('each pending message is used once, and a later message does not replace a locked message (Q23)', () => {
  const { conversation, log } = room();
  assert.equal(conversation.setNextMessage('do it', { lock: true }), {
    accepted: true,
    messageLocked: true,
    warnings: [],
    pendingUserMessage: 'do it',
  });
  assert.is(conversation.setNextMessage('y').accepted, false);
  assert.is(conversation.state.nextMessage?.content, 'y');
  assert.is(consumed(conversation), 'do it');
  assert.is(conversation.state.messageLocked, false);
  const { length } = log;
  assert.is(consumed(conversation), undefined);
  assert.is(log.length, length);
  conversation.setNextMessage('again');
  conversation.setNextMessage(undefined);
  assert.is(conversation.state.nextMessage, undefined);
  assert.is(conversation.state.pendingUserMessage, undefined);
  conversation.setNextMessage('again');
  assert.is(consumed(conversation), 'again');
});

test.run();
