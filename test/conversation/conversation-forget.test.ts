// Tests how a conversation forgets messages: which are removed, which stay, and which answer the client gets.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Conversation } from '../../src/conversation/conversation.ts';
import { contents, MemoryLog } from './room.ts';

const asked = (content: string): { user: object; assistant: object } => ({
  user: { content },
  assistant: { content: 'ok', toolUses: [{ id: 't', name: 'grep' }] },
});
const answering = {
  user: { content: '', toolResults: [{ toolUseId: 't' }] },
  assistant: { content: 'more' },
};

function talked(...entries: { user: object; assistant: object }[]): Conversation {
  const conversation = new Conversation('c', new MemoryLog());
  for (const entry of entries) conversation.append(entry);
  return conversation;
}

test('forgetting a message also removes the tool results and answers that followed it (C22)', () => {
  const conversation = talked(asked('one'), answering, asked('two'), answering, answering);
  const { forgotten, historyLength, validHistoryRange, warnings } = conversation.forget(1);
  assert.equal(forgotten, { messages: 1, entries: 3 });
  assert.equal([historyLength, validHistoryRange, warnings], [2, { start: 0, end: 2 }, []]);
  assert.equal(contents(conversation), ['one', '']);
});

test('a request to forget more messages than exist removes all messages (C22)', () => {
  const conversation = talked(asked('one'), asked('two'));
  assert.equal(conversation.forget(9).forgotten, { messages: 2, entries: 2 });
  assert.equal(conversation.forget(1).forgotten, { messages: 0, entries: 0 });
});

test('forgetting keeps the transcript, and removes the pending message only if this message answers a forgotten tool (C22)', () => {
  const conversation = talked(asked('one'), asked('two'));
  const { length } = conversation.state.transcript;
  conversation.setNextMessage({ content: 'three' });
  conversation.forget(1);
  assert.is(conversation.state.transcript.length, length);
  assert.is(conversation.state.nextMessage?.content, 'three');
  conversation.setNextMessage({ content: '', toolResults: [{ toolUseId: 't' }] });
  conversation.forget(1);
  assert.is(conversation.state.nextMessage, undefined);
});

test('a summary that mentions removed messages stays, with a warning (C22, C34)', () => {
  const conversation = talked(asked('one'), asked('two'), asked('three'));
  conversation.compact({ summary: 'one and two', keep: 1 });
  assert.equal(conversation.forget(1).warnings, [], 'three is in no summary');
  const { warnings, validHistoryRange } = conversation.forget(1);
  assert.match(warnings.join(), /summary.*removed messages/);
  assert.equal(validHistoryRange, { start: 1, end: 1 });
  assert.is(conversation.state.latestSummary?.text, 'one and two');
});

test('the end of a tangent restores the whole main conversation, whatever was forgotten during the tangent (C18, C22)', () => {
  const conversation = talked(asked('one'), asked('two'));
  conversation.tangents.enter();
  conversation.append(asked('aside'));
  assert.is(conversation.tangents.status().added, 1);
  conversation.forget(2);
  assert.equal([contents(conversation), conversation.tangents.status().added], [['one'], 0]);
  conversation.append(asked('another aside'));
  assert.is(conversation.tangents.status().added, 1, 'told by what it is, not by lengths');
  conversation.tangents.exit();
  assert.equal(contents(conversation), ['one', 'two']);
  assert.is(conversation.tangents.status().added, undefined);
});

test.run();
