// The files of a case: a scratch directory with a work tree, a storage and a directory outside the work tree. Performs
// the steps that touch files. Checks two things that must never change: the user's repository, and all files outside
// the work tree.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Json } from './match.ts';

export class Scene {
  readonly directory: string;
  readonly workspace: string;
  readonly outside: string;
  readonly storage: string;
  /** True for strategy `local`: the daemon then has its own refs in the user's repository. */
  readonly #isLocal: boolean;
  readonly #before: ReadonlyMap<string, string>;

  constructor(world: 'repository' | 'directory', isLocal = false) {
    this.#isLocal = isLocal;
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointd-conformance-')));
    this.workspace = join(this.directory, 'workspace');
    this.outside = join(this.directory, 'outside');
    this.storage = join(this.directory, 'storage');
    for (const path of [this.workspace, this.outside, this.storage]) mkdirSync(path);
    this.put('README.md', '# demo\n');
    this.put('src/a.txt', 'one\n');
    this.put(join(this.outside, 'canary.txt'), 'untouched\n');
    if (world === 'repository') {
      this.#git('init', '-q', '-b', 'main');
      this.#git('add', '-A');
      this.#git('commit', '-q', '-m', 'Start');
    }
    this.#before = this.#untouchable();
  }

  /** Describes the forbidden changes that the program has made. */
  get harm(): string | undefined {
    const now = this.#untouchable();
    const changed = [...new Set([...this.#before.keys(), ...now.keys()])].filter(
      (path) => this.#before.get(path) !== now.get(path),
    );
    return changed.length === 0 ? undefined : `the daemon changed files of the user: ${changed.join(', ')}`;
  }

  /** Performs a step that touches files. Returns false for all other steps. */
  take(step: Json): boolean {
    const path = (name: unknown): string => resolve(this.workspace, String(name));
    if (typeof step.file === 'string') this.put(step.file, contentOf(step), step.pathBytes);
    else if (typeof step.fill === 'string') {
      for (let i = 0; i < Number(step.files); i += 1) this.put(`${step.fill}/${i}.txt`, `${i}\n`);
    } else if (typeof step.remove === 'string') rmSync(path(step.remove), { recursive: true });
    else if (typeof step.directory === 'string') mkdirSync(path(step.directory), { recursive: true });
    else if (typeof step.link === 'string') symlinkSync(String(step.to), path(step.link));
    else if (typeof step.fifo === 'string') execFileSync('mkfifo', [path(step.fifo)]);
    else return false;
    return true;
  }

  /** Checks that a file exists (`have`) or is missing (`haveNot`). Returns a description of the fault, if any. */
  lack(step: Json): string | undefined {
    const path = resolve(this.workspace, String(step.have ?? step.haveNot));
    if (step.haveNot !== undefined) return existsSync(path) ? `${path} exists` : undefined;
    if (typeof step.pathBytes === 'string') return this.#lackBytes(step.pathBytes, contentOf(step));
    if (!existsSync(path)) return `${path} does not exist`;
    if (lstatSync(path).isSymbolicLink()) return `${path} is a link`;
    return readFileSync(path).equals(Buffer.from(contentOf(step)))
      ? undefined
      : `${path} has another content`;
  }

  #lackBytes(pathBytes: string, content: Uint8Array): string | undefined {
    const path = this.#bytesPath(pathBytes);
    if (!existsSync(path)) return 'the file whose path has these bytes does not exist';
    return readFileSync(path).equals(content)
      ? undefined
      : 'the file whose path has these bytes has another content';
  }

  put(name: string, content: string | Uint8Array, pathBytes?: unknown): void {
    if (typeof pathBytes === 'string') return writeFileSync(this.#bytesPath(pathBytes), content);
    const path = resolve(this.workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  destroy(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #bytesPath(pathBytes: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.workspace}/`), Buffer.from(pathBytes, 'base64')]);
  }

  #git(...args: string[]): void {
    const env = { PATH: process.env.PATH, HOME: this.directory, GIT_CONFIG_NOSYSTEM: '1' };
    const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.com'];
    execFileSync('git', [...identity, ...args], { cwd: this.workspace, env, stdio: 'ignore' });
  }

  /**
   * Returns HEAD, index, refs, config, hooks and stash of the user's repository, and all files outside the work tree.
   */
  #untouchable(): Map<string, string> {
    const found = new Map<string, string>();
    const git = join(this.workspace, '.git');
    const own = join(git, 'refs/checkpointd');
    const take = (path: string): void => {
      if (!existsSync(path) || (this.#isLocal && path === own)) return;
      const stats = lstatSync(path);
      if (stats.isDirectory()) {
        for (const name of readdirSync(path)) take(join(path, name));
        return;
      }
      const content = stats.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
      found.set(path, createHash('sha256').update(content).digest('hex'));
    };
    for (const name of ['HEAD', 'index', 'refs', 'packed-refs', 'config', 'hooks', 'info', 'logs'])
      take(join(git, name));
    take(join(this.outside, 'canary.txt'));
    return found;
  }
}

/** Returns the bytes of a step's `text` or `base64`, repeated `times`. */
export function contentOf(step: Json): Buffer {
  const once =
    typeof step.base64 === 'string'
      ? Buffer.from(step.base64, 'base64')
      : Buffer.from(typeof step.text === 'string' ? step.text : '');
  const times = Number(step.times ?? 1);
  return times === 1 ? once : Buffer.alloc(once.length * times, once);
}
