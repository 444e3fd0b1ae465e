// Checks the version of git once in each process. The minimum is 2.30 (Debian 11), the first version that allows
// several transactions in one `update-ref --stdin`. The daemon needs no feature of a later version.
import { parse } from 'node:path';
import { CheckpointdError } from '../../base/errors.ts';
import { runGit } from './run.ts';

const floor = [2, 30] as const;
let known: Promise<string> | undefined;

/**
 * Returns the version of the git on PATH if this version is new enough. Does not cache a failure, because the user may
 * install git later.
 * @throws GitMissing, GitTooOld
 */
export function checkGit(): Promise<string> {
  known ??= askVersion().catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

/** True when this version of git supports `core.fsync`, and can therefore sync the refs that it writes. */
export function syncsRefs(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 36);
}

async function askVersion(): Promise<string> {
  // Starts git in the root of the file system, because this directory always exists.
  const place = { gitDir: parse(process.execPath).root };
  const { stdout } = await runGit({ place, args: ['version'], timeoutMs: 10_000 });
  return parseVersion(stdout.toString('utf8'));
}

/** Parses `git version 2.39.5 (Apple Git-154)`. @throws GitTooOld for an older or unreadable version */
function parseVersion(text: string): string {
  const match = /(\d+)\.(\d+)(?:\.\d+)*/.exec(text);
  const [major, minor] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  if (match !== null && (major > floor[0] || (major === floor[0] && minor >= floor[1]))) return match[0];
  throw new CheckpointdError(
    'GitTooOld',
    `checkpointd needs git ${floor.join('.')} or later, but this git says ${JSON.stringify(text.trim().slice(0, 80))}. Install a newer git.`,
    { details: { version: match?.[0] ?? null } },
  );
}
