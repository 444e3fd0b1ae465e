// A bare repository of our own: laid out exactly as specified, and put right after a kill. It is only ever
// called with the session's lock held and no child alive, so every lock file and temporary object in it is stale.
// It knows no checkpoint and never looks at refs' contents.
import { join } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { type Dirent, files } from '../../base/files.ts';
import { identity } from '../process/environment.ts';
import { hasDied, runGit } from '../process/run.ts';
import { mendPackedRefs } from './packed-refs.ts';

/** The settings in the file; what protects us is given with each process, these are for whoever looks in by hand. */
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

/** No conversion of any kind; `-diff` is absent because our diffs need text. */
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
 * Makes the repository in `gitDir` (which may exist, with other files in it), or repairs the one that is there.
 * Resolves with whether refs may be missing, because the file of them was damaged.
 *
 * `more` are lines for its settings, which git takes from the file alone.
 */
export async function openBareRepository(gitDir: string, more = ''): Promise<boolean> {
  files.mkdirSync(gitDir, { recursive: true, mode: 0o700 });
  files.chmodSync(gitDir, 0o700);
  removeStale(gitDir); // first of all: a lock that a kill left would fail the next git
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

/** A pack that lost its index to a power cut or to a copy without it holds everything still: it is indexed again. */
async function indexPacks(gitDir: string): Promise<void> {
  const directory = join(gitDir, 'objects/pack');
  const names = new Set(listing(directory));
  for (const name of names) {
    if (!name.endsWith('.pack') || names.has(indexOf(name))) continue;
    try {
      await runGit({ place: { gitDir }, args: ['index-pack', join(directory, name)] });
    } catch (error) {
      // One that is damaged as well stays for whoever can save something of it; git leaves it alone.
      if (!(error instanceof CheckpointdError) || error.kind !== 'GitFailed' || hasDied(error)) throw error;
    }
  }
}

/** Removes what killed git processes left: lock files, temporary objects and packs, crash reports. */
export function removeStale(gitDir: string): void {
  for (const name of listing(gitDir)) {
    if (name.endsWith('.lock') || name.startsWith('fast_import_crash_')) remove(join(gitDir, name));
  }
  removeStaleObjects(join(gitDir, 'objects'), (pack, names) => names.includes(pack.replace(/pack$/, 'keep')));
  removeLocks(join(gitDir, 'refs'));
}

/** Removes temporary files below an object directory of ours, and packs without an index that `isHalf` gives up. */
export function removeStaleObjects(
  objects: string,
  isHalf: (pack: string, names: readonly string[]) => boolean = () => true,
): void {
  for (const directory of listing(objects)) {
    if (directory.startsWith('tmp_')) remove(join(objects, directory));
    if (directory !== 'pack' && !/^[0-9a-f]{2}$/.test(directory)) continue;
    const names = listing(join(objects, directory));
    for (const name of names) {
      // A kept pack without its index is half an import.
      const stale = /^(?:tmp_|\.tmp-)/.test(name) || /\.(?:lock|keep)$/.test(name);
      const halved = name.endsWith('.pack') && !names.includes(indexOf(name));
      if (stale || (halved && isHalf(name, names))) remove(join(objects, directory, name));
    }
  }
}

const indexOf = (pack: string): string => pack.replace(/pack$/, 'idx');

/** Removes the lock files below a directory of refs. */
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

/** Whether anything but directories lies in a directory or below. */
export function holdsFile(directory: string): boolean {
  return entriesIn(directory).some((entry) => !entry.isDirectory() || holdsFile(join(directory, entry.name)));
}

/** What a directory holds; nothing where there is none. */
export function entriesIn(directory: string): Dirent[] {
  try {
    return files.readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return [];
  }
}
