// One git process, started and awaited, by execa. The persistent ones are in git/child.ts; no other file starts
// git. Output is bytes; a non-zero exit is an error that carries the argument list, the code and what git said.
import type { execa, Options } from 'execa';
import { CheckpointdError, isNoSpace } from '../base/errors.ts';
import { passSeam } from '../base/seam.ts';
import { type GitPlace, gitEnvironment, placeArguments } from './environment.ts';

export interface GitRun {
  readonly place: GitPlace;
  readonly args: readonly string[];
  readonly input?: Uint8Array;
  /** Exit codes that are an answer and not a failure. Default: 0 alone. */
  readonly accept?: readonly number[];
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface GitOutput {
  readonly stdout: Buffer;
  readonly exitCode: number;
}

/** execa costs 118 ms to load, so it is loaded with the first git process and not before. */
export const loadExeca = async (): Promise<typeof execa> => (await import('execa')).execa;

/**
 * Runs one git command to its end.
 *
 * @throws GitMissing when there is no git, GitFailed (NoSpace where git says so) for any exit code not accepted,
 * AbortError when the signal was aborted: git gets SIGTERM, so that it removes its own lock files.
 */
export async function runGit(run: GitRun): Promise<GitOutput> {
  run.signal?.throwIfAborted();
  const start = await loadExeca();
  const args = [...placeArguments(run.place), ...run.args];
  passSeam('spawn', `git ${run.args[0] ?? ''}`);
  const options = {
    env: gitEnvironment(run.place.environment),
    extendEnv: false,
    cwd: run.place.cwd ?? run.place.gitDir,
    encoding: 'buffer',
    reject: false,
    stripFinalNewline: false,
    maxBuffer: 1 << 30,
    killSignal: 'SIGTERM',
    timeout: run.timeoutMs ?? 600_000,
    ...(run.signal === undefined ? {} : { cancelSignal: run.signal }),
    ...(run.input === undefined ? { stdin: 'ignore' } : { input: run.input }),
  } satisfies Options;
  const result = await start('git', args, options);
  run.signal?.throwIfAborted();
  const exitCode = result.exitCode ?? -1;
  if ((run.accept ?? [0]).includes(exitCode)) return { stdout: Buffer.from(result.stdout), exitCode };
  throw gitFailure(
    run.args,
    exitCode,
    Buffer.from(result.stderr ?? []).toString('utf8'),
    result.cause ?? result.code,
  );
}

/** The error for a git process that failed; recognises a missing git and a full disk. */
export function gitFailure(
  args: readonly string[],
  exitCode: number,
  stderr: string,
  cause: unknown,
): CheckpointdError {
  const said = stderr.trim().slice(0, 2000);
  if (cause === 'ENOENT' || (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) {
    return new CheckpointdError('GitMissing', 'git was not found on PATH. Install git 2.30 or later.', {
      cause,
    });
  }
  if (isNoSpace(cause) || /No space left on device|Disk quota exceeded|File too large/.test(said)) {
    return new CheckpointdError(
      'NoSpace',
      'The disk of the checkpoint store is full. Free some space and try again.',
      {
        details: { stderr: said },
        retryable: true,
      },
    );
  }
  return new CheckpointdError(
    'GitFailed',
    `git ${args[0] ?? ''} failed (exit ${exitCode}): ${said || 'no message'}`,
    {
      details: { args: [...args].slice(0, 12), exitCode, stderr: said },
      cause,
    },
  );
}
