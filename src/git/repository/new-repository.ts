// Makes a repository for the user where there is none, because they asked for one: strategy `local` by checkpoint/init
// when a client asks for it. An ordinary empty repository: no commit, no template, no setting of ours. Interrupted, it is done
// again by the next try.
import { join } from 'node:path';
import { gitAnswered, runGit } from '../process/run.ts';
import { type Repository, repositoryAt } from './git-dir.ts';

/** Makes a repository in a directory that is in none. @throws GitMissing, GitFailed, NoSpace */
export async function makeRepository(directory: string): Promise<Repository> {
  const place = { gitDir: join(directory, '.git'), cwd: directory };
  const init = ['init', '--quiet', '--template=', '--object-format=sha1', '--initial-branch=main'];
  await runGit({ place, args: init });
  const made = repositoryAt(directory);
  gitAnswered(made !== undefined, 'git init made a repository');
  return made;
}
