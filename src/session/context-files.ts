// The work tree as the sticky context sees it: the files that a path or a glob names, and their text. This module
// follows a link only to a target inside the work tree. This module never reads `.git` or the daemon's own storage. A
// glob does not search an ignored directory, unless the glob names this directory. Each look at the work tree uses a
// new instance of the class, so cached data is used only during one look.
import { systemCode } from '../base/errors.ts';
import { stampKey } from '../base/file-stamp.ts';
import { type BigIntStats, constants, files } from '../base/files.ts';
import { readInSlices } from '../base/regular-file.ts';
import { Slices } from '../base/slices.ts';
import type { ContextFile, ContextFiles } from '../conversation/context.ts';
import { Globs } from '../tree/globs.ts';
import {
  byBytes,
  fromBytes,
  fromText,
  isGitName,
  isText,
  isWithin,
  join,
  parseTreePath,
  rootPath,
  type TreePath,
  toText,
} from '../tree/tree-path.ts';
import { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { storageWithin } from '../work-tree/work-tree.ts';
import type { Session } from './session.ts';

/** The file or directory at a path, with links resolved. `real` is its real path. */
export type Found =
  | { readonly is: 'file'; readonly real: TreePath; readonly bytes: number; readonly stamp: string }
  | { readonly is: 'directory'; readonly real: TreePath }
  | { readonly is: 'outside' | 'nothing' };

interface Wanted {
  readonly globs: Globs;
  /** The part of the pattern before the first wildcard. */
  readonly literal: string;
  readonly isAnchored: boolean;
}

/** One look at the files of the work tree. The caller must close the look afterwards. */
export class TreeContextFiles implements ContextFiles {
  readonly #session: Session;
  readonly #tree: AnchoredFiles;
  readonly #slices: Slices;
  readonly #storage: TreePath | undefined;
  readonly #found = new Map<string, Found & { readonly is: 'file' }>();

  constructor(session: Session, signal?: AbortSignal) {
    this.#session = session;
    const { workTree, options } = session.parts;
    this.#tree = new AnchoredFiles(workTree.root);
    this.#slices = new Slices(signal);
    this.#storage = storageWithin(workTree, options.storage);
  }

  close(): void {
    this.#tree.close();
  }

  /**
   * Returns the file at a path, or the files of a directory. If the path does not exist, treats the text as a glob, and
   * returns the matching files.
   */
  async match(pattern: string): Promise<readonly ContextFile[]> {
    const path = fromText(pattern);
    const found = this.find(path);
    if (found.is === 'file') return [this.#record(pattern, found)];
    const matched: ContextFile[] = [];
    if (found.is === 'directory') {
      if (found.real === path) await this.#walk(path, undefined, matched);
      return matched;
    }
    const literal = /^[^*?[\\]*/.exec(path)?.[0] ?? '';
    if (literal === path) return matched;
    await this.#walk(
      rootPath,
      { globs: new Globs([pattern]), literal, isAnchored: path.includes('/') },
      matched,
    );
    return matched;
  }

  async read(path: string): Promise<string | undefined> {
    const found = this.#found.get(path) ?? this.find(fromText(path));
    if (found.is !== 'file') return undefined;
    let fd: number;
    try {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      fd = files.openSync(this.#tree.address(found.real), flags);
    } catch (error) {
      return ifAbsent(error, undefined);
    }
    try {
      return await this.#textOf(fd);
    } finally {
      files.closeSync(fd);
    }
  }

  find(path: TreePath): Found {
    let real = path;
    let stats = this.#statsOf(path);
    if (stats === 'nothing') return { is: 'nothing' };
    if (stats === 'throughLink' || stats.isSymbolicLink()) {
      const end = this.#endOfLink(path);
      if (typeof end === 'string') return { is: end };
      real = end.real;
      stats = this.#statsOf(real);
    }
    if (typeof stats === 'string') return { is: 'nothing' };
    if (stats.isDirectory()) return { is: 'directory', real };
    if (!stats.isFile()) return { is: 'nothing' };
    const stamp = stampKey(stats);
    return { is: 'file', real, bytes: Number(stats.size), stamp };
  }

  /**
   * Returns a text that describes the state of the files. Two looks return the same text only if no file was changed,
   * replaced, added or removed between the looks.
   */
  signatureOf(paths: readonly string[]): string {
    return JSON.stringify([...paths].sort(byBytes).map((path) => [path, this.#found.get(path)?.stamp]));
  }

  #statsOf(path: TreePath): BigIntStats | 'throughLink' | 'nothing' {
    try {
      return files.lstatSync(this.#tree.address(path), { bigint: true });
    } catch (error) {
      const isLink = systemCode(error) === 'ENOTDIR' || systemCode(error) === 'ELOOP';
      return ifAbsent(error, isLink ? 'throughLink' : 'nothing');
    }
  }

  #endOfLink(path: TreePath): { readonly real: TreePath } | 'outside' | 'nothing' {
    const root = Buffer.from(this.#session.parts.workTree.root, 'utf8').toString('latin1');
    try {
      const end = files.realpathSync(Buffer.from(`${root}/${path}`, 'latin1'), { encoding: 'buffer' });
      const real = fromBytes(end);
      const below = real === root ? rootPath : (real.slice(root.length + 1) as TreePath);
      const isInside = real === root || real.startsWith(`${root}/`);
      return isInside && !below.split('/').some(isGitName) ? { real: below } : 'outside';
    } catch (error) {
      return ifAbsent(error, 'nothing');
    }
  }

  #record(path: string, found: Found & { readonly is: 'file' }): ContextFile {
    this.#found.set(path, found);
    return { path, bytes: found.bytes };
  }

  /** Adds the files below a directory that match the glob. Without a glob, adds all files. */
  async #walk(from: TreePath, wanted: Wanted | undefined, matched: ContextFile[]): Promise<void> {
    const pending = [{ directory: from, isWhole: wanted === undefined }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const entry of this.#list(next.directory)) {
        if (this.#slices.isDue()) await this.#slices.pause();
        const path = join(next.directory, entry.name);
        if (isGitName(entry.name) || (this.#storage !== undefined && isWithin(path, this.#storage))) continue;
        const isWhole = next.isWhole || wanted?.globs.matches(path, entry.isDirectory) === true;
        if (entry.isDirectory) {
          if (isWhole || this.#mayContainMatches(path, wanted)) pending.push({ directory: path, isWhole });
        } else if (isWhole && isText(path)) {
          // Does not enter a linked directory, because its files are found under their real paths.
          const found = this.find(path);
          if (found.is === 'file') matched.push(this.#record(toText(path), found));
        }
      }
    }
  }

  /**
   * True when the search for a glob must enter a directory. The search enters an ignored directory only if the glob
   * names the directory without a wildcard.
   */
  #mayContainMatches(directory: TreePath, wanted: Wanted | undefined): boolean {
    if (wanted === undefined || wanted.literal.startsWith(`${directory}/`)) return true;
    if (wanted.isAnchored && !wanted.globs.mayMatchBelow(directory)) return false;
    return this.#session.enabled?.capture.isLeftOut(directory) !== true;
  }

  #list(directory: TreePath): { readonly name: string; readonly isDirectory: boolean }[] {
    try {
      // The `.` makes the call fail if a link has replaced the directory.
      const address = this.#tree.address(directory === rootPath ? rootPath : join(directory, '.'));
      const listed = files.readdirSync(address, { encoding: 'latin1', withFileTypes: true });
      return listed.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
    } catch (error) {
      return ifAbsent(error, []);
    }
  }

  async #textOf(fd: number): Promise<string | undefined> {
    if (!files.fstatSync(fd).isFile()) return undefined;
    return (await readInSlices(fd, this.#slices)).toString('utf8');
  }
}

/** Parses a client's path, which must be in the work tree. @throws PathOutsideWorkTree */
export function contextPath(text: string): TreePath {
  return parseTreePath(fromText(text));
}

const absentCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG']);

/**
 * If the error means that a file is missing or unreadable, returns `otherwise`: the context leaves out such a file.
 * @throws all other errors
 */
function ifAbsent<T>(error: unknown, otherwise: T): T {
  if (absentCodes.has(systemCode(error) ?? '')) return otherwise;
  throw error;
}
