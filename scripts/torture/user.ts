// The user at work: edits of the work tree, each content written once in the world, so that it can be looked for.
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Edit } from './steps.ts';

export class User {
  readonly #work: string;
  readonly #outside: string;
  readonly #own: () => void;
  #written = 0;

  /** `own`: called after edits, so that what was made belongs to the user. */
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
    if (edit.do === 'ignore') return this.#put('.gitignore', edit.text);
    const place = join(this.#work, edit.file);
    if (edit.do === 'write') return this.#write(edit.file, edit.bytes, edit.mode);
    if (edit.do === 'link') {
      this.#clear(edit.file);
      return symlinkSync(edit.to.replace('OUTSIDE', this.#outside), place);
    }
    // Nothing goes through a link that leads out: what lies there is not the user's work here.
    if (this.#isBehindLink(edit.file) || !isThere(place)) return;
    if (edit.do === 'remove' || edit.do === 'removeTree') return rmSync(place, { recursive: true });
    if (lstatSync(place).isSymbolicLink()) return;
    if (edit.do === 'time') {
      const at = Date.now() / 1000 + edit.shift;
      return lutimesSync(place, at, at);
    }
    if (edit.do === 'rename') {
      if (`${edit.to}/`.startsWith(`${edit.file}/`) || `${edit.file}/`.startsWith(`${edit.to}/`)) return;
      this.#clear(edit.to);
      return renameSync(place, join(this.#work, edit.to));
    }
    if (!statSync(place).isFile()) return;
    if (edit.do === 'chmod') return chmodSync(place, edit.mode);
    this.#rewrite(place);
  }

  /** Other bytes of the same number at the same time: what a look at size and time alone does not see. */
  #rewrite(place: string): void {
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
    chmodSync(join(this.#work, file), mode);
  }

  #put(file: string, text: string): void {
    this.#clear(file);
    writeFileSync(join(this.#work, file), text, { mode: 0o644 });
  }

  /** Makes room: what is in the way goes, as by `rm -rf` and `mkdir -p`. */
  #clear(file: string): void {
    const above = dirname(file) === '.' ? [] : dirname(file).split('/');
    above.forEach((_, i) => {
      const directory = join(this.#work, ...above.slice(0, i + 1));
      if (isThere(directory) && !lstatSync(directory).isDirectory()) rmSync(directory);
    });
    mkdirSync(join(this.#work, dirname(file)), { recursive: true });
    rmSync(join(this.#work, file), { recursive: true, force: true });
  }

  #isBehindLink(file: string): boolean {
    const above = file.split('/').slice(0, -1);
    return above.some((_, i) => {
      const directory = join(this.#work, ...above.slice(0, i + 1));
      return isThere(directory) && lstatSync(directory).isSymbolicLink();
    });
  }
}

/** Also true of a link that leads nowhere; false where a file stands in the place of a directory above. */
function isThere(place: string): boolean {
  if (existsSync(place)) return true;
  const above = dirname(place);
  return existsSync(above) && statSync(above).isDirectory() && readdirSync(above).includes(basename(place));
}
