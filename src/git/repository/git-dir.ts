// Finds the repository of a directory without running git. `git rev-parse` refuses repositories that belong to other
// users or have a newer format, but the daemon has to find these repositories, too. This module starts no process, and
// reads only the files that point to a git directory.
import { Buffer, isUtf8 } from 'node:buffer';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { attempt, attemptOr, isOfSystem } from '../../base/attempt.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { isAbsence, readRegularFile } from '../../base/regular-file.ts';
import { gitAnswered, runGit } from '../process/run.ts';
import { containsFile } from './bare-repository.ts';

export interface Repository {
  /** The directory that contains the `.git`. */
  readonly root: string;
  /** The directory that contains HEAD and the index of this work tree. */
  readonly gitDir: string;
  /**
   * The directory that contains objects, refs, `config` and `info/exclude`. Equal to `gitDir`, except in a linked
   * worktree.
   */
  readonly commonDir: string;
}

/**
 * Each capture tries to read these files, and most of them do not exist. An exception for each missing file would take
 * ten times as long.
 */
const unlessAbsent = { throwIfNoEntry: false } as const;

/**
 * Returns the nearest repository in a directory or above. The directory is a canonical absolute path. Bare repositories
 * do not count.
 */
export function findRepository(directory: string): Repository | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const found = repositoryAt(at);
    if (found !== undefined) return found;
    if (dirname(at) === at) return undefined;
  }
}

/** True when this user may not read the `.git` of the directory or of a directory above it. */
export function isRepositoryHidden(directory: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    const gitDir = pointedTo(join(at, '.git')) ?? join(at, '.git');
    if (isDenied(join(gitDir, 'HEAD')) || isDenied(join(gitDir, 'objects', '.'))) return true;
    if (dirname(at) === at) return false;
  }
}

/**
 * Returns the repository whose `.git` is directly in this directory. `.git` is a directory, or a file that names a
 * directory.
 */
export function repositoryAt(root: string): Repository | undefined {
  const dotGit = join(root, '.git');
  const gitDir = pointedTo(dotGit);
  if (gitDir === undefined || !isPresent(join(gitDir, 'HEAD'))) return undefined;
  const common = readLine(join(gitDir, 'commondir'));
  const commonDir = common === undefined ? gitDir : resolve(gitDir, common);
  if (!isDirectory(join(commonDir, 'objects'))) return undefined;
  return { root, gitDir, commonDir };
}

/**
 * Returns the path of the git directory: the `.git` of this directory, or the path that the `.git` file names. The git
 * directory need not exist.
 */
function namedAt(root: string): { readonly gitDir: string; readonly is: NamedGitDirectory } | undefined {
  const dotGit = join(root, '.git');
  const gitDir = pointedTo(dotGit);
  if (gitDir === undefined) return undefined;
  if (gitDir !== dotGit && !isUtf8(readRegularFile(dotGit) ?? Buffer.alloc(0)))
    return { gitDir, is: 'notUtf8' };
  return { gitDir, is: isDirectory(gitDir) ? 'there' : 'missing' };
}

/** `notUtf8`: the path is not UTF-8, so the daemon cannot write it as a string. */
type NamedGitDirectory = 'there' | 'missing' | 'notUtf8';

function pointedTo(dotGit: string): string | undefined {
  if (isDirectory(dotGit)) return dotGit;
  const line = readLine(dotGit);
  if (line === undefined || !line.startsWith('gitdir: ')) return undefined;
  const target = line.slice('gitdir: '.length);
  return isAbsolute(target) ? target : resolve(dirname(dotGit), target);
}

/**
 * Returns the first line of a small file. Returns undefined for an empty file and for an entry that is no file. Never
 * blocks on a FIFO.
 */
