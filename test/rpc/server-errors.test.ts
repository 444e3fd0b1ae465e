// Tests the answer to a request whose handler fails, or whose result is too large.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { gc, kindOf, started } from './server-rig.ts';

test('the error of an expected failure has its message, code, effects and details', async () => {
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

test('the text of an unexpected error is only logged, and the client gets its incident number (F116)', async () => {
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

test('the error of a full disk has the kind NoSpace', async () => {
  const full = Object.assign(new Error('ENOSPC: /secret/path'), { code: 'ENOSPC' });
  const server = await started({ 'store/gc': () => Promise.reject(full) });
  assert.is(kindOf(await server.request(1, 'store/gc', gc)), 'NoSpace');
});

test('if a result is too large to send, the error ResponseTooLarge says whether the request took effect', async () => {
  const huge = (): never => ({ text: 'x'.repeat(65 * 1024 * 1024) }) as never;
  const server = await started({ 'store/gc': async () => huge(), 'session/list': async () => huge() });
  const frame = await server.request(1, 'store/gc', gc);
  assert.is(kindOf(frame), 'ResponseTooLarge');
  assert.is(frame.error?.data?.effects, 'committed');
  assert.is((await server.request(2, 'session/list')).error?.data?.effects, 'none');
});

test.run();
