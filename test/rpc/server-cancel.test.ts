// Tests the cancellation of a request, before its handler runs and after the request has recovered a restore. The cases
// in protocol/conformance test cancellation for every client.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failedAfterRecovery } from '../../src/base/errors.ts';
import { gate, gc, gcResult, kindOf, started, untilAborted } from './server-rig.ts';

test('a request finishes an interrupted restore and is then cancelled: the error of the request does not have the effects "none"', async () => {
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

test('a request that is cancelled immediately never reaches its handler', async () => {
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

test('an AbortError without a cancel request counts as an error', async () => {
  const server = await started({ 'store/gc': () => Promise.reject(new DOMException('odd', 'AbortError')) });
  assert.is(kindOf(await server.request(1, 'store/gc', gc)), 'InternalError');
});

test.run();
