// Tests the progress that the server reports, and the log lines that the server sends to the client. Events and traces
// are tested in protocol/conformance.
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { validateParams } from '../../src/protocol/validators.ts';
import { gc, gcResult, started } from './server-rig.ts';

test('progress begins after 100 ms, is sent at most ten times a second, and ends before the response', async () => {
  const server = await started({
    'store/gc': async (_params, context) => {
      for (let done = 0; done < 70; done += 1) {
        context.progress.report({ phase: 'sweep', filesDone: done, filesTotal: 70 });
        if (done >= 9) await sleep(6); // ten updates come before the first report may be sent
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

test('the server sends no progress without a progress token; progress ends before an error response, too', async () => {
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

test('the server sends warnings from the log to the client, but no lines of lower levels', async () => {
  const server = await started({});
  const from = server.frames.length;
  server.server.logSink('info', 'quiet');
  server.server.logSink('warn', 'careful');
  const sent = server.frames.slice(from).map(({ method, params }) => ({ method, params }));
  assert.equal(sent, [{ method: 'window/logMessage', params: { type: 2, message: 'careful' } }]);
});

test.run();
