// Starts git with execa. The caller either waits for the whole output or reads it as a stream of bytes. The persistent
// processes (git/process/child.ts) use `openGit`. No other file starts git. A non-zero exit causes an error with the
// argument list, the code and git's message. This module never interprets the output.
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Readable, Writable } from 'node:stream';
import type { execa, Options } from 'execa';
import { attempt, isMissing, isOfSystem } from '../../base/attempt.ts';
import { CheckpointdError, fileLimit, isKind, isNoSpace } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { passSeam } from '../../base/seam.ts';
import { type GitPlace, gitEnvironment, placeArguments } from './environment.ts';
import { SilenceTimer, silent } from './silence.ts';

interface GitRun {
  readonly place: GitPlace;
  readonly args: readonly string[];
  readonly input?: Uint8Array;
  /** Exit codes that are no failure. Default: only 0. */
  readonly accept?: readonly number[];
  readonly timeoutMs?: number;
  /**
   * The maximum time for which git may do nothing. While git waits for another machine, it counts as doing nothing.
   * Default: eight seconds.
   */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface GitOutput {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A git process with open pipes. The caller must read `stdout` to its end, or kill the process. */
export interface GitProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The last 4,000 characters that git wrote to stderr. */
  stderr(): string;
  /** Sends a signal to the process and to all processes that it started. */
  kill(signal: NodeJS.Signals): void;
  /**
   * Waits for `work`, which cannot finish without this process. Kills the process if it does nothing for too long
   * during this time.
   */
  awaiting<T>(work: Promise<T>): Promise<T>;
  /**
   * Resolves when the process has ended and its pipes are closed, at the latest a second after it was killed. Never
   * rejects.
   */
  readonly ended: Promise<{ readonly exitCode: number; readonly cause: unknown }>;
}

/** Loads execa at the first start of git, because loading takes 118 ms. */
export const loadExeca = async (): Promise<typeof execa> => (await import('execa')).execa;

const running = new Set<ProcessGroup>();

/**
 * Kills every git process immediately. Called when the daemon has to end at once, so that even a git that ignores
 * SIGTERM ends with the daemon.
 */
export function killAllGit(): void {
  for (const group of running) group.kill('SIGKILL');
}

/**
 * Runs one git command to its end. @throws GitMissing when there is no git. StoreUnavailable or WorkTreeMissing when
 * git's working directory is missing. AbortError when the signal was aborted. GitFailed when git exits with a code that
 * is not accepted, or does nothing for eight seconds. NoSpace when git reports a full disk. To end git early, this
 * function first sends SIGTERM, after which git removes its lock files. If git still runs half a second later, this
 * function sends SIGKILL.
 */
export async function runGit(run: GitRun): Promise<GitOutput> {
  run.signal?.throwIfAborted();
  const start = await loadExeca();
  const args = [...placeArguments(run.place), ...run.args];
  passSeam('spawn', `git ${run.args[0] ?? ''}`);
  const options = {
    ...commonOptions(run.place),
    maxBuffer: 1 << 30,
    ...(run.input === undefined ? { stdin: 'ignore' } : { input: run.input }),
  } satisfies Options;
  const child = begun('git', () => start('git', args, options));
  const group = new ProcessGroup(child, run.args);
  const abort = (): void => group.end();
  run.signal?.addEventListener('abort', abort, { once: true });
  const limitMs = run.timeoutMs ?? 600_000;
  const limit = setTimeout(() => group.giveUp(limitMs), limitMs);
  running.add(group);
  const result = await group.awaiting(Promise.race([child, group.abandoned]), run.patienceMs).finally(() => {
    running.delete(group);
    clearTimeout(limit);
    run.signal?.removeEventListener('abort', abort);
  });
  run.signal?.throwIfAborted();
  const exitCode = result?.exitCode ?? -1;
  const stderr = Buffer.from(result?.stderr ?? []).toString('utf8');
  if (result !== undefined && group.failure === undefined && (run.accept ?? [0]).includes(exitCode))
    return { stdout: Buffer.from(result.stdout), stderr, exitCode };
  throw gitFailure(run.args, exitCode, stderr, causeOf(run.place, group, result));
}

const directoryOf = ({ cwd, gitDir }: GitPlace): string => cwd ?? gitDir;

/**
 * Returns the cause of git's end, for {@link gitFailure}. ENOENT means that the program or its working directory is
 * missing, so this function checks the directory.
 */
function causeOf(
  place: GitPlace,
  group: ProcessGroup,
  result:
    | { readonly cause?: unknown; readonly code?: string | undefined; readonly signal?: string | undefined }
    | undefined,
): unknown {
  if (result?.signal === 'SIGXFSZ') return tooLarge;
  const cause = group.failure ?? result?.cause ?? result?.code;
  const path = directoryOf(place);
  if (!saysMissing(cause) || files.existsSync(path)) return cause;
  return new CheckpointdError(
    path === place.workTree ? 'WorkTreeMissing' : 'StoreUnavailable',
    `git could not be started in ${path}: the directory no longer exists. Put it back, or close the session and open it again.`,
    { details: { path }, cause },
  );
}

const saysMissing = (cause: unknown): boolean => cause === 'ENOENT' || isMissing(cause);

/** Runs git in a process group of its own, so that a wrapper script and its children can be killed together. */
function commonOptions(place: GitPlace) {
  return {
    env: gitEnvironment(place.environment),
    extendEnv: false,
    cwd: directoryOf(place),
    encoding: 'buffer',
    reject: false,
    stripFinalNewline: false,
    detached: process.platform !== 'win32',
  } as const;
}

/**
 * Starts a git process with open pipes. If git is missing, `ended` reports this in the same way as any other failure.
 */
export async function openGit(place: GitPlace, args: readonly string[]): Promise<GitProcess> {
  const start = await loadExeca();
  passSeam('spawn', `git ${args[0] ?? ''}`);
  const options = {
    ...commonOptions(place),
    buffer: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  } satisfies Options;
  const child = begun('git', () => start('git', [...placeArguments(place), ...args], options));
  const group = new ProcessGroup(child, args);
  running.add(group);
  let stderr = '';
  child.stdin.on('error', () => {
    // EPIPE: the process has ended, and `ended` has git's own message.
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-4000);
  });
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: () => stderr,
    kill: (signal) => group.kill(signal),
    awaiting: (work) => group.awaiting(work),
    ended: Promise.race([child, group.abandoned])
      .finally(() => running.delete(group))
      .then((result) => ({
        exitCode: result?.exitCode ?? -1,
        cause: causeOf(place, group, result),
      })),
  };
}

