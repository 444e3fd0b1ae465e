// A cancelled request: before its handler, while it runs, after its commit.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failedAfterRecovery } from '../../src/base/errors.ts';
import type { Handlers } from '../../src/rpc/dispatch.ts';
import { gate, gc, gcResult, kindOf, started, untilAborted } from './server-rig.ts';

test('a cancel aborts the handler and is answered with -32800, by the type of the id', async () => {
  const server = await started({ 'store/gc': (_params, context) => untilAborted(context) });
  const text = server.request('7', 'store/gc', gc);
  const number = server.request(7, 'store/gc', gc);
  await sleep(5);
  server.send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 7 } });
  assert.is((await number).error?.code, -32800);
  assert.is(
    server.frames.some((frame) => frame.id === '7'),
    false,
  );
  server.send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: '7' } });
  assert.is(kindOf(await text), 'RequestCancelled');
});

test('a cancel of a request that had recovered an interrupted restore is not answered with effects none', async () => {
  const runs = gate();
  const server = await started({
    'store/gc': async (_params, context) => {
      runs.open();
      try {
        return await untilAborted(context);
      } catch (error) {
        throw failedAfterRecovery(error);
      }
    },
  });
  const answer = server.request(7, 'store/gc', gc);
  await runs.promise;
  server.send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 7 } });
  const { error } = await answer;
  assert.equal([kindOf(await answer), error?.data?.effects], ['RequestCancelled', 'unknown']);
  assert.match(error?.message ?? '', /recovered/);
});

test('a cancel right behind its request comes before the handler', async () => {
  let ran = false;
  const server = await started({
    'store/gc': async () => {
      ran = true;
      return gcResult;
    },
  });
  const answer = server.request(1, 'store/gc', gc);
  server.send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } });
  assert.is((await answer).error?.code, -32800);
  assert.not(ran);
});

test('a cancel after the commit, or of what cannot be cancelled, changes nothing', async () => {
  const held = gate();
  const [collecting, clearing] = [gate(), gate()];
  let aborted = false;
  const server = await started({
    'store/gc': async () => {
      collecting.open();
      await held.promise;
      return gcResult;
    },
    'conversation/clear': async (_params, context) => {
      clearing.open();
      context.signal.addEventListener('abort', () => (aborted = true));
      await held.promise;
      return {} as Awaited<ReturnType<Handlers['conversation/clear']>>;
    },
  });
  const late = server.request(1, 'store/gc', gc);
  const never = server.request(2, 'conversation/clear', gc);
  await Promise.all([collecting.promise, clearing.promise]);
  for (const id of [1, 2]) server.send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } });
  assert.is(kindOf(await server.request(3, 'session/list')), 'MethodNotFound', 'both cancels were read');
  held.open();
  assert.is((await late).error, undefined);
  assert.is((await never).error, undefined);
  assert.not(aborted);
});

test('an AbortError that nobody asked for is no cancel', async () => {
  const server = await started({ 'store/gc': () => Promise.reject(new DOMException('odd', 'AbortError')) });
  assert.is(kindOf(await server.request(1, 'store/gc', gc)), 'InternalError');
});

test.run();
