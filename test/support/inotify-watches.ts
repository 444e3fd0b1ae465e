// Reads the kernel's list of this process's watches: only there can a test see that a handle was closed.
import { readdirSync, readFileSync } from 'node:fs';

/** How many directories this process has inotify watches on; undefined where there is no /proc. */
export function inotifyWatches(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  let count = 0;
  for (const fd of readdirSync('/proc/self/fdinfo')) {
    try {
      count += (readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').match(/^inotify /gm) ?? []).length;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return count;
}
