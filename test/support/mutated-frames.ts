// Frames as a broken client would send them, from one seed: bytes flipped, dropped, doubled, noise put in.
import { frameOf } from './wire-client.ts';

/** A small fast generator of 32 random bits (mulberry32): fast-check would take minutes for this many. */
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

/** Sound frames of which every fourth or so was mutated; `firstMutated` is the number of those before any mutation. */
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
