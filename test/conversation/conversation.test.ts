// Tests a new conversation, the settings of the client, and the state after the conversation was cleared.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toDocument } from '../../src/conversation/document/conversation-json.ts';
import { refusedAs } from '../support/failures.ts';
import { contents, reopened, room, said } from './room.ts';

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

test('clearing a conversation removes the messages and keeps the settings (C11)', () => {
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

test('tools are stored by their origin; invalid tools are refused (C27)', () => {
  const { conversation } = room();
  const tools = {
    Builtin: [{ name: 'fs_read' }],
    Custom: [],
    Mcp: [{ name: 'x', schema: { type: 'object' } }],
  };
  assert.equal(conversation.settings.setTools(tools), { tools: 2 });
  assert.equal(conversation.state.tools, tools);
  for (const wrong of [
    [],
    { Builtin: {} },
    { Builtin: ['fs_read'] },
    'x',
    { Builtin: [{ name: '\ud800' }] },
  ]) {
    assert.throws(() => conversation.settings.setTools(wrong), refusedAs('InvalidParams'));
  }
  assert.equal(conversation.state.tools, tools);
});

test('agents and tool manager are kept while the process lives, and never logged (C28)', () => {
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

test('the client describes its model; missing fields get a default and a warning (C29, C30)', () => {
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

test('recorded writes are stored per path; the reported counts of lines follow the specified formula (C31)', () => {
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

test.run();
