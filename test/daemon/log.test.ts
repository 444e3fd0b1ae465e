// Tests the log file. For each operation, the log says what happened, how long the operation took, and why it failed.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repository } from '../support/in-process-daemon.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { daemonEntry, WireClient } from '../support/wire-client.ts';

/** Returns the lines of the log of a short run, without times and process ids. */
async function logOf(level: string): Promise<string[]> {
  const place = temporaryDirectory('log');
  const file = join(place, 'daemon.log');
  const client = new WireClient({
    args: [`--log-file=${file}`, `--log-level=${level}`, `--storage-dir=${join(place, 'storage')}`],
  });
  await client.initialize();
  const workspace = repository();
  const { session } = await client.request('session/open', { workspace });
  writeFileSync(join(workspace, 'a.txt'), 'SECRET\n');
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'PRIVATE' });
  await client.request('checkpoint/list', { session });
  await client.request('checkpoint/restore', { session, tag: '0', mode: 'hard' });
  await client.send('checkpoint/restore', { session, tag: '77' }).answer.catch(() => undefined);
  await client.send('checkpoint/list', { session, limit: 'many' }).answer.catch(() => undefined);
  rmSync(workspace, { recursive: true });
  await client.send('checkpoint/create', { session, kind: 'turn' }).answer.catch(() => undefined);
  await client.close();
  const text = readFileSync(file, 'utf8');
  assert.not.match(text, /SECRET|PRIVATE/);
  return text.split('\n').map((line) => line.replace(/^\S+ \d+ /, ''));
}

test('the log has a line for each opening, create, restore and failure, with milliseconds and causes (R20, R24)', async () => {
  const lines = await logOf('info');
  for (const expected of [
    /^info session\/open ses_\w+: \/.*work.* shadow, \d+ ms$/,
    /^info checkpoint\/create ses_\w+: \[1\] ckpt_\w+ \+0 ~1 -0, \d+ ms$/,
    /^info checkpoint\/restore ses_\w+: ckpt_\w+, restored 1, deleted 0, failed 0, \d+ ms$/,
    /^info checkpoint\/restore ses_\w+ failed after \d+ ms: UnknownCheckpoint: Checkpoint "…" not found/,
    /^info checkpoint\/list ses_\w+ failed after \d+ ms: InvalidParams: .*limit/,
    /^info checkpoint\/create ses_\w+ failed after \d+ ms: WorkTreeMissing: /,
  ])
    assert.ok(
      lines.some((line) => expected.test(line)),
      `${expected} in\n${lines.join('\n')}`,
    );
  assert.not.ok(lines.some((line) => /checkpoint\/list.*: answered/.test(line)));
});

test('at the level debug, the log has a line for every request, with its outcome and milliseconds', async () => {
  const lines = await logOf('debug');
  for (const expected of [
    /^debug initialize: answered, \d+ ms$/,
    /^debug checkpoint\/list ses_\w+: answered, \d+ ms$/,
    /^debug shutdown: answered, \d+ ms$/,
  ])
    assert.ok(
      lines.some((line) => expected.test(line)),
      `${expected} in\n${lines.join('\n')}`,
    );
});

test('if the log file cannot be opened, the daemon prints one line and exits with 2', () => {
  const place = temporaryDirectory('log');
  const fifo = join(place, 'fifo');
  assert.is(spawnSync('mkfifo', [fifo]).status, 0);
  // Opening a FIFO blocks for ever if it has no reader.
  for (const file of ['/nowhere/at/all', place, fifo]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [daemonEntry, `--log-file=${file}`], {
      encoding: 'utf8',
      input: '',
      timeout: 10_000,
    });
    assert.is(status, 2, `${file}: ${stderr}`);
    assert.is(stdout, '');
    assert.match(stderr, /--log-file/);
    assert.match(stderr, file);
  }
});

test('--print-protocol and --help end quietly if the program that reads their output ends early', () => {
  for (const flag of ['--print-protocol', '--help', '--version']) {
    const script = `"$0" "$1" ${flag} | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, daemonEntry], {
      encoding: 'utf8',
    });
    assert.is(stdout.trim(), '0', flag);
    assert.is(stderr, '', flag);
  }
});

test.run();
