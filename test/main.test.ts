// Tests the process of the daemon: clean stdout, uncaught failures, the death of the parent, floods of messages.
// The cases in protocol/conformance test flags, transports and the life cycle.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { frameOf } from './support/frames.ts';
import { daemonEntry, WireClient, withClient } from './support/wire-client.ts';

/** Runs a module in the daemon's process before the daemon starts. */
function withPrelude(code: string): readonly [string, ...string[]] {
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  return [process.execPath, '--import', url, daemonEntry];
}

async function inTemporaryDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'checkpointd-main-'));
  try {
    await run(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const runOnce = (args: readonly string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [daemonEntry, ...args], { encoding: 'utf8', input: '' });

test('if the client’s process is missing, the daemon reports this, and exits with 1', () => {
  for (const flag of ['--pipe=/nowhere/at/all.sock', '--socket=1']) {
    const { status, stdout, stderr } = runOnce([flag]);
    assert.is(status, 1, flag);
    assert.is(stdout, '');
    assert.match(stderr, /could not start/);
  }
});

test('the daemon writes only frames to stdout, and nothing to stderr (F115)', async () => {
  const prelude = `process.on('SIGUSR2', () => {
    console.log('log'); console.info('info'); console.error('error'); console.table([1]); console.dir({});
    process.stdout.write('raw');
    process.stdout.write(Buffer.from([0xff]), () => process.emitWarning('the end', 'OddWarning'));
  });`;
  await withClient(
    async (client) => {
      await client.initialize();
      client.process.kill('SIGUSR2');
      const warning = await client.next((frame) => JSON.stringify(frame).includes('OddWarning'), 0);
      assert.is(warning.method, 'window/logMessage');
      assert.is(client.events('window/logMessage').length, 8);
      assert.is((await client.close()).code, 0);
      assert.is(client.stderr, '');
    },
    { command: withPrelude(prelude) },
  );
});

test('after an uncaught failure, the daemon exits with 70, prints one line, and logs the details', () =>
  inTemporaryDirectory(async (directory) => {
    for (const failure of ['throw new Error("SECRET")', 'void Promise.reject(new Error("SECRET"))']) {
      const log = join(directory, 'daemon.log');
      const client = new WireClient({
        command: withPrelude(`process.on('SIGUSR2', () => { ${failure} });`),
        args: [`--log-file=${log}`],
      });
      await client.initialize();
      client.process.kill('SIGUSR2');
      assert.equal(await client.exit(), { code: 70, signal: null });
      assert.match(client.stderr, /^checkpointd: .*defect.*\n$/);
      assert.not.match(client.stderr + JSON.stringify(client.frames), 'SECRET');
      assert.match(readFileSync(log, 'utf8'), 'SECRET');
      assert.is(statSync(log).mode & 0o777, 0o600);
      rmSync(log);
    }
  }));

test('the daemon ends when its parent dies, even if a sibling process keeps the input open', async () => {
  // A parent process starts the daemon, and also a sibling that keeps the daemon's input open. Then the parent dies.
  const script = `
    const { spawn } = require('node:child_process');
    const daemon = spawn(process.execPath, [process.argv[1]], { stdio: ['pipe', 'pipe', 'ignore'] });
    const sibling = spawn('sleep', ['20'], { stdio: ['ignore', daemon.stdin, 'ignore'], detached: true });
    daemon.stdin.write(process.argv[2]);
    // The daemon has answered, so it has read the id of its parent.
    daemon.stdout.once('data', () => {
      require('node:fs').writeSync(1, daemon.pid + ' ' + sibling.pid);
      process.kill(process.pid, 'SIGKILL');
    });`;
  const hello = frameOf({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }).toString();
  const parent = spawnSync(process.execPath, ['-e', script, daemonEntry, hello], { encoding: 'utf8' });
  const [daemon = 0, sibling = 0] = parent.stdout.trim().split(' ').map(Number);
  assert.ok(daemon > 0 && sibling > 0, parent.stderr);
  const isGone = (): boolean => {
    try {
      process.kill(daemon, 0);
      // If the parent is dead, its dead child may stay in the process list as a zombie.
      return readFileSync(`/proc/${daemon}/stat`, 'utf8').includes(') Z ');
    } catch {
      return true;
    }
  };
  try {
    const startedMs = performance.now();
    while (!isGone() && performance.now() - startedMs < 10_000)
      await new Promise((next) => setTimeout(next, 50));
    assert.ok(isGone(), 'the daemon outlived its parent');
    process.kill(sibling, 0);
  } finally {
    process.kill(sibling, 'SIGKILL');
  }
});

/** Returns the peak of a process's resident memory, in bytes. */
function peakBytes(pid: number | undefined): number {
  const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) * 1024;
}

for (const reader of ['that reads', 'that reads nothing until it has written all'] as const) {
  test(`the daemon answers 100,000 pipelined requests in bounded memory, to a client ${reader}`, () =>
    withClient(
      async (client) => {
        await client.initialize();
        const count = 100_000;
        const from = client.frames.length;
        const flood = Buffer.concat(
          Array.from({ length: count }, (_, id) =>
            frameOf({ jsonrpc: '2.0', id: `q${id}`, method: 'session/get', params: { session: 'ses_none' } }),
          ),
        );
        if (reader !== 'that reads') client.process.stdout.pause();
        await new Promise((resolve) => client.process.stdin.write(flood, resolve));
        client.process.stdout.resume();
        await client.request('shutdown', {});
        const answered = new Set(client.frames.slice(from).map((frame) => frame.id));
        assert.is(answered.size, count + 1);
        assert.is(client.frames.length - from, answered.size);
        if (process.platform !== 'linux') return;
        const peak = peakBytes(client.process.pid);
        console.log(`note: flood of a client ${reader}: peak ${Math.round(peak / 1e6)} MB`);
        assert.ok(peak < 150e6, `${peak} bytes`);
      },
      { validate: false },
    ));
}

test('a flood of notifications does not block the daemon or fill its memory', () =>
  withClient(async (client) => {
    await client.initialize();
    const noise = frameOf({ jsonrpc: '2.0', method: '$/setTrace', params: { value: 'off' } });
    client.write(Buffer.concat(Array.from({ length: 50_000 }, () => noise)));
    assert.is((await client.close()).code, 0);
    assert.equal(client.violations, []);
  }));

test('the daemon answers a request that arrives byte by byte (F104)', () =>
  withClient(async (client) => {
    await client.initialize();
    for (const byte of frameOf({ jsonrpc: '2.0', id: 'slow', method: 'session/list' })) {
      client.write(Buffer.from([byte]));
      await new Promise((next) => setImmediate(next));
    }
    assert.is((await client.next((frame) => frame.id === 'slow', 0)).id, 'slow');
  }));

test('after a framing fault, the daemon sends one complete message, and exits with 1 within a second (F103)', async () => {
  for (const bytes of ['Content-Length: 99000000000\r\n\r\n', 'hello\r\n\r\n', 'x'.repeat(8 * 1024 * 1024)]) {
    await withClient(async (client) => {
      await client.initialize();
      const from = client.frames.length;
      const startedMs = performance.now();
      client.write(bytes);
      assert.is((await client.exit()).code, 1);
      assert.ok(performance.now() - startedMs < 1000);
      const frames = client.frames.slice(from).filter((frame) => frame.method === undefined);
      assert.equal(
        frames.map((frame) => [frame.id, frame.error?.code]),
        [[null, -32700]],
      );
    });
  }
});

test.run();
