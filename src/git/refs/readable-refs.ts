// Lists the refs of some namespaces with git. First checks that git can read all these refs. Without the check, git
// would treat an unreadable directory as empty, and would wait for ever on a FIFO. This module also removes locks that a
// killed git left. The module changes no ref.
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, attemptOr, hasCode, isMissing, isOfSystem } from '../../base/attempt.ts';
import { CheckpointdError, isKind, systemCode } from '../../base/errors.ts';
import { constants, type Dirent, files } from '../../base/files.ts';
import type { GitPlace } from '../process/environment.ts';
import { runGit } from '../process/run.ts';

/** The error when an operation is refused because the refs are unreadable. */
export class UnreadableRefs extends CheckpointdError {
  /** Two sentences: the problem, and what to do about it. */
  readonly what: string;
  readonly path: string;

  constructor(what: string, path: string, cause?: unknown) {
    super('StoreUnavailable', `${what} Nothing was changed.`, { details: { path }, cause });
    this.what = what;
    this.path = path;
  }
}

// Reads all refs of some namespaces from the disk, packed or not, with one git process.

export interface RefPlace {
  /** The repository with the refs. For strategy `local`, the user's repository. */
  readonly place: GitPlace;
  /** The directory of the ref files and their locks. Default: the git dir of `place`. */
  readonly refsIn?: string;
  /** The namespaces of the daemon, each with a final `/`. The daemon reads and moves only refs in these namespaces. */
  readonly prefixes: readonly string[];
}

interface ListedRefs {
  /** The object of each ref, by the ref's name. */
  readonly refs: Map<string, string>;
  /** Refs that cannot be read. */
  readonly broken: string[];
}

/** Lists refs. @throws UnreadableRefs when the refs cannot be read */
export async function listRefs({ place, prefixes, refsIn = place.gitDir }: RefPlace): Promise<ListedRefs> {
  refuseUnreadable(refsIn, prefixes);
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...prefixes];
  const { stdout, stderr } = await runGit({ place, args }).catch((error: unknown) => {
    throw unreadablePackedRefs(refsIn, error);
  });
  const refs = new Map<string, string>();
  for (const line of stdout.toString('latin1').split('\n')) {
    const space = line.indexOf(' ');
    if (space > 0) refs.set(line.slice(space + 1), line.slice(0, space));
  }
  const broken = [...stderr.matchAll(/ignoring (?:broken|dangling symbolic|dangling symref) ref (\S+)/g)]
    .flatMap((match) => match[1] ?? [])
    .filter((ref) => prefixes.some((prefix) => ref.startsWith(prefix)));
  return { refs, broken };
}

/** Checks that all refs can be read. @throws UnreadableRefs; system errors that say nothing about the refs */
export function refuseUnreadable(refsIn: string, prefixes: readonly string[]): void {
  const packed = join(refsIn, 'packed-refs');
  const stats = ifPresent(packed, () => files.statSync(packed, { throwIfNoEntry: false }));
  if (stats !== undefined) {
    if (!stats.isFile()) throw notARef(packed);
    ifPresent(packed, () => files.accessSync(packed, constants.R_OK));
  }
  for (const prefix of prefixes) refuseBelow(join(refsIn, prefix));
}

/** If git could not parse `packed-refs`, returns an error that explains this. Returns all other errors unchanged. */
function unreadablePackedRefs(refsIn: string, error: unknown): unknown {
  if (!isKind('GitFailed')(error)) return error;
  if (!/(?:unterminated|unexpected) line in .*packed-refs/.test(error.message)) return error;
  const path = join(refsIn, 'packed-refs');
  const what = `Git cannot read ${path}, because one line is damaged. Git can then read none of the packed refs, not even branches and tags. Restore the file from a copy, or remove the damaged line.`;
  return new UnreadableRefs(what, path, error);
}

function refuseBelow(directory: string): void {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) refuseBelow(path);
    else if (!entry.isFile() && !isLinkToNoProgram(entry, path)) throw notARef(path);
  }
}

function entriesOf(directory: string): Dirent[] {
  try {
    // Also requires the permission to enter the directory. With read permission alone, the system reports names without
    // types.
    files.accessSync(directory, constants.R_OK | constants.X_OK);
    return files.readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(systemCode(error) ?? '')) return [];
    if (isDenied(error)) throw closed(deniedAt(directory), error);
    throw error;
  }
}

