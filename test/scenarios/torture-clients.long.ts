// Runs an episode of the torture test through each client of this repository. The torture test must detect a client
// that does not report the death of its daemon.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AnswerTimeout, withinRunningTime } from '../../scripts/torture/answer-time.ts';
import { Bridge } from '../../scripts/torture/clients/bridge.ts';
import { bridgeTo } from '../../scripts/torture/clients/bridges.ts';
import type { Step } from '../../scripts/torture/steps.ts';
import { Tally } from '../../scripts/torture/tally.ts';
import { run } from '../../scripts/torture/torture.ts';
import { packageFile } from '../../src/wire/places.ts';

const killed: readonly Step[] = [
  { op: 'edit', edits: [{ do: 'write', file: 'b.txt', bytes: 5000, mode: 0o644 }] },
  { op: 'create', onlyIfChanged: false },
  { op: 'edit', edits: [{ do: 'remove', file: 'b.txt' }] },
  {
    op: 'restore',
    to: 0,
    mode: 'hard',
    onConflict: 'overwrite',
    scope: 'both',
    trouble: { act: 'kill', at: 3, match: '^rename ', nested: [20] },
  },
  { op: 'reopen' },
  { op: 'second', to: 0, isSame: false, isApart: false },
  { op: 'create', onlyIfChanged: false, trouble: { act: 'moment', at: 5 } },
  { op: 'audit' },
];

for (const client of ['python', 'pythonSync'] as const)
  test(`the torture test can run with kills through the client "${client}"`, async () => {
    const bridge = bridgeTo(client);
    if ('refusal' in bridge) return console.log(`skipped: no Python for the torture (${bridge.refusal})`);
    const tally = new Tally();
    const circumstances = { durability: 'process', hasPower: false, patienceMs: 10_000 } as const;
    const failure = await run({ strategy: 'shadow', client, ...circumstances }, killed, tally);
    assert.is(failure, undefined, failure?.defect);
    assert.ok(tally.kills >= 2, tally.describe());
    return undefined;
  });

/** Returns a minimal client for a daemon that only sleeps. For each request the client runs the code `after`. */
function bridgeThat(after: string, atEnd = 'say({ closed: 0 }); process.exit()'): Bridge {
  const script = `
    const daemon = require('node:child_process').spawn('sleep', ['100']);
    const say = (said) => console.log(JSON.stringify(said));
    say({ id: 0, result: { pid: daemon.pid } });
    let asked = 0;
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id } = JSON.parse(line);
      asked += 1;
      ${after}
    }).on('close', () => { ${atEnd} });`;
  const words = [process.execPath, '-e', script];
  return new Bridge({ words, daemon: [], env: process.env, patienceMs: 1000 });
}

async function defectOf(bridge: Bridge): Promise<string> {
  await bridge.initialize();
  return bridge.kill().then(
    () => '',
    (error: Error) => error.message,
  );
}

test('the torture test detects a client that hangs, sends a broken message or hides how its daemon ended', async () => {
  const gone = (words: string): string => `say({ id, gone: ${words} });`;
  assert.is(await defectOf(bridgeThat(gone("'the daemon ended with -9'"))), '');
  assert.is(await defectOf(bridgeThat(gone("'the daemon ended with signal: 9 (SIGKILL)'"))), '');
  assert.match(await defectOf(bridgeThat('')), /hangs: no answer within 1000 ms/);
  assert.match(await defectOf(bridgeThat(gone("'it went wrong'"))), /does not tell how its daemon ended/);
  assert.match(await defectOf(bridgeThat("say({ id, broken: 'KeyError' });")), /is broken: KeyError/);
  const stays = bridgeThat(gone("'the daemon ended with -9'"), 'setInterval(() => 0, 1000)');
  assert.match(await defectOf(stays), /hangs/);
});

test('the torture test learns from the client’s message how a daemon ended', async () => {
  for (const [words, end] of [
    ['the daemon ended with 2: no such log', { code: 2, signal: null }],
    ['the daemon ended with exit status: 2: no such log', { code: 2, signal: null }],
    ['the daemon ended with -9', { code: null, signal: 'SIGKILL' }],
  ] as const) {
    const bridge = bridgeThat(`say({ id, gone: ${JSON.stringify(words)} });`);
    await bridge.initialize();
    await bridge.kill();
    assert.equal(await bridge.exited, end);
  }
});

test('if a client is missing, the torture test reports this and uses a built-in driver', () => {
  const bin = mkdtempSync(join(tmpdir(), 'checkpointd-no-clients-'));
  try {
    const git = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
    symlinkSync(git, join(bin, 'git'));
    const words = ['--minutes', '0.001', '--seed', '3', '--power', '0', '--client', 'python,rust'];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [packageFile('dist/scripts/torture.js'), ...words],
      {
        encoding: 'utf8',
        env: { ...process.env, PATH: bin },
      },
    );
    assert.is(status, 0, stdout + stderr);
    assert.match(stdout, /SKIPPED: the client (python|rust)\w*, its episodes are our own \(.*ENOENT/);
    assert.match(stdout, /^1 episodes \(own 1\)/m);
  } finally {
    rmSync(bin, { recursive: true, force: true });
  }
});

test('the torture test detects a hang, but ignores the time in which the daemon waited for a processor', async () => {
  const clock = (): (() => number) => {
    let now = 0;
    return () => (now += 1000);
  };
  const never = new Promise<never>(() => undefined);
  const found = (waitedMs: () => number, answer: Promise<unknown> = never): Promise<unknown> =>
    withinRunningTime(answer, 3000, waitedMs, clock()).catch((error: unknown) => error);
  const hang = await found(() => 0);
  assert.instance(hang, AnswerTimeout);
  assert.match((hang as Error).message, '4000 ms by the clock');
  const starving = await found(() => 1000);
  assert.match((starving as Error).message, '28000 ms by the clock');
  const late = new Promise((resolve) => setTimeout(() => resolve('answered'), 600));
  assert.is(await found(() => 1000, late), 'answered');
});

test.run();
