// Tests the error that the client gets for each failure of any module.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/base/log.ts';
import { toWireError } from '../../src/rpc/error-response.ts';

function told(error: unknown): { readonly kind: string; readonly retryable: boolean; readonly text: string } {
  const log = createLog('error', []);
  const { message, data } = toWireError(error, { method: 'checkpoint/create', mutates: true, log });
  return { kind: data.kind, retryable: data.retryable, text: `${message} ${JSON.stringify(data.details)}` };
}

const system = (code: string): Error =>
  Object.assign(new Error(`${code}: secret words`), { code, syscall: 'open', path: '/storage/x' });

test('a failed system call is reported with a kind and a remedy, and not as a defect (F91)', () => {
  const kinds: Readonly<Record<string, string>> = {
    ENOSPC: 'NoSpace',
    EDQUOT: 'NoSpace',
    EROFS: 'ReadOnlyStore',
    EACCES: 'ReadOnlyStore',
    EPERM: 'ReadOnlyStore',
    EIO: 'StoreUnavailable',
    EMFILE: 'StoreUnavailable',
    ENFILE: 'StoreUnavailable',
    ENOMEM: 'StoreUnavailable',
    EAGAIN: 'StoreUnavailable',
    ENOENT: 'StoreUnavailable',
    EMLINK: 'StoreUnavailable',
    EFBIG: 'StoreUnavailable',
  };
  for (const [code, kind] of Object.entries(kinds)) {
    const { text, ...rest } = told(system(code));
    assert.equal(rest, { kind, retryable: kind !== 'ReadOnlyStore' && code !== 'EFBIG' }, code);
    assert.match(text, code);
    assert.not.match(text, 'secret', code);
  }
});

test('errors of JavaScript and of Node’s argument checks are reported as defects', () => {
  const wrongType = Object.assign(new TypeError('no'), { code: 'ERR_INVALID_ARG_TYPE' });
  for (const error of [new TypeError('x'), new Error('y'), wrongType, 'text'])
    assert.is(told(error).kind, 'InternalError');
});

test.run();
