// Removing a session directory: renamed away at once, so that its path is gone when the process is, then deleted
// at leisure with the marker last, so that what a kill leaves is still known to be ours. Decides nothing about
// whether it may be removed: that is end.ts and sweep.ts.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { type Dirent, files, filesAsync } from '../base/files.ts';
import type { SessionDirectory } from './directory.ts';

const trashPattern = /^\.trash-ses_[0-9a-z]+-[0-9a-f]{12}$/;

/** Whether a name in the storage root is a session directory on its way out. */
export function isTrash(name: string): boolean {
  return trashPattern.test(name);
}

/** Renames the directory away; returns its new place, or undefined when there was nothing to rename. */
export function renameAway(directory: SessionDirectory): string | undefined {
  const trash = trashOf(directory);
  try {
    files.renameSync(directory.root, trash);
    return trash;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Renames what the store keeps in the directory (the bare repository) away, and nothing of ours; returns where to.
 * The new place bears no marker, and holds nothing but a sub-directory with our name: that is how it is known.
 */
export function renameStoreAway(directory: SessionDirectory): string {
  const trash = trashOf(directory);
  const inside = join(trash, 'checkpointd');
  files.mkdirSync(inside, { recursive: true, mode: 0o700 });
  for (const name of files.readdirSync(directory.root)) {
    if (name !== 'checkpointd') files.renameSync(join(directory.root, name), join(inside, name));
  }
  return trash;
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

function trashOf({ storage, session }: SessionDirectory): string {
  return join(storage, `.trash-${session}-${randomBytes(6).toString('hex')}`);
}

async function removeTree(path: string): Promise<void> {
  await filesAsync.rm(path, { recursive: true, force: true, maxRetries: 3 });
}
