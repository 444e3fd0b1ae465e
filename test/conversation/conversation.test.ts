import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../src/base/clock.ts';
import { CheckpointdError } from '../../src/base/errors.ts';
import { Conversation } from '../../src/conversation/conversation.ts';
import { toDocument } from '../../src/conversation/document/conversation-json.ts';
import type { EntryId } from '../../src/conversation/entry.ts';
import { MemoryLog } from '../../src/conversation/log/log-record.ts';
import { consumed } from './consumed.ts';

class TestClock implements Clock {
  ms = Date.UTC(2025, 9, 25, 12);
  now(): number {
    return this.ms;
  }
  monotonic(): number {
    return this.ms;
  }
}

interface Room {
  readonly log: MemoryLog;
  readonly clock: TestClock;
  readonly conversation: Conversation;
}

function room(): Room {
  const log = new MemoryLog();
  const clock = new TestClock();
  return { log, clock, conversation: new Conversation('conv-1', log, clock) };
}

const said = (user: string, assistant = 'ok'): { user: object; assistant: object } => ({
  user: { content: user },
  assistant: { content: assistant },
});
const answered = (id: string): { user: object; assistant: object } => ({
  user: { content: '', toolResults: [{ toolUseId: id, content: 'result' }] },
  assistant: { content: 'more' },
});
const contents = (conversation: Conversation): unknown[] =>
  conversation.state.history.slice().map((entry) => entry.user.content);
const refusedAs =
  (kind: string) =>
  (error: unknown): boolean =>
    error instanceof CheckpointdError && error.kind === kind;

/** The same conversation, read back from its log by another process. */
function reopened({ log, clock, conversation }: Room): Conversation {
  const again = new Conversation(conversation.conversationId, log, clock);
  for (const [index, record] of log.records.entries()) {
    again.replay(index + 1, JSON.parse(JSON.stringify(record)) as typeof record);
  }
  return again;
}

test('a new conversation has every field at its default (C1)', () => {
  const { conversation } = room();
  const { state } = conversation;
  assert.is(state.conversationId, 'conv-1');
  assert.is(state.nextMessage, undefined);
  assert.is(state.history.length, 0);
  assert.equal(state.validRange, { start: 0, end: 0 });
  assert.is(state.transcript.length, 0);
  assert.equal(state.tools, {});
  assert.equal(state.contextPaths, []);
  assert.is(conversation.settings.runtime.toolManager, undefined);
  assert.is(conversation.context.messageLength, undefined);
  assert.is(state.latestSummary, undefined);
  assert.is(conversation.settings.runtime.agents, undefined);
  assert.is(state.model, undefined);
  assert.is(state.modelInfo, undefined);
  assert.is(state.fileLineTracker.size, 0);
  assert.is(state.mcpEnabled, true);
  assert.is(state.tangent, undefined);
});

test('an entry keeps user, assistant and request metadata as they came, unknown fields included (C3, C4)', () => {
  const { conversation } = room();
  const user = { content: 'hi', images: [1], nested: { a: [null, 'é'] } };
  const assistant = { content: 'hello', toolUses: [{ id: 't1', name: 'fs_read', args: {} }] };
  const requestMetadata = {
    request_id: 'r',
    time_to_first_chunk: 12.5,
    tool_use_ids_and_names: [['t1', 'x']],
  };
  const { id, ...rest } = conversation.append({ user, assistant, requestMetadata });
  assert.match(id, /^ent_[0-9a-z]{20}$/);
  assert.equal(rest, {
    dropped: 0,
    historyLength: 1,
    transcriptLength: 3,
    validHistoryRange: { start: 0, end: 1 },
  });
  assert.equal(conversation.state.history.at(0), { id, user, assistant, requestMetadata });
  const bare = conversation.append({ ...said('x'), requestMetadata: null });
  assert.not('requestMetadata' in (conversation.state.history.last ?? {}));
  assert.is.not(bare.id, id);
});

