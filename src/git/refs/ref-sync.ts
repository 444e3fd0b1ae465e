// Brings refs to the disk. Git never syncs a directory: without this an answered ref was gone after a power cut.
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../base/atomic-file.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { RefChange } from './ref-transaction.ts';

/** What the changes made is on the disk. */
export function syncRefs(gitDir: string, changes: readonly RefChange[]): void {
  for (const directory of new Set(changes.map(({ ref }) => dirname(join(gitDir, ref)))))
    syncStanding(directory);
  const isPacked = ({ ref, to }: RefChange): boolean =>
    to !== undefined && !files.existsSync(join(gitDir, ref));
  if (!changes.some(isPacked)) return;
  // The user's git packed them in this very moment, and does not sync what it wrote.
  syncStanding(join(gitDir, 'packed-refs'));
  syncStanding(gitDir);
}

/** Git removes a directory that is empty, also that of a ref which was packed: then the one above it has changed. */
function syncStanding(path: string): void {
  for (let at = path; ; at = dirname(at)) {
    try {
      syncDirectory(at);
      return;
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || dirname(at) === at) throw error;
    }
  }
}
