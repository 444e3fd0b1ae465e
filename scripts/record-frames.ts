// Records screens of the command line and the console from a real terminal (tmux), for src/COMMANDS.md. The screens
// show a list, the picker, a restore, and the undo of this restore. With `--check`, compares the screens with the file
// instead of writing them. Replaces times by fixed text, because times differ in each run.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CheckpointdClient } from '../src/client/client.ts';
import { programFile } from '../src/wire/places.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = join(root, 'src/COMMANDS.md');
const [begin, end] = ['<!-- frames: node dist/scripts/record-frames.js -->', '<!-- end of frames -->'];

const place = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-frames-')));
const work = join(place, 'parser');
const state = join(place, 'state');
const socket = `checkpointd-frames-${process.pid}`;
process.on('exit', () => {
  tmux('kill-server');
  rmSync(place, { recursive: true, force: true });
});

function tmux(...words: string[]): string {
  const env = { PATH: process.env.PATH, TERM: 'xterm', LC_ALL: 'C.UTF-8', HOME: place };
  return spawnSync('tmux', ['-u', '-L', socket, ...words], { env, encoding: 'utf8' }).stdout ?? '';
}

const screen = (): string => tmux('capture-pane', '-p', '-t', 'f').trimEnd();

/** Waits until the screen shows this text, and returns the screen. */
async function showing(what: RegExp): Promise<string> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const now = screen();
    if (what.test(now)) return now;
    if (Date.now() > deadline) throw new Error(`${String(what)} is not on the screen:\n${now}`);
    await delay(20);
  }
}

function type(...keys: string[]): void {
  tmux('send-keys', '-t', 'f', ...keys);
}

/** Simulates an agent's afternoon with two turns. The second turn goes wrong. */
async function agentWorks(): Promise<void> {
  mkdirSync(work);
  spawnSync('git', ['init', '-q', work]);
  const write = (name: string, content: string): void => writeFileSync(join(work, name), content);
  write('parse.ts', 'parse\n');
  write('print.ts', 'print\n');
  const args = [`--storage-dir=${join(state, 'checkpointd')}`];
  const client = await CheckpointdClient.start({ args });
  const { session } = await client.request('session/open', { workspace: work, retention: 'keep' });
  const turn = (message: string): Promise<unknown> =>
    client.request('checkpoint/create', { session, kind: 'turn', message });
  const tool = (toolName: string): Promise<unknown> =>
    client.request('checkpoint/create', { session, kind: 'tool', toolName });
  await turn('tidy up the parser');
  write('parse.ts', 'parse, tidied\n');
  await tool('edit');
  await turn('and now the printer');
  rmSync(join(work, 'parse.ts'));
  write('print.ts', 'oops\n');
  await tool('bash');
  await client.close();
}

async function record(): Promise<string> {
  await agentWorks();
  const bin = join(place, 'bin');
  mkdirSync(bin);
  const program = join(bin, 'checkpointd');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${programFile()}' "$@"\n`);
  chmodSync(program, 0o755);
  const environment = [
    `PATH=${bin}:${process.env.PATH ?? ''}`,
    `HOME=${place}`,
    `XDG_STATE_HOME=${state}`,
    'TERM=xterm',
    'LC_ALL=C.UTF-8',
    'TZ=UTC',
    'PS1=$ ',
    'NO_COLOR=1',
    'PAGER=cat',
  ];
  const shell = environment.map((pair) => `'${pair}'`).join(' ');
  tmux('new-session', '-d', '-s', 'f', '-x', '78', '-y', '16', '-c', work, `env -i ${shell} sh`);
  await showing(/^\$/);
  const frames: string[] = [];
  type('checkpointd list', 'Enter');
  frames.push((await showing(/\(here\)\n\$$/)).replace(/\n\$$/, ''));
  type('clear', 'Enter');
  await showing(/^\$$/); // clearing the screen would also remove text that was already typed
  type('checkpointd console', 'Enter');
  await showing(/^>$/m);
  type('/checkpoint restore', 'Enter');
  await showing(/❯ \[2\]/);
  type('Up');
  frames.push(await showing(/❯ \[1\][^]*⏎ select$/));
  type('Enter');
  await showing(/✓ Restored to checkpoint 1\n>/);
  type('/undo', 'Enter');
  frames.push(await showing(/Deleted \(1\):\n +parse\.ts\n>$/));
  type('/quit', 'Enter');
  await showing(/\$$/); // waits for the end of console and daemon, which write into the directory until then
  return frames.map(masked).join('\n\n');
}

function masked(frame: string): string {
  return frame
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '2026-11-22 14:00:00')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

if (spawnSync('tmux', ['-V']).error !== undefined) {
  console.log('skipped: there is no tmux to record frames with');
  process.exit(0);
}
const text = readFileSync(page, 'utf8');
const [from, to] = [text.indexOf(begin), text.indexOf(end)];
if (from === -1 || to === -1) throw new Error(`src/COMMANDS.md has no ${begin} … ${end}`);
const now = `${text.slice(0, from)}${begin}\n\`\`\`\n${await record()}\n\`\`\`\n${text.slice(to)}`;
if (!process.argv.includes('--check')) writeFileSync(page, now);
else if (now !== text) {
  console.log(
    `stale: npm run build && node dist/scripts/record-frames.js\n${now.slice(from, now.indexOf(end))}`,
  );
  process.exitCode = 1;
}
process.exit();