function readLine(file: string): string | undefined {
  // A missing or unreadable file names no git directory.
  return attempt(isAbsence, () => {
    const stats = files.statSync(file, unlessAbsent);
    if (stats === undefined || stats.size > 8192) return undefined;
    const line = readRegularFile(file)?.toString('utf8').split(/\r?\n/, 1)[0];
    return line === '' || line?.includes('\0') ? undefined : line;
  });
}

function isDirectory(path: string): boolean {
  return attemptOr(false, isAbsence, () => files.statSync(path, unlessAbsent)?.isDirectory() === true);
}

/**
 * True for an entry of any kind. In an old repository, HEAD is a symbolic link, whose target does not exist before the
 * first commit.
 */
export function isPresent(path: string): boolean {
  return attemptOr(false, isAbsence, () => files.lstatSync(path, unlessAbsent) !== undefined);
}

function isDenied(path: string): boolean {
  try {
    files.lstatSync(path, unlessAbsent);
    return false;
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return /^(EACCES|EPERM)$/.test(systemCode(error) ?? '');
  }
}

// Finds a damaged git directory that git does not recognise although it contains a person's work. The caller reports
// the damaged directory and makes no new repository in its place.

interface BrokenRepository {
  readonly path: string;
  /** Sentences about the defect and what to do about it. */
  readonly what: string;
}

/**
 * Returns the nearest damaged git directory in this directory or above. Returns undefined if a repository is nearer.
 */
export function brokenRepository(directory: string): BrokenRepository | undefined {
  for (let at = directory; repositoryAt(at) === undefined; at = dirname(at)) {
    const named = namedAt(at);
    if (named !== undefined && (named.is !== 'there' || containsWork(named.gitDir)))
      return { path: join(at, '.git'), what: wrongWith(join(at, '.git'), named) };
    if (dirname(at) === at) break;
  }
  return undefined;
}

function wrongWith(dotGit: string, { gitDir, is }: NonNullable<ReturnType<typeof namedAt>>): string {
  if (is === 'notUtf8')
    return `${dotGit} names a git directory whose path is not UTF-8, which checkpointd does not support. Rename that path to UTF-8, and write the new path into ${dotGit}.`;
  if (is === 'missing')
    return `${dotGit} names the git directory ${gitDir}, which does not exist. Put it back, or write the right path into ${dotGit}.`;
  if (!isPresent(join(gitDir, 'HEAD')))
    return `The git directory ${gitDir} has lost its HEAD, so git does not recognise it. Put HEAD back: a line like "ref: refs/heads/main", with the branch that was checked out.`;
  return `The git directory ${gitDir} has lost its objects directory, so git does not recognise it. Put that directory back.`;
}

/**
 * The first entries that `git init` makes. If a git directory contains only these entries, a killed `git init` of the
 * daemon has left this directory. The daemon completes such a directory.
 */
const begun: ReadonlySet<string> = new Set(['HEAD', 'HEAD.lock', 'config', 'config.lock', 'objects', 'refs']);

function containsWork(gitDir: string): boolean {
  // An unreadable directory may contain work, so the daemon does not replace it.
  return attemptOr(true, isOfSystem, () => {
    if (files.readdirSync(gitDir).some((name) => !begun.has(name))) return true;
    return ['objects', 'refs'].some((name) => containsFile(join(gitDir, name)));
  });
}

// Makes a repository for the user when a client requests it with checkpoint/init, for strategy `local`. The repository
// is ordinary and empty: the daemon adds no commit, template or setting. If an attempt is interrupted, the next attempt
// completes the repository.

/** Makes a repository in a directory that is outside any repository. @throws GitMissing, GitFailed, NoSpace */
export async function makeRepository(directory: string): Promise<Repository> {
  const place = { gitDir: join(directory, '.git'), cwd: directory };
  const init = ['init', '--quiet', '--template=', '--object-format=sha1', '--initial-branch=main'];
  await runGit({ place, args: init });
  const made = repositoryAt(directory);
  gitAnswered(made !== undefined, 'git init made no repository');
  return made;
}
