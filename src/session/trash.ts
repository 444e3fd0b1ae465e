// Removes a session's directory in two steps. The rename to a trash name frees the path at once. The deletion of the
// renamed directory may take long. After a kill, a sweep finds the trash by its name and its marker, and deletes it.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { attempt, isMissing } from '../base/attempt.ts';
import {
  type DirectoryIdentity,
  directoryAt,
  diskEntryAt,
  isSameDirectory,
} from '../base/directory-identity.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files, filesAsync } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { markerText, readMarker } from './description.ts';
import { type SessionDirectory } from './directory.ts';

function trashOf({ storage, session }: SessionDirectory): string {
  return join(storage, `.trash-${session}-${randomBytes(6).toString('hex')}`);
}

/**
 * Renames the directory away. Returns its new path, or undefined when there was no directory.
 * @throws StoreUnavailable when another directory is at the session's path; that directory is not changed
 */
export function renameAway(directory: SessionDirectory): string | undefined {
  const identity = directory.ours();
  if (identity === undefined) return undefined;
  const trash = trashOf(directory);
  files.renameSync(directory.root, trash);
  let moved: DirectoryIdentity | undefined;
  try {
    moved = directoryAt(trash);
  } catch (error) {
    files.renameSync(trash, directory.root);
    throw error;
  }
  if (isSameDirectory(moved, identity)) return trash;
  files.renameSync(trash, directory.root); // another process replaced the directory after the check
  throw new CheckpointdError(
    'StoreUnavailable',
    `${directory.root} was replaced by another directory while its session was removed. The other directory was not changed.`,
    { details: { session: directory.session, path: directory.root } },
  );
}

/**
 * Moves the store's files (the bare repository) out of the session's directory into a new directory, and returns the
 * path of the new directory. The daemon's own files stay. The new directory gets a marker with the id of this session
 * and the identity of the new directory.
 * @throws StoreUnavailable as {@link renameAway}
 */
export function renameStoreAway(directory: SessionDirectory): string {
  directory.ours();
  const trash = trashOf(directory);
  const inside = join(trash, 'checkpointd');
  files.mkdirSync(trash, { mode: 0o700 });
  files.mkdirSync(inside, { mode: 0o700 });
  const marker = { ...directory.readMarker(), directory: directoryAt(trash) };
  writeAtomically(join(inside, 'session.json'), markerText(marker));
  // The objects are moved last, so that a kill leaves no ref without its object.
  const names = files
    .readdirSync(directory.root)
    .filter((name) => !['checkpointd', 'objects'].includes(name));
  for (const name of [...names, 'objects'])
    attempt(isMissing, () => files.renameSync(join(directory.root, name), join(trash, name)));
  return trash;
}

/**
 * True for the name of trash in the storage root. The directory must belong to this user, and must have the marker of
 * the session whose id the name contains. A kill can also leave a directory that is empty except for the daemon's empty
 * sub-directory. The daemon may delete this directory, too.
 */
export function isTrash(storage: string, name: string): boolean {
  if (!/^\.trash-ses_[0-9a-z]+-[0-9a-f]{12}$/.test(name)) return false;
  const path = join(storage, name);
  const entry = diskEntryAt(path);
  if (entry.is !== 'directory') return false;
  if (process.getuid !== undefined && entry.owner !== process.getuid()) return false;
  const own = diskEntryAt(join(path, 'checkpointd')).is;
  if (own !== 'directory') return own === 'nothing' && files.readdirSync(path).length === 0;
  const marker = readMarker(join(path, 'checkpointd', 'session.json'));
  if (marker === undefined)
    return files.readdirSync(path).length === 1 && files.readdirSync(join(path, 'checkpointd')).length === 0;
  const isSame = marker.directory === undefined || isSameDirectory(marker.directory, entry.identity);
  return name.startsWith(`.trash-${marker.session}-`) && isSame;
}

/**
 * Deletes trash, if there is any. The marker is deleted last. If this fails, logs a warning: the next sweep deletes the
 * remaining files.
 */
export async function deleteTrash(trash: string | undefined, log: Log): Promise<void> {
  if (trash === undefined) return;
  try {
    const own = join(trash, 'checkpointd');
    await removeAllBut('checkpointd', trash);
    if (directoryAt(own) !== undefined) await removeAllBut('session.json', own);
    await removeTree(trash);
  } catch (error) {
    log.warn(
      `the daemon could not delete all removed data; the next start deletes the rest: ${String(error)}`,
    );
  }
}

async function removeAllBut(last: string, directory: string): Promise<void> {
  for (const name of await filesAsync.readdir(directory))
    if (name !== last) await removeTree(join(directory, name));
}

async function removeTree(path: string): Promise<void> {
  await filesAsync.rm(path, { recursive: true, force: true, maxRetries: 3 });
}
