// Which requests reach a handler, with which parameters, and how many at once.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gate, gc, gcResult, kindOf, started } from './server-rig.ts';

test('names of Object.prototype, rpc. names and notifications are no request methods (F106)', async () => {
  const server = await started({});
  for (const method of [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'rpc.',
    '',
    'nope/nope',
    'initialized',
    'exit',
    'session/didOpen',
    '$/cancelRequest',
  ]) {
    const frame = await server.request(method, method, {});
    assert.is(frame.error?.code, -32601, method);
  }
  assert.is((await server.request(1, 'store/gc', gc)).error?.code, -32601);
});

test('notifications get no answer, whatever they name (F106)', async () => {
  const server = await started({ 'store/gc': async () => gcResult });
  const before = server.frames.length;
  for (const method of [
    'store/gc',
    'nope/nope',
    'constructor',
    'textDocument/didOpen',
    '$/whatever',
    'initialize',
    'shutdown',
  ]) {
    server.send({ jsonrpc: '2.0', method, params: gc });
  }
  server.send({ jsonrpc: '2.0', method: '$/setTrace', params: { value: 'nonsense' } });
  await server.request('last', 'rpc.', {});
  assert.is(server.frames.length, before + 1);
});

test('wrong types and missing fields are -32602 with issues, and the handler never runs (F107)', async () => {
  let ran = 0;
  const server = await started({
    'store/gc': async () => {
      ran += 1;
      return gcResult;
    },
  });
  const wrong = [
    true,
    0,
    -1,
    1e308,
    '',
    'x',
    [1],
    ['ses_x'],
    { session: null },
    {},
    { session: 4 },
    { session: {} },
    { session: [] },
    { session: '\ud800' },
  ];
  for (const params of [...wrong, null, undefined, []]) {
    const frame = await server.request('w', 'store/gc', params);
    assert.is(frame.error?.code, -32602, JSON.stringify(params));
    assert.is(kindOf(frame), 'InvalidParams');
    assert.ok((frame.error?.data?.issues?.length ?? 0) > 0, JSON.stringify(params));
  }
  assert.is(ran, 0);
  assert.is(
    (await server.request('r', 'store/gc', { ...gc, unknown: 1, _meta: { a: 1 }, idempotencyKey: null }))
      .error,
    undefined,
  );
  assert.is(ran, 1);
});

test('absent, null and [] parameters are {}', async () => {
  const seen: unknown[] = [];
  const server = await started({
    'session/list': async (params) => {
      seen.push(params);
      return { sessions: [] };
    },
  });
  for (const params of [undefined, null, [], {}]) await server.request(1, 'session/list', params);
  assert.equal(seen, [{}, {}, {}, {}]);
});

test('every one of 1,000 pipelined requests is answered once; 64 run, the rest are told to wait', async () => {
  const held = gate();
  const server = await started({
    'store/gc': async () => {
      await held.promise;
      return gcResult;
    },
  });
  const before = server.frames.length;
  const answers = Array.from({ length: 1000 }, (_, id) => server.request(id, 'store/gc', gc));
  await answers[999];
  held.open();
  const all = await Promise.all(answers);
  assert.is(all.filter((frame) => frame.error === undefined).length, 64);
  assert.is(all.filter((frame) => kindOf(frame) === 'ServerBusy').length, 936);
  assert.is(server.frames.length, before + 1000);
  assert.is((await server.request(5, 'store/gc', gc)).error, undefined);
});

test.run();