test('messages over 400,000 characters are refused and nothing changes (C6)', () => {
  const { conversation, log } = room();
  const long = 'x'.repeat(400_001);
  const atLimit = long.slice(1);
  const tooLarge: (() => unknown)[] = [
    () => conversation.append(said(long)),
    () => conversation.append(said('q', long)),
    () =>
      conversation.append({
        user: { toolResults: [{ toolUseId: 't', c: [{ text: long }] }] },
        assistant: {},
      }),
    () => conversation.setNextMessage(long),
    () => conversation.appendTranscript(long),
    () => conversation.compact({ summary: long }),
  ];
  for (const attempt of tooLarge) assert.throws(attempt, refusedAs('MessageTooLarge'));
  assert.is(log.length, 0);
  conversation.append(said(atLimit, atLimit));
  conversation.setNextMessage(atLimit);
  conversation.settings.setLimits({ messageChars: 5 });
  assert.throws(() => conversation.append(said('123456')), refusedAs('MessageTooLarge'));
});

for (const [name, entry] of [
  ['no user', { assistant: {} }],
  ['a user that is text', { user: 'hi', assistant: {} }],
  ['an assistant that is a list', { user: {}, assistant: [] }],
  ['a lone surrogate in the text', said('\ud800')],
  ['a lone surrogate deep inside', { user: { a: [{ b: 'x\udfff' }] }, assistant: {} }],
  ['a lone surrogate in a key', { user: { 'k\ud800': 1 }, assistant: {} }],
  ['a tool result without its id', { user: { toolResults: [{}] }, assistant: {} }],
  ['tool uses that are no list', { user: {}, assistant: { toolUses: {} } }],
  ['a tool use without a name', { user: {}, assistant: { toolUses: [{ id: 'x' }] } }],
  ['metadata that is text', { ...said('x'), requestMetadata: 'm' }],
] as const) {
  test(`an entry with ${name} is refused and nothing changes (C3)`, () => {
    const { conversation, log } = room();
    assert.throws(() => conversation.append(entry as never), refusedAs('InvalidParams'));
    assert.is(log.length, 0);
    assert.is(conversation.state.history.length, 0);
  });
}

test('nesting without a bottom is refused, not a crash (C3)', () => {
  let deep: unknown = 'x';
  for (let i = 0; i < 100_000; i += 1) deep = [deep];
  const { conversation } = room();
  assert.throws(() => conversation.append({ user: { deep }, assistant: {} }), refusedAs('InvalidParams'));
});

