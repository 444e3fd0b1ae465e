// Performs the user's edits of the work tree. Each content is written only once in a world, so that a check can search
// for this content.
import {
  chmodSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { placeOf, plainGit } from './manifest.ts';
import type { Edit } from './steps.ts';

export class User {
  readonly #work: string;
  readonly #outside: string;
  readonly #own: () => void;
  #written = 0;

  /** `own` is called after edits, and makes the daemon's user the owner of new files. */
  constructor(work: string, outside: string, own: () => void = () => undefined) {
    this.#own = own;
    this.#work = work;
    this.#outside = outside;
  }

  do(edits: readonly Edit[]): void {
    for (const edit of edits) this.#do(edit);
    this.#own();
  }

  #do(edit: Edit): void {
    if (edit.do === 'ignore') return this.#put(edit.file ?? '.gitignore', edit.text);
    const place = this.#at(edit.file);
    if (edit.do === 'write') return this.#write(edit.file, edit.bytes, edit.mode);
    if (edit.do === 'link') {
      this.#clear(edit.file);
      return symlinkSync(edit.to.replace('OUTSIDE', this.#outside), place);
    }
    if (edit.do === 'directory') {
      this.#clear(edit.file);
      return mkdirSync(place);
    }
    if (edit.do === 'repository') return this.#repository(edit.file);
    // Skips the edit if its path leads out of the work tree through a link, because the target does not belong to the
    // work tree.
    if (this.#isBehindLink(edit.file) || statsAt(place) === undefined) return;
    if (edit.do === 'remove' || edit.do === 'removeTree') return rmSync(place, { recursive: true });
    if (lstatSync(place).isSymbolicLink()) return;
    if (edit.do === 'time') {
      const at = Date.now() / 1000 + edit.shift;
      return lutimesSync(place, at, at);
    }
    if (edit.do === 'rename' || edit.do === 'hardLink') {
      if (`${edit.to}/`.startsWith(`${edit.file}/`) || `${edit.file}/`.startsWith(`${edit.to}/`)) return;
      if (edit.do === 'hardLink' && !statSync(place).isFile()) return;
      this.#clear(edit.to);
      const act = edit.do === 'rename' ? renameSync : linkSync;
      return act(place, this.#at(edit.to));
    }
    if (!statSync(place).isFile()) return;
    if (edit.do === 'chmod') return chmodSync(place, edit.mode);
    this.#rewrite(place);
  }

  #at(file: string): Buffer {
    return placeOf(this.#work, file);
  }

  #repository(file: string): void {
    if (statsAt(this.#at(`${file}/.git`)) !== undefined) return;
    this.#put(`${file}/inner.txt`, 'inner\n');
    const root = `${this.#work}/${file}`;
    plainGit(['init', '-q', '-b', 'main', '--template=', root]);
    plainGit(['-C', root, 'commit', '-q', '--allow-empty', '-m', 'first']);
  }

  /**
   * Writes different bytes of the same length, and restores the file's time. A check of only size and time would miss
   * this change.
   */
  #rewrite(place: Buffer): void {
    const { atime, mtime, mode } = statSync(place);
    const bytes = readFileSync(place);
    this.#written += 1;
    const stamp = Buffer.from(`rewritten ${this.#written} `);
    if (bytes.length < stamp.length) return;
    stamp.copy(bytes);
    chmodSync(place, 0o600);
    writeFileSync(place, bytes);
    chmodSync(place, mode & 0o7777);
    lutimesSync(place, atime, mtime);
  }

  #write(file: string, bytes: number, mode: number): void {
    this.#written += 1;
    this.#put(file, `${this.#written} by the user in ${file}\n`.padEnd(bytes, `${this.#written}.`));
    chmodSync(this.#at(file), mode);
  }

  #put(file: string, text: string): void {
    this.#clear(file);
    writeFileSync(this.#at(file), text, { mode: 0o644 });
  }

  /**
   * Makes room for a file: removes an entry at its path (like `rm -rf`) and makes its directories (like `mkdir -p`).
   */
  #clear(file: string): void {
    for (const directory of above(file)) {
      const place = this.#at(directory);
      if (statsAt(place)?.isDirectory() === false) rmSync(place);
      mkdirSync(place, { recursive: true });
    }
    rmSync(this.#at(file), { recursive: true, force: true });
  }

  #isBehindLink(file: string): boolean {
    return above(file).some((directory) => statsAt(this.#at(directory))?.isSymbolicLink() === true);
  }
}

/** Returns the directories above a path, the highest first. */
function above(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

/**
 * Returns the stats of a path without following links. Returns undefined when nothing is there, or when a parent is a
 * file.
 */
function statsAt(place: Buffer): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}
