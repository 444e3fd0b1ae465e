// Imports documents from other sources: old documents, long documents, and documents that are refused without leaving a
// trace.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../../src/base/errors.ts';
import { Conversation } from '../../../src/conversation/conversation.ts';
import {
  type ConversationDocument,
  toDocument,
} from '../../../src/conversation/document/conversation-json.ts';
import { MemoryLog, said } from '../room.ts';
import { full } from './full-conversation.ts';

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

test('an import accepts an old document that names its model as text and has neither ids nor a format version (C10, C29)', async () => {
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

test('an imported history over the limit loses its oldest entries, and this is reported (C6, C12)', async () => {
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

test('a document of a later version is refused with an error that names the version (C35)', async () => {
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
  ['with tools that are no table', () => ({ ...good(), tools: { Builtin: 1 } })],
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
  test(`a document ${name} is refused and changes nothing (C35)`, async () => {
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

test('a cancelled import changes nothing', async () => {
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

test.run();
