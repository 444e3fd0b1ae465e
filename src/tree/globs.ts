// Defines the names that captures always skip, and matches the client's own `include` and `exclude` globs. For git's
// ignore rules see capture/ignore-rules.ts and git/ignore/ignore-checker.ts.
//
// The glob language is small. Patterns mean the same as in git. `*` and `?` do not match a slash, `[a-z]` and `[!a-z]`
// are classes, and `\` quotes the next character. `**` as a whole part matches any number of parts. A pattern without a
// slash matches a name at any depth. A pattern with a slash before its end is anchored at the root of the work tree. A
// pattern that matches a directory also matches everything below it. A pattern with a final slash matches only
// directories. There is no negation: instead of a negated pattern in one list, use a pattern in the other list. Named
// classes (`[[:alpha:]]`) are not supported. An unclosed `[` matches itself.
import { CheckpointdError } from '../base/errors.ts';
import { anyName, NamePattern } from './name-pattern.ts';
import { nameOf, type TreePath } from './tree-path.ts';

/** The beginning of the names of temporary files of a restore. */
export const restoreTemporaryPrefix = '.ckpt-tmp-';
const restoreTemporary = /^\.ckpt-tmp-[0-9a-z]{20}-\d+$/;

/**
 * True for a name that a restore may have given to a temporary file. A file of the user may have a name of this form,
 * too.
 */
export function isRestoreTemporary(name: string): boolean {
  return name.startsWith(restoreTemporaryPrefix) && restoreTemporary.test(name);
}

/** The maximum length of a pattern in bytes. The kernel refuses any longer path. */
const patternBytesMax = 4096;

/** Refuses a pattern of `field` that is too long. @throws InvalidParams */
export function checkPatterns(patterns: readonly string[], field: string): void {
  const index = patterns.findIndex((pattern) => Buffer.byteLength(pattern) > patternBytesMax);
  if (index < 0) return;
  throw new CheckpointdError(
    'InvalidParams',
    `${field}[${index}] has more than ${patternBytesMax} bytes. Shorten it, or give several shorter patterns.`,
    { details: { field: `${field}[${index}]`, limit: patternBytesMax } },
  );
}

type Part = NamePattern | '**';

interface Glob {
  readonly parts: readonly Part[];
  /** True for a pattern without a slash, which matches the last part of a path at any depth. */
  readonly byName: boolean;
  readonly directoryOnly: boolean;
}

/** A list of globs, compiled once. */
export class Globs {
  readonly #globs: readonly Glob[];

  constructor(patterns: readonly string[]) {
    this.#globs = patterns.map(compile).filter((glob) => glob.parts.length > 0);
  }

  get isEmpty(): boolean {
    return this.#globs.length === 0;
  }

  /**
   * True when the path itself matches. Does not check the directories above the path, because the walk has already
   * checked them.
   */
  matches(path: TreePath, isDirectory: boolean): boolean {
    return this.#globs.some((glob) => {
      if (glob.directoryOnly && !isDirectory) return false;
      const [first] = glob.parts;
      if (glob.byName) return first instanceof NamePattern && first.matches(nameOf(path));
      return matchParts(glob.parts, path.split('/'), false);
    });
  }

  /**
   * True when a path below the directory could match. The walk then enters the directory even if the directory is
   * ignored. A pattern without a slash does not have this effect: otherwise `.env` would make the walk enter every
   * `node_modules`. The pattern of a double star, a slash and `.env` does find `.env` files below ignored directories.
   */
  mayMatchBelow(directory: TreePath): boolean {
    return this.#globs.some((glob) => !glob.byName && matchParts(glob.parts, directory.split('/'), true));
  }
}

function compile(pattern: string): Glob {
  const bytes = Buffer.from(pattern, 'utf8').toString('latin1');
  let end = bytes.length;
  while (bytes[end - 1] === '/') end -= 1;
  const trimmed = bytes.slice(0, end);
  const parts = trimmed.split('/').filter((part) => part !== '');
  return {
    byName: !trimmed.includes('/') && trimmed !== '**',
    directoryOnly: bytes.endsWith('/'),
    // As in git, a trailing `**` needs at least one name: `a/**` does not match `a` itself.
    parts: parts.flatMap((part, i): Part[] => {
      if (part !== '**') return [new NamePattern(part)];
      return i === parts.length - 1 ? [new NamePattern(anyName), '**'] : ['**'];
    }),
  };
}

/**
 * Matches the names of a path with the parts of a pattern, from the front. With `prefix`, returns true when a longer
 * path that begins with these names could match.
 */
function matchParts(parts: readonly Part[], names: readonly string[], prefix: boolean): boolean {
  // All positions in `parts` that are reachable now. The match follows all positions at once and never backtracks, so
  // no pattern is slow.
  let at = new Set<number>([0]);
  for (const name of names) {
    const next = new Set<number>();
    for (const position of closure(at, parts)) {
      const part = parts[position];
      if (part === undefined) continue;
      if (part === '**') next.add(position);
      else if (part.matches(name)) next.add(position + 1);
    }
    at = next;
    if (at.size === 0) return false;
  }
  if (prefix) return [...closure(at, parts)].some((position) => position < parts.length);
  return closure(at, parts).has(parts.length);
}

function closure(at: ReadonlySet<number>, parts: readonly Part[]): Set<number> {
  const all = new Set(at);
  for (const position of all) if (parts[position] === '**') all.add(position + 1);
  return all;
}
