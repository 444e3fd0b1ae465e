// Tests rewinds, which restore an earlier state, and compactions, which keep the last entries.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toDocument } from '../../src/conversation/document/conversation-json.ts';
import type { EntryId } from '../../src/conversation/entry.ts';
import { refusedAs } from '../support/failures.ts';
import { answered, contents, reopened, room, said } from './room.ts';

test('a rewind restores history, range, transcript, summary, tangent and trackers, but not the settings (C33)', () => {
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

test('rewinding to a state before a compaction removes the summary (C34)', () => {
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

test('a compaction keeps a given number of last entries, or all entries since a given entry, and never splits a turn (C34)', () => {
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

test.run();
