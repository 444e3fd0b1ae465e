// Brings refs to the disk, as far as git does not: it never syncs a directory, so that an answered ref was gone after a
// power cut, and before 2.36 it syncs no ref, so that the file of one was empty.
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../base/atomic-file.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { RefChange } from './ref-transaction.ts';

/** Syncs the files that git wrote for these changes; deleting a packed ref has written `packed-refs` anew. */
export function syncRefFiles(gitDir: string, changes: readonly RefChange[]): void {
  const written = changes.map(({ ref, to }) => join(gitDir, to === undefined ? 'packed-refs' : ref));
  // A ref that is gone was packed by the user's git in this very moment.
  for (const file of new Set(written)) syncIfThere(file);
}

/** Syncs the directories of the changed refs, so that a power cut takes none of the changes back. */
export function syncRefNames(gitDir: string, changes: readonly RefChange[]): void {
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
  let at = path;
  while (!syncIfThere(at) && dirname(at) !== at) at = dirname(at);
}

/** Syncs a file or directory; false when there is none. */
function syncIfThere(path: string): boolean {
  try {
    syncDirectory(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
