// Measures what an open session costs a daemon that has many of them, and what many checkpoints cost one session.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CheckpointdClient } from '../../src/client/client.ts';
import { DaemonContender } from './contenders.ts';
import { GeneratedTree } from './generated-tree.ts';

/** The figures of one process. Absent outside Linux. */
export interface ProcessFigures {
  readonly rssBytes: number;
  readonly highestBytes: number;
  readonly threads: number;
  readonly descriptors: number;
}

export interface LongSession {
  readonly strategy: string;
  readonly checkpoints: number;
  readonly reopenMs: number;
  readonly restoreMs: number;
  readonly diskBytes: number;
}

const filesInSession = 200;
/** A git process without a query ends within this time. */
const restMs = 41_000;

/** Opens sessions of 200 files on one daemon, changes each once, and looks at the daemon when it is at rest. */
export async function measureSessions(count: number, scratch: string): Promise<ProcessFigures | undefined> {
  if (process.platform !== 'linux') return undefined;
  const client = await CheckpointdClient.start();
  try {
    for (let i = 0; i < count; i += 1) {
      const tree = new GeneratedTree(join(scratch, `work-${i}`), filesInSession);
      const storageDir = join(scratch, 'storage');
      const { session } = await client.request('session/open', { workspace: tree.root, storageDir });
      tree.edit();
      await client.request('checkpoint/create', { session, kind: 'turn' });
    }
    await setTimeout(restMs);
    return figuresOf(client.pid ?? 0);
  } finally {
    await client.close();
  }
}

export function figuresOf(pid: number): ProcessFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    rssBytes: field('VmRSS') * 1024,
    highestBytes: field('VmHWM') * 1024,
    threads: field('Threads'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** Makes checkpoints of one edit each, opens the session again in a new daemon, and restores one file. */
export async function measureLong(
  strategy: string,
  checkpoints: number,
  scratch: string,
): Promise<LongSession> {
  const tree = new GeneratedTree(join(scratch, `long-${strategy}`), filesInSession);
  const contender = new DaemonContender(strategy, tree.root, scratch);
  await contender.open();
  for (let i = 0; i < checkpoints; i += 1) {
    tree.edit();
    await contender.create();
  }
  const reopenMs = await timed(() => contender.reopen());
  tree.edit();
  const restoreMs = await timed(() => contender.restoreLast(1));
  const diskBytes = contender.diskBytes();
  await contender.close();
  return { strategy, checkpoints, reopenMs, restoreMs, diskBytes };
}

export async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
