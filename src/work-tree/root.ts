// Whether what stands at a work tree's root is what was opened there. A directory that is made anew at the same path
// is somebody's choice and goes on being the work tree; another file system that is mounted there, or one that is
// there no more, is not: its emptiness says nothing of the user's files, and nothing may be written to it.

import { homedir } from 'node:os';
import { join, parse } from 'node:path';
import { type DirectoryIdentity, directoryAt, isSameDirectory } from '../base/directory-identity.ts';
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { identityOf } from '../base/file-stamp.ts';
import { files } from '../base/files.ts';
import { mountAt, readMounts } from './mounts.ts';

export interface StandingRoot {
  readonly device: bigint;
  readonly inode: bigint;
  readonly birthNs: bigint;
  readonly directory: DirectoryIdentity | undefined;
  /** What is mounted at the root itself. */
  readonly mount: string | undefined;
}

export function standingRoot(root: string): StandingRoot {
  const { dev: device, ino: inode, birthtimeNs: birthNs } = files.lstatSync(root, { bigint: true });
  return { device, inode, birthNs, directory: directoryAt(root), mount: mountAt(readMounts(), root) };
}

/** @throws WorkTreeMissing when another file system is mounted there now, or the one that was is gone */
export function refuseOtherMount(root: string, then: StandingRoot): void {
  const { dev, ino, birthtimeNs } = files.lstatSync(root, { bigint: true });
  if (dev === then.device && ino === then.inode && birthtimeNs === then.birthNs) return;
  const now = standingRoot(root);
  // A network file system that is mounted anew has another number, and its directories are what they were.
  if (isBornAs(then.directory, now.directory)) return;
  const isInPlace = now.device === then.device && now.mount === then.mount;
  // The root of a mount cannot be made anew: under the same number it is another file system all the same.
  if (isInPlace && (now.mount === undefined || isSame(then.directory, now.directory))) return;
  throw new CheckpointdError(
    'WorkTreeMissing',
    `Another file system is mounted at ${root} than when this session was opened, or it is mounted there no more; nothing was taken from it or written to it. Mount what was there, or, if this is to be the work tree from now on, close the session and open it again.`,
    { details: { path: root } },
  );
}

function isBornAs(then: DirectoryIdentity | undefined, now: DirectoryIdentity | undefined): boolean {
  return then?.birth !== '0' && then?.birth === now?.birth && isSame(then, now);
}

function isSame(then: DirectoryIdentity | undefined, now: DirectoryIdentity | undefined): boolean {
  return then !== undefined && now !== undefined && isSameDirectory(then, now);
}

// Places that nobody means when they say "work tree": checkpointing a home directory filled disks with hundreds of
// gigabytes elsewhere. It judges spelling and identity; the work tree itself is opened in work-tree/work-tree.ts.

/** Says which protected place a canonical path is, or undefined when it is none. */
export function protectedPlace(canonical: string, home: string = homedir()): string | undefined {
  if (parse(canonical).root === canonical) return 'the root of a drive';
  for (const [place, name] of placesOf(home)) {
    if (isSamePlace(canonical, place)) return name;
  }
  return undefined;
}

function placesOf(home: string): [path: string, name: string][] {
  if (home === '') return [];
  return [
    [home, 'the home directory'],
    ...['Desktop', 'Documents', 'Downloads'].map((name): [string, string] => [join(home, name), `~/${name}`]),
  ];
}

/** The same directory: by identity where both exist, so links, case and trailing slashes do not matter. */
function isSamePlace(canonical: string, place: string): boolean {
  const there = identityAt(place);
  if (there !== undefined) return there === identityAt(canonical);
  const fold = process.platform === 'darwin' || process.platform === 'win32';
  return fold ? canonical.toLowerCase() === place.toLowerCase() : canonical === place;
}

function identityAt(path: string): string | undefined {
  try {
    return identityOf(files.statSync(path, { bigint: true }));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined; // it does not exist, or nobody may look: then it is not the directory we opened
  }
}
