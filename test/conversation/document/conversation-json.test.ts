import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { Conversation } from '../../../src/conversation/conversation.ts';
import {
  type ConversationDocument,
  documentText,
  toDocument,
} from '../../../src/conversation/document/conversation-json.ts';
import { MemoryLog } from '../../../src/conversation/log/log-record.ts';

const said = (user: string): { user: object; assistant: object } => ({
  user: { content: user },
  assistant: { content: 'ok' },
});

/** A conversation in which every field of the document has a value. */
function full(): Conversation {
  const conversation = new Conversation('conv-1', new MemoryLog());
  conversation.settings.setTools({ builtin: [{ name: 'fs_read' }], mcp: [] });
  conversation.settings.setModel({
    modelId: 'm',
    modelName: 'M',
    contextWindowTokens: 1000,
    tokenLimits: { out: 5 },
  });
  conversation.settings.setMcpEnabled(false);
  conversation.context.add(['README.md', 'docs/**/*.md']);
  conversation.append({ ...said('one'), requestMetadata: { requestId: 'r', timeToFirstChunk: 2.5, own: 1 } });
  conversation.append({ user: { toolResults: [{ toolUseId: 't' }] }, assistant: { content: 'é 😀' } });
  conversation.compact({ summary: 'main', metadata: { a: null }, keep: 1 });
  conversation.recordLines({ path: '__proto__', operation: 'create', before: 0, after: 3 });
  conversation.setNextMessage('main next');
  conversation.tangents.enter({ filesCheckpoint: 'ckpt_1' });
  conversation.append(said('aside'));
  conversation.compact({ summary: 'aside' });
  conversation.setNextMessage('then', { lock: true });
  return conversation;
}

const extras = { checkpointManager: { session: 'ses_1', strategy: 'shadow' }, contextMessageLength: 42 };

async function rejection(document: unknown): Promise<CheckpointdError> {
  const log = new MemoryLog();
  const conversation = new Conversation('c', log);
  conversation.append(said('kept'));
  const before = conversation.state;
  const error: unknown = await conversation.import(document).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(error, CheckpointdError);
  assert.is(conversation.state.history, before.history);
  assert.is(log.length, 1);
  return error as CheckpointdError;
}

