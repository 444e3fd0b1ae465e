import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdError } from '../../src/base/errors.ts';
import { invariant } from '../../src/base/invariant.ts';
import { OperationQueue } from '../../src/session/operation-queue.ts';
import { gate } from '../rpc/server-rig.ts';

async function kindOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof CheckpointdError ? error.kind : (error as Error).name),
  );
}

test('the queue runs operations one at a time, in the order in which they arrive', async () => {
  const queue = new OperationQueue();
  const order: string[] = [];
  const first = gate();
  const a = queue.run(async () => {
    order.push('a begins');
    await first.promise;
    order.push('a ends');
  });
  const b = queue.run(async () => void order.push('b'));
  assert.equal(order, ['a begins']);
  first.open();
  await Promise.all([a, b]);
  assert.equal(order, ['a begins', 'a ends', 'b']);
});

test('after a failed operation, the queue runs the next operation', async () => {
  const queue = new OperationQueue();
  const failed = queue.run(() => Promise.reject(new Error('no')));
  const next = queue.run(async () => 7);
  assert.is(await kindOf(failed), 'Error');
  assert.is(await next, 7);
});

test('an operation that is cancelled while it waits never runs', async () => {
  const queue = new OperationQueue();
  const first = gate();
  const running = queue.run(() => first.promise);
  const controller = new AbortController();
  let ran = false;
  const waiting = queue.run(async () => {
    ran = true;
  }, controller.signal);
  controller.abort();
  assert.is(await kindOf(waiting), 'AbortError');
  first.open();
  await running;
  assert.not(ran);
  assert.is(queue.figures.waiting, 0);
});

test('a full queue refuses operations with ServerBusy, and stays usable', async () => {
  const queue = new OperationQueue();
  const first = gate();
  const all = Array.from({ length: 257 }, () => queue.run(() => first.promise));
  assert.is(await kindOf(queue.run(() => first.promise)), 'ServerBusy');
  first.open();
  await Promise.all(all);
  assert.is(queue.figures.completed, 257);
});

test('if an operation breaks an invariant, the queue reports this once and refuses all further operations', async () => {
  let told = 0;
  const queue = new OperationQueue(() => (told += 1));
  const broken = queue.run(async () => invariant(false, 'this test breaks it'));
  const waiting = queue.run(async () => 1);
  assert.is(await kindOf(broken), 'InvariantViolation');
  assert.is(await kindOf(waiting), 'StoreUnavailable');
  assert.is(await kindOf(queue.run(async () => 1)), 'StoreUnavailable');
  assert.is(told, 1);
});

test('closing the queue waits for the running operation, and refuses all waiting operations', async () => {
  const queue = new OperationQueue();
  const first = gate();
  let ended = false;
  const running = queue.run(async () => {
    await first.promise;
    ended = true;
  });
  const waiting = kindOf(queue.run(async () => 1));
  const closed = queue.close();
  assert.is(await waiting, 'StoreUnavailable');
  assert.not(ended);
  first.open();
  await closed;
  assert.ok(ended);
  await running;
});

test('the queue pauses after the running operation, and refuses all other operations until the pause ends', async () => {
  const queue = new OperationQueue();
  const first = gate();
  const running = queue.run(() => first.promise);
  const waiting = kindOf(queue.run(async () => 1));
  const paused = queue.pause();
  assert.is(await waiting, 'StoreUnavailable');
  first.open();
  const goOn = await paused;
  await running;
  assert.is(await kindOf(queue.run(async () => 1)), 'StoreUnavailable');
  goOn();
  assert.is(await queue.run(async () => 2), 2);
});

test('background work stops, or does not start, when a request comes or the queue closes', async () => {
  const queue = new OperationQueue();
  const order: string[] = [];
  const untilAborted = (name: string) => (signal: AbortSignal) =>
    new Promise<string>((resolve) => {
      const end = (): void => {
        order.push(name);
        resolve(name);
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });
  const first = queue.runPreemptible(untilAborted('aside'));
  await Promise.resolve();
  await queue.run(async () => void order.push('request'));
  assert.is(await first, 'aside');
  const behind = queue.run(async () => void order.push('before'));
  const second = queue.runPreemptible(untilAborted('aborted at once'));
  const after = queue.run(async () => void order.push('after'));
  await Promise.all([behind, second, after]);
  assert.equal(order, ['aside', 'request', 'before', 'aborted at once', 'after']);
  const third = queue.runPreemptible(untilAborted('closed'));
  await queue.close();
  assert.is(await third, 'closed');
  assert.is(await queue.runPreemptible(untilAborted('never')), undefined);
});

test.run();
