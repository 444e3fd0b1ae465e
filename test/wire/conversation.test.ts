// Tests the conversation on the wire: its fields, its history in pages, its model, its next message, and the counts of
// lines.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf } from '../support/wire-client.ts';
import { makePlaces, withSession } from '../support/wire-session.ts';

test('conversation/get returns the whole state, but only the lengths of history and transcript (C1)', () =>
  withSession(async (rig) => {
    await rig.append('hello\nthere');
    await rig.request('conversation/setNextMessage', { message: { content: 'next' } });
    await rig.request('conversation/setTools', {
      tools: { Builtin: [{ name: 'grep' }], Mcp: [{ name: 'x' }] },
      toolManager: { servers: 1 },
    });
    await rig.request('conversation/setAgents', { agents: { q: {} } });
    await rig.request('conversation/setModel', { modelInfo: { modelId: 'm', contextWindowTokens: 1000 } });
    await rig.request('conversation/setMcpEnabled', { mcpEnabled: false });
    await rig.request('conversation/compact', { summary: 'short', metadata: { requestId: 'r' } });
    await rig.request('conversation/recordLines', { path: 'a.txt', operation: 'create' });
    await rig.request('conversation/enterTangent', {});
    const { session } = rig;
    const { tangentState, ...got } = await rig.request('conversation/get', {});
    assert.equal(got, {
      conversationId: 'c',
      nextMessage: { content: 'next' },
      historyLength: 1,
      validHistoryRange: { start: 1, end: 1 },
      transcriptLength: 5,
      tools: { Builtin: [{ name: 'grep' }], Mcp: [{ name: 'x' }] },
      contextManager: { patterns: [], files: [], dropped: [], size: 0, maxSize: 3000 },
      contextWindow: { characters: 0, maxCharacters: 4000, level: 'none' },
      toolManager: { servers: 1 },
      latestSummary: { summary: 'short', metadata: { requestId: 'r' } },
      agents: { q: {} },
      modelInfo: { modelId: 'm', contextWindowTokens: 1000 },
      fileLineTracker: {
        'a.txt': {
          prevFswriteLines: 0,
          beforeFswriteLines: 0,
          afterFswriteLines: 1,
          linesAddedByAgent: 1,
          linesRemovedByAgent: 0,
          isFirstWrite: false,
        },
      },
      checkpointManager: { session, strategy: 'shadow', enabled: true },
      mcpEnabled: false,
    });
    assert.is(tangentState?.mainHistoryLength, 1);
    assert.equal(tangentState?.mainNextMessage, { content: 'next' });
    assert.equal(tangentState?.mainLatestSummary, { summary: 'short', metadata: { requestId: 'r' } });
    assert.is((await rig.request('conversation/tangent', {})).durationSeconds, 0);
  }));

test('all pages of a listing show the state at the time of the first page, despite later appends and restores (C12)', () =>
  withSession(async (rig) => {
    for (const text of ['a', 'b', 'c', 'd', 'e']) await rig.append(text);
    const first = await rig.request('conversation/history', { limit: 2 });
    const lines = await rig.request('conversation/transcript', { limit: 7 });
    await rig.append('late');
    await rig.request('checkpoint/create', { kind: 'turn' });
    await rig.request('checkpoint/restore', { tag: '0' });
    assert.is((await rig.request('conversation/get', {})).historyLength, 0);
    const said: string[] = first.entries.map(({ user }) => user.content ?? '');
    let { nextCursor } = first;
    const starts: number[] = [];
    while (nextCursor !== undefined) {
      const page = await rig.request('conversation/history', { limit: 2, cursor: nextCursor });
      said.push(...page.entries.map(({ user }) => user.content ?? ''));
      starts.push(page.start);
      assert.is(page.historyLength, 5);
      nextCursor = page.nextCursor;
    }
    assert.equal(said, ['a', 'b', 'c', 'd', 'e']);
    assert.equal(starts, [2, 4]);
    const rest = await rig.request('conversation/transcript', { cursor: lines.nextCursor ?? '' });
    assert.is(rest.start, 7);
    assert.equal([...lines.lines, ...rest.lines].slice(6, 9), ['> c', 're c', '[Tool uses: none]']);
    assert.is(rest.nextCursor, undefined);
    for (const cursor of ['x', nextCursorOf(lines), 'W10'])
      assert.is(
        (await failureOf(rig.request('conversation/history', { cursor }))).kind,
        'CursorExpired',
        cursor,
      );
  }));

