import { PassThrough } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Connection, type ConnectionPorts } from '../../../src/rpc/transport/connection.ts';
import { frameOf } from '../../support/frames.ts';

interface Ends {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly connection: Connection;
  /** The dispatched messages, and the end of the connection, in the order in which they came. */
  readonly events: string[];
}

function connect(ports: Partial<ConnectionPorts> = {}): Ends {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const events: string[] = [];
  const connection = new Connection({
    input,
    output,
    onRequest: async (method) => {
      events.push(method);
      return { result: { method }, effects: 'none' };
    },
    wantsNotification: (method) => method === 'wanted',
    onNotification: (method) => events.push(method),
    onEnd: (end) => events.push(end),
    ...ports,
  });
  connection.listen();
  return { input, output, connection, events };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};
const wanted = frameOf({ jsonrpc: '2.0', method: 'wanted' });
const request = (id: number): Buffer => frameOf({ jsonrpc: '2.0', id, method: `m${id}` });

test('the messages of a connection are handled in order, and the end of the connection is then reported once', async () => {
  const { input, events } = connect();
  input.end(
    Buffer.concat([request(1), wanted, request(2), frameOf({ jsonrpc: '2.0', method: 'other' }), wanted]),
  );
  await turns(20);
  assert.equal(events, ['m1', 'wanted', 'm2', 'wanted', 'endOfInput']);
});

test('requests before a framing fault are handled, and later requests are not', async () => {
  const { input, events } = connect();
  input.write(Buffer.concat([request(1), Buffer.from('noise\n'), request(2)]));
  input.write(request(3));
  input.end();
  await turns(20);
  assert.equal(events, ['m1', 'framing']);
});

test('a connection ends when its output breaks', async () => {
  const { output, connection, events } = connect();
  output.destroy(new Error('EPIPE'));
  await turns(5);
  connection.notify('late', {});
  await connection.drain(1000);
  assert.equal(events, ['outputClosed']);
});

test('closing a connection waits for open answers, but no longer than the time limit', async () => {
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { input, output, connection } = connect({
    onRequest: async () => {
      await held;
      return { result: 'late', effects: 'none' };
    },
  });
  output.resume();
  input.write(request(1));
  await turns(5);
  const startedMs = performance.now();
  await connection.drain(50);
  assert.ok(performance.now() - startedMs >= 45);
  let text = '';
  output.on('data', (chunk: Buffer) => (text += chunk.toString()));
  setTimeout(answer, 20);
  await connection.drain(5000);
  assert.match(text, '"late"');
  assert.is(connection.inFlight, 0);
});

test('closing a connection waits while a slow client reads, and ends when the client stops reading', async () => {
  const { output, connection } = connect();
  const event = { text: 'x'.repeat(100_000) };
  for (let n = 0; n < 8; n += 1) connection.notify('event', event);
  let bytes = 0;
  const reading = setInterval(() => {
    bytes += (output.read() as Buffer | null)?.length ?? 0;
  }, 40);
  await connection.drain(100);
  clearInterval(reading);
  bytes += (output.read() as Buffer | null)?.length ?? 0;
  assert.ok(bytes > 800_000, `${bytes} bytes were read`);
  for (let n = 0; n < 8; n += 1) connection.notify('event', event);
  const startedMs = performance.now();
  await connection.drain(100);
  assert.ok(
    performance.now() - startedMs < 1000,
    'of one that reads nothing it does not wait for a round more',
  );
});

test('during a flood of notifications, no more input is read until the earlier notifications are handled', async () => {
  let handled = 0;
  const { input } = connect({ onNotification: () => (handled += 1) });
  const many = Buffer.concat(Array.from({ length: 2000 }, () => wanted));
  input.write(many);
  input.write(many);
  await turns(3);
  assert.ok(input.isPaused());
  await turns(6000);
  assert.is(handled, 4000);
  assert.not(input.isPaused());
});

test('a client that does not read loses notifications but no answers, and memory stays bounded', async () => {
  const { input, output, connection } = connect();
  const event = { text: 'x'.repeat(1024 * 1024) };
  let sent = 0;
  while (connection.notify('event', event)) sent += 1;
  assert.ok(sent >= 32 && sent < 40, `${sent} MiB`);
  input.write(request(1));
  await turns(5);
  let text = '';
  output.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await connection.drain(10_000);
  await turns(5);
  assert.is(text.split('"event"').length - 1, sent);
  assert.match(text.slice(-200), '"result":{"method":"m1"}');
  assert.ok(connection.notify('event', {}));
});

test.run();
