// What the transport costs beside vscode-jsonrpc alone, measured in the same run, alternately: spawn to first
// answer, and one round trip. Prints the medians; the bounds are wide enough for a busy machine.
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repository } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { daemonEntry, WireClient } from '../support/wire-client.ts';

const echoEntry = fileURLToPath(new URL('../support/programs/echo-daemon.js', import.meta.url));
const bareEntry = fileURLToPath(new URL('../support/programs/bare-echo.js', import.meta.url));

function start(entry: string): WireClient {
  return new WireClient({ command: [process.execPath, entry], validate: false });
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function firstAnswerMs(entry: string): Promise<number> {
  const startedMs = performance.now();
  const client = start(entry);
  await client.send('initialize', {}).answer;
  const ms = performance.now() - startedMs;
  await client.kill();
  return ms;
}

async function roundTripMs(
  client: WireClient,
  rounds: number,
  method = 'session/list',
  params: object = { limit: 1 },
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now();
    await client.send(method, params).answer.catch(() => undefined);
    times.push(performance.now() - startedMs);
    client.frames.length = 0;
  }
  return median(times);
}

test('the first answer comes within 1.5 times of vscode-jsonrpc alone', async () => {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    ours.push(await firstAnswerMs(daemonEntry));
    bare.push(await firstAnswerMs(bareEntry));
  }
  const [a, b] = [median(ours), median(bare)];
  console.log(`note: first answer ${a.toFixed(0)} ms, bare ${b.toFixed(0)} ms, ratio ${(a / b).toFixed(2)}`);
  assert.ok(a < 4 * b, 'a bound against a defect; the figure that counts is the note above');
});

test('a round trip is measured beside that of a bare echo', async () => {
  const ours = start(echoEntry);
  const bare = start(bareEntry);
  try {
    await ours.initialize();
    await bare.send('initialize', {}).answer;
    const [a, b]: [number[], number[]] = [[], []];
    for (let round = 0; round < 20; round += 1) {
      a.push(await roundTripMs(ours, 300));
      b.push(await roundTripMs(bare, 300));
    }
    // The best of many medians: a neighbour on the machine slows single rounds fourfold, on either side.
    const [x, y] = [Math.min(...a), Math.min(...b)];
    console.log(`note: round trip ${x.toFixed(3)} ms, bare ${y.toFixed(3)} ms, ratio ${(x / y).toFixed(2)}`);
    assert.ok(x < 4 * y, 'a bound against a defect; the figure that counts is the note above');
  } finally {
    await ours.kill();
    await bare.kill();
  }
});

test('checkpoint/list on an idle daemon beside a bare echo', async () => {
  const env = { ...process.env, XDG_STATE_HOME: temporaryDirectory('storage') };
  const daemon = new WireClient({ validate: false, env });
  const bare = start(bareEntry);
  try {
    await daemon.initialize();
    await bare.send('initialize', {}).answer;
    const { session } = await daemon.request('session/open', { workspace: repository() });
    const params = { session };
    const [a, b]: [number[], number[]] = [[], []];
    for (let round = 0; round < 20; round += 1) {
      a.push(await roundTripMs(daemon, 200, 'checkpoint/list', params));
      b.push(await roundTripMs(bare, 200, 'checkpoint/list', params));
    }
    const [x, y] = [Math.min(...a), Math.min(...b)];
    console.log(
      `note: checkpoint/list p50 ${x.toFixed(3)} ms, bare ${y.toFixed(3)} ms, ratio ${(x / y).toFixed(2)}`,
    );
    assert.ok(x < 5 * y, 'sane; the number itself is told');
  } finally {
    await daemon.kill();
    await bare.kill();
  }
});

test.run();
