// Finds a git directory that git takes for none although somebody's work is in it, so that it is told and nothing new is
// made over it. It reads what findRepository reads, and mends nothing.
import { dirname, join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { holdsFile } from './bare-repository.ts';
import { isPresent, namedAt, repositoryAt } from './git-dir.ts';

export interface BrokenRepository {
  readonly path: string;
  /** What is wrong with it and what puts it right, in sentences. */
  readonly what: string;
}

/** The broken one that stands in this directory or above, nearer than any repository. */
export function brokenRepository(directory: string): BrokenRepository | undefined {
  for (let at = directory; repositoryAt(at) === undefined; at = dirname(at)) {
    const named = namedAt(at);
    if (named !== undefined && (named.is !== 'there' || holdsWork(named.gitDir)))
      return { path: join(at, '.git'), what: wrongWith(join(at, '.git'), named) };
    if (dirname(at) === at) break;
  }
  return undefined;
}

function wrongWith(dotGit: string, { gitDir, is }: NonNullable<ReturnType<typeof namedAt>>): string {
  if (is === 'notUtf8')
    return `${dotGit} names a git directory whose path is not UTF-8, which git can follow and checkpointd cannot. Rename that path to UTF-8, and name the new one in ${dotGit}.`;
  if (is === 'missing')
    return `${dotGit} names the git directory ${gitDir}, which is not there. Put it back, or name the right one in ${dotGit}.`;
  if (!isPresent(join(gitDir, 'HEAD')))
    return `The git directory ${gitDir} has lost its HEAD, so git takes it for none. Put HEAD back: a line like "ref: refs/heads/main", with the branch that was checked out.`;
  return `The git directory ${gitDir} has lost its directory of objects, so git takes it for none. Put that back.`;
}

/** What `git init` begins with: one of ours that was killed half-way holds nothing else, and is finished. */
const begun: ReadonlySet<string> = new Set(['HEAD', 'HEAD.lock', 'config', 'config.lock', 'objects', 'refs']);

function holdsWork(gitDir: string): boolean {
  try {
    if (files.readdirSync(gitDir).some((name) => !begun.has(name))) return true;
    return ['objects', 'refs'].some((name) => holdsFile(join(gitDir, name)));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return true; // what cannot be looked at is not ours to make anew
  }
}
