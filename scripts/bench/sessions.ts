// Measures the cost of each open session for a daemon, and the cost of many checkpoints for a session.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CheckpointdClient } from '../../src/client/client.ts';
import { DaemonContender } from './contenders.ts';
import { GeneratedTree } from './generated-tree.ts';

/** The resources that one process uses. Only Linux reports these figures. */
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

/** The resources that a process uses in half a minute without a request. */
export interface RestFigures extends ProcessFigures {
  readonly wakeUpsPerSecond: number;
  /** Processor time in milliseconds. */
  readonly processorMs: number;
}

export const filesInSession = 200;
/** After this time, idle git processes have ended. The last scan of changed files has ended, too. */
const restMs = 95_000;
const lookMs = 30_000;

/**
 * Opens sessions on one daemon and makes five checkpoints in each session. Returns the resources that the daemon uses
 * when it is at rest, or undefined outside Linux.
 */
export async function measureSessions(
  count: number,
  files: number,
  scratch: string,
): Promise<RestFigures | undefined> {
  if (process.platform !== 'linux') return undefined;
  const client = await CheckpointdClient.start();
  try {
    for (let i = 0; i < count; i += 1) {
      const tree = new GeneratedTree(join(scratch, `work-${i}`), files);
      const storageDir = join(scratch, 'storage');
      const limits = { initTimeoutMs: 600_000 };
      const { session } = await client.request('session/open', { workspace: tree.root, storageDir, limits });
      for (let edits = 0; edits < 5; edits += 1) {
        tree.edit();
        await client.request('checkpoint/create', { session, kind: 'turn' });
      }
    }
    await setTimeout(restMs);
    return await figuresAtRest(client.pid ?? 0);
  } finally {
    await client.close();
  }
}

async function figuresAtRest(pid: number): Promise<RestFigures> {
  const before = threadsOf(pid);
  await setTimeout(lookMs);
  const after = threadsOf(pid);
  return {
    ...figuresOf(pid),
    wakeUpsPerSecond: (after.switches - before.switches) / (lookMs / 1000),
    processorMs: after.processorMs - before.processorMs,
  };
}

/** Returns sums over all threads: how often they gave up a processor, and how much processor time they used. */
function threadsOf(pid: number): { readonly switches: number; readonly processorMs: number } {
  let [switches, processorMs] = [0, 0];
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const own = `/proc/${pid}/task/${thread}`;
    const status = readFileSync(`${own}/status`, 'utf8');
    switches += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
    processorMs += Number(readFileSync(`${own}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  }
  return { switches, processorMs };
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

/** Makes checkpoints with one edit each, reopens the session in a new daemon, and restores one file. */
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
  await contender.leave();
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
