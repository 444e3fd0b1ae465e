// Finds out whether git would wait for ever if it were given a configuration: one that includes a FIFO, a terminal or the
// like. It follows every include, whatever its condition, and reads no other setting.
import { devNull } from 'node:os';
import { dirname, resolve } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { readIfPresent } from '../../base/regular-file.ts';
import type { GitPlace } from '../process/environment.ts';
import { runGit } from '../process/run.ts';

/** Git itself goes no deeper. */
const depthMax = 10;
const listMsMax = 8000;

/**
 * The first file that would block git: the configuration itself or something that it includes. `~` is the HOME of
 * `environment`. @throws GitMissing, GitFailed when it cannot be parsed
 */
export async function blockingInclude(
  config: string,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  // In no repository: git would read that one's configuration as well, with all that it includes.
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
  if (!mayInclude(config)) return [];
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

/** Spares a process for the files that include nothing, which is nearly all of them. */
function mayInclude(config: string): boolean {
  return /include/i.test(readIfPresent(config)?.toString('latin1') ?? '');
}

/** Whether git would wait for what stands there: a FIFO, a terminal; not for nothing, a directory or the null device. */
export function isWaitedFor(path: string): boolean {
  try {
    const stats = files.statSync(path);
    if (stats.isCharacterDevice()) return stats.rdev !== files.statSync(devNull).rdev;
    return stats.isFIFO();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
