// Connects a command to the background daemon of its storage, or starts this daemon. `checkpointd stop` ends the
// background daemon. If an environment variable forbids a background daemon, the command starts a daemon that ends with
// the command.
import { setTimeout as delay } from 'node:timers/promises';
import { systemCode } from '../base/errors.ts';
import { holderState } from '../base/process-lock.ts';
import type { AttachOptions, CheckpointdClient } from '../client/client.ts';
import { type BackgroundNote, backgroundNote } from '../wire/background-daemon.ts';
import { packageVersion, programFile } from '../wire/places.ts';
import { daemonAt } from './joining.ts';

const environmentNames = [
  'PATH',
  'XDG_STATE_HOME',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'HOME',
  'NODE_OPTIONS',
  'TMPDIR',
  'SystemRoot',
];

/**
 * If one of these environment variables is set, a command starts no background daemon. Build servers, systemd or the
 * user set these variables.
 */
const forbidding = ['CI', 'INVOCATION_ID', 'CHECKPOINTD_NO_DAEMON'];

const startMs = 15_000;
const stopMs = 10_000;

function mayLeaveDaemon(environment: NodeJS.ProcessEnv = process.env): boolean {
  return forbidding.every((name) => (environment[name] ?? '') === '');
}

export async function endOtherVersion(storage: string): Promise<void> {
  const note = backgroundNote(storage);
  if (note !== undefined && note.version !== packageVersion()) await endDaemon(note);
}

/**
 * Connects to the background daemon of a storage. If no background daemon runs, starts a background daemon. Returns
 * undefined when an environment variable forbids a background daemon, or when the daemon does not start.
 */
export async function joinBackground(
  storage: string,
  hello: AttachOptions,
): Promise<CheckpointdClient | undefined> {
  const note = backgroundNote(storage);
  const running = note && (await daemonAt(note.socket, hello));
  if (running !== undefined) return running;
  if (!mayLeaveDaemon()) return undefined;
  const socket = await start(storage);
  return socket === undefined ? undefined : daemonAt(socket, hello);
}

/**
 * Starts the daemon and returns its socket. Returns undefined when the daemon does not report the socket in time. The
 * daemon begins to watch the work tree only after the first command has ended, so that this command does not wait for
 * the watch.
 */
async function start(storage: string): Promise<string | undefined> {
  const { spawn } = await import('node:child_process');
  const env = Object.fromEntries(environmentNames.map((name) => [name, process.env[name]]));
  const child = spawn(process.execPath, [programFile(), 'daemon', `--storage-dir=${storage}`, '--no-watch'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    cwd: '/',
    env,
  });
  child.unref();
  const said = await new Promise<string>((resolve) => {
    let text = '';
    const late = setTimeout(() => child.stdout.destroy(), startMs);
    child.once('error', () => undefined); // `close` follows
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) child.stdout.destroy();
    });
    child.stdout.once('close', () => {
      clearTimeout(late);
      resolve(text);
    });
  });
  return /^listening on (.*)\n/.exec(said)?.[1];
}

/**
 * Asks the daemon to shut down. Returns false when the daemon still runs after ten seconds, or when this user has no
 * permission to end the daemon.
 */
async function endDaemon(note: BackgroundNote): Promise<boolean> {
  try {
    process.kill(note.pid, 'SIGTERM');
  } catch (error) {
    if (systemCode(error) === 'EPERM') return false;
    if (systemCode(error) !== 'ESRCH') throw error;
  }
  const endMs = performance.now() + stopMs;
  while (holderState(note) === 'alive') {
    if (performance.now() > endMs) return false;
    await delay(20);
  }
  return true;
}

/**
 * Ends the background daemon of a storage. Returns the daemon's note from run/daemon.json. `hasEnded` is true if the
 * daemon has ended. Returns undefined when there is no daemon.
 */
export async function stopBackground(
  storage: string,
): Promise<{ readonly note: BackgroundNote; readonly hasEnded: boolean } | undefined> {
  const note = backgroundNote(storage);
  return note && { note, hasEnded: await endDaemon(note) };
}