/**
 * True for a symbolic link that cannot block git. If the link's target has the form of a ref's name, git takes the
 * target as the name of a ref. If the target does not have this form, git follows the link.
 */
function isLinkToNoProgram(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return false;
  // If this process cannot follow the link, git cannot follow the link either. Git reports the link and does not wait.
  return attemptOr(true, isOfSystem, () => {
    const stats = files.statSync(path, { throwIfNoEntry: false });
    return stats === undefined || stats.isFile() || stats.isDirectory();
  });
}

function ifPresent<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (isDenied(error)) throw closed(deniedAt(path), error);
    throw error;
  }
}

function deniedAt(path: string): string {
  const above = dirname(path);
  try {
    files.accessSync(above, constants.X_OK);
    return path;
  } catch (error) {
    return isDenied(error) ? deniedAt(above) : path;
  }
}

const isDenied = (error: unknown): boolean => /^(EACCES|EPERM)$/.test(systemCode(error) ?? '');

function closed(path: string, cause: unknown): UnreadableRefs {
  const what = `This user has no permission to read ${path.replace(/\/$/, '')}, which holds the refs of the checkpoints. Make this user the owner (sudo chown -R "$USER"), and allow reading, writing and entering (chmod u+rwX).`;
  return new UnreadableRefs(what, path, cause);
}

function notARef(path: string): UnreadableRefs {
  const what = `${path} is in the place of a ref of the checkpoints, but is a FIFO, a socket or a device. git would hang while reading it. Remove it, and put the replaced file back if you have a copy.`;
  return new UnreadableRefs(what, path);
}

// Removes locks that a killed git left. Removes a lock in a directory of the daemon at once. The user's git also takes
// the lock of `packed-refs`. Git keeps this lock only for a short time. Therefore this module removes the lock only if
// its file has been unchanged for longer. While git has the lock, it also writes `packed-refs.new`. If a killed git has
// left this file, the user's git can never write `packed-refs` again, so this module removes it.

/** Git itself waits at most one second for this lock. */
const staleAfterMs = 3000;

/** Removes a lock that only checkpointd takes. Does nothing when a file is in the place of the lock's directory. */
export function removeLock(file: string): void {
  attempt(hasCode('ENOTDIR'), () => files.rmSync(file, { force: true }));
}

/**
 * Removes the file `packed-refs.new` and the lock of `packed-refs`. First waits long enough to be sure that the process
 * that took the lock is dead. Resolves at once when neither file exists.
 */
export async function removeStalePackedRefs(gitDir: string): Promise<void> {
  // If `packed-refs` is a symbolic link, git makes both files in the directory of the link's target.
  const directory = dirname(realPath(join(gitDir, 'packed-refs')));
  const [lock, unfinished] = [join(directory, 'packed-refs.lock'), join(directory, 'packed-refs.new')];
  // While git writes `packed-refs.new`, the lock does not change.
  const stamps = (): string => `${stamp(lock)} ${stamp(unfinished)}`;
  if (stamp(lock) !== undefined) {
    const first = stamps();
    for (const deadline = performance.now() + staleAfterMs; performance.now() < deadline; ) {
      await sleep(50);
      if (stamps() !== first) return;
    }
    files.rmSync(lock, { force: true });
  }
  if (stamp(unfinished) === undefined) return;
  // The daemon itself takes the lock, because only the process with the lock may write `packed-refs.new`.
  const fd = attempt(hasCode('EEXIST'), () => files.openSync(lock, 'wx'));
  if (fd === undefined) return;
  files.closeSync(fd);
  try {
    files.rmSync(unfinished, { force: true });
  } finally {
    files.rmSync(lock, { force: true });
  }
}

function realPath(file: string): string {
  return attemptOr(file, isMissing, () => files.realpathSync(file));
}

function stamp(file: string): string | undefined {
  return attempt(isMissing, () => {
    const { ino, mtimeNs, size } = files.lstatSync(file, { bigint: true });
    return `${ino}:${mtimeNs}:${size}`;
  });
}
