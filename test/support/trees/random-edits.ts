// Makes random edits of a work tree from a seed. The edits are of every kind that a tool or a person makes. Reads the
// disk before each edit, and keeps no record of the tree.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { copyTree } from './copy-tree.ts';

/** A small random number generator with a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a whole number below `below`. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }
}

const directoryNames = ['a', 'b', 'c d', 'ünï', '-x', 'deep', 'build', 'nested'];
const fileNames = [
  'f',
  'g.txt',
  'h.log',
  ' lead',
  'tail ',
  'new\nline',
  '"quoted"',
  'ünï',
  '-dash',
  'a',
  'b',
  '.hidden',
];
const rules = ['*.log\n', 'build/\n', '/a/f\n', '!h.log\n', 'b\n', '*.txt\n!g.txt\n', ''];

/** Makes random edits. Skips an edit that fails, for example because its directory is missing. */
export class RandomEdits {
  readonly #root: string;
  readonly #outside: string;
  readonly #random: Random;
  #count = 0;

  constructor(root: string, outside: string, random: Random) {
    this.#root = root;
    this.#outside = outside;
    this.#random = random;
    mkdirSync(outside, { recursive: true });
  }

  /** Makes one edit and describes it. */
  edit(): string {
    const kinds: (() => string)[] = [
      () => this.#write(),
      () => this.#write(),
      () => this.#write(),
      () => this.#rewrite(),
      () => this.#rewrite(),
      () => this.#mode(),
      () => this.#link(),
      () => this.#hardLink(),
      () => this.#remove(),
      () => this.#makeTree(),
      () => this.#move(),
      () => this.#move(),
      () => this.#replace(),
      () => this.#swap(),
      () => this.#moveOut(),
      () => this.#copy(),
      () => this.#directoryMode(),
    ];
    const seldom: (() => string)[] = [() => this.#rule(), () => this.#repository(), () => this.#index()];
    const make = this.#random.below(60) === 0 ? this.#random.pick(seldom) : this.#random.pick(kinds);
    try {
      return make();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      return `nothing (${String(error.code)})`;
    }
  }

  get #content(): string {
    this.#count += 1;
    return `content ${this.#random.below(50)} ${'x'.repeat(this.#random.below(40))}`;
  }

  /** Returns the root and every directory below it, except git directories. */
  #directories(): string[] {
    const found = [''];
    for (let at = 0; at < found.length && found.length < 200; at += 1) {
      const directory = found[at] ?? '';
      for (const entry of readdirSync(join(this.#root, directory), { withFileTypes: true }))
        if (entry.isDirectory() && entry.name !== '.git') found.push(join(directory, entry.name));
    }
    return found;
  }

  #directory(): string {
    return this.#random.pick(this.#directories());
  }

  #below(): string | undefined {
    const list = this.#directories().slice(1);
    return list.length === 0 ? undefined : this.#random.pick(list);
  }

