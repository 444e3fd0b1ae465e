// A work tree and its watcher, with what was told of it.
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { silentLog } from '../../src/base/log.ts';
import { toText } from '../../src/tree/tree-path.ts';
import type { ChangeBatch } from '../../src/watch/change-batches.ts';
import { type WatcherOptions, WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { type Rig, withRig as withCaptureRig } from '../support/capture-rig.ts';

export interface Watched {
  readonly watcher: WorkTreeWatcher;
  readonly batches: ChangeBatch[];
  /** Waits until a batch names the path, one of its directories, or everything. */
  readonly told: (path: string) => Promise<void>;
}

export async function watching(
  root: string,
  options: Partial<WatcherOptions>,
  body: (watched: Watched) => Promise<void>,
): Promise<void> {
  const batches: ChangeBatch[] = [];
  const watcher = new WorkTreeWatcher({
    root,
    isIgnored: () => false,
    log: silentLog,
    onChange: (batch) => batches.push(batch),
    ...options,
  });
  const names = (batch: ChangeBatch, path: string): boolean =>
    batch.overflow ||
    batch.paths.some((one) => one === '' || path === toText(one) || path.startsWith(`${toText(one)}/`));
  const told = async (path: string): Promise<void> => {
    for (let i = 0; i < 100; i += 1) {
      if (batches.some((batch) => names(batch, path))) return;
      await sleep(50);
    }
    assert.unreachable(`${path} was never told; told were ${JSON.stringify(batches)}`);
  };
  const alive = setInterval(() => undefined, 1000); // a watcher keeps no process alive
  try {
    watcher.start();
    await watcher.ready();
    await body({ watcher, batches, told });
  } finally {
    clearInterval(alive);
    await watcher.close();
  }
}

/** A work tree in a repository, and captures of it. */
export const withRig = (body: (rig: Rig) => Promise<void>): Promise<void> => withCaptureRig({}, body);

/** As a capture that began now, and succeeded, would say. */
export function captured(watcher: WorkTreeWatcher): void {
  watcher.captured(watcher.changes.position);
}
