// Tests a conversation and its log: reading the log back, the newest record after reopening, the content of a record,
// refused records, and freed states.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { toDocument } from '../../src/conversation/document/conversation-json.ts';
import { refusedAs } from '../support/failures.ts';
import { answered, contents, reopened, room, said } from './room.ts';

test('a conversation that is read back from its log has every field except agents (C8, C10, C36)', () => {
  const here = room();
  const { conversation, clock } = here;
  conversation.settings.setTools({ Builtin: [{ name: 'fs_read' }], 'mcp:git': [{ name: 'log' }] });
  conversation.settings.setModel({ modelId: 'm', contextWindowTokens: 1000, features: ['x'] });
  conversation.settings.setMcpEnabled(false);
  conversation.context.add(['README.md', 'docs/*.md']);
  conversation.settings.setRuntime({ agents: { a: 1 }, toolManager: {} });
  conversation.append(said('one'));
  conversation.append(answered('t'));
  conversation.compact({ summary: 'so far', metadata: { message_id: 'm' }, keep: 1 });
  conversation.recordLines({ path: 'a.ts', operation: 'create', before: 0, after: 7 });
  conversation.tangents.enter();
  clock.ms += 3000;
  conversation.append(said('aside'));
  conversation.appendTranscript('an error\nin two lines');
  conversation.setNextMessage({ content: 'next' }, { lock: true });
  const again = reopened(here);
  assert.is(again.head, conversation.head);
  assert.equal(toDocument(again.state), toDocument(conversation.state));
  assert.equal(again.settings.runtime, {});
  for (const method of ['pendingUserMessage', 'messageLocked'] as const) {
    assert.is(again.state[method], conversation.state[method]);
  }
});

test('the reopened conversation continues at the newest record that descends from the published record', () => {
  const here = room();
  const { conversation, log } = here;
  conversation.append(said('1'));
  const ref = conversation.head;
  conversation.append(said('2'));
  conversation.rewind(ref);
  const published = log.length;
  log.append({ kind: 'ledger' });
  let again = reopened(here);
  again.restoreHead(ref, published);
  assert.equal(contents(again), ['1']);
  conversation.append(said('3'));
  conversation.append(said('4'));
  again = reopened(here);
  again.restoreHead(ref, published);
  assert.equal(contents(again), ['1', '3', '4']);
  again = reopened(here);
  assert.throws(() => again.restoreHead(99, 0), refusedAs('DataCorrupt'));
});

test('if a rewind undid a record before the publication, the reopened conversation does not have this record', () => {
  const here = room();
  const { conversation, log } = here;
  conversation.append(said('1'));
  const ref = conversation.head;
  conversation.append(said('undone'));
  conversation.rewind(ref);
  const again = reopened(here);
  again.restoreHead(ref, log.length);
  assert.equal(contents(again), ['1']);
});

test('if a later branch does not descend from the published state, the reopened conversation does not have this branch', () => {
  const here = room();
  const { conversation, log } = here;
  conversation.append(said('1'));
  const published = { ref: conversation.head, logLength: log.length };
  conversation.append(said('2'));
  conversation.rewind(0);
  conversation.append(said('never published'));
  const again = reopened(here);
  again.restoreHead(published.ref, published.logLength);
  assert.equal(contents(again), ['1', '2']);
});

test('if the log refuses a record, the conversation stays unchanged, and the next append succeeds', () => {
  const { conversation, log } = room();
  conversation.append(said('1'));
  const { head } = conversation;
  const append = log.append.bind(log);
  log.append = () => {
    throw new CheckpointdError('NoSpace', 'full');
  };
  assert.throws(() => conversation.append(said('lost')), refusedAs('NoSpace'));
  assert.is(conversation.head, head);
  assert.equal(contents(conversation), ['1']);
  log.append = append;
  conversation.append(said('2'));
  assert.equal(contents(conversation), ['1', '2']);
});

test('the log record of a change contains the client’s key and the result', () => {
  const { conversation, log } = room();
  const result = conversation.append(said('1'), { key: 'k', fingerprint: 'f' });
  assert.equal((log.records[0] as { idempotency?: unknown }).idempotency, {
    key: 'k',
    fingerprint: 'f',
    result,
  });
});

test.run();
