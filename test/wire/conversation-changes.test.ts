// A repeated request with the same idempotency key changes the conversation only once. A refused change leaves no
// trace.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequestMethod } from '../../src/protocol/types.ts';
import { failureOf } from '../support/wire-client.ts';
import { makePlaces, withSession } from '../support/wire-session.ts';

test('a request that is repeated with its idempotencyKey gets the same answer, even from the next daemon; no other request may use the key (C8)', async () => {
  const places = makePlaces();
  const entry = { user: { content: 'a' }, assistant: { content: 'b' } };
  const first = await withSession(
    async (rig) => {
      const append = { entry, idempotencyKey: 'k1' };
      const answer = await rig.request('conversation/append', append);
      assert.equal(await rig.request('conversation/append', append), { ...answer, replayed: true });
      const other = { entry: { user: {}, assistant: {} }, idempotencyKey: 'k1' };
      assert.is((await failureOf(rig.request('conversation/append', other))).kind, 'IdempotencyConflict');
      const context = { paths: ['a.txt', 'gone.txt'], idempotencyKey: 'k2' };
      const model = { modelInfo: { modelId: 'm' }, idempotencyKey: 'k3' };
      const tangent = { files: true, idempotencyKey: 'k4' };
      return {
        append: answer,
        context: await rig.request('conversation/addContext', context),
        model: await rig.request('conversation/setModel', model),
        tangent: await rig.request('conversation/enterTangent', tangent),
      };
    },
    { places },
  );
  await withSession(
    async (rig) => {
      const fate = await rig.request('operation/get', { idempotencyKey: 'k1' });
      assert.is(fate.state, 'committed');
      assert.is(fate.method, 'conversation/append');
      const { operation: _named, ...effect } = first.append;
      assert.equal(fate.result, effect);
      const again = {
        append: await rig.request('conversation/append', { entry, idempotencyKey: 'k1' }),
        context: await rig.request('conversation/addContext', {
          paths: ['a.txt', 'gone.txt'],
          idempotencyKey: 'k2',
        }),
        model: await rig.request('conversation/setModel', {
          modelInfo: { modelId: 'm' },
          idempotencyKey: 'k3',
        }),
        tangent: await rig.request('conversation/enterTangent', { files: true, idempotencyKey: 'k4' }),
      };
      for (const name of ['append', 'context', 'model', 'tangent'] as const)
        assert.equal(again[name], { ...first[name], replayed: true });
      assert.equal(await rig.said(), ['a']);
      const log = readFileSync(join(places.storage, rig.session, 'checkpointd', 'session.log'), 'utf8');
      assert.not.match(log, /"kind":"operation"/);
    },
    { places },
  );
});

test('an invalid change of the conversation is refused, and changes nothing (C6)', () =>
  withSession(async (rig) => {
    await rig.append('a');
    await rig.append('b', { tool: true });
    const before = await rig.document();
    const told = rig.events('conversation/didChange').length;
    const ask = async (method: RequestMethod, params: object): Promise<string | undefined> =>
      (await failureOf(rig.request(method, params))).kind;
    const big = 'x'.repeat(400_001);
    const entry = (user: object): object => ({ entry: { user, assistant: {} } });
    assert.is(await ask('conversation/append', entry({ content: big })), 'MessageTooLarge');
    assert.is(await ask('conversation/append', entry({ content: '\ud800' })), 'InvalidParams');
    assert.is(await ask('conversation/append', entry({ content: 7 })), 'InvalidParams');
    assert.is(await ask('conversation/append', {}), 'InvalidParams');
    assert.is(await ask('conversation/appendTranscript', { text: '\udc00' }), 'InvalidParams');
    assert.is(await ask('conversation/compact', { summary: big }), 'MessageTooLarge');
    assert.is(await ask('conversation/compact', { summary: 's', keepFrom: 'ent_none' }), 'UnknownEntry');
    assert.is(await ask('conversation/compact', { summary: 's', keep: 1, keepFrom: 'e' }), 'InvalidParams');
    for (const range of [
      { start: 0, end: 3 },
      { start: 2, end: 1 },
    ])
      assert.is(await ask('conversation/setValidRange', { range }), 'InvalidRange');
    assert.is(await ask('conversation/setValidRange', { range: { start: -1, end: 1 } }), 'InvalidParams');
    assert.is(
      await ask('conversation/recordLines', { path: '../x', operation: 'create' }),
      'PathOutsideWorkTree',
    );
    assert.is(await ask('conversation/setTools', { tools: { a: 'no' } }), 'InvalidParams');
    assert.is(await ask('conversation/get', { session: 'ses_no' }), 'UnknownSession');
    assert.equal(await rig.document(), before);
    assert.is(rig.events('conversation/didChange').length, told);
  }));

test.run();
