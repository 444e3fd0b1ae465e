// Reads, writes, removes, syncs and stamps the files of refs without starting git: one file per ref, and `packed-refs`.
// Does not check whether an object exists. This module is independent of the transactions in ref-store.ts.
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../base/atomic-file.ts';
import { attempt, attemptOr, hasCode, isMissing, isOfSystem } from '../../base/attempt.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { removeLock, UnreadableRefs } from './readable-refs.ts';

/** A change of one ref: a move to the object `to`, or, when `to` is undefined, the deletion. */
export interface RefChange {
  readonly ref: string;
  readonly to: string | undefined;
}

// Reads plain refs. Throws an error for any other ref; in this case, the caller asks git.

const packedLine = /^([0-9a-f]{40}) (refs\/\S+)$/;
const looseForm = /^([0-9a-f]{40})\n$/;

/** Returns the object of each ref in some namespaces. @throws UnreadableRefs, system errors */
export function refsInFiles(refsIn: string, prefixes: readonly string[]): Map<string, string> {
  const refs = packedRefs(join(refsIn, 'packed-refs'), prefixes);
  for (const prefix of prefixes) addLoose(refsIn, prefix, refs);
  return refs;
}

/** Returns the object of each packed ref in some namespaces. @throws UnreadableRefs, system errors */
export function packedRefs(file: string, prefixes: readonly string[]): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of textOf(file)?.split('\n') ?? []) {
    if (line === '' || line.startsWith('#') || line.startsWith('^')) continue;
    const [, object = '', ref] = packedLine.exec(line) ?? [];
    if (ref === undefined) throw new UnreadableRefs('A line of packed-refs does not contain a ref.', file);
    if (prefixes.some((prefix) => ref.startsWith(prefix))) refs.set(ref, object);
  }
  return refs;
}

function addLoose(refsIn: string, directory: string, refs: Map<string, string>): void {
  const entries = attempt(isMissing, () =>
    files.readdirSync(join(refsIn, directory), { withFileTypes: true }),
  );
  for (const entry of entries ?? []) {
    const ref = `${directory}${entry.name}`;
    if (entry.isDirectory()) {
      addLoose(refsIn, `${ref}/`, refs);
      continue;
    }
    const object = entry.isFile() ? looseForm.exec(textOf(join(refsIn, ref)) ?? '')?.[1] : undefined;
    if (object === undefined)
      throw new UnreadableRefs('The file of a ref does not contain an object id.', join(refsIn, ref));
    refs.set(ref, object);
  }
}

function textOf(file: string): string | undefined {
  return attempt(isMissing, () => files.readFileSync(file, 'latin1'));
}

// Creates new refs without git, because git would take longer. Used only in a repository of the daemon. Like git,
// writes each ref into its lock file and then renames the file. Does not move or remove an existing ref.

/**
 * Writes the file of a ref under git's lock. Does not check the earlier value of the ref. Returns false after a
 * failure. In this case, the caller lets git make the change, and git reports the reason.
 */
export function writeRefFile(file: string, to: string): boolean {
  const lock = `${file}.lock`;
  const fd = attempt(isOfSystem, () => files.openSync(lock, 'wx', 0o600));
  if (fd === undefined) return false;
  try {
    try {
      files.writeFileSync(fd, `${to}\n`);
    } finally {
      files.closeSync(fd);
    }
    files.renameSync(lock, file);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    removeLock(lock);
    return false;
  }
}

/**
 * Removes the loose file of a ref that is also in `packed-refs`. Takes the lock of the ref. Removes the file only if it
 * still contains `value`. Returns false when it did not remove the file.
 */
export function removeRefFile(file: string, value: string | undefined): boolean {
  const lock = `${file}.lock`;
  try {
    files.closeSync(files.openSync(lock, 'wx', 0o600));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // another git process is moving the ref
  }
  try {
    if (!files.existsSync(file) || files.readFileSync(file, 'latin1') !== `${value}\n`) return false;
    files.unlinkSync(file);
    return true;
  } finally {
    removeLock(lock);
  }
}

// Keeps the mode of `packed-refs`. This file belongs to the user, and other users may need to read it. When git removes
// refs, it writes this file again, with permission bits from the daemon's umask.

/** Runs `work` and then restores the earlier permission bits of `packed-refs`. */
export async function keepingPackedMode(gitDir: string, work: () => Promise<unknown>): Promise<void> {
  const file = join(gitDir, 'packed-refs');
  const before = modeOf(file);
  await work();
  const after = modeOf(file);
  if (before === undefined || after === undefined || before === after) return;
  // Fails if the file is missing. Also fails if the file belongs to another user, because that user chose its
  // permission bits. The refs are correct even after this failure.
  attempt(hasCode('ENOENT', 'EPERM'), () => files.chmodSync(file, before));
}

function modeOf(file: string): number | undefined {
  const stats = files.statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? undefined : stats.mode & 0o7777;
}

// Detects whether another program moved refs. Reads only stamps, which is cheap. Writing, removing or packing a ref
// changes the stamp of its directory, and packing also changes the stamp of `packed-refs`.

/**
 * Returns a stamp that stays the same as long as no program moves a ref in these directories. The stamp is only as
 * exact as the clock of the file system. For an unreadable directory, the error code is used as the stamp.
 */
export function stampOfRefs(refsIn: string, directories: readonly string[]): string {
  return ['packed-refs', ...directories].map((each) => stampOf(join(refsIn, each))).join(' ');
}

function stampOf(path: string): string {
  try {
    const { ino, ctimeNs } = files.lstatSync(path, { bigint: true });
    return `${ino}.${ctimeNs}`;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
}

// Syncs the refs that git does not sync. Git never syncs a directory. After a power cut, refs could therefore be
// missing, although the daemon has answered the requests that made them. Before version 2.36, git does not sync the ref
// file either, so the file could be empty after a power cut.

/** Syncs the files that git wrote for these changes. Deleting a packed ref rewrites `packed-refs`. */
export function syncRefFiles(gitDir: string, changes: readonly RefChange[]): void {
  const written = changes.map(({ ref, to }) => join(gitDir, to === undefined ? 'packed-refs' : ref));
  // The file of a ref is missing if the user's git has just packed the ref.
  for (const file of new Set(written)) syncIfThere(file);
}

/** Syncs the directories of the changed refs, so that no power cut undoes the changes. */
export function syncRefNames(gitDir: string, changes: readonly RefChange[]): void {
  for (const directory of new Set(changes.map(({ ref }) => dirname(join(gitDir, ref)))))
    syncNearest(directory);
  const isPacked = ({ ref, to }: RefChange): boolean =>
    to !== undefined && !files.existsSync(join(gitDir, ref));
  if (!changes.some(isPacked)) return;
  // The user's git has just packed the refs and has not synced `packed-refs`.
  syncNearest(join(gitDir, 'packed-refs'));
  syncNearest(gitDir);
}

/**
 * Syncs the path, or its nearest existing parent directory. Git removes an empty directory, for example after packing
 * its refs. The removal changes the parent directory, so the parent directory needs the sync.
 */
function syncNearest(path: string): void {
  let at = path;
  while (!syncIfThere(at) && dirname(at) !== at) at = dirname(at);
}

/** Syncs a file or directory. Returns false for a missing path. */
function syncIfThere(path: string): boolean {
  return attemptOr(false, isMissing, () => {
    syncDirectory(path);
    return true;
  });
}
