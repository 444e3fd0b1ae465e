// What the settings of a repository say of its format and of who else may write there. Read as a file: in the git directory
// itself git would read what the settings include before it did anything.
import { join, resolve } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { runGit } from '../process/run.ts';

export interface RepositorySettings {
  /** The format that we cannot work in; undefined where there is none. */
  readonly foreign: 'sha256' | 'reftable' | undefined;
  /** The setting of who else may write there. */
  readonly shared: string;
}

/** The shared git directory of a repository; of a linked work tree, that of the main one. */
export function commonDirectory(gitDirectory: string): string {
  const link = readText(join(gitDirectory, 'commondir'))?.trim();
  return files.realpathSync(link === undefined ? gitDirectory : resolve(gitDirectory, link));
}

/** `from`: a directory of ours to start git in. @throws GitFailed with git's words where they cannot be taken apart */
export async function repositorySettings(config: string, from: string): Promise<RepositorySettings> {
  const keys = '^(extensions\\.|core\\.sharedrepository$)';
  const args = ['config', '--file', config, '--no-includes', '--get-regexp', keys];
  const { stdout } = await runGit({ place: { gitDir: from }, args, accept: [0, 1] });
  const settings = stdout.toString('utf8').toLowerCase();
  return {
    foreign: foreignIn(settings),
    shared: [...settings.matchAll(/^core\.sharedrepository ?(.*)$/gm)].at(-1)?.[1] ?? 'umask',
  };
}

function foreignIn(settings: string): RepositorySettings['foreign'] {
  if (/^extensions\.objectformat sha256$/m.test(settings)) return 'sha256';
  return /^extensions\.refstorage (?!files$)/m.test(settings) ? 'reftable' : undefined;
}

function readText(file: string): string | undefined {
  try {
    return files.readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}
