// Counts inotify watches in the kernel's list. Only this list shows that a handle was really closed.
import { readdirSync, readFileSync } from 'node:fs';

/** Returns the number of directories on which this process has inotify watches, or undefined without /proc. */
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
