// Removing a session directory: renamed away at once, so that its path is gone when the process is, then deleted
// at leisure with the marker last, so that what a kill leaves is still known to be ours. Decides nothing about
// whether it may be removed: that is end.ts and sweep.ts.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { isSameDirectory, type Standing, standingAt } from '../base/directory-identity.ts';
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { type Dirent, files, filesAsync } from '../base/files.ts';
import { given } from '../base/given.ts';
import { markerText, readMarker, type SessionDirectory } from './directory.ts';

const trashPattern = /^\.trash-ses_[0-9a-z]+-[0-9a-f]{12}$/;

/** Whether a name in the storage root is a session directory on its way out. */
export function isTrash(name: string): boolean {
  return trashPattern.test(name);
}

/**
 * Renames the directory away; returns its new place, or undefined when there was nothing to rename.
 *
 * @throws StoreUnavailable when what stands there is not the very directory that the session made; it stays.
 */
export function renameAway(directory: SessionDirectory): string | undefined {
  const identity = directory.ours();
  if (identity === undefined) return undefined;
  const trash = trashOf(directory);
  files.renameSync(directory.root, trash);
  const moved = lookedAt(trash, directory);
  if (moved.is === 'directory' && isSameDirectory(moved.identity, identity)) return trash;
  files.renameSync(trash, directory.root); // somebody exchanged it between the look and the rename
  throw new CheckpointdError(
    'StoreUnavailable',
    `${directory.root} was exchanged while its session was being removed. What stands there now was left as it is.`,
    { details: { session: directory.session, path: directory.root } },
  );
}

/** What was renamed; where nobody can tell, it goes back. */
function lookedAt(trash: string, directory: SessionDirectory): Standing {
  try {
    return standingAt(trash);
  } catch (error) {
    files.renameSync(trash, directory.root);
    throw error;
  }
}

/**
 * Renames what the store keeps in the directory (the bare repository) away, and nothing of ours; returns where to.
 * The new place bears a marker of the same session that names it as its directory.
 *
 * @throws StoreUnavailable as {@link renameAway}
 */
export function renameStoreAway(directory: SessionDirectory): string {
  directory.ours();
  const trash = trashOf(directory);
  const inside = join(trash, 'checkpointd');
  files.mkdirSync(trash, { mode: 0o700 });
  files.mkdirSync(inside, { mode: 0o700 });
  const made = standingAt(trash);
  const marker = {
    ...directory.readMarker(),
    ...given({ directory: made.is === 'directory' ? made.identity : undefined }),
  };
  writeAtomically(join(inside, 'session.json'), markerText(marker));
  for (const name of files.readdirSync(directory.root)) {
    if (name !== 'checkpointd') files.renameSync(join(directory.root, name), join(trash, name));
  }
  return trash;
}

/**
 * Whether a directory that bears the name of trash is ours to delete: one of this user's whose marker has the
 * session of its name, or one that a kill left with nothing in it but our empty sub-directory.
 */
export function isOurTrash(storage: string, name: string): boolean {
  const path = join(storage, name);
  const standing = standingAt(path);
  if (standing.is !== 'directory') return false;
  if (process.getuid !== undefined && standing.owner !== process.getuid()) return false;
  const own = standingAt(join(path, 'checkpointd')).is;
  if (own !== 'directory') return own === 'nothing' && files.readdirSync(path).length === 0;
  const marker = readMarker(join(path, 'checkpointd', 'session.json'));
  if (marker === undefined)
    return files.readdirSync(path).length === 1 && files.readdirSync(join(path, 'checkpointd')).length === 0;
  const isSame = marker.directory === undefined || isSameDirectory(marker.directory, standing.identity);
  return name.startsWith(`.trash-${marker.session}-`) && isSame;
}

/** Deletes a renamed directory while the event loop lives. Interrupted, it leaves the rest for the next sweep. */
export async function deleteTrash(trash: string): Promise<void> {
  for (const name of await filesAsync.readdir(trash)) {
    if (name !== 'checkpointd') await removeTree(join(trash, name));
  }
  const own = join(trash, 'checkpointd');
  if (standingAt(own).is === 'directory') {
    for (const name of await filesAsync.readdir(own)) {
      if (name !== 'session.json') await removeTree(join(own, name));
    }
  }
  await removeTree(trash);
}

/** Bytes of all files below a directory; 0 for one that is not there. */
export async function directorySize(directory: string): Promise<number> {
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
    if (entry.isDirectory()) bytes += await directorySize(path);
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
