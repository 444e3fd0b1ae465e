import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import type { SessionId } from '../../src/base/ids.ts';
import { Shares } from '../../src/session/shares.ts';

const session = 'ses_one' as SessionId;
const first = { name: 'first' };
const second = { name: 'second' };

/** Returns the error of an opening that was refused. */
function refusalOf(shares: Shares, client: object): unknown {
  try {
    shares.opens(client);
  } catch (error) {
    if (error instanceof CheckpointdError) return { kind: error.kind, isRetryable: error.retryable };
    throw error;
  }
  return undefined;
}

test('a client can end the daemon only if no other client has a session open', () => {
  const shares = new Shares();
  shares.join(session, first);
  shares.join(session, second);
  assert.not(shares.beginEnd(first));
  shares.release(session, second);
  assert.ok(shares.beginEnd(first));
});

test('a client cannot end the daemon while another client is opening a session', () => {
  const shares = new Shares();
  const [isDone, isDoneToo] = [shares.opens(second), shares.opens(second)];
  isDone();
  assert.not(shares.beginEnd(first));
  isDoneToo();
  assert.ok(shares.beginEnd(first));
});

test('if a client disconnects while it opens a session, the daemon can still end', () => {
  const shares = new Shares();
  shares.opens(second);
  shares.leave(second);
  assert.ok(shares.beginEnd());
});

test('after a client has begun to end the daemon, no other client can open a session', () => {
  const shares = new Shares();
  assert.is(refusalOf(shares, second), undefined);
  shares.leave(second);
  assert.ok(shares.beginEnd(first));
  assert.equal(refusalOf(shares, second), { kind: 'StoreUnavailable', isRetryable: true });
  assert.is(refusalOf(shares, first), undefined);
  assert.ok(shares.beginEnd(first), 'it has begun for good');
});

test.run();
