// Checks and clones the repository that the user named. Only git reads this repository, and nothing writes to it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { git } from './git.ts';

/** The error for a path that the demo cannot use. Its message is one line. */
export class WrongPath extends Error {}

async function ask(root: string, ...args: string[]): Promise<string | undefined> {
  try {
    return await git(root, ...args);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new WrongPath('git is not installed or not on the PATH.');
    return undefined;
  }
}

/** Returns the root of the repository at the path. @throws WrongPath */
export async function sourceAt(path: string): Promise<string> {
  const given = resolve(path);
  const stat = statSync(given, { throwIfNoEntry: false });
  if (stat === undefined) throw new WrongPath(`${given} does not exist.`);
  if (!stat.isDirectory()) throw new WrongPath(`${given} is not a directory.`);
  const top = await ask(given, 'rev-parse', '--show-toplevel');
  if (top === undefined || top === '') {
    const isBare = (await ask(given, 'rev-parse', '--is-bare-repository')) === 'true';
    throw new WrongPath(
      isBare ? `${given} is a bare repository: it has no work tree.` : `${given} is not a git repository.`,
    );
  }
  const root = Buffer.from(top, 'latin1').toString('utf8');
  if (realpathSync(root) !== realpathSync(given))
    throw new WrongPath(`${given} is inside the repository ${root}; try: npm start -- ${root}`);
  if ((await ask(root, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}')) === undefined)
    throw new WrongPath(`${root} has no commit yet; there is nothing to clone.`);
  return realpathSync(root);
}

/**
 * Clones the newest commit, and shows git's own lines of progress. The clone reads the objects through git's transport.
 * After a large commit, git itself packs the object files. A copy of the object files would fail if git packed them
 * during the copy.
 * @throws WrongPath with git's message
 */
export async function clone(source: string, target: string, progress: (line: string) => void): Promise<void> {
  const child = spawn('git', ['clone', '--progress', '--no-local', '--depth=1', source, target], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Skips LFS contents, because git would have to download them.
    env: { ...process.env, GIT_LFS_SKIP_SMUDGE: '1' },
  });
  let wrong = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split(/[\r\n]+/).filter(Boolean)) {
      progress(line);
      if (/^(?:fatal|error): /.test(line)) wrong = line;
    }
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new WrongPath(`git could not clone ${source}: ${wrong || `exit ${code}`}`);
}
