// The surroundings that example-faults.ts uses: daemons with switchable faults and a git that can fail, taken locks,
// other daemons on the same storage, interrupted restores, damaged objects.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../scripts/conformance/match.ts';
import { takeProcessLock } from '../../src/base/process-lock.ts';
import { testProgram, WireClient } from '../support/wire-client.ts';
import type { ExampleHost, World } from './example-world.ts';

const faultyEntry = testProgram('faulty-daemon');
const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** Returns the command and the PATH for a daemon with switchable faults. */
export function faultyOptions(
  directory: string,
  env: NodeJS.ProcessEnv = {},
): {
  readonly command: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
} {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  const mode = join(directory, 'git-mode');
  const script = `#!/bin/sh
[ -e ${mode} ] || exec ${git} "$@"
read mode < ${mode}
case "$mode $*" in
"gitTooOld "*version*) echo git version 2.20.1; exit 0;;
"gitFailed "*version*) exec ${git} "$@";;
esac
echo fatal: no such luck >&2
exit 128
`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  return {
    command: [process.execPath, faultyEntry, '--fault=switched'],
    env: { PATH: bin, CHECKPOINTD_TEST_SWITCH: switchOf(directory), ...env },
  };
}

const switchOf = (directory: string): string => join(directory, 'fault');

/** Switches on one fault of the seam, or switches all faults off. */
export function switchSeam(host: ExampleHost, name: string): void {
  writeFileSync(switchOf(host.directory), name);
}

export function fill(world: World, files: number): void {
  mkdirSync(join(world.workspace, 'filled'), { recursive: true });
  for (let i = 0; i < files; i += 1) writeFileSync(join(world.workspace, 'filled', `${i}.txt`), `${i}\n`);
}

/** Makes a work tree in which the capture of each file takes 5 ms. */
export function slow(world: World): void {
  fill(world, 160);
  switchSeam(world.host, 'captureSlow');
}

/** Takes the lock of the work tree until the example ends, as a restore of another session would. */
export async function holdWorkTree(world: World): Promise<void> {
  const { dev, ino } = statSync(world.workspace, { bigint: true });
  const lock = await takeProcessLock(`work tree ${dev}:${ino}`, join(world.host.storage, 'unused.lock'));
  if (lock === undefined) throw new Error('another process has locked the work tree');
  world.after(() => lock.release());
}

/**
 * Makes a session of the example's conversation. The session remains when its daemon ends. Returns the id of the
 * session.
 */
export async function keptSession(world: World, more: Json = {}): Promise<string> {
  const open = { workspace: world.workspace, conversationId: 'example', retention: 'keep', ...more };
  const { session } = (await world.request('session/open', open)) as Json;
  return String(session);
}

/** Rewrites the log of a closed session. */
export async function changeLog(world: World, change: (file: string) => void): Promise<void> {
  const session = await keptSession(world);
  await world.request('session/close', { session });
  change(fileOf(world, session, 'checkpointd/session.log'));
}

export const fileOf = (world: World, session: string, name: string): string =>
  join(world.host.storage, 'checkpointd', session, name);

/** Starts another daemon on the same storage. The daemon ends when the example ends. */
export async function another(world: World): Promise<WireClient> {
  const client = new WireClient({
    command: [process.execPath, faultyEntry, '--fault=switched'],
    env: {
      ...process.env,
      XDG_STATE_HOME: world.host.storage,
      CHECKPOINTD_TEST_SWITCH: switchOf(world.host.directory),
    },
  });
  world.after(() => client.kill());
  await client.initialize();
  return client;
}

/** Changes two files, and makes a restore that a fault interrupts between the two files. */
export async function breakRestore(
  world: World,
  client: Pick<WireClient, 'send'>,
  session: unknown,
  how: string,
): Promise<void> {
  const write = (text: string): void => {
    for (const name of ['src/a.txt', 'src/other.txt']) writeFileSync(join(world.workspace, name), text);
  };
  write('first\n');
  const made = (await client.send('checkpoint/create', { session, kind: 'turn' }).answer) as {
    readonly checkpoint: { readonly id: string };
  };
  write('second\n');
  switchSeam(world.host, how);
  const restore = client.send('checkpoint/restore', { session, tag: made.checkpoint.id });
  const failed = await restore.answer.then(
    () => false,
    () => true,
  );
  switchSeam(world.host, '');
  if (!failed) throw new Error('the restore was to be broken off');
}

/** Overwrites stored objects of a session. */
export function damage(world: World, which: (type: string, text: string) => boolean): void {
  const objects = fileOf(world, String(world.names.values.session), 'objects');
  const gitDir = join(objects, '..');
  const run = (...args: string[]): string =>
    execFileSync(git, [`--git-dir=${gitDir}`, ...args], { encoding: 'latin1', maxBuffer: 1 << 26 });
  const listed = run('cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)');
  let damaged = 0;
  for (const line of listed.trim().split('\n')) {
    const [id = '', type = ''] = line.split(' ');
    if (!which(type, run('cat-file', type, id))) continue;
    const file = join(objects, id.slice(0, 2), id.slice(2));
    const bytes = readFileSync(file);
    chmodSync(file, 0o600);
    writeFileSync(file, bytes.fill(0x21, bytes.length >> 1));
    damaged += 1;
  }
  if (damaged === 0) throw new Error('there was nothing to damage');
}