  #file(): string | undefined {
    const directory = this.#directory();
    const names = readdirSync(join(this.#root, directory)).filter(
      (name) => !lstatSync(join(this.#root, directory, name)).isDirectory(),
    );
    return names.length === 0 ? undefined : join(directory, this.#random.pick(names));
  }

  #newPath(): string {
    return join(this.#directory(), this.#random.pick(fileNames));
  }

  #write(): string {
    const path = this.#newPath();
    writeFileSync(join(this.#root, path), this.#content);
    return `write ${path}`;
  }

  #rewrite(): string {
    const path = this.#file();
    if (path === undefined) return 'nothing';
    if (this.#random.below(2) === 0) writeFileSync(join(this.#root, path), this.#content);
    else {
      writeFileSync(join(this.#root, `${path}.tmp`), this.#content);
      renameSync(join(this.#root, `${path}.tmp`), join(this.#root, path));
    }
    return `rewrite ${path}`;
  }

  #mode(): string {
    const path = this.#file();
    if (path === undefined || lstatSync(join(this.#root, path)).isSymbolicLink()) return 'nothing';
    chmodSync(join(this.#root, path), this.#random.pick([0o644, 0o755, 0o600, 0o444]));
    return `mode ${path}`;
  }

  #directoryMode(): string {
    const path = this.#below();
    if (path === undefined) return 'nothing';
    chmodSync(join(this.#root, path), this.#random.pick([0o755, 0o700, 0o750]));
    return `mode ${path}/`;
  }

  #link(): string {
    const path = this.#newPath();
    rmSync(join(this.#root, path), { force: true });
    symlinkSync(this.#random.pick(['f', '../a', 'nowhere', '.', this.#outside]), join(this.#root, path));
    return `link ${path}`;
  }

  #hardLink(): string {
    const from = this.#file();
    const path = this.#newPath();
    if (from === undefined) return 'nothing';
    linkSync(join(this.#root, from), join(this.#root, path));
    // The watcher reports a write under only one of a file's names. Therefore the first name gets a new file, and only
    // the second name stays.
    const text = this.#content;
    writeFileSync(join(this.#root, `${from}.part`), text);
    renameSync(join(this.#root, `${from}.part`), join(this.#root, from));
    return `hard link ${from} ${path}`;
  }

  #remove(): string {
    const isTree = this.#random.below(4) === 0;
    const path = isTree ? this.#below() : this.#file();
    if (path === undefined) return 'nothing';
    rmSync(join(this.#root, path), { recursive: true, force: true });
    return `remove ${path}`;
  }

  #makeTree(): string {
    const path = join(this.#directory(), this.#random.pick(directoryNames));
    const depth = 1 + this.#random.below(3);
    let at = path;
    for (let i = 0; i < depth; i += 1) {
      mkdirSync(join(this.#root, at), { recursive: true });
      for (let j = this.#random.below(3); j >= 0; j -= 1)
        writeFileSync(join(this.#root, at, this.#random.pick(fileNames)), this.#content);
      at = join(at, this.#random.pick(directoryNames));
    }
    return `tree ${path}`;
  }

  #move(): string {
    const from = this.#random.below(2) === 0 ? this.#below() : this.#file();
    if (from === undefined) return 'nothing';
    const to = join(this.#directory(), this.#random.pick([...directoryNames, ...fileNames]));
    renameSync(join(this.#root, from), join(this.#root, to));
    return `move ${from} ${to}`;
  }

  /** Replaces a path at once by a new file or directory, which may get the same inode number. */
  #replace(): string {
    const path = this.#below();
    if (path === undefined) return 'nothing';
    rmSync(join(this.#root, path), { recursive: true, force: true });
    if (this.#random.below(4) === 0) writeFileSync(join(this.#root, path), this.#content);
    else {
      mkdirSync(join(this.#root, path));
      writeFileSync(join(this.#root, path, this.#random.pick(fileNames)), this.#content);
    }
    return `replace ${path}`;
  }

  #swap(): string {
    const [a, b] = [this.#below(), this.#below()];
    if (a === undefined || b === undefined || a.startsWith(b) || b.startsWith(a)) return 'nothing';
    const aside = join(this.#outside, `swap-${this.#count}`);
    renameSync(join(this.#root, a), aside);
    renameSync(join(this.#root, b), join(this.#root, a));
    renameSync(aside, join(this.#root, b));
    return `swap ${a} ${b}`;
  }

  #moveOut(): string {
    const path = this.#below();
    if (path === undefined) return 'nothing';
    const aside = join(this.#outside, `out-${this.#count}`);
    this.#count += 1;
    renameSync(join(this.#root, path), aside);
    if (this.#random.below(2) === 0) return `move out ${path}`;
    writeFileSync(join(aside, this.#random.pick(fileNames)), this.#content);
    renameSync(aside, join(this.#root, path));
    return `move out and in ${path}`;
  }

  #copy(): string {
    const from = this.#below();
    if (from === undefined || this.#directories().length > 60) return 'nothing';
    const to = join(this.#directory(), this.#random.pick(directoryNames));
    if (`${to}/`.startsWith(`${from}/`)) return 'nothing';
    copyTree(join(this.#root, from), join(this.#root, to));
    return `copy ${from} ${to}`;
  }

  #rule(): string {
    const path = join(this.#directory(), '.gitignore');
    if (this.#random.below(3) === 0) rmSync(join(this.#root, path), { force: true });
    else writeFileSync(join(this.#root, path), this.#random.pick(rules));
    return `rules ${path}`;
  }

  #repository(): string {
    const path = this.#below();
    if (path === undefined) return 'nothing';
    const repository = join(this.#root, path, '.git');
    if (this.#random.below(3) > 0) rmSync(repository, { recursive: true, force: true });
    else this.#git(['init', '-q'], join(this.#root, path));
    return `repository ${path}`;
  }

  #index(): string {
    this.#git(['add', '-A', '--force', '.'], this.#root);
    return 'index';
  }

  #git(args: string[], cwd: string): void {
    try {
      execFileSync('git', args, {
        cwd,
        stdio: 'ignore',
        env: { PATH: process.env['PATH'], HOME: this.#outside },
      });
    } catch (error) {
      // git has added nothing, because it cannot read a file or the repository has no commit
      if (!(error instanceof Error && 'status' in error)) throw error;
    }
  }
}
