// Merges three texts with `git merge-file`. Git gets only three files and the labels for the markers, and uses no
// attribute, merge driver or setting of the user. This module does not merge binary contents.
import { join } from 'node:path';
import { CheckpointdError } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { runGit } from '../process/run.ts';

/** The labels that git writes after the markers of a conflict. */
export interface MergeLabels {
  readonly ours: string;
  readonly base: string;
  readonly theirs: string;
}

interface MergedText {
  readonly bytes: Buffer;
  readonly isClean: boolean;
}

/** Git treats files above this size as binary. */
const textBytesMax = 1023 * 1024 * 1024;
const lookedAtMax = 8000;

/** True when git treats the content as binary: its first 8,000 bytes contain a NUL, or the content is too large. */
export function isBinary(content: Uint8Array): boolean {
  return content.length > textBytesMax || content.subarray(0, lookedAtMax).includes(0);
}

/**
 * Combines the changes that `ours` and `theirs` make to `base`. Writes three files to `directory`, an existing private
 * directory, and removes them at the end.
 *
 * @throws GitMissing, GitFailed, AbortError, and the system's own errors for the three files
 */
export async function mergeTexts(
  directory: string,
  { ours, base, theirs }: { readonly [K in keyof MergeLabels]: Uint8Array },
  labels: MergeLabels,
  signal: AbortSignal,
): Promise<MergedText> {
  const names = {
    ours: join(directory, 'ours'),
    base: join(directory, 'base'),
    theirs: join(directory, 'theirs'),
  };
  try {
    files.writeFileSync(names.ours, ours, { mode: 0o600 });
    files.writeFileSync(names.base, base, { mode: 0o600 });
    files.writeFileSync(names.theirs, theirs, { mode: 0o600 });
    const { stdout, exitCode, stderr } = await runGit({
      place: { gitDir: directory, cwd: directory, settings: { 'merge.conflictStyle': 'merge' } },
      args: [
        'merge-file',
        '-p',
        '-q',
        '-L',
        labels.ours,
        '-L',
        labels.base,
        '-L',
        labels.theirs,
        names.ours,
        names.base,
        names.theirs,
      ],
      // An exit code up to 127 is the number of conflicts. A higher code is an error.
      accept: Array.from({ length: 128 }, (_, code) => code),
      signal,
    });
    if (exitCode > 0 && stdout.length === 0)
      throw new CheckpointdError('GitFailed', `git merge-file failed: ${stderr.slice(0, 200)}`, {
        details: { exitCode },
      });
    return { bytes: stdout, isClean: exitCode === 0 };
  } finally {
    for (const name of Object.values(names)) files.rmSync(name, { force: true });
  }
}
