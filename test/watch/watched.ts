// A work tree and its watcher, with the batches of changes that clients got.
import { silentLog } from '../../src/base/log.ts';
import { toText } from '../../src/tree/tree-path.ts';
import { type ChangeBatch, type WatcherOptions, WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { type Rig, withRig as withCaptureRig } from '../support/capture-rig.ts';
import { until } from '../support/until.ts';

export interface Watched {
  readonly watcher: WorkTreeWatcher;
  readonly batches: ChangeBatch[];
  /** Waits until a batch names the path, one of its parent directories, or everything. */
  readonly notified: (path: string) => Promise<void>;
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
  const notified = (path: string): Promise<void> =>
    until(`${path} is in a batch`, () => batches.some((batch) => names(batch, path)));
  const alive = setInterval(() => undefined, 1000); // The watcher does not keep the process alive.
  try {
    watcher.start();
    await watcher.ready();
    await body({ watcher, batches, notified });
  } finally {
    clearInterval(alive);
    await watcher.close();
  }
}

/** Runs `body` with a work tree in a repository, and a capturer of it. */
export const withRig = (body: (rig: Rig) => Promise<void>): Promise<void> => withCaptureRig({}, body);

/** Tells the watcher that a capture has succeeded, and that the capture began at the log's current position. */
export function captured(watcher: WorkTreeWatcher): void {
  watcher.captured(watcher.changes.position);
}