/**
 * Yields the output of one git command in chunks, because the output may be too large for the memory.
 *
 * Leaving the loop early kills the process. @throws as {@link runGit}, after the last chunk.
 */
export async function* streamGit(place: GitPlace, args: readonly string[]): AsyncGenerator<Buffer> {
  const git = await openGit(place, args);
  git.stdin.end();
  const chunks = git.stdout[Symbol.asyncIterator]();
  let finished = false;
  try {
    for (;;) {
      // If the pipe is full, git waits until the caller requests the next chunk.
      const next = await git.awaiting(chunks.next() as Promise<IteratorResult<Buffer>>);
      if (next.done === true) break;
      yield next.value;
    }
    finished = true;
  } finally {
    if (!finished) {
      git.kill('SIGKILL');
      git.stdout.destroy();
    }
  }
  const { exitCode, cause } = await git.awaiting(git.ended);
  if (exitCode !== 0) throw gitFailure(args, exitCode, git.stderr(), cause);
}

/** Returns the error for a failed git process. Recognises a missing git and a full disk. */
export function gitFailure(
  args: readonly string[],
  exitCode: number,
  stderr: string,
  cause: unknown,
): CheckpointdError {
  if (cause instanceof CheckpointdError) return cause;
  const said = stderr.trim().slice(0, 2000);
  if (saysMissing(cause)) {
    return new CheckpointdError('GitMissing', 'git was not found on PATH. Install git 2.30 or later.', {
      cause,
    });
  }
  const limited = fileLimit(/File too large/.test(said) ? tooLarge : cause, { details: { stderr: said } });
  if (limited !== undefined) return limited;
  if (isNoSpace(cause) || /No space left on device|Disk quota exceeded/.test(said)) {
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

/**
 * True when git reported an error or hung. False when a signal or a crash ended git, because that proves nothing. Git
 * itself uses exit codes up to 129.
 */
export function isRefusal(error: unknown): error is CheckpointdError {
  if (!isKind('GitFailed')(error)) return false;
  const exitCode = error.details?.exitCode;
  return typeof exitCode !== 'number' || (exitCode >= 0 && exitCode <= 129);
}

/**
 * The system ends git with this signal when git exceeds the limit for file sizes. In the daemon's own process,
 * exceeding the limit only makes the system call fail.
 */
const tooLarge = Object.assign(new Error('SIGXFSZ'), { code: 'EFBIG' });

/**
 * Throws GitFailed if git's answer does not have the expected form. The program `git` on PATH may be a different
 * program.
 */
export function gitAnswered(condition: unknown, fault: string): asserts condition {
  if (condition) return;
  throw new CheckpointdError(
    'GitFailed',
    `git gave an unexpected answer: ${fault}. Check the first git on PATH.`,
    { details: { expected: fault } },
  );
}

// Handles a failed start of a process when the system has no more file descriptors. In this case, Node returns a
// process without pipes, and execa throws before it listens to events. The cause arrives as an `error` event. Without a
// listener, this event would end the daemon with all its sessions. If the start fails for another reason, execa
// itself reports the error.

const channel = 'child_process';

/**
 * Starts a process, and checks that its pipes exist. @throws EMFILE, like a system call, when the system has too few
 * file descriptors for the pipes.
 */
export function begun<Started>(program: string, start: () => Started): Started {
  let child: ChildProcess | undefined;
  const note = (message: unknown): void => {
    child = (message as { readonly process: ChildProcess }).process;
  };
  subscribe(channel, note);
  try {
    return start();
  } catch (error) {
    if (!(error instanceof TypeError) || child === undefined || child.pid !== undefined) throw error;
    // The error that this function throws below already reports this event.
    child.once('error', () => undefined);
    const named = new Error(`EMFILE: too many open files, spawn ${program}`, { cause: error });
    throw Object.assign(named, { code: 'EMFILE', syscall: `spawn ${program}` });
  } finally {
    unsubscribe(channel, note);
  }
}

// Controls one running git process, together with every process that it started. Sends signals to all these processes,
// and watches all of them while a caller waits. If even SIGKILL does not end the processes, abandons the processes, so
// that no caller waits for ever. This class reads no pipe.

/** The parts of a child process that this class uses. */
interface Child {
  readonly pid?: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  kill(signal: NodeJS.Signals): boolean;
  unref(): void;
}

const termMs = 500;
const killMs = 1000;

class ProcessGroup {
  readonly #child: Child;
  readonly #args: readonly string[];
  #abandon: (() => void) | undefined;
  #isKilled = false;
  /** The error when the process was killed because it did nothing. Otherwise undefined. */
  failure: CheckpointdError | undefined;
  /**
   * Resolves when the process still exists a second after it was killed. The cause is either that the system blocks the
   * process, or that a second process has the same pipes open.
   */
  readonly abandoned: Promise<undefined>;

  constructor(child: Child, args: readonly string[]) {
    this.#child = child;
    this.#args = args;
    this.abandoned = new Promise((resolve) => {
      this.#abandon = () => resolve(undefined);
    });
  }

  kill(signal: NodeJS.Signals): void {
    signalGroup(this.#child, signal);
    if (signal !== 'SIGKILL' || this.#isKilled) return;
    this.#isKilled = true;
    setTimeout(() => this.#leave(), killMs).unref();
  }

  /** Sends SIGTERM and, half a second later, SIGKILL for a process that has ignored SIGTERM. */
  end(): void {
    this.kill('SIGTERM');
    setTimeout(() => this.kill('SIGKILL'), termMs).unref();
  }

  /** Kills the process because it did nothing for `patienceMs`, and sets {@link failure}. */
  giveUp(patienceMs: number): void {
    this.failure ??= silent(this.#args, patienceMs);
    this.kill('SIGKILL');
  }

  /** See {@link GitProcess.awaiting}. */
  async awaiting<T>(work: Promise<T>, patienceMs?: number): Promise<T> {
    const timer = new SilenceTimer({
      group: () => this.#child.pid,
      whenUnknown: 'working',
      onSilence: (patienceMs) => this.giveUp(patienceMs),
    });
    timer.restart(patienceMs);
    try {
      return await work;
    } finally {
      timer.stop();
    }
  }

  #leave(): void {
    this.#abandon?.();
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) pipe?.destroy();
    this.#child.unref();
  }
}

function signalGroup(child: Child, signal: NodeJS.Signals): void {
  const { pid } = child;
  if (pid === undefined) return;
  // ESRCH: the process has ended.
  attempt(isOfSystem, () => {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-pid, signal);
  });
}
