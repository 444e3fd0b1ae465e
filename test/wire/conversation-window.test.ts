// Tests the limits of a conversation: the maximum length of a message, and the model's window. Also tests the context
// files that agents bring.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/protocol/types.ts';
import { failureOf } from '../support/wire-client.ts';
import { withSession } from '../support/wire-session.ts';

test('the limit for a message counts characters, not bytes, and session/open can raise it (C6)', () =>
  withSession(
    async (rig) => {
      const { append } = {
        append: (content: string) =>
          rig.request('conversation/append', { entry: { user: { content }, assistant: {} } }),
      };
      assert.is((await append('😀'.repeat(5))).historyLength, 1);
      const tooLong = await failureOf(append('😀'.repeat(6)));
      assert.is(tooLong.kind, 'MessageTooLarge');
      assert.match(tooLong.message, /has 6 characters; the limit is 5/);
      assert.match(tooLong.message, /limits\.maxMessageCharacters of session\/open/);
      assert.is(
        (await failureOf(rig.request('checkpoint/create', { kind: 'turn', message: '123456' }))).kind,
        'MessageTooLarge',
      );
      await rig.client.request('session/open', {
        workspace: rig.places.workTree,
        conversationId: 'c',
        limits: { maxMessageCharacters: 6 },
      });
      assert.is((await append('😀'.repeat(6))).historyLength, 2);
    },
    { open: { limits: { maxMessageCharacters: 5 } } },
  ));

test('the daemon refuses to lock a pending message that does not exist (Q23)', () =>
  withSession(async (rig) => {
    const { kind, message } = await failureOf(rig.request('conversation/setNextMessage', { lock: true }));
    assert.is(kind, 'InvalidParams');
    assert.match(message, /Send the message/);
    assert.is((await rig.request('session/get', {})).manager.messageLocked, false);
  }));

test('conversation/get says how full the model’s window is, and an event reports a full window once (C26)', () =>
  withSession(
    async (rig) => {
      // The answer consists of 're ' and the same text, so message and answer have 37 of 40 characters.
      await rig.append('x'.repeat(17));
      const { contextWindow } = await rig.request('conversation/get', {});
      assert.equal(contextWindow, { characters: 37, maxCharacters: 40, level: 'none' });
      assert.equal(rig.events('conversation/didFillWindow'), []);
      await rig.append('');
      const full = { characters: 40, maxCharacters: 40, level: 'critical' } as const;
      const event = { session: rig.session, contextWindow: full };
      assert.equal(rig.events('conversation/didFillWindow'), [event]);
      await rig.append('and no second warning');
      assert.is(rig.events('conversation/didFillWindow').length, 1);
      await rig.request('conversation/compact', { summary: 's' });
      assert.is((await rig.request('conversation/get', {})).contextWindow?.level, 'none');
      await rig.append('x'.repeat(40));
      assert.is(rig.events('conversation/didFillWindow').length, 2);
    },
    { open: { modelInfo: { modelId: 'm', contextWindowTokens: 10 } } },
  ));

const agents = {
  activeIdx: 'writer',
  agents: {
    writer: {
      prompt: 'Write.',
      resources: [
        'file://README.md',
        'file://docs/**/*.md',
        'file://~/notes.md',
        'file://../x',
        { type: 'other' },
      ],
    },
    reader: { resources: ['file://READ.md'] },
  },
};

test('an agent’s resources become context files only when agents are set for the first time (C9)', () =>
  withSession(async (rig) => {
    const patterns = async (): Promise<readonly string[] | undefined> =>
      (await rig.request('conversation/get', {})).contextManager?.patterns;
    const set = await rig.request('conversation/setAgents', { agents });
    assert.is(set.agents, 2);
    assert.equal(set.context, ['README.md', 'docs/**/*.md']);
    assert.is(set.warnings?.length, 3);
    assert.equal(await patterns(), ['README.md', 'docs/**/*.md']);
    await rig.request('conversation/removeContext', { paths: ['docs/**/*.md'] });
    assert.equal((await rig.request('conversation/setAgents', { agents })).context, []);
    assert.equal(await patterns(), ['README.md']);
  }));

const openedWith = {
  modelInfo: { modelId: 'm', contextWindowTokens: 1000 },
  tools: { Builtin: [{ name: 'grep' }] },
  mcpEnabled: false,
};

test('session/open can set the model and the tools, and turn MCP off (C9)', () =>
  withSession(
    async (rig) => {
      const { modelInfo, tools, mcpEnabled } = await rig.request('conversation/get', {});
      assert.equal({ modelInfo, tools, mcpEnabled }, openedWith);
    },
    { open: openedWith },
  ));

test('the agent with the name "default", or the only agent, becomes the active agent (C9)', () =>
  withSession(async (rig) => {
    const named = (names: string[]): JsonObject =>
      Object.fromEntries(names.map((name) => [name, { resources: [`file://${name}.md`] }]));
    const none = await rig.request('conversation/setAgents', { agents: named(['a', 'b']) });
    assert.equal([none.agents, none.context], [2, []]);
    const two = await rig.request('conversation/setAgents', { agents: named(['a', 'default']) });
    assert.equal(two.context, ['default.md']);
    await rig.request('conversation/removeContext', { paths: ['default.md'] });
    assert.equal((await rig.request('conversation/setAgents', { agents: named(['only']) })).context, [
      'only.md',
    ]);
  }));

test('if the size of the model’s window is unknown, the answer has a warning (C30)', () =>
  withSession(async (rig) => {
    const { warnings } = await rig.request('conversation/setModel', { modelInfo: { modelId: 'm' } });
    assert.match(warnings?.[0] ?? '', /context window of the model m is not known/);
    const empty = await rig.request('conversation/setNextMessage', { message: { content: '' } });
    assert.match(empty.warnings?.[0] ?? '', /Empty prompt/);
  }));

test.run();
