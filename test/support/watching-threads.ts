// Keeps the threads that watch work trees (watch-thread.ts) alive between the tests of one process. A daemon ends these
// threads with its last session. Without this module, each test would therefore start two threads, which takes a third
// of the processor time of a short test.
import { join } from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { WorkTreeWatcher } from '../../src/watch/watcher.ts';
import { temporaryDirectory } from './temporary.ts';

let kept: WorkTreeWatcher | undefined;

/** Watches an empty directory until the process ends. All sessions in this process then share the threads. */
export function keepWatchingThreads(): void {
  if (kept !== undefined) return;
  kept = new WorkTreeWatcher({
    root: temporaryDirectory('watched'),
    fenceDirectory: join(temporaryDirectory('fence'), 'fence'),
    isIgnored: () => false,
    log: silentLog,
  });
  kept.start();
}
