// Paths as people type and read them: relative to the current directory, or to the directory of `-C`. The wire, --json
// and patches name paths from the root of the work tree.
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { misused } from './refusal.ts';

/** Stands before a path that is typed from the root of the work tree, as in git. */
const fromRoot = ':/';

/** The real path of the directory that a command works in. @throws CommandRefusal where it is no directory */
export function workDirectory(typed: string): string {
  const place = absolute(typed);
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(place);
  throw misused(`${place} is not a directory`, '-C names the work tree, or a directory in it.');
}

/** @throws CommandRefusal where the path is relative and the current directory is gone */
function absolute(typed: string): string {
  try {
    return resolve(typed);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw misused('the current directory was deleted', 'Change to another one, or name one with -C.');
  }
}

export class TreePaths {
  readonly #root: string;
  readonly #directory: string;

  /** `root` is the work tree. Both are real paths. */
  constructor(root: string, directory: string) {
    this.#root = root;
    this.#directory = directory;
  }

  /** Returns a typed path as the wire wants it; '' is the root. @throws CommandRefusal for one that is outside */
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

  /** Returns a path of the wire as a person would type it. */
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

/** Follows links in the directories above an absolute path, but not at its end: that may be what is restored. */
function realPlace(typed: string): string {
  const place = resolve(typed);
  const above: string[] = [basename(place)];
  for (let at = dirname(place); ; at = dirname(at)) {
    if (statSync(at, { throwIfNoEntry: false }) !== undefined) return join(realpathSync(at), ...above);
    above.unshift(basename(at));
  }
}
