// Ends a server by shutdown, by exit or by the end of input. Checks the exit code, and the requests that still get an
// answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gate, gc, gcResult, started, untilAborted } from './server-rig.ts';

test('shutdown waits briefly for running requests, and then aborts them with -32802', async () => {
  const held = gate();
  const server = await started({
    'store/gc': async () => {
      await held.promise;
      return gcResult;
    },
    'checkpoint/hasChanges': (_params, context) => untilAborted(context),
  });
  const quick = server.request('quick', 'store/gc', gc);
  const endless = server.request('endless', 'checkpoint/hasChanges', gc);
  setTimeout(held.open, 50);
  const startedMs = performance.now();
  const answer = await server.request('bye', 'shutdown');
  assert.ok(performance.now() - startedMs < 1000);
  assert.is(answer.result, null);
  assert.is((await quick).error, undefined);
  assert.is((await endless).error?.code, -32802);
  assert.equal(server.stops, ['shutdown']);
  server.send({ jsonrpc: '2.0', method: 'exit' });
  assert.is(await server.exited, 0);
  assert.equal(server.stops, ['shutdown']);
});

test('shutdown answers within a second, but exit waits until the daemon has stopped', async () => {
  const held = gate();
  const server = await started({}, () => held.promise);
  const startedMs = performance.now();
  await server.request('bye', 'shutdown');
  assert.ok(performance.now() - startedMs < 1000);
  server.send({ jsonrpc: '2.0', method: 'exit' });
  const early = await Promise.race([server.exited, sleep(50).then(() => 'waiting')]);
  assert.is(early, 'waiting');
  held.open();
  assert.is(await server.exited, 0);
});

test('after the end of input, the daemon answers the earlier requests and then ends', async () => {
  const server = await started({
    'store/gc': async () => {
      await sleep(30);
      return gcResult;
    },
  });
  server.send({ jsonrpc: '2.0', id: 1, method: 'store/gc', params: gc });
  server.input.end();
  assert.is(await server.exited, 1);
  assert.is(server.frames.at(-1)?.id, 1);
  assert.equal(server.stops, ['endOfInput']);
});

test('after the end of input, the daemon answers even slow earlier requests and then ends', async () => {
  const server = await started({
    'store/gc': async (_, context) => {
      await Promise.race([sleep(900), untilAborted(context)]);
      return gcResult;
    },
  });
  server.send({ jsonrpc: '2.0', id: 1, method: 'store/gc', params: gc });
  server.input.end();
  assert.is(await server.exited, 1);
  const last = server.frames.at(-1);
  assert.is(last?.id, 1);
  assert.equal(last?.result, gcResult);
});

test('the daemon ends even if closing its sessions fails', async () => {
  const server = await started({}, () => Promise.reject(new Error('no')));
  server.send({ jsonrpc: '2.0', method: 'exit' });
  assert.is(await server.exited, 1);
});

test('the first reason to end determines the exit code; while the daemon ends, no request begins', async () => {
  const held = gate();
  const server = await started({}, () => held.promise);
  await server.request(0, 'session/list');
  void server.server.end('signal', 143);
  void server.server.end('failure', 70);
  assert.is((await server.request(1, 'session/list')).error?.code, -32600);
  held.open();
  assert.is(await server.exited, 143);
  assert.equal(server.stops, ['signal']);
});

test.run();
