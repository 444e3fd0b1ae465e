// Converts paths between two forms. People type and read paths that are relative to the current directory, or to the
// directory of `-C`. In the protocol, in the output of --json and in patches, paths are relative to the work tree.
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { misused } from './refusal.ts';

/** The prefix that makes a typed path relative to the root of the work tree, as in git. */
const fromRoot = ':/';

/**
 * Returns the real path of the directory that a command uses. @throws CommandRefusal when the path is not a directory
 */
export function workDirectory(typed: string): string {
  const place = absolute(typed);
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(place);
  throw misused(`${place} is not a directory`, '-C names the work tree, or a directory in it.');
}

/** Returns an absolute path. @throws CommandRefusal for a relative path if the current directory was removed */
function absolute(typed: string): string {
  try {
    return resolve(typed);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw misused(
      'the current directory was deleted',
      'Change to another directory, or name a directory with -C.',
    );
  }
}

export class TreePaths {
  readonly #root: string;
  readonly #directory: string;

  /** `root` is the work tree. `root` and `directory` are real paths. */
  constructor(root: string, directory: string) {
    this.#root = root;
    this.#directory = directory;
  }

  /**
   * Converts a typed path to the form of the protocol, in which '' is the root. @throws CommandRefusal for a path
   * outside the work tree
   */
  fromTyped(typed: string): string {
    if (typed === '') throw misused('a path is empty', 'Give "." for the directory itself.');
    const place = typed.startsWith(fromRoot)
      ? join(this.#root, typed.slice(fromRoot.length))
      : isAbsolute(typed)
        ? realPlace(typed)
        : resolve(this.#directory, typed);
    const path = relative(this.#root, place);
    if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path))
      throw misused(
        `"${typed}" is outside the work tree ${this.#root}`,
        `Paths are relative to the current directory; "${fromRoot}" is the root of the work tree.`,
      );
    return path.split(sep).join('/');
  }

  /** Converts a path of the protocol to the form that a person would type. */
  toShow(path: string): string {
    const home = relative(this.#root, this.#directory);
    const isOutside = home === '..' || home.startsWith(`..${sep}`) || isAbsolute(home);
    if (isOutside) return `${fromRoot}${path}`;
    const shown = relative(this.#directory, join(this.#root, path)).split(sep).join('/');
    return shown === '' ? '.' : shown;
  }

  placeOf(path: string): string {
    return join(this.#root, path);
  }
}

/**
 * Resolves symbolic links in the parent directories of an absolute path. Does not resolve the last name, because the
 * user may want to restore a link itself.
 */
function realPlace(typed: string): string {
  const place = resolve(typed);
  const above: string[] = [basename(place)];
  for (let at = dirname(place); ; at = dirname(at)) {
    if (statSync(at, { throwIfNoEntry: false }) !== undefined) return join(realpathSync(at), ...above);
    above.unshift(basename(at));
  }
}
