// Tests the core of the TypeScript client: start and end of the daemon, cancellation, errors, and misbehaving daemons.
// client-package.long.ts tests the client in an installed package.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CheckpointdClient, CheckpointdGoneError, CheckpointdRequestError } from '../../src/client/client.ts';
import { until } from '../support/until.ts';
import { daemonEntry } from '../support/wire-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'checkpointd-client-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A daemon that answers initialize and shutdown. Each test chooses how this daemon answers session/list. */
const fakeProgram = `
const how = process.argv[2];
let rest = Buffer.alloc(0);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write('Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body);
};
const take = ({ id, method, params }) => {
  if (method === 'initialize') send({ id, result: { limits: { maxInFlight: 4 } } });
  else if (method === 'shutdown') { if (how !== 'never ends') send({ id, result: null }); }
  else if (method === 'exit') process.exit(0);
  else if (method === '$/cancelRequest') send({ id: params.id, error: { code: -32800, message: 'given up', data: { kind: 'RequestCancelled', retryable: false, effects: 'none' } } });
  else if (method !== 'session/list') return;
  else if (how === 'noise') process.stdout.write('Debugger attached.\\r\\n\\r\\n');
  else if (how === 'huge') process.stdout.write('Content-Length: 99000000000\\r\\n\\r\\n');
  else if (how === 'bad utf-8') process.stdout.write(Buffer.from('Content-Length: 2\\r\\n\\r\\n\\xff\\xff', 'latin1'));
  else if (how === 'dies') process.stderr.write('no more memory\\n', () => process.exit(7));
  else if (how === 'deaf') { require('fs').closeSync(0); send({ id, result: { sessions: [] } }); }
  else if (how === 'without stderr') { try { require('fs').closeSync(2); } catch {} send({ id, result: { sessions: [] } }); }
  else if (how === 'stderr') process.stderr.write('x'.repeat(1e6), () => send({ id, result: { sessions: [] } }));
  else if (how === 'tomorrow') send({ id, error: { code: 7777, message: 'new', data: { kind: 'Brandnew', retryable: true, effects: 'none' } } });
};
process.stdin.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (;;) {
    const at = rest.indexOf('\\r\\n\\r\\n');
    if (at < 0) return;
    const to = at + 4 + Number(/\\d+/.exec(rest.toString('latin1', 0, at))[0]);
    if (rest.length < to) return;
    take(JSON.parse(rest.toString('utf8', at + 4, to)));
    rest = rest.subarray(to);
  }
});
if (how === 'never ends' || how === 'deaf') setInterval(() => undefined, 1000);
`;
writeFileSync(join(folder, 'fake.cjs'), fakeProgram);
const fake = (how: string): Promise<CheckpointdClient> =>
  CheckpointdClient.start({ command: process.execPath, args: [join(folder, 'fake.cjs'), how] });

async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it did not fail');
}

const isAlive = (pid: number | undefined): boolean => {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
};

test('closing a client ends the daemon with exit code 0, and the client refuses later requests', async () => {
  const client = await CheckpointdClient.start();
  assert.is(client.server.serverInfo.name, 'checkpointd');
  assert.equal(await Promise.all([client.close(), client.close()]), [0, 0]);
  assert.not.ok(isAlive(client.pid));
  assert.instance(await failure(client.request('session/list', {})), CheckpointdGoneError);
});

test('the client kills a daemon that does not answer shutdown', async () => {
  const client = await fake('never ends');
  const started = Date.now();
  assert.is(await client.close(), null);
  assert.ok(Date.now() - started < 6000);
  assert.not.ok(isAlive(client.pid));
});

test('if the daemon’s program is missing or ends immediately, the client reports this', async () => {
  const missing = await failure(CheckpointdClient.start({ command: join(folder, 'none') }));
  assert.instance(missing, CheckpointdGoneError);
  assert.match(missing.message, /could not start .*none/);
  const flag = await failure(
    CheckpointdClient.start({
      command: process.execPath,
      args: [daemonEntry, '--wrong-flag'],
    }),
  );
  assert.instance(flag, CheckpointdGoneError);
  assert.match(flag.message, /ended with 2: .*wrong-flag/s);
});

test('if the daemon sends wrong messages, every pending request fails', async () => {
  for (const [how, words] of [
    ['noise', /invalid frame/],
    ['huge', /over the limit/],
    ['bad utf-8', /UTF-8/],
    ['dies', /ended with 7: no more memory/],
  ] as const) {
    const client = await fake(how);
    const errors = await Promise.all([
      failure(client.request('session/list', {})),
      failure(client.request('store/usage', { session: 's' })),
    ]);
    for (const error of errors) {
      assert.instance(error, CheckpointdGoneError, how);
      assert.match(error.message, words);
    }
    await client.close();
    assert.not.ok(isAlive(client.pid));
  }
});

