// 2,000 mutated frames against real daemons: each run ends in a full answer or in one -32700 and exit code 1.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mutatedFrames, random } from '../support/mutated-frames.ts';
import { seed } from '../support/property.ts';
import { frameOf, withClient } from '../support/wire-client.ts';

const framesEach = 20;
const runs = Number(process.env.RUNS ?? 100);

test('F103 a real daemon answers or ends in order, whatever comes', async () => {
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
        const framing = client.frames.filter((frame) => frame.error?.message.startsWith('Framing'));
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

test.run();
