// Reads the settings of a repository: its format, and which other users may write to it. Runs git with `--file`. If git
// ran in the git directory itself, it would first read all included files.

import { devNull } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { attempt, isMissing } from '../../base/attempt.ts';
import { files } from '../../base/files.ts';
import { isWaitedFor, readIfPresent } from '../../base/regular-file.ts';
import type { GitPlace } from '../process/environment.ts';
import { runGit } from '../process/run.ts';

interface RepositorySettings {
  /** The format of the repository, if the daemon does not support it. Otherwise undefined. */
  readonly foreign: 'sha256' | 'reftable' | undefined;
  /** The setting that says which other users may write to the repository. */
  readonly shared: string;
}

/**
 * Returns the shared git directory of a repository. For a linked work tree, returns the git directory of the
 * main work tree.
 */
export function commonDirectory(gitDirectory: string): string {
  const link = attempt(isMissing, () => files.readFileSync(join(gitDirectory, 'commondir'), 'utf8'))?.trim();
  return files.realpathSync(link === undefined ? gitDirectory : resolve(gitDirectory, link));
}

/**
 * `from` is a directory of the daemon, in which git runs.
 * @throws GitFailed with git's message when the settings cannot be parsed
 */
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

// Detects a configuration for which git would wait for ever, because it includes a FIFO, a terminal or a similar file.
// Follows every include, even if the condition of the include is false. Reads no other setting.

/** The maximum depth to which git follows includes. */
const depthMax = 10;
const listMsMax = 8000;

/**
 * Returns the first file for which git would wait for ever: the configuration file itself or an included file. `~` is
 * the HOME of `environment`. @throws GitMissing, GitFailed when git cannot parse the configuration
 */
export async function blockingInclude(
  config: string,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  // Runs git outside any repository. Inside a repository, git would also read the configuration of that repository,
  // with all its includes.
  const place: GitPlace = { gitDir: devNull, cwd: dirname(config), environment };
  const seen = new Set([config]);
  let level = [config];
  for (let depth = 0; depth < depthMax && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const file of level) {
      if (isWaitedFor(file)) return file;
      for (const included of await includesOf(file, place)) {
        if (!seen.has(included)) next.push(included);
        seen.add(included);
      }
    }
    level = next;
  }
  return level.find(isWaitedFor);
}

async function includesOf(config: string, place: GitPlace): Promise<string[]> {
  // Starts git only if the file has includes. Nearly all configuration files have no includes.
  if (!/include/i.test(readIfPresent(config)?.toString('latin1') ?? '')) return [];
  const { stdout } = await runGit({
    place,
    args: [
      'config',
      '--file',
      config,
      '--no-includes',
      '--type=path',
      '-z',
      '--get-regexp',
      '^include(if[.].*)?[.]path$',
    ],
    accept: [0, 1],
    timeoutMs: listMsMax,
  });
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((line) => line.includes('\n'))
    .map((line) => resolve(dirname(config), line.slice(line.indexOf('\n') + 1)));
}
