// Locks the work tree while a restore writes. Meanwhile a restore of another session or daemon waits for some seconds,
// then fails as busy. There are two locks: one on the path of the work tree, and one on the directory itself. The lock
// on the directory also works between containers. A capture takes no lock, because it finds each file complete, either
// old or new.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../base/clock.ts';
import { lockDirectory } from '../base/directory-lock.ts';
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { type ProcessLock, takeProcessLock } from '../base/process-lock.ts';
import { requireRoot } from '../work-tree/work-tree.ts';
import type { RestoreSite } from './restore-site.ts';

type LockSite = Pick<RestoreSite, 'workTree' | 'log'> & {
  readonly options: { readonly storage: string };
};

const patienceMs = 5_000;
const retryMs = 50;

/** Locks the work tree. @throws WorkTreeBusy after five seconds, WorkTreeMissing, WorkTreeUnreadable, AbortError */
export async function lockWorkTree(site: LockSite, signal: AbortSignal): Promise<ProcessLock> {
  const { workTree, options } = site;
  const deadline = systemClock.monotonic() + patienceMs;
  const name = `work tree ${workTree.identity}`;
  const file = join(options.storage, `work-tree-${workTree.identity.replaceAll(':', '-')}.lock`);
  for (;;) {
    const lock = await takeProcessLock(name, file);
    if (lock !== undefined) {
      const whole = await withDirectory(site, lock);
      if (whole !== undefined) return whole;
      lock.release();
    }
    if (systemClock.monotonic() > deadline) {
      throw new CheckpointdError(
        'WorkTreeBusy',
        'Another session is restoring this work tree. Try again when that restore is done.',
        { retryable: true },
      );
    }
    await delay(retryMs, undefined, { signal });
  }
}

/** Also locks the root directory of the work tree. Returns undefined when another process has locked the directory. */
async function withDirectory(
  { workTree, log }: LockSite,
  name: ProcessLock,
): Promise<ProcessLock | undefined> {
  try {
    const lock = await lockDirectory(workTree.root);
    if (lock.is === 'busy') return undefined;
    if (lock.is === 'unavailable') {
      log.info(`the work tree is not locked against restores in other containers: ${lock.because}`);
      return name;
    }
    return {
      release: () => {
        // The work under the lock is done, so a failure to release the lock must not replace the result of the work.
        try {
          lock.release();
        } catch (error) {
          if (systemCode(error) === undefined) throw error;
          log.warn(`the lock of the work tree could not be closed: ${String(error)}`);
        } finally {
          name.release();
        }
      },
    };
  } catch (error) {
    name.release();
    // If the root is gone, replaced or unreadable, throws the usual error for such a work tree.
    if (systemCode(error) !== undefined) requireRoot(workTree.root);
    throw error;
  }
}
