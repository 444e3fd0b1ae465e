import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Message } from 'vscode-jsonrpc/node';
import { Admission, type Refusal } from '../../../src/rpc/transport/admission.ts';
import { StrictReader } from '../../../src/rpc/transport/strict-reader.ts';
import { frameOf } from '../../support/frames.ts';
import { mutatedFrames, random } from '../../support/mutated-frames.ts';
import { seed } from '../../support/property.ts';

/** An input whose events are emitted by the test. A real stream would need a turn of the event loop for each chunk. */
class Source extends EventEmitter {
  pause(): this {
    return this;
  }
  resume(): this {
    return this;
  }
}

interface Read {
  readonly passed: Message[];
  readonly refused: Refusal[];
  readonly ends: string[];
}

/** Reads the chunks and then the end of input. If `answer` is true, treats each request as answered immediately. */
function read(chunks: readonly Buffer[], answer = true): Read {
  const source = new Source();
  const admission = new Admission(() => true);
  const result: Read = { passed: [], refused: [], ends: [] };
  const reader = new StrictReader(source as unknown as Readable, {
    admission,
    refuse: (response) => result.refused.push(response),
    onEnd: (end) => result.ends.push(end),
  });
  reader.listen((message) => {
    if (!('id' in message)) result.passed.push(message);
    else
      result.passed.push({
        ...message,
        id: answer ? admission.release(message.id as number) : message.id,
      } as Message);
  });
  for (const chunk of chunks) source.emit('data', chunk);
  source.emit('end');
  return result;
}

const request = (id: unknown, more: object = {}): object => ({ jsonrpc: '2.0', id, method: 'm', ...more });

function codesOf(bodies: readonly (string | object)[]): [number, unknown][] {
  const { refused } = read([Buffer.concat(bodies.map(frameOf))]);
  return refused.map((response) => [response.error.code, response.id]);
}

test('200,000 open brackets are refused even if none is closed, and the next request is read', () => {
  const bomb = '['.repeat(200_000);
  const closed = `${bomb}${']'.repeat(200_000)}`;
  const nested = `{"jsonrpc":"2.0","id":5,"method":"m","params":{"a":${closed}}}`;
  const expected: [string, number | null][] = [
    [bomb, null],
    [closed, null],
    ['{"a":'.repeat(200_000), null],
    [nested, 5],
    ['['.repeat(60_000), null],
  ];
  for (const [body, id] of expected) {
    const { refused, passed } = read([frameOf(body), frameOf(request(6))]);
    assert.equal(
      refused.map((response) => [response.error.code, response.id]),
      [[-32700, id]],
    );
    assert.is(passed.length, 1);
  }
});

test('if a body is nested too deep or has too many values, the error has the id of the body', () => {
  const deep = `${'['.repeat(50_000)}"id"${']'.repeat(50_000)}`;
  const wide = `[${'1,'.repeat(2_000_000)}1]`;
  for (const huge of [deep, wide, `{"id":7,"a":${deep}}`]) {
    const params = `"params":{"id":8,"a":${huge}}`;
    for (const id of [5, -1, 'five', 'quote " and \\', '']) {
      const member = `"id":${JSON.stringify(id)}`;
      for (const body of [`{${member},"method":"m",${params}}`, `{"method":"m",${params} , ${member} }\n`]) {
        assert.equal(codesOf([body]), [[-32700, id]], body.slice(0, 40));
      }
    }
    assert.equal(codesOf([`{${params},"\\u0069d":1,"id":2}`]), [[-32700, 2]], 'the last id counts');
    assert.equal(codesOf([`{${params},"\\u0069d":1}`]), [[-32700, 1]], 'a key may be escaped');
  }
});

test('if a body is nested too deep and has no valid id, the error has the id null', () => {
  const deep = `${'['.repeat(50_000)}1${']'.repeat(50_000)}`;
  const rest = `"method":"m","params":{"id":8,"a":${deep}}`;
  const bodies = [
    `{${rest}}`,
    `[{"id":5,${rest}}]`,
    `{"id":{"id":5},${rest}}`,
    `{"id":${deep},${rest}}`,
    `{"id":1.5,${rest}}`,
    `{"id":5 6,${rest}}`,
    `{"x":"id",5,${rest}}`,
    `{"id":5,${rest}`,
    `{"id":5,${rest}}}`,
    `{"id":5,${rest}}{"id":5}`,
    `x{"id":5,${rest}}`,
  ];
  for (const body of bodies) assert.equal(codesOf([body]), [[-32700, null]], body.slice(0, 40));
});

test('none of 120,000 mutated frames throws, and each fault gets one answer, however the bytes are split (F103)', () => {
  const below = random(seed);
  const framesEach = 12;
  let faults = 0;
  for (let round = 0; round < 10_000; round += 1) {
    const { frames, firstMutated } = mutatedFrames(framesEach, below);
    const whole = Buffer.concat(frames);
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; ) {
      const size = 1 + below(below(3) === 0 ? 4 : 300);
      pieces.push(whole.subarray(at, at + size));
      at += size;
    }
    const here = `SEED=${seed}, round ${round}`;
    const once = read([whole]);
    assert.equal(read(pieces), once, here);
    assert.is(once.ends.length, 1, here);
    const isFraming = once.ends[0] === 'framing';
    if (isFraming) faults += 1;
    const framing = once.refused.filter((response) =>
      response.error.message.startsWith('The frames cannot be read'),
    );
    assert.is(framing.length, isFraming ? 1 : 0, here);
    // The reader loses no frame before the first mutated frame.
    const sound = read([Buffer.concat(frames.slice(0, firstMutated))]);
    assert.equal(sound.ends, ['endOfInput'], here);
    assert.equal(once.passed.slice(0, sound.passed.length), sound.passed, here);
    assert.equal(once.refused.slice(0, sound.refused.length), sound.refused, here);
  }
  assert.ok(faults > 100, `${faults} framing faults were met`);
});

test.run();