test('a log read back gives the same conversation, field by field; agents must be set again (C8, C10, C36)', () => {
  const here = room();
  const { conversation, clock } = here;
  conversation.settings.setTools({ builtin: [{ name: 'fs_read' }], 'mcp:git': [{ name: 'log' }] });
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

test('clear empties what was said and leaves what was set up (C11)', () => {
  const { conversation } = room();
  conversation.settings.setMcpEnabled(false);
  conversation.context.add(['a']);
  conversation.append(said('one'));
  conversation.recordLines({ path: 'a.ts', operation: 'create', before: 0, after: 7 });
  conversation.compact({ summary: 's' });
  conversation.setNextMessage('n', { lock: true });
  const before = conversation.head;
  conversation.clear();
  const { state } = conversation;
  assert.is(state.history.length, 0);
  assert.is(state.transcript.length, 0);
  assert.equal(state.validRange, { start: 0, end: 0 });
  assert.is(state.latestSummary, undefined);
  assert.is(state.nextMessage, undefined);
  assert.is(state.pendingUserMessage, undefined);
  assert.is(state.messageLocked, false);
  assert.is(state.fileLineTracker.size, 0);
  assert.is(state.mcpEnabled, false);
  assert.equal(state.contextPaths, ['a']);
  conversation.rewind(before);
  assert.equal(contents(conversation), ['one']);
});

test('the history holds 10,000 entries; the oldest goes first and is reported (C12)', () => {
  const { conversation } = room();
  for (let n = 0; n < 10_000; n += 1) {
    if (conversation.append(said(String(n))).dropped !== 0) assert.unreachable();
  }
  assert.equal(conversation.append(said('10000')).dropped, 1);
  assert.is(conversation.state.history.length, 10_000);
  assert.is(conversation.state.history.at(0)?.user.content, '1');
  assert.equal(conversation.state.validRange, { start: 0, end: 10_000 });
});

test('after a drop the valid range starts where a turn starts (C12, C13)', () => {
  const { conversation } = room();
  conversation.settings.setLimits({ historyEntries: 4 });
  conversation.append(said('a'));
  conversation.append(answered('1'));
  conversation.append(answered('2'));
  conversation.append(said('b'));
  const overflowing = conversation.append(answered('3'));
  assert.is(overflowing.dropped, 1);
  assert.equal(overflowing.validHistoryRange, { start: 2, end: 4 });
  assert.is(conversation.state.history.at(2)?.user.content, 'b');
  assert.equal(conversation.append(answered('4')).validHistoryRange, { start: 1, end: 4 });
  conversation.append(answered('5'));
  assert.equal(conversation.append(answered('6')).validHistoryRange, { start: 4, end: 4 });
});

test('a valid range lies in the history and starts where a turn starts (C13)', () => {
  const { conversation, log } = room();
  conversation.append(said('a'));
  conversation.append(answered('1'));
  conversation.append(said('b'));
  const length = log.length;
  for (const [start, end] of [
    [-1, 2],
    [2, 1],
    [0, 4],
    [0.5, 2],
    [0, Number.NaN],
  ] as const) {
    assert.throws(() => conversation.setValidRange(start, end), refusedAs('InvalidRange'));
  }
  assert.is(log.length, length);
  assert.equal(conversation.setValidRange(2, 3).validHistoryRange, { start: 2, end: 3 });
  assert.equal(conversation.setValidRange(1, 3).validHistoryRange, { start: 2, end: 3 });
  assert.equal(conversation.setValidRange(1, 2).validHistoryRange, { start: 2, end: 2 });
  assert.equal(conversation.setValidRange(1, 1).validHistoryRange, { start: 1, end: 1 });
  assert.equal(conversation.append(answered('x')).validHistoryRange, { start: 4, end: 4 });
  assert.equal(conversation.append(said('c')).validHistoryRange, { start: 4, end: 5 });
});

test('transcript: every user line behind "> ", answers with their tools, errors as given (C15)', () => {
  const { conversation } = room();
  conversation.append({
    user: { content: 'first\nsecond' },
    assistant: {
      content: 'sure\nwait',
      toolUses: [
        { id: '1', name: 'fs_read' },
        { id: '2', name: 'grep' },
      ],
    },
  });
  conversation.append(answered('1'));
  conversation.appendTranscript('Error: it failed\n  at once');
  conversation.appendTranscript('typed\nby hand', { user: true });
  assert.equal(conversation.state.transcript.slice(), [
    '> first',
    '> second',
    'sure',
    'wait',
    '[Tool uses: fs_read,grep]',
    'more',
    '[Tool uses: none]',
    'Error: it failed',
    '  at once',
    '> typed',
    '> by hand',
  ]);
});

test('the transcript holds 10,000 lines, the oldest go first, also when one text has more (C15)', () => {
  const { conversation } = room();
  conversation.appendTranscript(Array.from({ length: 9999 }, (_, i) => `line ${i}`).join('\n'));
  conversation.append(said('q', 'a'));
  assert.is(conversation.state.transcript.length, 10_000);
  assert.is(conversation.state.transcript.at(0), 'line 2');
  assert.is(conversation.state.transcript.last, '[Tool uses: none]');
  assert.equal(conversation.appendTranscript('\n'.repeat(300_000)), {
    lines: 300_001,
    dropped: 300_001,
    transcriptLength: 10_000,
  });
  assert.is(conversation.state.transcript.length, 10_000);
});

test('a tangent puts the main conversation aside and brings it back whole (C16, C17, C18)', () => {
  const { conversation } = room();
  conversation.append(said('main 1'));
  conversation.append(said('main 2'));
  conversation.compact({ summary: 'main summary', keep: 1 });
  conversation.setNextMessage('main next');
  const before = conversation.state;
  assert.equal(conversation.tangents.status(), { active: false });
  assert.equal(conversation.tangents.enter(), { entered: true });
  assert.equal(conversation.tangents.enter(), { entered: false });
  const { tangent } = conversation.state;
  assert.is(tangent?.mainHistory, before.history);
  assert.is(tangent?.mainTranscript, before.transcript);
  assert.is(tangent?.mainNextMessage, before.nextMessage);
  assert.is(tangent?.mainLatestSummary, before.latestSummary);
  assert.equal(conversation.state.history.slice(), before.history.slice());
  conversation.append(said('aside'));
  conversation.compact({ summary: 'aside summary' });
  conversation.setNextMessage('locked aside', { lock: true });
  conversation.settings.setMcpEnabled(false);
  assert.equal(conversation.tangents.exit(), {
    exited: true,
    historyLength: 2,
    transcriptLength: 6,
    validHistoryRange: { start: 1, end: 2 },
  });
  const after = conversation.state;
  for (const field of ['history', 'transcript', 'nextMessage', 'latestSummary', 'validRange'] as const) {
    assert.is(after[field], before[field], field);
  }
  assert.is(after.tangent, undefined);
  assert.is(after.pendingUserMessage, undefined);
  assert.is(after.messageLocked, false);
  assert.is(after.mcpEnabled, false);
  assert.is(conversation.tangents.exit().exited, false);
});

test('clear inside a tangent leaves the main conversation to come back (C17)', () => {
  const { conversation } = room();
  conversation.append(said('main'));
  conversation.tangents.enter();
  conversation.clear();
  assert.is(conversation.state.history.length, 0);
  const { exited, tail } = conversation.tangents.exit({ keepTail: true });
  assert.equal([exited, tail], [true, undefined]);
  assert.equal(contents(conversation), ['main']);
});

test('exit with tail keeps the last entry, inside the valid range and in the transcript (C19)', () => {
  const { conversation } = room();
  conversation.append(said('main'));
  conversation.setNextMessage('main next');
  conversation.tangents.enter();
  conversation.append(said('aside 1'));
  const { id } = conversation.append(said('aside 2', 'found'));
  assert.is(conversation.tangents.exit({ keepTail: true }).tail, id);
  assert.equal(contents(conversation), ['main', 'aside 2']);
  assert.equal(conversation.state.validRange, { start: 0, end: 2 });
  assert.equal(conversation.state.transcript.slice(3), ['> aside 2', 'found', '[Tool uses: none]']);
  assert.equal(conversation.state.nextMessage, { content: 'main next' });
});

test('without an entry of its own a tangent has no tail (C19)', () => {
  const { conversation } = room();
  conversation.append(said('main'));
  conversation.tangents.enter();
  conversation.setNextMessage('x');
  const { exited, tail } = conversation.tangents.exit({ keepTail: true });
  assert.equal([exited, tail], [true, undefined]);
  assert.equal(contents(conversation), ['main']);
});

test('the tail is known by its id: trimming and clearing inside the tangent do not lose it (C19)', () => {
  for (const shorten of [
    (conversation: Conversation) => conversation.clear(),
    (conversation: Conversation) => conversation.settings.setLimits({ historyEntries: 3 }),
  ]) {
    const { conversation } = room();
    for (const text of ['1', '2', '3', '4']) conversation.append(said(text));
    conversation.tangents.enter();
    shorten(conversation);
    const { id } = conversation.append(said('tail'));
    assert.ok(conversation.state.history.length < 4);
    assert.is(conversation.tangents.exit({ keepTail: true }).tail, id);
    assert.is(conversation.state.history.last?.id, id);
  }
});

test('the duration of a tangent is whole seconds since its start, and absent outside (C20)', () => {
  const { conversation, clock } = room();
  conversation.tangents.enter();
  assert.is(conversation.state.tangent?.tangentStartTime, clock.ms);
  clock.ms += 2999;
  assert.equal(conversation.tangents.status(), { active: true, durationSeconds: 2, added: 0 });
  clock.ms -= 60_000;
  assert.equal(conversation.tangents.status(), { active: true, durationSeconds: 0, added: 0 });
  conversation.tangents.exit();
  assert.equal(conversation.tangents.status(), { active: false });
});

test('a tangent that carries files names the checkpoint to bring back (C23)', () => {
  const here = room();
  here.conversation.tangents.enter({ filesCheckpoint: 'ckpt_x' });
  assert.is(reopened(here).tangents.exit().filesCheckpoint, 'ckpt_x');
});

test('tools are kept by origin; what is no table of tools is refused (C27)', () => {
  const { conversation } = room();
  const tools = {
    builtin: [{ name: 'fs_read' }],
    custom: [],
    mcp: [{ name: 'x', schema: { type: 'object' } }],
  };
  assert.equal(conversation.settings.setTools(tools), { tools: 2 });
  assert.equal(conversation.state.tools, tools);
  for (const wrong of [
    [],
    { builtin: {} },
    { builtin: ['fs_read'] },
    'x',
    { builtin: [{ name: '\ud800' }] },
  ]) {
    assert.throws(() => conversation.settings.setTools(wrong), refusedAs('InvalidParams'));
  }
  assert.equal(conversation.state.tools, tools);
});

test('agents and tool manager are held while the process lives and are never logged (C28)', () => {
  const { conversation, log } = room();
  const agents = { active: 'a' };
  const toolManager = { clients: 3 };
  conversation.settings.setRuntime({ agents });
  conversation.settings.setRuntime({ toolManager });
  assert.is(conversation.settings.runtime.agents, agents);
  assert.is(conversation.settings.runtime.toolManager, toolManager);
  assert.is(log.length, 0);
  assert.not.match(JSON.stringify(toDocument(conversation.state)), /agents|tool_manager/);
});

test('a model is described by its client; what is missing has a default and a warning (C29, C30)', () => {
  const { conversation } = room();
  const info = { modelId: 'm-1', modelName: 'M', contextWindowTokens: 8000, features: ['vision'] };
  assert.equal(conversation.settings.setModel(info), { modelInfo: info, warnings: [] });
  const assumed = conversation.settings.setModel('m-2');
  assert.equal(assumed.modelInfo, { modelId: 'm-2', contextWindowTokens: 200_000 });
  assert.is(assumed.warnings.length, 1);
  assert.match(assumed.warnings[0] ?? '', /m-2.*200000 tokens/);
  assert.is(conversation.settings.setModel({ modelId: 'm', contextWindowTokens: -1 }).warnings.length, 1);
  assert.throws(() => conversation.settings.setModel(7), refusedAs('InvalidParams'));
});

test('recorded writes are kept by path and reported by the formula (C31)', () => {
  const here = room();
  const { conversation } = here;
  conversation.recordLines({ path: 'a', operation: 'create', before: 0, after: 10 });
  const report = reopened(here).recordLines({
    path: 'a',
    operation: 'append',
    before: 12,
    after: 13,
    newText: 'x',
  });
  assert.equal([report.linesByUser, report.linesByAgent], [2, 1]);
  assert.is(report.tracker.afterFswriteLines, 13);
  for (const wrong of [
    { path: '', operation: 'create', before: 0, after: 1 },
    { path: 'a', operation: 'delete', before: 0, after: 1 },
    { path: 'a', operation: 'create', before: -1, after: 1 },
    { path: 'a', operation: 'create', before: 0, after: 1.5 },
  ]) {
    assert.throws(() => conversation.recordLines(wrong as never), refusedAs('InvalidParams'));
  }
});

test('a rewind brings back history, range, transcript, summary, tangent and trackers, not the settings (C33)', () => {
  const here = room();
  const { conversation } = here;
  conversation.append(said('one'));
  conversation.tangents.enter();
  const ref = conversation.head;
  const before = conversation.state;
  conversation.tangents.exit();
  conversation.append(said('two'));
  conversation.recordLines({ path: 'a', operation: 'create', before: 0, after: 1 });
  conversation.settings.setModel({ modelId: 'newer', contextWindowTokens: 5 });
  const future = conversation.head;
  conversation.rewind(ref);
  const { state } = conversation;
  assert.is(state.history, before.history);
  assert.is(state.transcript, before.transcript);
  assert.is(state.tangent, before.tangent);
  assert.is(state.fileLineTracker.size, 0);
  assert.is(state.modelInfo?.modelId, 'newer');
  conversation.append(said('other'));
  assert.equal(contents(conversation), ['one', 'other']);
  conversation.rewind(future);
  assert.equal(contents(conversation), ['one', 'two']);
  assert.equal(toDocument(reopened(here).at(future)), toDocument(conversation.state));
});

test('a rewind to before a compaction takes the summary back with it (C34)', () => {
  const { conversation } = room();
  conversation.append(said('one'));
  conversation.append(said('two'));
  const ref = conversation.head;
  const metadata = { request_id: 'r' };
  const { validHistoryRange } = conversation.compact({ summary: 'one and two', metadata });
  assert.equal(validHistoryRange, { start: 2, end: 2 });
  assert.equal(conversation.state.latestSummary, { text: 'one and two', metadata });
  assert.is(conversation.state.history.length, 2);
  conversation.rewind(ref);
  assert.is(conversation.state.latestSummary, undefined);
  assert.equal(conversation.state.validRange, { start: 0, end: 2 });
});

test('a compaction keeps the last entries, widened to whole turns, counted or from an entry on (C34)', () => {
  const { conversation } = room();
  const ids: EntryId[] = [];
  for (const entry of [said('a'), answered('1'), said('b'), answered('2'), answered('3')]) {
    ids.push(conversation.append(entry).id);
  }
  const start = conversation.head;
  for (const [keep, expected] of [
    [1, 2],
    [3, 2],
    [4, 0],
    [5, 0],
    [99, 0],
    [ids[2], 2],
    [ids[4], 2],
  ] as const) {
    assert.equal(conversation.compact({ summary: 's', keep }).validHistoryRange, { start: expected, end: 5 });
    conversation.rewind(start);
  }
  conversation.setValidRange(2, 5);
  assert.equal(conversation.compact({ summary: 's', keep: 5 }).validHistoryRange, { start: 2, end: 5 });
  const unknown = 'ent_0' as EntryId;
  assert.throws(() => conversation.compact({ summary: 's', keep: unknown }), refusedAs('UnknownEntry'));
  assert.throws(() => conversation.compact({ summary: 's', keep: -1 }), refusedAs('InvalidParams'));
});

test('an empty next message becomes "Empty prompt" with a warning; a second one replaces the first (C37)', () => {
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

test('a pending message is there until the checkpoint that takes it is published, also after a kill (F85)', () => {
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

test('the pending message is taken from the next one unless locked, and consumed once (Q23)', () => {
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

test('after reopening the head is the newest record that follows from the published one', () => {
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

test('a record that was on the rewound branch before the publication is not taken for the head', () => {
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

test('a branch that does not follow from the published state is not taken for the head', () => {
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

test('when the log refuses, nothing has changed, and the next append is right', () => {
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

test('what the client gave for idempotency is in the record, with the result', () => {
  const { conversation, log } = room();
  const result = conversation.append(said('1'), { key: 'k', fingerprint: 'f' });
  assert.equal((log.records[0] as { idempotency?: unknown }).idempotency, {
    key: 'k',
    fingerprint: 'f',
    result,
  });
});

test('states that no checkpoint needs can be let go; kept ones and the head stay', () => {
  const { conversation } = room();
  const refs = ['1', '2', '3'].map((text) => {
    conversation.append(said(text));
    return conversation.head;
  });
  conversation.forgetAllBut([refs[0] ?? 0]);
  assert.is(conversation.at(refs[0] ?? 0).history.length, 1);
  assert.throws(() => conversation.at(refs[1] ?? 0), refusedAs('DataCorrupt'));
  assert.is(conversation.state.history.length, 3);
});

test.run();
