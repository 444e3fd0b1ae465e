import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FrameParser } from '../../src/wire/frame-parser.ts';
import { frameOf } from '../support/frames.ts';

interface Parsed {
  readonly bodies: string[];
  readonly fault: string | undefined;
}

function parse(bytes: Buffer | string, chunkBytes = Number.POSITIVE_INFINITY): Parsed {
  const bodies: string[] = [];
  const parser = new FrameParser((body, charset) => bodies.push(charset ?? body.toString()));
  const all = Buffer.from(bytes);
  for (let at = 0; at < all.length; at += chunkBytes) parser.push(all.subarray(at, at + chunkBytes));
  return { bodies, fault: parser.fault };
}

/** Parses the bytes in one chunk, and again byte by byte. The two results must be equal. */
function parseBothWays(bytes: Buffer | string): Parsed {
  const whole = parse(bytes);
  assert.equal(parse(bytes, 1), whole);
  return whole;
}

test('the parser reads every frame, however the bytes are cut into pieces', () => {
  const three = Buffer.concat([frameOf('{"a":1}'), frameOf(''), frameOf('"ünï"')]);
  for (let cut = 1; cut <= three.length; cut += 1) {
    assert.equal(parse(three, cut), {
      bodies: ['{"a":1}', '', '"ünï"'],
      fault: undefined,
    });
  }
});

// protocol/conformance/02-frames.json tests more headers, with a real daemon.
for (const header of ['Content-Length: \t 2 \t', 'Content-Length: 0002']) {
  test(`the header ${JSON.stringify(header)} is accepted`, () => {
    assert.equal(parseBothWays(`${header}\r\n\r\n{}`).bodies, ['{}']);
  });
}

for (const [what, header] of [
  ['a carriage return alone', 'Content-Length: 2\rX: y'],
  ['noise before the name', 'noise Content-Length: 2'],
  ['a NUL', 'Content-Length: 2\0'],
  ['a continued line', 'Content-Length:\r\n 2'],
  ['more than 4 KiB of fields', `${'X-Field: y\r\n'.repeat(500)}Content-Length: 2`],
] as const) {
  test(`a header with ${what} is a framing fault, after which the parser reads nothing more (F103)`, () => {
    const parsed = parseBothWays(`${header}\r\n\r\n{}${frameOf('{"after":1}').toString()}`);
    assert.equal(parsed.bodies, []);
    assert.type(parsed.fault, 'string');
  });
}

test('the parser refuses noise immediately, before a header is complete (F103)', () => {
  assert.type(parse('\n').fault, 'string');
  assert.type(parse('{"jsonrpc":"2.0"}\n').fault, 'string');
  assert.type(parse(Buffer.from([0xff])).fault, 'string');
  assert.type(parse('{').fault, 'string', 'JSON without a header, from a client that waits for its answer');
});

test('a header may have up to 4 KiB', () => {
  const end = 'Content-Length: 2\r\n\r\n';
  const filler = (bytes: number): string => `X: ${'y'.repeat(bytes - end.length - 5)}\r\n`;
  assert.equal(parseBothWays(`${filler(4096)}${end}{}`).bodies, ['{}']);
  assert.type(parseBothWays(`${filler(4097)}${end}{}`).fault, 'string');
});

test('the parser reports a frame with a charset other than UTF-8, and skips its body', () => {
  const frame = 'Content-Length: 2\r\nContent-Type: text/plain; charset=utf-16\r\n\r\n{}';
  assert.equal(parseBothWays(`${frame}${frameOf('[]').toString()}`).bodies, ['utf-16', '[]']);
});

test('the parser’s memory grows with the received bytes, not with the announced length (F103)', () => {
  const before = process.memoryUsage().arrayBuffers;
  const parsers = Array.from({ length: 50 }, () => {
    const parser = new FrameParser(() => undefined);
    parser.push(Buffer.from(`Content-Length: ${64 * 1024 * 1024}\r\n\r\n{`));
    return parser;
  });
  const grown = process.memoryUsage().arrayBuffers - before;
  assert.ok(parsers.every((parser) => parser.fault === undefined));
  assert.ok(grown < 16 * 1024 * 1024, `${grown} bytes for 50 announcements`);
});

test('the parser reads a body of 64 MiB, the maximum', () => {
  const bytes = 64 * 1024 * 1024;
  let length = 0;
  const parser = new FrameParser((body) => (length = body.length));
  parser.push(Buffer.from(`Content-Length: ${bytes}\r\n\r\n`));
  const chunk = Buffer.alloc(64 * 1024, ' ');
  for (let sent = 0; sent < bytes; sent += chunk.length) parser.push(chunk);
  assert.is(length, bytes);
});

test.run();
