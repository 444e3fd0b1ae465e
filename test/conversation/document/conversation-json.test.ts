// Exports a conversation as a document, checks the fields, and imports the document again.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Conversation } from '../../../src/conversation/conversation.ts';
import { documentText, toDocument } from '../../../src/conversation/document/conversation-json.ts';
import { MemoryLog, said } from '../room.ts';
import { full } from './full-conversation.ts';

const extras = { checkpointManager: { session: 'ses_1', strategy: 'shadow' }, contextMessageLength: 42 };

test('an exported document has exactly the specified fields, and no run-time data (C1, C35)', () => {
  const document = toDocument(full().state, extras);
  assert.equal(
    Object.keys(JSON.parse(JSON.stringify(document)) as object).sort(),
    [
      'format_version',
      'conversation_id',
      'next_message',
      'history',
      'valid_history_range',
      'transcript',
      'tools',
      'context_manager',
      'context_message_length',
      'latest_summary',
      'model_info',
      'file_line_tracker',
      'checkpoint_manager',
      'mcp_enabled',
      'tangent_state',
      'pending_user_message',
      'message_locked',
    ].sort(),
  );
  assert.equal(Object.keys(document.history[0] ?? {}), ['id', 'user', 'assistant', 'request_metadata']);
  assert.equal(document.history[0]?.request_metadata, { request_id: 'r', time_to_first_chunk: 2.5, own: 1 });
  assert.equal(document.valid_history_range, [3, 3]);
  assert.equal(document.latest_summary, ['aside', {}]);
  assert.equal(document.context_manager, {
    max_context_files_size: 750,
    paths: ['README.md', 'docs/**/*.md'],
  });
  assert.equal(document.model_info, {
    model_id: 'm',
    model_name: 'M',
    context_window_tokens: 1000,
    token_limits: { out: 5 },
  });
});

test('an export omits absent optional fields, and does not write null (C35)', () => {
  const document = toDocument(new Conversation('c', new MemoryLog()).state);
  assert.equal(JSON.parse(JSON.stringify(document)), {
    format_version: 1,
    conversation_id: 'c',
    history: [],
    valid_history_range: [0, 0],
    transcript: [],
    tools: {},
    context_manager: { max_context_files_size: 150_000, paths: [] },
    file_line_tracker: {},
    mcp_enabled: true,
  });
});

test('the document of a tangent has the five specified fields, and its time is in UTC (C5)', () => {
  const tangent = toDocument(full().state).tangent_state;
  assert.ok(tangent);
  assert.equal(
    tangent.main_history.map((entry) => entry.user.content),
    ['one', undefined],
  );
  assert.equal(tangent.main_next_message, { content: 'main next' });
  assert.equal(tangent.main_latest_summary, ['main', { a: null }]);
  assert.is(tangent.main_transcript.length, 5);
  assert.match(tangent.tangent_start_time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(tangent.main_valid_history_range, [0, 2]);
});

test('importing and exporting a document gives the same text (C35)', async () => {
  const first = JSON.stringify(toDocument(full().state));
  const log = new MemoryLog();
  const conversation = new Conversation('conv-1', log);
  const result = await conversation.import(first);
  assert.equal(result, {
    historyLength: 3,
    transcriptLength: conversation.state.transcript.length,
    validHistoryRange: { start: 3, end: 3 },
    dropped: 0,
    transcriptDropped: 0,
    conversationId: 'conv-1',
    warnings: [],
  });
  assert.is(JSON.stringify(toDocument(conversation.state)), first);
  assert.equal(conversation.state.history.at(0)?.requestMetadata, {
    requestId: 'r',
    timeToFirstChunk: 2.5,
    own: 1,
  });
  const replayed = new Conversation('conv-1', log);
  for (const [index, record] of log.records.entries()) replayed.replay(index + 1, record);
  assert.is(JSON.stringify(toDocument(replayed.state)), first);
  assert.is(replayed.head, conversation.head);
});

test('metadata fields survive export and import even if a document has two of the same name (C4)', async () => {
  const conversation = new Conversation('c', new MemoryLog());
  const requestMetadata = { requestId: 'ours', request_id: 'theirs' };
  conversation.append({ ...said('x'), requestMetadata });
  const again = new Conversation('c', new MemoryLog());
  await again.import(JSON.stringify(toDocument(conversation.state)));
  assert.equal(again.state.history.at(0)?.requestMetadata, requestMetadata);
});

test('an export writes only references to checkpoints, and an import ignores these references (C2, Q15)', async () => {
  const document = toDocument(full().state, extras);
  assert.equal(document.checkpoint_manager, extras.checkpointManager);
  const conversation = new Conversation('other', new MemoryLog());
  await conversation.import(document);
  assert.is(toDocument(conversation.state).checkpoint_manager, undefined);
  assert.is(conversation.conversationId, 'other');
});

test('an export in pieces writes the same text as an export in one piece (C35)', () => {
  const conversation = full();
  for (let n = 0; n < 300; n += 1) conversation.append(said(String(n)));
  const document = toDocument(conversation.state, extras);
  const pieces = [...documentText(document)];
  assert.ok(pieces.length > 10);
  assert.is(pieces.join(''), JSON.stringify(document));
});

test.run();
