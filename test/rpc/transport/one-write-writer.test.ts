import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Message } from 'vscode-jsonrpc/node';
import type { FrameOutput } from '../../../src/rpc/transport/one-write-writer.ts';
import { OneWriteWriter, wellFormedJson } from '../../../src/rpc/transport/one-write-writer.ts';
import { checkProperty } from '../../support/property.ts';

function writerTo(output: FrameOutput, bodyBytesMax = 1000): OneWriteWriter {
  return new OneWriteWriter(output, {
    address: (message) => message,
    tooLarge: (_message, bytes) => ({ jsonrpc: '2.0', tooLarge: bytes ?? 'unknown' }) as Message,
    bodyBytesMax,
  });
}

const message = (more: object): Message => ({ jsonrpc: '2.0', ...more });

test('each frame is sent with one write, and its length is counted in bytes', async () => {
  const writes: string[] = [];
  const output = new PassThrough();
  const recorder: FrameOutput = {
    write: (text: string | Uint8Array, encoding: unknown, done?: () => void) => {
      writes.push(`${String(encoding)} ${String(text)}`);
      done?.();
      return true;
    },
    writableLength: 0,
    on: () => output,
  };
  await writerTo(recorder).write(message({ a: 'ü😀' }));
  assert.equal(writes, ['utf8 Content-Length: 30\r\n\r\n{"jsonrpc":"2.0","a":"ü😀"}']);
});

test('lone surrogates are sent as U+FFFD; text that looks like an escape is sent unchanged', () => {
  assert.is(
    wellFormedJson({ a: '\ud800', b: 'x\udc00y', c: '😀' }),
    '{"a":"\ufffd","b":"x\ufffdy","c":"😀"}',
  );
  assert.is(wellFormedJson('\\ud800'), '"\\\\ud800"');
  assert.is(wellFormedJson('\\\ud800'), '"\\\\\ufffd"');
  assert.is(wellFormedJson({ '\udfff': '\\udfff\udfff"' }), '{"\ufffd":"\\\\udfff\ufffd\\""}');
});

test('every string is sent as well-formed Unicode, unchanged if it is already well-formed', () => {
  const units = fc.array(fc.constantFrom(0x5c, 0x75, 0x64, 0x38, 0x30, 0x22, 0xd800, 0xdc00, 0xdfff, 0x61), {
    maxLength: 12,
  });
  checkProperty(
    units,
    (codes) => {
      const text = String.fromCharCode(...codes);
      const expected = Buffer.from(text).toString();
      assert.is(JSON.parse(wellFormedJson(text)), expected);
    },
    2000,
  );
});

test('instead of a message that is over the limit or cannot be encoded, the client gets an error', async () => {
  const output = new PassThrough();
  const writer = writerTo(output);
  const deep: unknown[] = [];
  for (let at = deep, i = 0; i < 200_000; i += 1) {
    const inner: unknown[] = [];
    at.push(inner);
    at = inner;
  }
  await writer.write(message({ a: 'x'.repeat(2000) }));
  await writer.write(message({ deep }));
  await writer.write(message({ a: 'short' }));
  await writer.drained();
  // On Node 20, one read returns everything. On later versions of Node, one read returns one chunk.
  const chunks: Buffer[] = [];
  for (let chunk = output.read() as Buffer | null; chunk !== null; chunk = output.read() as Buffer | null)
    chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const frames = text
    .replaceAll(/Content-Length: \d+\r\n\r\n/g, '\n')
    .split('\n')
    .slice(1);
  assert.equal(
    [frames.length, frames[0], frames[2]],
    [3, '{"jsonrpc":"2.0","tooLarge":2024}', '{"jsonrpc":"2.0","a":"short"}'],
  );
  // Newer engines can serialise deep nesting. The error can then name the length of the message.
  assert.match(frames[1] ?? '', /^\{"jsonrpc":"2\.0","tooLarge":("unknown"|\d+)\}$/);
});

test('a slow client gets all frames in order when it reads again', async () => {
  const output = new PassThrough({ highWaterMark: 10 });
  const writer = writerTo(output, 1_000_000);
  const sizes = [1, 70_000, 100_000, ...Array.from({ length: 3000 }, (_, i) => i % 97), 70_000, 3];
  for (const [index, size] of sizes.entries()) await writer.write(message({ index, a: 'ü'.repeat(size) }));
  assert.ok(writer.pendingBytes > 500_000);
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await writer.drained();
  await new Promise(setImmediate);
  assert.is(writer.pendingBytes, 0);
  const bodies = text.split(/Content-Length: \d+\r\n\r\n/).slice(1);
  assert.equal(
    bodies.map((body) => (JSON.parse(body) as { index: number; a: string }).a.length),
    sizes,
  );
  assert.equal(
    bodies.map((body) => (JSON.parse(body) as { index: number }).index),
    sizes.map((_, index) => index),
  );
});

test('flushing a writer waits for the reader, and ends when the output breaks', async () => {
  const output = new PassThrough({ highWaterMark: 10 });
  const writer = writerTo(output);
  await writer.write(message({ a: 1 }));
  await writer.write(message({ a: 2 }));
  let isDrained = false;
  const drained = writer.drained().then(() => (isDrained = true));
  await new Promise(setImmediate);
  assert.not(isDrained);
  assert.ok(writer.pendingBytes > 0);
  output.resume();
  await drained;
  const broken = new PassThrough({ highWaterMark: 10 });
  const other = writerTo(broken);
  const errors: unknown[] = [];
  other.onError(([error]) => errors.push(error.message));
  await other.write(message({ a: 'x'.repeat(100) }));
  await other.write(message({ a: 'x'.repeat(100) }));
  const ended = other.drained();
  broken.destroy(new Error('EPIPE'));
  await ended;
  await other.write(message({ a: 'ignored' }));
  assert.equal(errors, ['EPIPE']);
});

test.run();
