// When a restore displaces a file (removes or replaces the file), keeps the file under a second name. The second name
// exists until late-look.ts has checked the file. A program may still have a displaced file open, and may write to it
// after the restore's last check. The second names are in a directory of the restore, outside the work tree and on the
// same disk. A note in this directory describes each file. So even if the daemon is killed, the next daemon can check
// the files.
import { join } from 'node:path';
import { isIntact, withSum } from '../base/check-sum.ts';
import { type DirectoryIdentity, directoryAt } from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import { type BigIntStats, files } from '../base/files.ts';
import { isObject } from '../base/json.ts';
import type { Entry } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { StagedDelete, StagedWrite } from './staging.ts';

interface Staged {
  readonly writes: readonly StagedWrite[];
  readonly deletes: readonly StagedDelete[];
}

/** A file that a restore is about to remove or replace. Includes the new entry if the file is replaced. */
interface ToDisplace extends StagedDelete {
  readonly put?: Entry;
}

/** A file in the note. The note has no device number, because the number may change when the machine starts again. */
export interface DisplacedFile {
  readonly path: TreePath;
  readonly inode: number;
  readonly size: number;
  readonly mtimeNs: string;
  readonly put?: Pick<Entry, 'mode' | 'blob'> | undefined;
}

interface Note {
  readonly root?: DirectoryIdentity | undefined;
  readonly files: readonly DisplacedFile[];
}

interface DisplacedNote {
  /** The identity of the work tree from which the files were displaced. */
  readonly root: DirectoryIdentity | undefined;
  /** The displaced files. The number in the name of a displaced file is the file's index in this list. */
  readonly files: readonly DisplacedFile[];
}

const noteName = 'note';
/**
 * The name of a displaced file: its number in the note, then a counter. The counter is needed because a step may be
 * tried twice.
 */
const displacedName = /^(\d+)-\d+$/;

/** Chooses the second names of the files that one restore displaces. */
export class DisplacedFiles {
  readonly #directory: string;
  readonly #numbers: ReadonlyMap<TreePath, number>;
  #count = 0;

  private constructor(directory: string, numbers: ReadonlyMap<TreePath, number>) {
    this.#directory = directory;
    this.#numbers = numbers;
  }

  /**
   * Makes the directory and its note. Returns undefined when files cannot be moved there, for example because the
   * directory is on another disk.
   */
  static begin(directory: string | undefined, root: string, staged: Staged): DisplacedFiles | undefined {
    const displaced = displacedBy(staged);
    if (directory === undefined || displaced.length === 0) return undefined;
    try {
      files.mkdirSync(directory, { mode: 0o700 });
      try {
        if (files.statSync(directory).dev !== files.statSync(root).dev) {
          files.rmdirSync(directory);
          return undefined;
        }
        writeNote(join(directory, noteName), root, displaced);
      } catch (error) {
        files.rmSync(directory, { recursive: true, force: true });
        throw error;
      }
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      // After an error (such as a full disk), the restore makes the second names inside the work tree, and removes
      // them at once.
      return undefined;
    }
    return new DisplacedFiles(directory, new Map(displaced.map(({ path }, number) => [path, number])));
  }

  /**
   * Returns a new path to which the file at `path` can be linked. Returns undefined when the note does not list `path`.
   */
  next(path: TreePath): string | undefined {
    const number = this.#numbers.get(path);
    if (number === undefined) return undefined;
    this.#count += 1;
    return join(this.#directory, `${number}-${this.#count}`);
  }
}

function displacedBy({ writes, deletes }: Staged): ToDisplace[] {
  const replaced = writes.flatMap(({ path, replaces, after }) =>
    replaces === undefined ? [] : [{ path, signature: replaces, put: after }],
  );
  return [...deletes, ...replaced];
}

function writeNote(file: string, root: string, displaced: readonly ToDisplace[]): void {
  const note: Note = {
    root: directoryAt(root),
    files: displaced.map(({ path, signature: { ino, size, mtimeNs }, put }) => ({
      path,
      inode: ino,
      size,
      mtimeNs: String(mtimeNs),
      put: put && { mode: put.mode, blob: put.blob },
    })),
  };
  files.writeFileSync(file, JSON.stringify(withSum(note)), { flag: 'wx', mode: 0o600 });
}

/**
 * Returns the note of a directory. Returns a note without files if the note is missing, or if a power cut damaged it.
 */
export function readNote(directory: string): DisplacedNote {
  try {
    const value: unknown = JSON.parse(files.readFileSync(join(directory, noteName), 'utf8'));
    if (isObject<keyof Note>(value) && 'sum' in value && isIntact(value)) {
      const note = value as Note;
      return { root: note.root, files: note.files };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError) && systemCode(error) !== 'ENOENT') throw error;
  }
  return { root: undefined, files: [] };
}

/** Returns the files in a directory, each with its name and its number in the note. */
export function displacedIn(directory: string): { readonly file: string; readonly number: number }[] {
  return files.readdirSync(directory).flatMap((name) => {
    const number = displacedName.exec(name)?.[1];
    return number === undefined ? [] : [{ file: join(directory, name), number: Number(number) }];
  });
}

/** Removes the directory if it contains no displaced file. Otherwise returns false. */
export function removeWhenEmpty(directory: string): boolean {
  if (displacedIn(directory).length > 0) return false;
  files.rmSync(join(directory, noteName), { force: true });
  files.rmdirSync(directory);
  return true;
}

/**
 * True when no program has written to the file since the restore displaced it. If only the permission bits changed, the
 * file counts as unwritten.
 */
export function isUnwritten(stats: BigIntStats, displaced: DisplacedFile): boolean {
  return (
    String(stats.mtimeNs) === displaced.mtimeNs &&
    Number(stats.size) === displaced.size &&
    Number(stats.ino) === displaced.inode
  );
}
