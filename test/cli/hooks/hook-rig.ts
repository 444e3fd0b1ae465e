// Runs hooks as an agent does, with a real daemon and a real keeper, which is the process that works for the hooks.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { keeperSocket } from '../../../src/cli/hooks/keeper-socket.ts';
import { type DaemonRig, withRig } from '../../support/daemon-rig.ts';
import { endKeepers, keepersOf as keepersIn } from '../../support/programs/keepers.ts';
import { daemonEntry } from '../../support/wire-client.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Starts a hook as an agent does. If `input` is null, the input of the hook stays open. */
export function startHook(
  rig: DaemonRig,
  agent: string,
  input: object | string | Buffer | null,
  more: NodeJS.ProcessEnv = {},
): ChildProcessWithoutNullStreams {
  const words = [daemonEntry, 'hook', agent, `--storage=${rig.storage}`];
  const child = spawn(process.execPath, words, { env: { ...rig.environment, ...more }, cwd: rig.work });
  child.stdin.on('error', () => undefined);
  if (input !== null)
    child.stdin.end(typeof input === 'string' || Buffer.isBuffer(input) ? input : JSON.stringify(input));
  return child;
}

/** Runs a hook to its end. */
export function hook(
  rig: DaemonRig,
  agent: string,
  input: object | string | Buffer | null,
  more: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const startedMs = performance.now();
  const child = startHook(rig, agent, input, more);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, ...said, ms: performance.now() - startedMs }));
  });
}

export const socketOf = (rig: DaemonRig): string => keeperSocket(rig.storage, rig.environment);

export function logOf(rig: DaemonRig): string {
  const file = join(rig.storage, 'hooks', 'hook.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

export const keepersOf = (rig: DaemonRig): number[] => keepersIn(rig.storage);

/** Runs a body with a rig, and then ends the keeper of the rig. */
export function withKeeper(body: (rig: DaemonRig) => Promise<void>): Promise<void> {
  return withRig(async (rig) => {
    try {
      await body(rig);
    } catch (error) {
      throw new Error(`${String(error)}; the log of hooks:\n${logOf(rig)}`, { cause: error });
    } finally {
      await endKeepers(rig.storage);
    }
  });
}

export function event(rig: DaemonRig, name: string, more: object = {}): object {
  return { session_id: 'one', cwd: rig.work, hook_event_name: name, ...more };
}

export function assertSilent(ran: Ran, what: string): void {
  assert.equal([ran.code, ran.stdout, ran.stderr], [0, '', ''], what);
}

/** Returns the text of `checkpointd list`. */
export async function listed(rig: DaemonRig, ...words: string[]): Promise<string> {
  const program = await rig.command('list', ...words);
  return program.stdout;
}
