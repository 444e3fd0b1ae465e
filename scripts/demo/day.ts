// Plays a day with the daemon on a clone: a turn, two tools, a diff, a restore of the turn's start, and an undo. Checks
// every claim of the README that a client can check.
import { appendFileSync, existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkpoint, CheckpointdClient } from '../../src/client/client.ts';
import { git } from './git.ts';
import type { Screen } from './screen.ts';
import { fingerprint, repositoryState } from './work-tree-state.ts';

export interface Day {
  /** The clone. */
  readonly root: string;
  /** The directory of the daemon's sessions. */
  readonly storage: string;
  readonly screen: Screen;
  /** The program to run instead of this checkout's daemon. */
  readonly command?: readonly [string, ...string[]];
}

/** The number of diff lines that the demo shows. */
const diffLinesMax = 40;
const editedBytesMax = 100_000;

function line({ tag, description, stats }: Checkpoint): string {
  const parts = [
    stats.added && `+${stats.added}`,
    stats.modified && `~${stats.modified}`,
    stats.deleted && `-${stats.deleted}`,
  ];
  return `[${tag ?? '—'}] ${description}  ${parts.filter(Boolean).join(' ')}`;
}

function isSmallText(path: Buffer): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > editedBytesMax) return false;
  return !readFileSync(path).includes(0);
}

export async function day({ root, storage, screen, command }: Day): Promise<void> {
  const tracked = (await git(root, 'ls-files', '-z')).split('\0').filter(Boolean);
  const pathOf = (name: string): Buffer =>
    Buffer.from(`${Buffer.from(root).toString('latin1')}/${name}`, 'latin1');
  const look = (): string => fingerprint(root, (files) => screen.progress(`${files} files looked at`));
  screen.say(`${tracked.length} files`);
  const before = await repositoryState(root);
  const morning = look();

  screen.step('Starting the daemon over stdio');
  const started = performance.now();
  await using client = await CheckpointdClient.start({
    clientInfo: { name: 'checkpointd demo' },
    ...(command === undefined ? {} : { command: command[0], args: command.slice(1) }),
  });
  const startedMs = Math.round(performance.now() - started);
  screen.say(
    `checkpointd ${client.server.serverInfo.version}, protocol ${client.server.protocolVersion}, ${startedMs} ms`,
  );
  const shown = {
    onProgress: (value: object): void => {
      const { title, message, percentage } = value as {
        title?: string;
        message?: string;
        percentage?: number;
      };
      const words = [title, message, percentage === undefined ? undefined : `${percentage} %`];
      screen.progress(words.filter(Boolean).join(' '));
    },
  };
  const opened = await client.request('session/open', { workspace: root, storageDir: storage }, shown);
  const { session } = opened;
  if (!opened.checkpoints.enabled) throw new Error(opened.checkpoints.message ?? 'checkpoints are disabled');
  screen.say(`session ${session}`);
  screen.say(`shadow repository ${opened.shadowRepoPath ?? ''}`);
  if (opened.base !== undefined) screen.say(line(opened.base));

  screen.step('A turn: the user asks, the agent works');
  const message = { content: 'Please add a greeting and tidy up' };
  await client.request('conversation/setNextMessage', { session, message });
  screen.say(line((await client.request('checkpoint/create', { session, kind: 'turn' }, shown)).checkpoint));
  writeFileSync(join(root, 'GREETING.md'), 'Hello, world\n');
  const greeted = await client.request(
    'checkpoint/create',
    { session, kind: 'tool', toolName: 'fs_write' },
    shown,
  );
  screen.say(line(greeted.checkpoint));
  const edited = tracked.find((name) => isSmallText(pathOf(name)));
  if (edited !== undefined) appendFileSync(pathOf(edited), '\nedited by the agent\n');
  const removed = tracked.findLast((name) => name !== edited && isSmallText(pathOf(name)));
  if (removed !== undefined) rmSync(pathOf(removed));
  const { checkpoint: tool, capture } = await client.request(
    'checkpoint/create',
    { session, kind: 'tool', toolName: 'execute_bash' },
    shown,
  );
  screen.say(`${line(tool)}   (${capture.ms} ms)`);
  await client.request('conversation/append', {
    session,
    entry: { user: message, assistant: { content: 'Done.' } },
  });

  screen.step('The checkpoints, and what the turn changed');
  for (const checkpoint of (await client.request('checkpoint/list', { session })).checkpoints)
    screen.say(line(checkpoint));
  const diff = await client.request('checkpoint/diff', { session, from: '1', to: '1.2', format: 'text' });
  const lines = (diff.text ?? '').trimEnd().split('\n');
  for (const each of lines.slice(0, diffLinesMax)) screen.say(`  ${each}`);
  if (lines.length > diffLinesMax) screen.say(`  … and ${lines.length - diffLinesMax} more lines`);

  screen.step('The user is not happy: back to the start of the turn');
  const evening = look();
  const target = { session, tag: '1', mode: 'hard' } as const;
  const dry = await client.request('checkpoint/restore', { ...target, dryRun: true }, shown);
  screen.say(`would restore ${dry.restored.length} and delete ${dry.deleted.length} file(s)`);
  const back = await client.request('checkpoint/restore', target, shown);
  screen.say(
    `restored ${back.restored.length}, deleted ${back.deleted.length}, failed ${back.failed.length}, in ${back.ms} ms`,
  );
  screen.check('every file is as it was in the morning, byte for byte and mode for mode', look() === morning);
  screen.check('the conversation is also as it was before the turn', back.conversation?.historyLength === 0);

  screen.step('Not so bad after all: undo');
  await client.request('checkpoint/undo', { session }, shown);
  screen.check('every file is as it was in the evening', look() === evening);
  screen.check(
    'HEAD, refs, stash and index of the repository are untouched',
    (await repositoryState(root)) === before,
  );

  screen.step('Good night');
  const code = await client.close();
  screen.check('the daemon ended with exit code 0', code === 0);
  const shadow = opened.shadowRepoPath;
  screen.check('the shadow repository is gone', shadow !== undefined && !existsSync(shadow));
}
