// Dispatch, errors, cancel, progress, events and endings, with handlers of the test and no process.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { validateErrorData, validateParams } from '../../src/protocol/validators.ts';
import type { Handlers, RequestContext } from '../../src/rpc/dispatch.ts';
import type { Frame } from '../support/wire-client.ts';
import { ServerRig } from './server-rig.ts';

/** A promise that the test ends by hand. */
function gate(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

/** Rejects when the signal is aborted, as real work does. */
function untilAborted(context: RequestContext): Promise<never> {
  return new Promise((_, reject) => {
    context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
  });
}

const gc = { session: 'ses_x' };
const gcResult = { freedBytes: 0, removed: [] } as unknown as Awaited<ReturnType<Handlers['store/gc']>>;

async function started(handlers: Partial<Handlers>, stop?: () => Promise<void>): Promise<ServerRig> {
  const server = new ServerRig(handlers, stop);
  await server.initialize({
    capabilities: { checkpointd: { events: ['session/didOpen', 'window/logMessage'] } },
  });
  return server;
}

function kindOf(frame: Frame): string | undefined {
  if (frame.error !== undefined) assert.equal(validateErrorData(frame.error.data), []);
  return frame.error?.data?.kind;
}

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

test('an expected failure keeps its words, number, effects and facts', async () => {
  const server = await started({
    'store/gc': () => {
      throw new CheckpointdError('StoreBusy', 'Held by 42; close it there.', {
        retryable: true,
        effects: 'rolledBack',
        details: { holder: 42, operationId: 'op_1' },
      });
    },
  });
  assert.equal((await server.request(1, 'store/gc', gc)).error, {
    code: 3006,
    message: 'Held by 42; close it there.',
    data: {
      kind: 'StoreBusy',
      retryable: true,
      effects: 'rolledBack',
      operationId: 'op_1',
      details: { holder: 42 },
    },
  });
});

test('a foreign error never shows its text to the client, and is logged under its incident (F116)', async () => {
  const throws: unknown[] = [
    new Error('SECRET'),
    new TypeError('SECRET'),
    'SECRET',
    null,
    { message: 'SECRET' },
  ];
  const server = await started({
    'store/gc': () => Promise.reject(throws[0]),
    'session/list': () => Promise.reject(throws[0]),
  });
  while (throws.length > 0) {
    const frame = await server.request(1, 'store/gc', gc);
    assert.is(frame.error?.code, 9003);
    assert.is(frame.error?.data?.effects, 'unknown');
    const incident = String(frame.error?.data?.details?.['incident']);
    assert.match(frame.error?.message ?? '', incident);
    assert.ok(server.logged.some((line) => line.message.includes(incident)));
    assert.is((await server.request(1, 'session/list')).error?.data?.effects, 'none');
    throws.shift();
  }
  assert.not.match(JSON.stringify(server.frames), 'SECRET');
  assert.ok(server.logged.some((line) => line.level === 'info' && line.message.includes('SECRET')));
});

test('a full disk is NoSpace', async () => {
  const full = Object.assign(new Error('ENOSPC: /secret/path'), { code: 'ENOSPC' });
  const server = await started({ 'store/gc': () => Promise.reject(full) });
  assert.is(kindOf(await server.request(1, 'store/gc', gc)), 'NoSpace');
});

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

test('a result too large to send is ResponseTooLarge and says what was done', async () => {
  const huge = (): never => ({ text: 'x'.repeat(65 * 1024 * 1024) }) as never;
  const server = await started({ 'store/gc': async () => huge(), 'session/list': async () => huge() });
  const frame = await server.request(1, 'store/gc', gc);
  assert.is(kindOf(frame), 'ResponseTooLarge');
  assert.is(frame.error?.data?.effects, 'committed');
  assert.is((await server.request(2, 'session/list')).error?.data?.effects, 'none');
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

test('progress begins after 100 ms, reports at most ten times a second and ends before the response', async () => {
  const server = await started({
    'store/gc': async (_params, context) => {
      for (let done = 0; done < 70; done += 1) {
        context.progress.report({ phase: 'sweep', filesDone: done, filesTotal: 70 });
        if (done >= 9) await sleep(6); // ten come before anything can be sent
      }
      return gcResult;
    },
    'checkpoint/hasChanges': async (_params, context) => {
      context.progress.report({ phase: 'walk' });
      return { hasChanges: false };
    },
  });
  await server.request('fast', 'checkpoint/hasChanges', { ...gc, workDoneToken: 't' });
  const from = server.frames.length;
  const startedMs = performance.now();
  await server.request('slow', 'store/gc', { ...gc, workDoneToken: 0 });
  const ms = performance.now() - startedMs;
  const frames = server.frames.slice(from);
  const values = frames.slice(0, -1).map((frame) => {
    assert.is(frame.method, '$/progress');
    assert.equal(validateParams('$/progress', structuredClone(frame.params)), []);
    return frame.params as {
      readonly token: number;
      readonly value: {
        readonly kind: string;
        readonly filesDone?: number;
        readonly percentage?: number;
        readonly message?: string;
      };
    };
  });
  assert.equal(
    server.frames.slice(0, from).filter((frame) => frame.method === '$/progress'),
    [],
  );
  assert.is(frames.at(-1)?.id, 'slow');
  assert.is(values[0]?.value.kind, 'begin');
  assert.is(values.at(-1)?.value.kind, 'end');
  const reports = values.slice(1, -1);
  assert.ok(reports.length >= 1 && reports.length <= ms / 100, `${reports.length} reports in ${ms} ms`);
  assert.ok(reports.every(({ token, value }) => token === 0 && value.kind === 'report'));
  assert.ok((values[0]?.value.filesDone ?? 0) >= 9, 'the first report tells the latest');
  for (const { value } of [values[0], ...reports].flatMap((each) => each ?? [])) {
    assert.is(value.message, `${value.filesDone} of 70 files`);
    assert.is(value.percentage, Math.floor((100 * (value.filesDone ?? 0)) / 70));
  }
  assert.equal(values.at(-1)?.value, { kind: 'end', message: '69 of 70 files' });
});

test('progress ends before an error too, and says nothing without a token', async () => {
  const server = await started({
    'store/gc': async () => {
      await sleep(130);
      throw new CheckpointdError('StoreBusy', 'no');
    },
  });
  await server.request(1, 'store/gc', { ...gc, workDoneToken: 'a' });
  const kinds = server.frames
    .slice(1)
    .map((frame) => (frame.params as { value?: { kind: string } })?.value?.kind ?? frame.id);
  assert.equal(kinds, ['begin', 'end', 1]);
  await server.request(2, 'store/gc', gc);
  assert.is(server.frames.length, 5);
});

test('only events that the client asked for are sent, and none before initialize', async () => {
  const server = new ServerRig({});
  server.server.notify('session/didOpen', {} as never);
  server.server.logSink('warn', 'early');
  await server.initialize({ capabilities: { checkpointd: { events: ['session/didOpen', 'nonsense'] } } });
  server.server.notify('session/didOpen', { session: 'a' } as never);
  server.server.notify('checkpoint/didCreate', { session: 'a' } as never);
  server.server.logSink('warn', 'careful');
  server.server.logSink('info', 'quiet');
  await server.request(1, 'rpc.', {});
  const sent = server.frames
    .filter((frame) => frame.method !== undefined)
    .map(({ method, params }) => ({ method, params }));
  assert.equal(sent, [
    { method: 'session/didOpen', params: { session: 'a' } },
    { method: 'window/logMessage', params: { type: 2, message: 'careful' } },
  ]);
});

test('$/setTrace turns $/logTrace on, with parameters when verbose, and off again', async () => {
  const server = await started({ 'session/list': async () => ({ sessions: [] }) });
  const traces = async (value: string): Promise<unknown[]> => {
    server.send({ jsonrpc: '2.0', method: '$/setTrace', params: { value } });
    const from = server.frames.length;
    await server.request(value, 'session/list', {});
    return server.frames
      .slice(from)
      .filter((frame) => frame.method === '$/logTrace')
      .map((frame) => frame.params);
  };
  assert.is((await traces('messages')).length, 2);
  assert.equal((await traces('verbose'))[0], { message: 'received session/list', verbose: '{}' });
  assert.equal(await traces('off'), []);
});

test('shutdown waits for running requests a moment, then gives them up with -32802, and answers within a second', async () => {
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

test('shutdown answers within a second though the stop takes longer, and exit waits for the stop', async () => {
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

test('shutdown and exit in one write: the answer leaves before the end', async () => {
  const server = await started({}, () => sleep(20));
  server.send({ jsonrpc: '2.0', id: 's', method: 'shutdown' });
  server.send({ jsonrpc: '2.0', method: 'exit' });
  server.input.end();
  assert.is(await server.exited, 0);
  assert.is(server.frames.at(-1)?.id, 's');
});

test('what was asked before the end of input is answered before the end', async () => {
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

test('it is answered, too, where that takes longer than a client that shuts down would wait', async () => {
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

test('a stop that fails does not keep the daemon alive', async () => {
  const server = await started({}, () => Promise.reject(new Error('no')));
  server.send({ jsonrpc: '2.0', method: 'exit' });
  assert.is(await server.exited, 1);
});

test('the first end decides the code, and nothing new is begun meanwhile', async () => {
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
