// Tests that the first progress report contains everything that is known when it is sent.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startProgress } from '../../src/rpc/progress.ts';
import { undeclaredIn } from '../support/declarations.ts';
import { until } from '../support/until.ts';

test('the first progress report contains all earlier updates; no end is sent without a begin', async () => {
  const sent: object[] = [];
  const send = (method: '$/progress', params: object): void => {
    assert.equal(undeclaredIn({ method, params }, undefined), []);
    sent.push(params);
  };
  const request = { method: 'checkpoint/create', cancellable: true };
  const progress = startProgress(send, 'token', request);
  progress.report({ phase: 'walk', filesDone: 1 });
  progress.report({ phase: 'capture', filesDone: 3, filesTotal: 4, bytesDone: 70 });
  startProgress(send, 'short', request).end();
  assert.equal(sent, [], 'what is over at once says nothing');
  await until('a first report', () => sent.length > 0);
  const known = { phase: 'capture', filesDone: 3, filesTotal: 4, bytesDone: 70 };
  const people = { message: '3 of 4 files', percentage: 75 };
  const begin = { kind: 'begin', title: 'Creating a checkpoint', cancellable: true, ...people, ...known };
  progress.end();
  progress.end();
  const end = { kind: 'end', message: '3 of 4 files' };
  assert.equal(sent, [
    { token: 'token', value: begin },
    { token: 'token', value: end },
  ]);
});

test.run();
