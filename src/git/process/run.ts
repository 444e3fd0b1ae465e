// Starts git by execa, awaited or as a stream of bytes. The persistent ones (git/process/child.ts) and the feed of
// fast-import build on `openGit`; no other file starts git. Output is bytes; a non-zero exit is an error that
// carries the argument list, the code and what git said. It never looks at what the bytes mean.
import type { Readable, Writable } from 'node:stream';
import type { execa, Options } from 'execa';
import { CheckpointdError, isNoSpace } from '../../base/errors.ts';
import { passSeam } from '../../base/seam.ts';
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
  /** What git said beside its answer: warnings, mostly. */
  readonly stderr: string;
  readonly exitCode: number;
}

/** A git process with open pipes. Whoever opens one reads `stdout` to its end or kills it. */
export interface GitProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The last 4,000 characters that git wrote to stderr. */
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process and its pipes are gone; never rejects. */
  readonly ended: Promise<{ readonly exitCode: number; readonly cause: unknown }>;
}

/** execa costs 118 ms to load, so it is loaded with the first git process and not before. */
export const loadExeca = async (): Promise<typeof execa> => (await import('execa')).execa;

/** Every git process that runs now. */
const running = new Set<{ kill(signal: NodeJS.Signals): unknown }>();

/** Kills every git process at once, for a daemon that ends now: one that ignores SIGTERM must not outlive it. */
export function killAllGit(): void {
  for (const process of running) process.kill('SIGKILL');
}

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
  const child = start('git', args, options);
  running.add(child);
  const result = await child.finally(() => running.delete(child));
  run.signal?.throwIfAborted();
  const exitCode = result.exitCode ?? -1;
  const stderr = Buffer.from(result.stderr ?? []).toString('utf8');
  if ((run.accept ?? [0]).includes(exitCode)) return { stdout: Buffer.from(result.stdout), stderr, exitCode };
  throw gitFailure(run.args, exitCode, stderr, result.cause ?? result.code);
}

/** Starts a git process whose pipes stay open. A missing git shows in `ended`, like any other failure. */
export async function openGit(place: GitPlace, args: readonly string[]): Promise<GitProcess> {
  const start = await loadExeca();
  passSeam('spawn', `git ${args[0] ?? ''}`);
  const child = start('git', [...placeArguments(place), ...args], {
    env: gitEnvironment(place.environment),
    extendEnv: false,
    cwd: place.cwd ?? place.gitDir,
    buffer: false,
    encoding: 'buffer',
    reject: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  running.add(child);
  let stderr = '';
  child.stdin.on('error', () => {
    // EPIPE: the process is gone, and `ended` tells so with git's own words.
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-4000);
  });
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    ended: child
      .finally(() => running.delete(child))
      .then((result) => ({ exitCode: result.exitCode ?? -1, cause: result.cause ?? result.code })),
  };
}

/**
 * The output of one git command in chunks, for answers that need not fit into memory.
 *
 * Leaving the loop early kills the process. @throws as {@link runGit}, after the last chunk.
 */
export async function* streamGit(place: GitPlace, args: readonly string[]): AsyncGenerator<Buffer> {
  const running = await openGit(place, args);
  running.stdin.end();
  let finished = false;
  try {
    for await (const chunk of running.stdout) yield chunk as Buffer;
    finished = true;
  } finally {
    if (!finished) running.kill('SIGKILL');
  }
  const { exitCode, cause } = await running.ended;
  if (exitCode !== 0) throw gitFailure(args, exitCode, running.stderr(), cause);
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
