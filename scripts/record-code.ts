// Records the code that V8 compiles while a bundled daemon serves a short session (src/compiled-code.ts). When this
// file is run as a program, it is that daemon: `record-code.js FILE FUNCTION [FLAGS]`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { CheckpointdClient } from '../src/client/client.ts';
import { runCompiled } from '../src/compiled-code.ts';

const own = fileURLToPath(import.meta.url);
if (process.argv[1] === own) runRecorded(process.argv.slice(2));

/** Runs a function of a bundled file, and records the code when this process ends. */
function runRecorded([file = '', name = '', ...flags]: readonly string[]): void {
  process.argv = [process.execPath, file, ...flags];
  // Prevents V8 from dropping the code of functions that have not run for a while.
  setFlagsFromString('--no-flush-bytecode');
  const { exports, record } = runCompiled(file);
  process.on('exit', () => {
    setFlagsFromString('--flush-bytecode'); // V8 accepts recorded code only under the flags with which it was recorded
    record();
  });
  (exports[name] as (flags: readonly string[]) => unknown)(flags);
}

/** Records the code of a bundled daemon. `name` is the function of the bundle that starts the daemon. */
export async function recordCode(file: string, name: string): Promise<void> {
  const top = mkdtempSync(join(tmpdir(), 'checkpointd-record-'));
  try {
    const workspace = join(top, 'work');
    mkdirSync(workspace);
    execFileSync('git', ['init', '-q', workspace]);
    const client = await CheckpointdClient.start({
      command: process.execPath,
      args: [own, file, name, `--storage-dir=${join(top, 'storage')}`],
      env: { PATH: process.env['PATH'], HOME: top, XDG_RUNTIME_DIR: top, CHECKPOINTD_NO_DAEMON: '1' },
    });
    for (const { name: strategy, available } of client.server.capabilities.checkpointd.sessions?.strategies ??
      [])
      if (available) await serveSession(client, { workspace, strategy });
    await client.close();
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
