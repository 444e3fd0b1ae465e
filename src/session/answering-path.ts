// Checks that the system answers at a path that a client names, before the daemon uses the path. A mount whose server
// is gone blocks every system call below it for ever, and one blocked thread keeps the whole process alive. So a
// child process, which can be abandoned, tries the path first. The check says nothing about the entry at the path:
// the caller looks for itself afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { CheckpointdError, type ErrorKind } from '../base/errors.ts';
import { passSeam } from '../base/seam.ts';
import { isOnThisMachine } from '../work-tree/mounts.ts';

/** Checks that the system answers at a path. @throws a retryable error of `kind` when it does not; AbortError */
export async function mustAnswer(path: string, kind: ErrorKind, signal?: AbortSignal): Promise<void> {
  if (await answers(path, signal)) return;
  throw new CheckpointdError(
    kind,
    `${path} does not answer: reading it took more than five seconds. Is it on a network disk whose server is gone? Name another path, or try again when the server answers.`,
    { details: { path }, retryable: true },
  );
}

/** A longer path cannot be an argument of a process, and the system refuses it at once wherever it leads. */
const argumentMax = 32_000;

/** Longer than a sleeping disk takes to wake up, and shorter than a client waits for an answer. */
const patienceMs = 5_000;

/**
 * True when a child process could read `path` (or got an error for it). False when the child did not return in time.
 *
 * A path on a local disk needs no child. Without an `ls` (Windows) the answer is true.
 */
async function answers(path: string, signal?: AbortSignal, msMax = patienceMs): Promise<boolean> {
  signal?.throwIfAborted();
  if (process.platform === 'win32' || path.includes('\0') || path.length > argumentMax) return true;
  if (path.startsWith('/') && isOnThisMachine(path)) return true;
  passSeam('probe', path);
  // -f neither sorts nor stats the files. With a link to a directory `ls` reads the directory, else only the entry
  // itself.
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
      child.kill('SIGKILL'); // The system may still block it, so no code waits for its end.
      child.unref();
      end(false);
    };
    stop.addEventListener('abort', giveUp);
    child.once('exit', () => end(true));
    child.once('error', () => end(true)); // this system has no ls
  });
}
