// Makes a session for a console, and a real terminal in which a test can type.
import { spawnSync } from 'node:child_process';
import type { DaemonRig } from '../../support/daemon-rig.ts';
import { until } from '../../support/until.ts';
import { daemonEntry, type WireClient } from '../../support/wire-client.ts';

/**
 * Makes a kept session of two turns with a tool between them, and then changes a file. The session stays open until
 * `rig` ends its daemon.
 */
export async function opened(rig: DaemonRig): Promise<WireClient> {
  const { client, session } = await rig.opened({ retention: 'keep' });
  rig.write('a.txt', 'one\n');
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'first turn' });
  rig.write('b.txt', 'new\n');
  await client.request('checkpoint/create', {
    session,
    kind: 'tool',
    toolName: 'fs_write',
    description: 'writes b',
  });
  await client.request('checkpoint/create', { session, kind: 'turn', message: 'second turn' });
  rig.write('a.txt', 'spoilt\n');
  return client;
}

/** Makes the session of {@link opened} and closes it, so that the next command starts a daemon. */
export async function prepared(rig: DaemonRig): Promise<void> {
  const client = await opened(rig);
  await client.close();
}

export interface Screen {
  readonly type: (...keys: string[]) => void;
  /** Types a key again until it has an effect, because a terminal discards input right after Ctrl-C. */
  readonly typeUntil: (key: string, what: RegExp) => Promise<void>;
  readonly shows: (what: RegExp) => Promise<void>;
  /** Resolves when the program and its terminal have ended. */
  readonly ended: () => Promise<void>;
}

/** True when a test can use a terminal. Logs a note when there is no terminal. */
export function hasTerminal(): boolean {
  const isThere = spawnSync('tmux', ['-V']).error === undefined;
  if (!isThere) console.log('note: SKIPPED, because tmux is not installed: keys in a real terminal');
  return isThere;
}

/** Returns the command line of one of our commands. */
export function commandOf(rig: DaemonRig, command: string): string {
  return `'${process.execPath}' '${daemonEntry}' ${command} --storage='${rig.storage}'`;
}

/** Runs a program in a terminal of 24 lines and the given number of columns. */
export async function inTerminal(
  { environment, work }: Pick<DaemonRig, 'environment' | 'work'>,
  command: string,
  use: (screen: Screen) => Promise<void>,
  columns = 70,
): Promise<void> {
  const tmux = (...words: string[]): string =>
    spawnSync('tmux', ['-u', '-L', `ckpt-${process.pid}`, ...words], {
      env: { ...environment, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
      cwd: work,
      encoding: 'utf8',
    }).stdout;
  tmux('new-session', '-d', '-s', 'c', '-x', String(columns), '-y', '24', command);
  const seen = (): string => tmux('capture-pane', '-p', '-t', 'c');
  try {
    await use({
      type: (...keys) => void tmux('send-keys', '-t', 'c', ...keys),
      typeUntil: (key, what) =>
        until(`${key} to show ${String(what)}`, () => {
          tmux('send-keys', '-t', 'c', key);
          return what.test(seen());
        }),
      shows: (what) =>
        until(String(what), () => what.test(seen()), 15_000).catch((error: unknown) => {
          throw new Error(`${String(what)} is not on the screen:\n${seen()}`, { cause: error });
        }),
      ended: () => until('the terminal has ended', () => tmux('list-sessions').trim() === ''),
    });
  } finally {
    tmux('kill-server');
  }
}