test('the document has the fields of the specification by name, and not those of the run time (C1, C35)', () => {
  const document = toDocument(full().state, extras);
  assert.equal(
    Object.keys(document).sort(),
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

test('absent optionals are skipped, not written as null (C35)', () => {
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

test('the document of a tangent has the five fields, its time in UTC, and the range (C5)', () => {
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

test('a document read back and written again is the same text (C35)', async () => {
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

test('a field whose document name is taken by another survives there and back (C4)', async () => {
  const conversation = new Conversation('c', new MemoryLog());
  const requestMetadata = { requestId: 'ours', request_id: 'theirs' };
  conversation.append({ ...said('x'), requestMetadata });
  const again = new Conversation('c', new MemoryLog());
  await again.import(JSON.stringify(toDocument(conversation.state)));
  assert.equal(again.state.history.at(0)?.requestMetadata, requestMetadata);
});

test('importing or exporting owns nothing: the reference is written, never read (C2)', async () => {
  const document = toDocument(full().state, extras);
  assert.equal(document.checkpoint_manager, extras.checkpointManager);
  const conversation = new Conversation('other', new MemoryLog());
  await conversation.import(document);
  assert.not('checkpoint_manager' in toDocument(conversation.state));
  assert.is(conversation.conversationId, 'other');
});

test('an old document: no ids, no format version, the model as text (C10, C29)', async () => {
  const old = {
    conversation_id: 'old',
    next_message: null,
    history: [
      { user: { content: 'a' }, assistant: { content: 'b' }, request_metadata: null },
      { user: { content: 'c' }, assistant: {} },
    ],
    valid_history_range: [0, 2],
    transcript: ['> a', 'b'],
    tools: {},
    context_manager: null,
    context_message_length: null,
    latest_summary: null,
    model: 'claude-old',
    checkpoint_manager: null,
  };
  const conversation = new Conversation('c', new MemoryLog());
  const { warnings } = await conversation.import(old);
  assert.is(warnings.length, 1);
  assert.equal(conversation.state.modelInfo, { modelId: 'claude-old', contextWindowTokens: 200_000 });
  assert.is(conversation.state.mcpEnabled, true);
  const ids = conversation.state.history.slice().map(({ id }) => id);
  assert.is(new Set(ids).size, 2);
  assert.is(toDocument(conversation.state).model, 'claude-old');
  await conversation.import({ ...old, model_info: { model_id: 'newer', context_window_tokens: 9 } });
  assert.equal(conversation.state.modelInfo, { modelId: 'newer', contextWindowTokens: 9 });
});

test('a history over the cap is trimmed from its oldest end and reported (C6, C12)', async () => {
  const history = Array.from({ length: 10_003 }, (_, n) => ({
    id: `e${n}`,
    user: n === 3 ? { toolResults: [{ toolUseId: 't' }] } : { content: String(n) },
    assistant: {},
  }));
  const conversation = new Conversation('c', new MemoryLog());
  const transcript = Array.from({ length: 10_001 }, (_, n) => String(n));
  const document = { conversation_id: 'c', history, valid_history_range: [1, 10_003], transcript };
  const result = await conversation.import(document);
  assert.is(result.dropped, 3);
  assert.is(result.transcriptDropped, 1);
  assert.is(result.historyLength, 10_000);
  assert.is(conversation.state.history.at(0)?.id, 'e3');
  assert.equal(conversation.state.validRange, { start: 1, end: 10_000 });
  assert.is(result.warnings.length, 2);
});

test('a document of a later version is refused as such (C35)', async () => {
  const document = { ...toDocument(full().state), format_version: 2 };
  assert.is((await rejection(document)).kind, 'DocumentVersion');
});

const good = (): ConversationDocument => toDocument(full().state);
const broken: readonly (readonly [string, () => unknown])[] = [
  ['that is not JSON', () => 'not json'],
  ['that is cut off', () => JSON.stringify(good()).slice(0, -20)],
  ['that is a list', () => []],
  ['without an id', () => ({ ...good(), conversation_id: undefined })],
  ['without a history', () => ({ ...good(), history: undefined })],
  ['with a history of texts', () => ({ ...good(), history: ['a'] })],
  [
    'with duplicate entry ids',
    () => ({ ...good(), history: [good().history[0], good().history[0]].map((e) => ({ ...e, id: 'x' })) }),
  ],
  ['with a range that is text', () => ({ ...good(), valid_history_range: 'all' })],
  ['with a range out of bounds', () => ({ ...good(), valid_history_range: [0, 4] })],
  ['with a range that runs backwards', () => ({ ...good(), valid_history_range: [2, 1] })],
  ['with a transcript of numbers', () => ({ ...good(), transcript: [1] })],
  ['with lone surrogates', () => ({ ...good(), transcript: ['\ud800'] })],
  ['with half a summary', () => ({ ...good(), latest_summary: ['text'] })],
  ['with tools that are no table', () => ({ ...good(), tools: { builtin: 1 } })],
  [
    'with line counts that are text',
    () => ({ ...good(), file_line_tracker: { a: { prev_fswrite_lines: '1' } } }),
  ],
  ['with an mcp_enabled that is text', () => ({ ...good(), mcp_enabled: 'yes' })],
  ['with a version that is text', () => ({ ...good(), format_version: '1' })],
  ['with a tangent without its history', () => ({ ...good(), tangent_state: {} })],
  [
    'with a tangent that began at no time',
    () => ({ ...good(), tangent_state: { main_history: [], tangent_start_time: 'x' } }),
  ],
];
for (const [name, make] of broken) {
  test(`a document ${name} is refused and nothing changes (C35)`, async () => {
    const error = await rejection(make());
    assert.is(error.kind, 'DocumentInvalid');
    assert.match(error.message, /Nothing was changed/);
  });
}

test('a document with a message over the limit is refused (C6)', async () => {
  const history = [{ user: { content: 'x'.repeat(400_001) }, assistant: {} }];
  assert.is((await rejection({ conversation_id: 'c', history })).kind, 'MessageTooLarge');
});

test('a document with a context path outside the work tree is refused (C24)', async () => {
  const document = { ...good(), context_manager: { paths: ['../secret'] } };
  assert.is((await rejection(document)).kind, 'PathOutsideWorkTree');
});

test('an import that is cancelled changes nothing', async () => {
  const log = new MemoryLog();
  const conversation = new Conversation('c', log);
  const controller = new AbortController();
  controller.abort();
  const history = Array.from({ length: 10_000 }, (_, n) => ({
    user: { content: `${n}`.repeat(300) },
    assistant: {},
  }));
  const error: unknown = await conversation
    .import({ conversation_id: 'c', history }, { signal: controller.signal })
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  assert.is((error as Error | undefined)?.name, 'AbortError');
  assert.is(conversation.state.history.length, 0);
  assert.is(conversation.head, 0);
});

test('a document written in pieces is the same document (C35)', () => {
  const conversation = full();
  for (let n = 0; n < 300; n += 1) conversation.append(said(String(n)));
  const document = toDocument(conversation.state, extras);
  const pieces = [...documentText(document)];
  assert.ok(pieces.length > 10);
  assert.is(pieces.join(''), JSON.stringify(document));
});

test.run();
