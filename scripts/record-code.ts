// Records the code that V8 compiles while a bundled daemon serves a short session, and while bundled commands run
// (src/compiled-code.ts). As a program, this file runs either the daemon or the commands: `record-code.js
// daemon|commands FILE FUNCTION [FLAGS]`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { CheckpointdClient } from '../src/client/client.ts';
import { buildRecordOf, runRecorded } from '../src/compiled-code.ts';

const own = fileURLToPath(import.meta.url);
/** The commands whose code is recorded. A file is edited before each command. */
const commandLines = [
  'create --message one',
  'create --message two',
  'list',
  'status',
  'show 1',
  'diff 1 2',
  'restore 1 --hard --yes',
  'undo',
  'sessions',
];

if (process.argv[1] === own) await runAndRecord(process.argv.slice(2));

/** Runs a function of a bundled file, and records the code when this process ends. */
async function runAndRecord([what, file = '', name = '', ...flags]: readonly string[]): Promise<void> {
  process.argv = [process.execPath, file, ...flags];
  // Uses the code that an earlier process recorded, so that the new record contains this code, too.
  const { exports, record } = runRecorded(file, buildRecordOf(file));
  // Prevents V8 from dropping the code of functions that have not run for a while.
  setFlagsFromString('--no-flush-bytecode');
  process.on('exit', () => {
    setFlagsFromString('--flush-bytecode'); // V8 accepts recorded code only under the flags with which it was recorded
    record(buildRecordOf(file));
  });
  const run = exports[name] as (words: readonly string[]) => unknown;
  if (what === 'daemon') return void run(flags);
  for (const line of commandLines) {
    writeFileSync('edited.txt', line);
    await run(line.split(' '));
  }
}

/**
 * Records the code of a bundled daemon and its commands. `daemon` is the function of the bundle that starts the daemon,
 * and `commands` the function that runs a command.
 */
export async function recordCode(file: string, daemon: string, commands?: string): Promise<void> {
  const top = mkdtempSync(join(tmpdir(), 'checkpointd-record-'));
  try {
    const workspace = join(top, 'work');
    mkdirSync(workspace);
    execFileSync('git', ['init', '-q', workspace]);
    const env = { PATH: process.env['PATH'], HOME: top, XDG_RUNTIME_DIR: top, CHECKPOINTD_NO_DAEMON: '1' };
    const client = await CheckpointdClient.start({
      command: process.execPath,
      args: [own, 'daemon', file, daemon, `--storage-dir=${join(top, 'storage')}`],
      env,
    });
    for (const { name: strategy, available } of client.server.capabilities.checkpointd.sessions?.strategies ??
      [])
      if (available) await serveSession(client, { workspace, strategy });
    await client.close();
    if (commands === undefined) return;
    execFileSync(process.execPath, [own, 'commands', file, commands], {
      cwd: workspace,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

/** Sends the usual requests of one session. */
async function serveSession(
  client: CheckpointdClient,
  place: { readonly workspace: string; readonly strategy: string },
): Promise<void> {
  const file = join(place.workspace, 'a.txt');
  writeFileSync(file, 'one\n');
  const { session } = await client.request('session/open', place);
  const entry = { user: { content: 'ask' }, assistant: { content: 'answer' } };
  await client.request('conversation/append', { session, entry });
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'one' });
  writeFileSync(file, 'two\n');
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'two' });
  await client.request('checkpoint/list', { session });
  await client.request('checkpoint/diff', { session, from: '1', to: '2' });
  await client.request('checkpoint/restore', { session, tag: '1', mode: 'hard' });
  await client.request('session/get', { session });
  await client.request('session/close', { session });
}
