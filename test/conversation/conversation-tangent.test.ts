// Tests tangents: side conversations after which the main conversation is restored. Also tests the tail, duration and
// files of a tangent.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Conversation } from '../../src/conversation/conversation.ts';
import { contents, reopened, room, said } from './room.ts';

test('entering a tangent (a side conversation) sets the main conversation aside, and leaving the tangent restores it (C16, C17, C18)', () => {
  const { conversation } = room();
  conversation.append(said('main 1'));
  conversation.append(said('main 2'));
  conversation.compact({ summary: 'main summary', keep: 1 });
  conversation.setNextMessage('main next');
  const before = conversation.state;
  assert.equal(conversation.tangents.status(), { active: false });
  assert.equal(conversation.tangents.enter(), { entered: true, filesCheckpoint: undefined });
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
    tail: undefined,
    filesCheckpoint: undefined,
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

test('clearing the conversation inside a tangent does not affect the main conversation (C17)', () => {
  const { conversation } = room();
  conversation.append(said('main'));
  conversation.tangents.enter();
  conversation.clear();
  assert.is(conversation.state.history.length, 0);
  const { exited, tail } = conversation.tangents.exit({ keepTail: true });
  assert.equal([exited, tail], [true, undefined]);
  assert.equal(contents(conversation), ['main']);
});

test('leaving a tangent with keepTail adds the tangent’s last entry to the valid range and the transcript (C19)', () => {
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

test('a tangent without entries has no tail (C19)', () => {
  const { conversation } = room();
  conversation.append(said('main'));
  conversation.tangents.enter();
  conversation.setNextMessage('x');
  const { exited, tail } = conversation.tangents.exit({ keepTail: true });
  assert.equal([exited, tail], [true, undefined]);
  assert.equal(contents(conversation), ['main']);
});

test('the tail of a tangent is found even after trimming and clearing inside the tangent (C19)', () => {
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

test('the duration of a tangent is in whole seconds, and absent outside a tangent (C20)', () => {
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

test('if a tangent includes the files, it has the id of the checkpoint to restore (C23)', () => {
  const here = room();
  here.conversation.tangents.enter({ filesCheckpoint: 'ckpt_x' });
  assert.is(reopened(here).tangents.exit().filesCheckpoint, 'ckpt_x');
});

test.run();
