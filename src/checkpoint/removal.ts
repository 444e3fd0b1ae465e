// Removing a session directory: renamed away at once, so that its path is gone when the process is, then deleted
// at leisure with the marker last, so that what a kill leaves is still known to be ours. Decides nothing about
// whether it may be removed: that is drop.ts and sweep.ts.
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { type Dirent, files, filesAsync } from '../base/files.ts';
import type { SessionDirectory } from './session-directory.ts';

const trashPattern = /^\.trash-ses_[0-9a-z]+-[0-9a-f]{12}$/;

/** Whether a name in the storage root is a session directory on its way out. */
export function isTrash(name: string): boolean {
  return trashPattern.test(name);
}

/** Renames the directory away; returns its new place, or undefined when there was nothing to rename. */
export function renameAway(directory: SessionDirectory): string | undefined {
  const { root } = directory;
  const trash = join(
    dirname(root),
    `.trash-${root.slice(root.lastIndexOf('ses_'))}-${randomBytes(6).toString('hex')}`,
  );
  try {
    files.renameSync(root, trash);
    return trash;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Deletes a renamed directory while the event loop lives. Interrupted, it leaves the rest for the next sweep. */
export async function deleteTrash(trash: string): Promise<void> {
  for (const name of await filesAsync.readdir(trash)) {
    if (name !== 'checkpointd') await removeTree(join(trash, name));
  }
  const own = join(trash, 'checkpointd');
  if (files.existsSync(own)) {
    for (const name of await filesAsync.readdir(own)) {
      if (name !== 'session.json') await removeTree(join(own, name));
    }
  }
  await removeTree(trash);
}

/** The same for a process that is about to end and can wait for nothing. */
export function deleteTrashSync(trash: string): void {
  files.rmSync(trash, { recursive: true, force: true, maxRetries: 3 });
}

/** Bytes of all files below a directory; 0 for one that is not there. */
export async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  let entries: Dirent[];
  try {
    entries = await filesAsync.readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw error;
  }
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(path);
    else bytes += await sizeOfFile(path);
  }
  return bytes;
}

async function sizeOfFile(path: string): Promise<number> {
  try {
    return (await filesAsync.lstat(path)).size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0; // it went while we counted
    throw error;
  }
}

async function removeTree(path: string): Promise<void> {
  await filesAsync.rm(path, { recursive: true, force: true, maxRetries: 3 });
}
