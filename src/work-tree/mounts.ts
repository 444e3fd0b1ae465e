// Reads the kernel's list of mounts, and finds the mounts inside a directory. On systems other than Linux the list is
// empty. Does not mount anything, and is independent of work trees.
import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import { attempt, attemptOr, isOfSystem } from '../base/attempt.ts';
import { files } from '../base/files.ts';

/** Returns every mount that this process sees, one per line. Returns `unknown` when the system has no list. */
export function readMounts(): string {
  return attemptOr('unknown', isOfSystem, () => files.readFileSync('/proc/self/mountinfo', 'utf8'));
}

/** Returns the mounts below a directory. Callers need this because the watcher gets no event when a mount appears. */
export function mountsBelow(mounts: string, directory: string): string {
  const prefix = directory.endsWith('/') ? directory : `${directory}/`;
  return linesWhere(mounts, (place) => place.startsWith(prefix)).join('\n');
}

/**
 * Returns the device and the source directory of the topmost mount at the directory itself. Returns undefined when
 * there is no mount.
 */
export function mountAt(mounts: string, directory: string): string | undefined {
  const [, , device, from] =
    linesWhere(mounts, (place) => place === directory)
      .at(-1)
      ?.split(' ') ?? [];
  return device === undefined ? undefined : `${device} ${from ?? ''}`;
}

/**
 * A bind mount, in either direction, can show the files of the canonical `path` at a second path. Returns the second
 * paths that are inside `directory`. Another mount may cover a listed path, so callers must compare identities.
 */
export function shownWithin(mounts: string, path: string, directory: string): string[] {
  const all = linesWhere(mounts, (place) => place !== '').map((line) => {
    const [, , device, from = '', place = ''] = line.split(' ');
    return { device, from: unescaped(from), place: unescaped(place) };
  });
  const found = new Set<string>();
  for (const { device, from, place } of all) {
    const below = pathBelow(path, place);
    if (below === undefined) continue;
    const stored = posix.join(from, below);
    for (const other of all) {
      const rest = other.device === device ? pathBelow(stored, other.from) : undefined;
      if (rest !== undefined) found.add(posix.join(other.place, rest));
    }
  }
  found.delete(path);
  return [...found].filter((shown) => pathBelow(shown, directory) !== undefined);
}

/**
 * File systems on a disk or in the memory of this machine. A system call on these file systems waits for no other
 * machine.
 */
const localTypes = /^(?:ext[234]|xfs|btrfs|f2fs|zfs|bcachefs|tmpfs|ramfs|overlay)$/;

/**
 * True when every directory on an absolute path is on a file system of this machine, and none is a link. Makes system
 * calls only on directories of local file systems, which answer at once.
 */
export function isOnThisMachine(path: string): boolean {
  const types = new Map<string, string>();
  for (const line of readMounts().split('\n')) {
    const [mount = '', type = ''] = line.split(' - ');
    types.set(unescaped(mount.split(' ')[4] ?? ''), type.split(' ')[0] ?? '');
  }
  let type = types.get('/') ?? '';
  let at = '';
  for (const name of posix.normalize(path).split('/').slice(1)) {
    if (!localTypes.test(type)) return false;
    if (name === '') continue;
    at = `${at}/${name}`;
    type = types.get(at) ?? type;
    if (!localTypes.test(type)) return false;
    const stats = attempt(isOfSystem, () => files.lstatSync(at, { throwIfNoEntry: false }));
    if (stats === undefined) return true; // a missing directory has nothing below it
    if (stats.isSymbolicLink()) return false;
  }
  return localTypes.test(type);
}

/** Returns the path relative to a directory, '' for the directory itself, and undefined for a path outside it. */
function pathBelow(path: string, directory: string): string | undefined {
  if (path === directory) return '';
  const prefix = directory.endsWith('/') ? directory : `${directory}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

function linesWhere(mounts: string, isMeant: (place: string) => boolean): string[] {
  return mounts.split('\n').filter((line) => isMeant(unescaped(line.split(' ')[4] ?? '')));
}

/** Decodes blanks and backslashes, which the kernel writes as three octal digits. */
function unescaped(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(plain, 'latin1').toString('utf8');
}
