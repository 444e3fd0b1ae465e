// Creates a bare repository of the daemon exactly as the specification says, and repairs the repository after a kill.
// The caller has the session's lock, and no git process runs. So every lock file and temporary object in the repository
// is stale. This module does not use checkpoints and never reads the values of refs.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { syncAll, writeAtomically } from '../../base/atomic-file.ts';
import { attempt, attemptOr, isMissing } from '../../base/attempt.ts';
import { systemCode } from '../../base/errors.ts';
import { type Dirent, files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';
import { type GitPlace, identity } from '../process/environment.ts';
import { isRefusal, runGit, streamGit } from '../process/run.ts';

/**
 * The settings in the configuration file are for people who inspect the repository with git. The daemon's own git
 * processes get their protective settings as arguments.
 */
const config = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tpreloadindex = true
[user]
\tname = ${identity.name}
\temail = ${identity.email}
[gc]
\tauto = 0
`;

/**
 * Disables every conversion. The attribute `-diff` is not set, because with this attribute git would show no text in
 * the daemon's diffs.
 */
const attributes = '* -text -ident -filter -working-tree-encoding -merge\n';
const description = 'Checkpoints of a work tree, kept by checkpointd.\n';
const exclude = '# Unused: checkpointd reads the ignore rules of the work tree itself.\n';
const head = 'ref: refs/heads/main\n';
const directories = [
  'hooks',
  'info',
  'objects',
  'objects/info',
  'objects/pack',
  'refs',
  'refs/heads',
  'refs/tags',
];

/**
 * Makes the repository in `gitDir`, or repairs the existing repository. `gitDir` may already contain other files.
 * Resolves to true when refs may be missing, because the file `packed-refs` was damaged.
 *
 * `more` are lines for those settings that git reads only from the file.
 */
export async function openBareRepository(gitDir: string, more = ''): Promise<boolean> {
  files.mkdirSync(gitDir, { recursive: true, mode: 0o700 });
  files.chmodSync(gitDir, 0o700);
  removeStale(gitDir); // comes first, because the lock of a killed git would make the next git process fail
  if (!files.existsSync(join(gitDir, 'objects'))) {
    const init = ['init', '-q', '--bare', '--template=', '--object-format=sha1', '--initial-branch=main'];
    await runGit({ place: { gitDir }, args: [...init, gitDir] });
  }
  for (const directory of directories) {
    files.mkdirSync(join(gitDir, directory), { recursive: true, mode: 0o700 });
  }
  put(gitDir, 'config', config + more);
  put(gitDir, 'HEAD', head);
  put(gitDir, 'description', description);
  put(gitDir, 'info/exclude', exclude);
  put(gitDir, 'info/attributes', attributes);
  const areRefsDamaged = mendPackedRefs(gitDir);
  await indexPacks(gitDir);
  return areRefsDamaged;
}

/**
 * Makes the index of a pack that lost its index in a power cut or an incomplete copy. The pack still has all its
 * objects.
 */
async function indexPacks(gitDir: string): Promise<void> {
  const directory = join(gitDir, 'objects/pack');
  const names = new Set(listing(directory));
  for (const name of names) {
    if (!name.endsWith('.pack') || names.has(indexOf(name))) continue;
    try {
      await runGit({ place: { gitDir }, args: ['index-pack', join(directory, name)] });
    } catch (error) {
      // Keeps a damaged pack, because a person may be able to save part of it. Git ignores this pack.
      if (!isRefusal(error)) throw error;
    }
  }
}

/** Removes files of killed git processes: lock files, temporary objects and packs, crash reports. */
function removeStale(gitDir: string): void {
  for (const name of listing(gitDir)) {
    if (name.endsWith('.lock') || name.startsWith('fast_import_crash_')) remove(join(gitDir, name));
  }
  removeStaleObjects(join(gitDir, 'objects'), (pack, names) => names.includes(pack.replace(/pack$/, 'keep')));
  removeLocks(join(gitDir, 'refs'));
}

/**
 * Removes temporary files below an object directory of the daemon. Also removes packs that have no index, if `isHalf`
 * returns true for the pack.
 */
export function removeStaleObjects(
  objects: string,
  isHalf: (pack: string, names: readonly string[]) => boolean = () => true,
): void {
  for (const directory of listing(objects)) {
    if (directory.startsWith('tmp_')) remove(join(objects, directory));
    if (directory !== 'pack' && !/^[0-9a-f]{2}$/.test(directory)) continue;
    const names = listing(join(objects, directory));
    for (const name of names) {
      // A pack with a `.keep` file and without an index comes from an interrupted import.
      const stale = /^(?:tmp_|\.tmp-)/.test(name) || /\.(?:lock|keep)$/.test(name);
      const halved = name.endsWith('.pack') && !names.includes(indexOf(name));
      if (stale || (halved && isHalf(name, names))) remove(join(objects, directory, name));
    }
  }
}

const indexOf = (pack: string): string => pack.replace(/pack$/, 'idx');

export function removeLocks(directory: string): void {
  for (const entry of entriesIn(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) removeLocks(path);
    else if (entry.name.endsWith('.lock')) remove(path);
  }
}

function put(gitDir: string, name: string, content: string): void {
  const file = join(gitDir, name);
  if (files.existsSync(file) && files.readFileSync(file, 'utf8') === content) return;
  writeAtomically(file, content);
}

function remove(path: string): void {
  files.rmSync(path, { force: true, recursive: true });
}

function listing(directory: string): string[] {
  return entriesIn(directory).map((entry) => entry.name);
}

/** True when a directory contains a file, at any depth. */
export function containsFile(directory: string): boolean {
  return entriesIn(directory).some(
    (entry) => !entry.isDirectory() || containsFile(join(directory, entry.name)),
  );
}

/** Returns the entries of a directory, or an empty list for a missing directory. */
export function entriesIn(directory: string): Dirent[] {
  return attemptOr([], isMissing, () => files.readdirSync(directory, { withFileTypes: true }));
}

// Removes lines from the daemon's `packed-refs` if git would refuse them. With a single bad line, every git command
// fails and no checkpoint can be reached. Saves a copy of the damaged file beside `packed-refs`.

const heading = /^# pack-refs with:[ -~]*$/;
const line = /^(?:[0-9a-f]{40} refs\/[^\0-\x20\x7f~^:?*[\\]+|\^[0-9a-f]{40})$/;

/** Repairs the file. Returns true if it has removed a line. Some refs may then be missing. */
function mendPackedRefs(gitDir: string): boolean {
  const file = join(gitDir, 'packed-refs');
  const text = attempt(isMissing, () => files.readFileSync(file, 'latin1'));
  if (text === undefined || text === '') return false;
  const lines = text.split('\n');
  const isCut = lines.pop() !== '';
  const good = lines.filter((each, index) => line.test(each) || (index === 0 && heading.test(each)));
  if (!isCut && good.length === lines.length) return false;
  // Copies the file instead of renaming it, so that git still finds the whole file if the process is killed after the
  // copy.
  const kept = `${file}.damaged-${randomBytes(6).toString('hex')}`;
  writeAtomically(kept, Buffer.from(text, 'latin1'));
  writeAtomically(file, Buffer.from(good.map((each) => `${each}\n`).join(''), 'latin1'));
  return true;
}

// Measures the disk space of a store. Adds up the blocks of the store's files, and counts the blobs that git finds.
// Follows no symbolic link, and omits files that disappear during the measurement.

export async function diskUsage(
  place: GitPlace,
  directories: readonly string[],
): Promise<{ readonly bytes: number; readonly blobs: number }> {
  const slices = new Slices();
  let bytes = 0;
  const waiting = [...directories];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    for (const entry of entriesIn(directory)) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      bytes += bytesOnDisk(path);
      if (slices.isDue()) await slices.pause();
    }
  }
  return { bytes, blobs: await countBlobs(place) };
}

/** Counts the blobs in the object directory and in its alternates. */
export async function countBlobs(place: GitPlace): Promise<number> {
  const args = ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)', '--unordered'];
  let rest = '';
  let blobs = 0;
  for await (const chunk of streamGit(place, args)) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line === 'blob') blobs += 1;
  }
  return blobs;
}

function bytesOnDisk(path: string): number {
  return attemptOr(0, isMissing, () => {
    const { blocks, size } = files.lstatSync(path);
    return blocks > 0 ? blocks * 512 : size;
  });
}

// Copies packs between two object directories of the daemon, because both directories need the same objects.

/**
 * The maximum number of packs to link. With more packs, look-ups become slow, and it is cheaper to copy the needed
 * objects.
 */
const linkedPacksMax = 50;

/**
 * Adds the packs of one object directory to another object directory. Makes hard links if both directories are on one
 * disk. A hard link is safe, because no process changes a pack. Returns false and makes no links if there are too many
 * packs. The promise resolves when the packs are synced.
 */
export async function linkPacks(from: string, to: string): Promise<boolean> {
  const [source, target] = [join(from, 'pack'), join(to, 'pack')];
  const names = listing(source).filter((name) => /^pack-[0-9a-f]+\.pack$/.test(name));
  if (names.length > linkedPacksMax) return false;
  // Links the pack before its index, because git finds a pack by its index.
  for (const name of names)
    for (const each of [name, indexOf(name)]) linkOrCopy(join(source, each), join(target, each));
  await syncAll([...names.flatMap((name) => [join(target, name), join(target, indexOf(name))]), target]);
  return true;
}

function linkOrCopy(from: string, to: string): void {
  if (files.existsSync(to)) return;
  try {
    files.linkSync(from, to);
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error;
    const temporary = join(to, `../tmp_pack_${randomBytes(6).toString('hex')}`);
    files.copyFileSync(from, temporary);
    files.renameSync(temporary, to);
  }
}