test('if a daemon stops reading, the client ends the daemon and reports this', async () => {
  const client = await fake('deaf');
  assert.equal(await client.request('session/list', {}), { sessions: [] });
  const error = await failure(client.request('session/list', {}));
  assert.instance(error, CheckpointdGoneError);
  assert.match(error.message, /did not end/);
  await client.close();
  assert.not.ok(isAlive(client.pid));
});

test('if a daemon writes a lot to stderr, it can still answer requests', async () => {
  const client = await fake('stderr');
  assert.equal(await client.request('session/list', {}), { sessions: [] });
  assert.is(await client.close(), 0);
});

test('after a daemon closed its stderr, its client can send many requests without leaking listeners', async () => {
  const warnings: string[] = [];
  const hear = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', hear);
  const client = await fake('without stderr');
  for (let i = 0; i < 20; i += 1) await client.request('session/list', {});
  await client.close();
  process.off('warning', hear);
  assert.equal(warnings, []);
});

test('an error has the fields kind, retryable, effects and details, even if the client does not know the kind', async () => {
  const tomorrow = await fake('tomorrow');
  const strange = await failure(tomorrow.request('session/list', {}));
  await tomorrow.close();
  assert.instance(strange, CheckpointdRequestError);
  if (!(strange instanceof CheckpointdRequestError)) return;
  assert.equal(
    [strange.kind, strange.retryable, strange.effects, strange.details],
    ['Brandnew', true, 'none', {}],
  );
});

test('an abort signal cancels a request, even if the request is not sent yet', async () => {
  const client = await fake('silent');
  for (const signal of [AbortSignal.timeout(50), AbortSignal.abort()]) {
    const error = await failure(client.request('session/list', {}, { signal }));
    assert.instance(error, CheckpointdRequestError);
    assert.is(error instanceof CheckpointdRequestError && error.kind, 'RequestCancelled');
  }
  await client.close();
});

test("requests over the daemon's limit wait in the client until they can be sent and answered", async () => {
  const client = await CheckpointdClient.start();
  const many = client.server.limits.maxInFlight * 5;
  const answers = await Promise.all(Array.from({ length: many }, () => client.request('session/list', {})));
  assert.is(answers.length, many);
  await client.close();
});

test('the client starts the packaged daemon with arguments, log file and trace level, and can change the level later', async () => {
  const logFile = join(folder, 'daemon.log');
  const storage = join(folder, 'given storage');
  await using client = await CheckpointdClient.start({
    args: [`--storage-dir=${storage}`],
    logFile,
    logLevel: 'debug',
    trace: 'messages',
  });
  const told: string[] = [];
  client.on('$/logTrace', ({ message }) => told.push(message));
  const work = join(folder, 'traced');
  mkdirSync(work);
  const { session } = await client.request('session/open', { workspace: work, init: 'force' });
  assert.ok(told.some((message) => message.includes('session/open')));
  assert.ok(existsSync(join(storage, session)));
  assert.match(readFileSync(logFile, 'utf8'), /debug initialize: answered/);
  await client.notify('$/setTrace', { value: 'off' });
  // The first answer arrives before the second request is sent. Neither request is traced.
  await client.request('session/get', { session });
  const count = told.length;
  await client.request('session/get', { session });
  assert.is(told.length, count);
  await client.close();
  assert.instance(await failure(client.notify('$/setTrace', { value: 'off' })), CheckpointdGoneError);
});

test('if a script fails without closing its client, the script and its daemon end', async () => {
  const script = `
    import { CheckpointdClient } from ${JSON.stringify(new URL('../../src/client/client.js', import.meta.url))};
    async function main() {
      const client = await CheckpointdClient.start();
      console.log(client.pid, (await client.request('session/list', {})).sessions.length >= 0);
      throw new Error('mine');
    }
    main().catch((error) => console.log(error.message));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.is(status, 0, stderr);
  const [, pid, rest] = /^(\d+) (.*)$/s.exec(stdout) ?? [];
  assert.is(rest, 'true\nmine\n');
  await until('the daemon has ended', () => !isAlive(Number(pid)));
});

test('two listeners both get every event, and a removed listener gets no further event', async () => {
  const work = join(folder, 'work');
  mkdirSync(work);
  const client = await CheckpointdClient.start({ events: ['session/didOpen'] });
  const heard: string[] = [];
  const stop = client.on('session/didOpen', () => heard.push('one'));
  client.on('session/didOpen', () => heard.push('two'));
  const params = { workspace: work, storageDir: join(folder, 'storage'), init: 'never' } as const;
  await client.request('session/open', { ...params, conversationId: 'a' });
  stop();
  await client.request('session/open', { ...params, conversationId: 'b' });
  await client.close();
  assert.equal(heard, ['one', 'two', 'two']);
});

test.run();
