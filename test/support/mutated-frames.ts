// Makes the frames of a broken client from a seed. Bytes are flipped, removed or doubled, or random bytes are inserted.
import { frameOf } from './frames.ts';

/** Returns a fast random generator (mulberry32). For so many frames, fast-check would take minutes. */
export function random(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  };
}

const request = (id: string | number, more: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'session/get',
  ...more,
});
const sound = [
  request(1, { params: { session: 'ses_1', tag: '1.2' } }),
  request('ünï', { params: [] }),
  request(2, { params: null }),
  { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } },
  { jsonrpc: '2.0', method: 'initialized' },
  [request(3)],
].map((body) => frameOf(body));
const tokens = [
  '\r\n\r\n',
  '\n',
  '\0',
  'Content-Length: ',
  '99999999999',
  '{',
  '[',
  '"',
  '\\ud800',
  'ÿ',
  '-',
  '1e9',
];

function mutate(frame: Buffer, below: (max: number) => number): Buffer {
  const bytes = Buffer.from(frame);
  const at = below(bytes.length);
  switch (below(6)) {
    case 0:
      bytes[at] = below(256);
      return bytes;
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(8))]);
    case 3:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(tokens[below(tokens.length)] ?? ''),
        bytes.subarray(at),
      ]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes]);
    default:
      return bytes;
  }
}

/**
 * Returns valid frames, and mutates about every fourth. `firstMutated` is the number of frames before the first
 * mutation.
 */
export function mutatedFrames(
  count: number,
  below: (max: number) => number,
): { readonly frames: readonly Buffer[]; readonly firstMutated: number } {
  let firstMutated = count;
  const frames = Array.from({ length: count }, (_, index) => {
    const frame = sound[below(sound.length)] ?? Buffer.alloc(0);
    if (below(4) > 0) return frame;
    firstMutated = Math.min(firstMutated, index);
    return mutate(frame, below);
  });
  return { frames, firstMutated };
}

/** A request with an invalid body in a valid frame. */
export interface MutatedBody {
  readonly bytes: Buffer;
  /**
   * The id that the daemon's answer must have. Undefined if the mutation may have damaged the id or the whole request.
   */
  readonly id: string | undefined;
}

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  'x',
  '\0',
  '\ud800',
  '../../x',
  'y'.repeat(70_000),
  [],
  {},
  [[[]]],
  { __proto__: 1, constructor: { name: 1 } },
];

/**
 * Returns a request in a frame of the right length. The JSON of the request is valid, but some values or names are
 * wrong. In one of eight frames, bytes of the body are damaged instead.
 */
export function mutatedBody(
  id: string,
  request: { readonly method: string; readonly params: object },
  below: (max: number) => number,
): MutatedBody {
  const params = structuredClone(request.params) as Record<string, unknown>;
  const names = Object.keys(params);
  for (let changes = below(3); changes > 0; changes -= 1) {
    const name = names[below(names.length)] ?? 'session';
    switch (below(4)) {
      case 0:
        delete params[name];
        break;
      case 1:
        params[`${name}${below(10)}`] = params[name];
        break;
      default:
        params[name] = values[below(values.length)];
    }
  }
  const method = below(12) === 0 ? `${request.method}${tokens[below(tokens.length)]}` : request.method;
  const whole = below(16) === 0 ? values[below(values.length)] : params;
  const text = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params: whole }));
  if (below(8) > 0) return { bytes: frameOf(text.toString()), id };
  const damaged = mutate(text, below);
  const head = Buffer.from(`Content-Length: ${damaged.length}\r\n\r\n`);
  return { bytes: Buffer.concat([head, damaged]), id: undefined };
}
