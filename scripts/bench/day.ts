// Simulates a long working day of several clients on one daemon. For each part of the day, it prints one line with
// memory, descriptors, threads, disk space and the cost of a checkpoint. Without a leak the columns stay flat. This
// script does not judge the numbers. `node dist/scripts/bench/day.js --help` lists the options.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CheckpointdClient } from '../../src/client/client.ts';
import { allocated } from './contenders.ts';
import { GeneratedTree } from './generated-tree.ts';
import { figuresOf } from './sessions.ts';

const { values: flags } = parseArgs({
  options: {
    checkpoints: { type: 'string', default: '5000' },
    restores: { type: 'string', default: '300' },
    sessions: { type: 'string', default: '20' },
    clients: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '60' },
    lines: { type: 'string', default: '40' },
    files: { type: 'string', default: '200' },
    snapshots: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (flags.help) {
  console.log(
    'node dist/scripts/bench/day.js [--checkpoints 5000] [--restores 300] [--sessions 20] [--clients 3]\n                               [--minutes 60] [--lines 40] [--files 200] [--snapshots]\n\nWith --snapshots the daemon writes a heap snapshot to this directory after each quarter of the day.',
  );
  process.exit(0);
}
const numbers = Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, Number(value)]));
const { checkpoints = 0, restores = 0, minutes = 0, lines = 1 } = numbers;
const strategies = ['shadow', 'sqlite', 'local'];

/** One of the sessions that the script opens for the day. Only one client uses this session. */
interface DaySession {
  readonly client: CheckpointdClient;
  readonly tree: GeneratedTree;
  readonly conversationId: string;
  readonly strategy: string;
  id: string;
  turn: number;
}

async function openSession(of: DaySession, storageDir: string): Promise<void> {
  const { session, checkpoints: state } = await of.client.request('session/open', {
    workspace: of.tree.root,
    conversationId: of.conversationId,
    storageDir,
    strategy: of.strategy,
    retention: 'keep',
  });
  if (!state.enabled) throw new Error(state.message);
  of.id = session;
}

/** Appends a message and its answer, edits a file and makes a checkpoint. Returns the milliseconds of the checkpoint. */
async function workTurn(of: DaySession): Promise<number> {
  const { client, tree, id: session } = of;
  const message = `Turn ${of.turn + 1}: ${'change the edition of one file. '.repeat(8)}`;
  const path = tree.edit();
  const entry = { user: { content: message }, assistant: { content: `Edited ${path}.` } };
  await client.request('conversation/append', { session, entry });
  const started = performance.now();
  await client.request('checkpoint/create', { session, kind: 'turn', message });
  of.turn += 1;
  return performance.now() - started;
}

async function restoreEarlier(of: DaySession): Promise<void> {
  if (of.turn < 2) return;
  const { client, id: session } = of;
  await client.request('checkpoint/restore', {
    session,
    tag: String(of.turn - 1),
    mode: 'hard',
    confirm: true,
  });
  of.turn -= 1;
}

async function main(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'checkpointd-day-'));
  process.on('exit', () =>
    rmSync(scratch, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }),
  );
  process.on('SIGINT', () => process.exit(130));
  const storageDir = join(scratch, 'storage');
  const env = flags.snapshots
    ? { ...process.env, NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${process.cwd()}` }
    : process.env;
  const first = await CheckpointdClient.start({ args: [`--storage-dir=${storageDir}`], env });
  const pid = first.pid ?? 0;
  const clients = [first];
  const sessions: DaySession[] = [];
  for (let i = 0; i < (numbers.sessions ?? 0); i += 1) {
    const tree = new GeneratedTree(join(scratch, `work-${i}`), numbers.files ?? 0);
    const joined = clients.length < (numbers.clients ?? 1) && i > 0;
    if (joined) clients.push(await CheckpointdClient.attach(socketOf(storageDir, sessions[0]?.id ?? '')));
    const client = clients[i % clients.length] ?? first;
    const strategy = strategies[i % strategies.length] ?? '';
    const session = { client, tree, conversationId: `day-${i}`, strategy, id: '', turn: 0 };
    await openSession(session, storageDir);
    sessions.push(session);
  }
  console.log('minute checkpoints restores   rss MB  highest  threads  descriptors   disk MB  create ms');
  const started = performance.now();
  let [made, restored, seed] = [0, 0, 1];
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let line = 1; line <= lines; line += 1) {
    const times: number[] = [];
    while (made < (checkpoints * line) / lines) {
      // Three of every four turns use the first session of a client, and the clients take these turns in order. Every
      // fourth turn uses a random session.
      const of = sessions[random(4) === 0 ? random(sessions.length) : made % clients.length];
      if (of === undefined) throw new Error('there is no session');
      times.push(await workTurn(of));
      made += 1;
      while (restored < (restores * made) / checkpoints) {
        await restoreEarlier(of);
        restored += 1;
      }
      // After every hundredth checkpoint, the user closes the session and opens it again.
      if (made % 100 === 0) {
        await of.client.request('session/close', { session: of.id });
        await openSession(of, storageDir);
      }
      await setTimeout(Math.max(0, started + (made / checkpoints) * minutes * 60_000 - performance.now()));
    }
    const { rssBytes, highestBytes, threads, descriptors } = figuresOf(pid);
    times.sort((a, b) => a - b);
    const columns = [
      Math.round((performance.now() - started) / 60_000),
      made,
      restored,
      Math.round(rssBytes / 1e6),
      Math.round(highestBytes / 1e6),
      threads,
      descriptors,
      Math.round(allocated(storageDir, ...sessions.map(({ tree }) => join(tree.root, '.git'))) / 1e6),
      Math.round(times[times.length >> 1] ?? 0),
    ];
    console.log(
      columns.map((value, i) => String(value).padStart([6, 11, 8, 8, 8, 8, 12, 9, 10][i] ?? 0)).join(' '),
    );
    if (flags.snapshots && (line * 4) % lines === 0) process.kill(pid, 'SIGUSR2');
  }
  for (const client of clients.reverse()) await client.close();
}

function socketOf(storageDir: string, session: string): string {
  const owner: unknown = JSON.parse(
    readFileSync(join(storageDir, session, 'checkpointd', 'owner.json'), 'utf8'),
  );
  if (typeof owner === 'object' && owner !== null && 'socket' in owner) return String(owner.socket);
  throw new Error('the daemon has no socket');
}

await main();
