// Tests the entries of the history: refused entries, the limit, the valid range and the transcript.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { refusedAs } from '../support/failures.ts';
import { answered, room, said } from './room.ts';

test('an entry keeps user, assistant and request metadata unchanged, including unknown fields (C3, C4)', () => {
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

test('a message over 400,000 characters is refused and changes nothing (C6)', () => {
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
  test(`an entry with ${name} is refused and changes nothing (C3)`, () => {
    const { conversation, log } = room();
    assert.throws(() => conversation.append(entry as never), refusedAs('InvalidParams'));
    assert.is(log.length, 0);
    assert.is(conversation.state.history.length, 0);
  });
}

test('an entry with very deep nesting is refused without a crash (C3)', () => {
  let deep: unknown = 'x';
  for (let i = 0; i < 100_000; i += 1) deep = [deep];
  const { conversation } = room();
  assert.throws(() => conversation.append({ user: { deep }, assistant: {} }), refusedAs('InvalidParams'));
});

test('the history has at most 10,000 entries; removing older entries is reported (C12)', () => {
  const { conversation } = room();
  for (let n = 0; n < 10_000; n += 1) {
    if (conversation.append(said(String(n))).dropped !== 0) assert.unreachable();
  }
  assert.equal(conversation.append(said('10000')).dropped, 1);
  assert.is(conversation.state.history.length, 10_000);
  assert.is(conversation.state.history.at(0)?.user.content, '1');
  assert.equal(conversation.state.validRange, { start: 0, end: 10_000 });
});

test('after old entries were removed, validHistoryRange begins with a turn (C12, C13)', () => {
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

test('validHistoryRange is within the history, and begins with a turn (C13)', () => {
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

test('in the transcript, "> " marks lines of the user, each answer is followed by its tools, and errors are unchanged (C15)', () => {
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

test('the transcript keeps its newest 10,000 lines, even if a single text has more lines (C15)', () => {
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

test.run();
