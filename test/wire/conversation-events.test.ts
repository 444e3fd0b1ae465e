// For every change of the conversation, each client that asked for the event gets it once, before the answer. The event
// contains the same state as the answer to conversation/get. The list of methods comes from protocol.json, so that no
// new method is forgotten.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequestMethod } from '../../src/protocol/types.ts';
import { WireClient } from '../support/wire-client.ts';
import { makePlaces, type WireSession, withSession } from '../support/wire-session.ts';

interface Method {
  readonly name: string;
  readonly kind: string;
  readonly idempotency?: string;
}

const protocol = JSON.parse(
  readFileSync(new URL('../../../protocol/protocol.json', import.meta.url), 'utf8'),
) as { readonly methods: readonly Method[] };

/** The methods that change the conversation, which are exactly the conversation methods with an idempotency key. */
const changing = protocol.methods
  .filter(({ name, idempotency }) => name.startsWith('conversation/') && idempotency === 'key')
  .map(({ name }) => name);

const entry = { user: { content: 'more' }, assistant: { content: 'done' } };
const document = {
  format_version: 1,
  conversation_id: 'd',
  history: [{ id: 'e', ...entry }],
  transcript: [],
};

/** Requests that must be sent in this order, so that each of them changes something. */
const changes: readonly (readonly [RequestMethod, object])[] = [
  ['conversation/append', { entry }],
  ['conversation/append', { entry }],
  ['conversation/appendTranscript', { text: 'Error: no' }],
  ['conversation/setNextMessage', { message: { content: 'next' } }],
  ['conversation/setValidRange', { range: { start: 1, end: 2 } }],
  ['conversation/compact', { summary: 'short' }],
  ['conversation/forget', { messages: 1 }],
  ['conversation/recordLines', { path: 'a.txt', operation: 'create' }],
  ['conversation/enterTangent', {}],
  ['conversation/exitTangent', { keepTail: true }],
  ['conversation/addContext', { paths: ['a.txt'] }],
  ['conversation/removeContext', { paths: ['a.txt'] }],
  ['conversation/setTools', { tools: { Builtin: [{ name: 'grep' }] } }],
  ['conversation/setAgents', { agents: { q: {} } }],
  ['conversation/setModel', { modelInfo: { modelId: 'm', contextWindowTokens: 9000 } }],
  ['conversation/setMcpEnabled', { mcpEnabled: false }],
  ['conversation/import', { document }],
  ['conversation/clear', {}],
];

async function lengths(rig: WireSession): Promise<object> {
  const { historyLength, transcriptLength, validHistoryRange } = await rig.request('conversation/get', {});
  return { historyLength, transcriptLength, validHistoryRange };
}

test('each method that changes the conversation sends one event with the new state before its answer (C8)', () =>
  withSession(async (rig) => {
    assert.equal([...new Set(changes.map(([method]) => method))].sort(), [...changing].sort());
    for (const [method, params] of changes) {
      const before = rig.client.frames.length;
      await rig.client.request(method, { session: rig.session, ...params });
      const frames = rig.client.frames.slice(before);
      const about = frames.filter((frame) => frame.method === 'conversation/didChange');
      assert.is(about.length, 1, method);
      assert.equal(about[0]?.params, { session: rig.session, method, ...(await lengths(rig)) }, method);
      const answered = frames.findIndex((frame) => frame.result !== undefined);
      assert.ok(frames.indexOf(about[0] as (typeof frames)[number]) < answered, method);
    }
  }));

test('conversation/didChange is also sent when the conversation is restored, and when a tangent ends (C33)', () =>
  withSession(async (rig) => {
    await rig.append('a');
    await rig.request('checkpoint/create', { kind: 'turn' });
    await rig.append('b');
    await rig.request('checkpoint/restore', { tag: '1', scope: 'conversation' });
    assert.equal(rig.events('conversation/didChange').at(-1), {
      session: rig.session,
      method: 'checkpoint/restore',
      ...(await lengths(rig)),
    });
    await rig.request('conversation/enterTangent', { files: true });
    await rig.append('aside');
    const told = rig.events('conversation/didChange').length;
    await rig.request('conversation/exitTangent', {});
    const later = rig.events('conversation/didChange').slice(told);
    assert.equal(
      later.map(({ method, historyLength }) => [method, historyLength]),
      [['conversation/exitTangent', 1]],
    );
    await rig.request('checkpoint/restore', { tag: '0', scope: 'files', mode: 'hard' });
    assert.is(rig.events('conversation/didChange').length, told + 1, 'files alone change no conversation');
  }));

test('a client that did not ask for conversation/didChange does not get this event', async () => {
  const places = makePlaces();
  const client = new WireClient({ args: [`--storage-dir=${places.storage}`] });
  try {
    await client.initialize({ capabilities: { checkpointd: { events: ['checkpoint/didCreate'] } } });
    const { session } = await client.request('session/open', { workspace: places.workTree });
    await client.request('conversation/append', { session, entry });
    await client.request('checkpoint/create', { session, kind: 'turn' });
    const events = client.frames.flatMap(({ method }) => (method === undefined ? [] : [method]));
    assert.ok(events.includes('checkpoint/didCreate'));
    assert.not(events.includes('conversation/didChange'));
  } finally {
    await client.kill();
  }
});

test.run();
