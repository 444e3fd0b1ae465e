// What a restore takes away lies under a second name until somebody has looked at it once more: a program that had
// the file open may write to it after the restore's own last look. The names lie in a directory of the restore's own,
// outside the work tree and on the same disk, with a note of what each was; so a look after a kill knows what a look
// before it would have known. It does not look itself: late-look.ts does.
import { join } from 'node:path';
import { isIntact, withSum } from '../base/check-sum.ts';
import { type DirectoryIdentity, directoryAt } from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import { type BigIntStats, files } from '../base/files.ts';
import { given } from '../base/given.ts';
import type { Slices } from '../base/slices.ts';
import type { Entry } from '../tree/entry.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { StagedDelete, StagedWrite } from './staging.ts';

interface Staged {
  readonly writes: readonly StagedWrite[];
  readonly deletes: readonly StagedDelete[];
}

/** What a restore is about to take away, and what it puts there instead, if anything. */
interface ToDisplace extends StagedDelete {
  readonly put?: Entry;
}

/** As the note has it. No device: that number may be another one when the machine has started anew. */
export interface DisplacedFile {
  readonly path: TreePath;
  readonly inode: number;
  readonly size: number;
  readonly mtimeNs: string;
  readonly put?: Pick<Entry, 'mode' | 'blob'>;
}

interface NoteLine {
  readonly root?: DirectoryIdentity;
  readonly first: number;
  readonly files: readonly DisplacedFile[];
}

export interface DisplacedNote {
  /** The work tree that it was taken from. */
  readonly root: DirectoryIdentity | undefined;
  readonly files: ReadonlyMap<number, DisplacedFile>;
}

const noteName = 'note';
const filesInLine = 500;
/** The number in the note, and which try it was: a step may be tried twice. */
const displacedName = /^(\d+)-\d+$/;

/** Gives out the names of one restore. */
export class DisplacedFiles {
  readonly #directory: string;
  readonly #numbers: ReadonlyMap<TreePath, number>;
  #count = 0;

  private constructor(directory: string, numbers: ReadonlyMap<TreePath, number>) {
    this.#directory = directory;
    this.#numbers = numbers;
  }

  /** Makes the directory and its note; undefined where nothing can be brought there, as on another disk. */
  static async begin(
    directory: string | undefined,
    root: string,
    staged: Staged,
    slices: Slices,
  ): Promise<DisplacedFiles | undefined> {
    const displaced = displacedBy(staged);
    if (directory === undefined || displaced.length === 0) return undefined;
    try {
      files.mkdirSync(directory, { mode: 0o700 });
      try {
        if (files.statSync(directory).dev !== files.statSync(root).dev) {
          files.rmdirSync(directory);
          return undefined;
        }
        await writeNote(join(directory, noteName), root, displaced, slices);
      } catch (error) {
        files.rmSync(directory, { recursive: true, force: true });
        throw error;
      }
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined; // a full disk, say: the names lie in the work tree then, and go at once
    }
    return new DisplacedFiles(directory, new Map(displaced.map(({ path }, number) => [path, number])));
  }

  /** Another name for what stands at a path that was announced. */
  next(path: TreePath): string | undefined {
    const number = this.#numbers.get(path);
    if (number === undefined) return undefined;
    this.#count += 1;
    return join(this.#directory, `${number}-${this.#count}`);
  }
}

function displacedBy({ writes, deletes }: Staged): ToDisplace[] {
  const replaced = writes.flatMap(({ path, replaces, after }) =>
    replaces === undefined ? [] : [{ path, signature: replaces, ...given({ put: after }) }],
  );
  return [...deletes, ...replaced];
}

async function writeNote(
  file: string,
  root: string,
  displaced: readonly ToDisplace[],
  slices: Slices,
): Promise<void> {
  const fd = files.openSync(file, 'wx', 0o600);
  try {
    for (let first = 0; first < displaced.length; first += filesInLine) {
      const part = displaced.slice(first, first + filesInLine).map(
        ({ path, signature: { ino, size, mtimeNs }, put }): DisplacedFile => ({
          path,
          inode: ino,
          size,
          mtimeNs: String(mtimeNs),
          ...given({ put: put && { mode: put.mode, blob: put.blob } }),
        }),
      );
      const line: NoteLine = { ...given({ root: directoryAt(root) }), first, files: part };
      const bytes = Buffer.from(`${JSON.stringify(withSum(line))}\n`);
      for (let at = 0; at < bytes.length; ) at += files.writeSync(fd, bytes, at);
      if (slices.isDue()) await slices.pause();
    }
  } finally {
    files.closeSync(fd);
  }
}

/** What is known of the files that lie in a directory: as much as a power cut has left of its note. */
export async function readNote(directory: string, slices: Slices): Promise<DisplacedNote> {
  const known = new Map<number, DisplacedFile>();
  let root: DirectoryIdentity | undefined;
  for (const text of noteText(directory).split('\n')) {
    const line = lineOf(text);
    if (line === undefined) continue;
    root = line.root;
    for (const [index, each] of line.files.entries()) known.set(line.first + index, each);
    if (slices.isDue()) await slices.pause();
  }
  return { root, files: known };
}

function noteText(directory: string): string {
  try {
    return files.readFileSync(join(directory, noteName), 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
}

function lineOf(text: string): NoteLine | undefined {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isWhole = typeof value === 'object' && value !== null && 'sum' in value && isIntact(value);
    return isWhole ? (value as unknown as NoteLine) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The files that lie in a directory, each by its name and its number in the note. */
export function displacedIn(directory: string): { readonly file: string; readonly number: number }[] {
  return files.readdirSync(directory).flatMap((name) => {
    const number = displacedName.exec(name)?.[1];
    return number === undefined ? [] : [{ file: join(directory, name), number: Number(number) }];
  });
}

/** Removes a directory in which none lies any more; false while one does. */
export function removeWhenEmpty(directory: string): boolean {
  if (displacedIn(directory).length > 0) return false;
  files.rmSync(join(directory, noteName), { force: true });
  files.rmdirSync(directory);
  return true;
}

/** Whether nobody has written to it since it was displaced. Its bits alone are nobody's work. */
export function isUnwritten(stats: BigIntStats, displaced: DisplacedFile): boolean {
  return (
    String(stats.mtimeNs) === displaced.mtimeNs &&
    Number(stats.size) === displaced.size &&
    Number(stats.ino) === displaced.inode
  );
}
