// Before the daemon uses a path from a client, checks that the path is not on a hanging mount. If the server of a mount
// is gone, every system call below the mount blocks for ever. One blocked thread prevents the process from ending. So a
// child process tries the path first, because the daemon can abandon a child. The check does not examine the entry at
// the path; the caller must do this afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { CheckpointdError, type ErrorKind } from '../base/errors.ts';
import { passSeam } from '../base/seam.ts';
import { isOnThisMachine } from '../work-tree/mounts.ts';

/**
 * Checks that the system answers at a path. @throws a retryable error of `kind` when the system does not
 * answer; AbortError
 */
export async function mustAnswer(path: string, kind: ErrorKind, signal?: AbortSignal): Promise<void> {
  if (await answers(path, signal)) return;
  throw new CheckpointdError(
    kind,
    `${path} does not answer: reading it took more than five seconds. Is it on a network disk whose server is gone? Name another path, or try again when the server answers.`,
    { details: { path }, retryable: true },
  );
}

/**
 * The length in characters of the longest path that is tested. A longer path cannot be passed to a child process. Such
 * a path needs no test, because the system refuses it at once.
 */
const argumentMax = 32_000;

/** The time limit for the child. A sleeping disk wakes up in less time, and a client waits longer for an answer. */
const patienceMs = 5_000;

/**
 * True when a child process got an answer, even an error, from reading `path`. False when the child did not end in
 * time.
 *
 * For a path on a local disk, and on a system without `ls` (Windows), returns true without starting a child.
 */
async function answers(path: string, signal?: AbortSignal, msMax = patienceMs): Promise<boolean> {
  signal?.throwIfAborted();
  if (process.platform === 'win32' || path.includes('\0') || path.length > argumentMax) return true;
  if (path.startsWith('/') && isOnThisMachine(path)) return true;
  passSeam('probe', path);
  // With -f, `ls` neither sorts nor stats the files. If the path is a directory, or a link to a directory, `ls` reads
  // this directory. For any other path, `ls` looks only at the entry.
  const child = spawn('ls', ['-f', '--', path], { stdio: 'ignore', cwd: '/' });
  const limit = AbortSignal.timeout(msMax);
  const stop = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const isBack = await endOf(child, stop);
  signal?.throwIfAborted();
  return isBack;
}

function endOf(child: ChildProcess, stop: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isBack: boolean): void => {
      stop.removeEventListener('abort', giveUp);
      resolve(isBack);
    };
    const giveUp = (): void => {
      child.kill('SIGKILL'); // the daemon does not wait for the child's end, because the child may still be blocked
      child.unref();
      end(false);
    };
    stop.addEventListener('abort', giveUp);
    child.once('exit', () => end(true));
    child.once('error', () => end(true)); // the system has no `ls`
  });
}
