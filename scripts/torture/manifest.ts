// Lists the contents of a directory: bytes, modes and links. This module shares no code with the daemon.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Thing {
  readonly kind: 'file' | 'link' | 'other';
  /** The permission bits. */
  readonly mode: number;
  /** Two hashes of the file's bytes or the link's target: git's id and the SHA-256. */
  readonly git: string;
  readonly sha256: string;
}

/** A path in the form that the protocol uses. */
export interface PathRef {
  readonly path: string;
  readonly pathBytes?: string | undefined;
}

/** Returns the bytes of a path as a latin1 string. The checker names every path in this form. */
export function nameOf({ path, pathBytes }: PathRef): string {
  const bytes = pathBytes === undefined ? Buffer.from(path, 'utf8') : Buffer.from(pathBytes, 'base64');
  return bytes.toString('latin1');
}

export function refOf(name: string): PathRef {
  const bytes = Buffer.from(name, 'latin1');
  return { path: bytes.toString('utf8'), pathBytes: bytes.toString('base64') };
}

/** Returns the path on the disk for a path in the checker's form. */
export function placeOf(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
}

/** The file or link at each path. There is no element for a directory itself. */
export type Manifest = ReadonlyMap<string, Thing>;

/** Lists all files below `root`. Leaves out the `.git` of `root`, but not the `.git` of a nested repository. */
export function look(root: string): Manifest {
  const found = new Map<string, Thing>();
  const visit = (prefix: string): void => {
    for (const name of readdirSync(placeOf(root, prefix), { encoding: 'latin1' }).sort()) {
      const path = prefix === '' ? name : `${prefix}/${name}`;
      if (path === '.git') continue;
      const place = placeOf(root, path);
      const stats = lstatSync(place);
      const mode = stats.mode & 0o7777;
      if (stats.isDirectory()) visit(path);
      else if (stats.isSymbolicLink())
        found.set(path, thing('link', 0o777, readlinkSync(place, { encoding: 'buffer' })));
      else if (stats.isFile()) found.set(path, thing('file', mode, readFileSync(place)));
      else found.set(path, thing('other', mode, Buffer.alloc(0)));
    }
  };
  visit('');
  return found;
}

function thing(kind: Thing['kind'], mode: number, bytes: Buffer): Thing {
  const git = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  return { kind, mode, git, sha256: createHash('sha256').update(bytes).digest('hex') };
}

export const isSame = (one: Thing | undefined, other: Thing | undefined): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    one.kind === other.kind &&
    one.git === other.git &&
    one.mode === other.mode);

/** Returns the paths at which two manifests differ, each with both entries. */
export function differences(one: Manifest, other: Manifest): string[] {
  const paths = [...new Set([...one.keys(), ...other.keys()])].sort();
  return paths
    .filter((path) => !isSame(one.get(path), other.get(path)))
    .map((path) => `${path}: ${describe(one.get(path))} → ${describe(other.get(path))}`);
}

export function describe(thing: Thing | undefined): string {
  return thing === undefined ? 'absent' : `${thing.kind} ${thing.mode.toString(8)} ${thing.git.slice(0, 8)}`;
}

/** True for names of a restore's temporary files, which no checkpoint contains. */
export const isTemporary = (path: string): boolean => path.includes('.ckpt-tmp-');

/**
 * Returns the files that a checkpoint must contain. Git itself selects these files by the ignore rules of the user's
 * repository.
 */
export function captured(root: string, all: Manifest): Manifest {
  const listed = plainGit(['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const paths = new Set(listed.toString('latin1').split('\0'));
  // git lists a nested repository as one directory, but a capture contains its files.
  const nested = [...paths].filter((path) => path.endsWith('/'));
  const isIn = (path: string): boolean => paths.has(path) || nested.some((above) => path.startsWith(above));
  return new Map(
    [...all].filter(
      ([path, { kind }]) => kind !== 'other' && !isTemporary(path) && !isOfGit(path) && isIn(path),
    ),
  );
}

/** True when the path is in the `.git` of a nested repository. */
export const isOfGit = (path: string): boolean => /(^|\/)\.git(\/|$)/.test(path);

/** Runs git as if the user had no git settings. @throws git's message */
export function plainGit(words: readonly string[], input?: string): Buffer {
  const result = spawnSync('git', words, {
    maxBuffer: 1 << 28,
    timeout: 60_000,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      // Allows git to use a repository that belongs to the daemon's user, although git runs as root here.
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_AUTHOR_NAME: 'U',
      GIT_AUTHOR_EMAIL: 'u@u',
      GIT_COMMITTER_NAME: 'U',
      GIT_COMMITTER_EMAIL: 'u@u',
      // Sets fixed dates, so that two worlds with the same seed are equal.
      GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
      GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
    },
    ...(input === undefined ? {} : { input }),
  });
  if (result.status !== 0)
    throw new Error(`git ${words.join(' ')}: ${result.stdout.toString()}${result.stderr.toString()}`);
  return result.stdout;
}