function nextCursorOf({ nextCursor }: { readonly nextCursor?: string | undefined }): string {
  return nextCursor ?? '';
}

test("with a tag, conversation/history reads a checkpoint's history, beginning with the given entry (C33)", () =>
  withSession(async (rig) => {
    const { id } = await rig.append('a');
    await rig.append('b');
    await rig.request('checkpoint/create', { kind: 'turn', name: 'two' });
    await rig.append('c');
    const { entries, historyLength, start } = await rig.request('conversation/history', {
      tag: 'two',
      from: id,
    });
    assert.equal([entries.length, historyLength, start, entries[0]?.id], [2, 2, 0, id]);
    const unknown = { tag: 'two', from: 'ent_x' };
    assert.is((await failureOf(rig.request('conversation/history', unknown))).kind, 'UnknownEntry');
    const absent = { tag: '77' };
    assert.is((await failureOf(rig.request('conversation/history', absent))).kind, 'UnknownCheckpoint');
  }));

test('a model window of unknown size counts as 200,000 tokens, and the log has a warning (C30)', () =>
  withSession(
    async (rig) => {
      const { modelInfo } = await rig.request('conversation/get', {});
      assert.equal(modelInfo, { modelId: 'unknown-9', contextWindowTokens: 200_000 });
      const set = await rig.request('conversation/setModel', { modelInfo: { modelId: 'other' } });
      assert.is(set.maxContextSize, 600_000);
      const log = readFileSync(join(rig.places.storage, '..', 'log'), 'utf8');
      for (const model of ['unknown-9', 'other'])
        assert.match(log, new RegExp(`warn The context window of the model ${model} is not known`));
    },
    withLog({ modelInfo: { modelId: 'unknown-9' } }),
  ));

function withLog(open: object): Parameters<typeof withSession>[1] {
  const places = makePlaces();
  return { places, open, wire: { args: [`--log-file=${join(places.storage, '..', 'log')}`] } };
}

test('an empty next message becomes "Empty prompt", and a locked message describes the turn (C37)', () =>
  withSession(async (rig) => {
    await rig.request('conversation/setNextMessage', { message: { content: 'the plan' }, lock: true });
    const second = await rig.request('conversation/setNextMessage', { message: { content: '' } });
    assert.is(second.accepted, false);
    assert.is(second.pendingUserMessage, 'the plan');
    assert.equal((await rig.request('conversation/get', {})).nextMessage, { content: 'Empty prompt' });
    const { checkpoint } = await rig.request('checkpoint/create', { kind: 'turn' });
    assert.is(checkpoint.description, 'the plan');
    assert.is((await rig.request('session/get', {})).manager.messageLocked, false);
  }));

test('conversation/recordLines distinguishes lines of the user and the agent, and counts lines that the client did not count (C31)', () =>
  withSession(async (rig) => {
    rig.write('w.txt', '1\n2\n3');
    const first = await rig.request('conversation/recordLines', { path: 'w.txt', operation: 'create' });
    assert.equal([first.linesByUser, first.linesByAgent], [0, 3]);
    rig.write('w.txt', '1\n2\n3\n4\n5\n6\n');
    const second = await rig.request('conversation/recordLines', {
      path: 'w.txt',
      operation: 'append',
      linesBefore: 5,
      newText: '6\n',
    });
    assert.equal([second.linesByUser, second.linesByAgent, second.tracker.afterFswriteLines], [2, 1, 6]);
    assert.is(
      (await rig.request('conversation/recordLines', { path: 'no', operation: 'create' })).linesByAgent,
      0,
    );
  }));

test.run();
