// Sends mutated frames to real daemons. In the first test the framing of 2,000 frames is broken. Each run must end with
// all answers, or with one -32700 and exit code 1. In the second test 2,000 complete frames have broken bodies. One
// daemon answers all of these frames.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { protocol } from '../protocol/document.ts';
import { frameOf } from '../support/frames.ts';
import { repository } from '../support/in-process-daemon.ts';
import { mutatedBody, mutatedFrames, random } from '../support/mutated-frames.ts';
import { seed } from '../support/property.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { withClient } from '../support/wire-client.ts';

const framesEach = 20;
const runs = Number(process.env.RUNS ?? 100);

test('a real daemon answers any input, or ends in an orderly way (F103)', async () => {
  const below = random(seed);
  let framingFaults = 0;
  for (let run = 0; run < runs; run += 1) {
    const here = `SEED=${seed}, run ${run}`;
    await withClient(
      async (client) => {
        await client.initialize();
        const { frames } = mutatedFrames(framesEach, below);
        client.write(Buffer.concat(frames));
        client.write(frameOf({ jsonrpc: '2.0', id: 'last', method: 'shutdown' }));
        const { code, signal } = await client.endInput();
        assert.is(signal, null, here);
        const framing = client.frames.filter((frame) =>
          frame.error?.message.startsWith('The frames cannot be read'),
        );
        const wasShutDown = client.frames.some((frame) => frame.id === 'last');
        assert.is(code, wasShutDown && framing.length === 0 ? 0 : 1, here);
        assert.ok(framing.length <= 1, here);
        assert.is(client.stderr, '', here);
        framingFaults += framing.length;
      },
      { timeoutMs: 10_000 },
    );
  }
  console.log(`note: ${runs} runs, ${framingFaults} framing faults`);
  assert.ok(framingFaults > runs / 10);
});

const bodies = Number(process.env.BODIES ?? 2000);
const answered = new Set<string | undefined>();

test('a daemon answers a complete frame with an invalid body, and continues (F103)', () =>
  withClient(
    async (client) => {
      await client.initialize();
      const open = { workspace: repository({ 'a.txt': 'a\n' }), retention: 'session' } as const;
      let { session } = await client.request('session/open', open);
      const requests = protocol.methods
        .filter(({ kind, direction, name }) => {
          const isRequest = kind === 'request' && direction !== 'serverToClient';
          return isRequest && !/^(shutdown|initialize)$/.test(name);
        })
        .flatMap(({ name, examples }) =>
          examples.map(({ params }) => ({ method: name, params: { ...(params as object | undefined) } })),
        );
      const below = random(seed);
      let [expected, dispatched] = [0, 0];
      for (let from = 0; from < bodies; from += 40) {
        const before = client.frames.length;
        const sent = Array.from({ length: 40 }, (_, i) => {
          const { method, params } = requests[below(requests.length)] ?? { method: '', params: {} };
          // Fills in those placeholders that have a value. All other placeholders stay as invalid values.
          const text = JSON.stringify(params)
            .replaceAll('${session}', session)
            .replaceAll('${workspace}', open.workspace);
          const request = { method, params: JSON.parse(text) as object };
          return mutatedBody(`fuzz-${from + i}`, request, below);
        });
        client.write(Buffer.concat(sent.map(({ bytes }) => bytes)));
        const ids = new Set(sent.flatMap(({ id }) => id ?? []));
        for (const id of ids) await client.next((frame) => frame.id === id, before);
        const answers = client.frames.slice(before).filter(({ method }) => method === undefined);
        for (const id of ids)
          assert.is(answers.filter((frame) => frame.id === id).length, 1, `SEED=${seed}, ${id}`);
        for (const { error } of answers) {
          answered.add(error?.data?.kind);
          if (error?.data?.kind === 'InternalError') assert.unreachable(`SEED=${seed}: ${error.message}`);
        }
        expected += ids.size;
        dispatched += answers.filter(({ error }) => error?.code !== -32700 && error?.code !== -32600).length;
        // One of the frames may have closed or deleted this session.
        ({ session } = await client.request('session/open', open));
      }
      console.log(
        `note: ${bodies} bodies, ${expected} of whole JSON, ${dispatched} dispatched; ${[...answered].map((kind) => kind ?? 'a result').join(', ')}`,
      );
      assert.ok(dispatched > bodies / 2);
    },
    { env: { ...process.env, XDG_STATE_HOME: temporaryDirectory('storage') }, timeoutMs: 60_000 },
  ));

test.run();
