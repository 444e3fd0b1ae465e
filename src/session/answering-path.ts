// Whether the system answers at a path that a client names, before the daemon touches it. A mount whose server is gone
// holds every call below it for ever, and a thread of ours that is held keeps the whole process alive; so a child that
// can be left behind goes first. It says nothing of what stands at the path: the caller looks for itself afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { CheckpointdError, type ErrorKind } from '../base/errors.ts';
import { passSeam } from '../base/seam.ts';
import { isOnThisMachine } from '../work-tree/mounts.ts';

/** @throws an error of `kind`, which may go by itself, when nothing answers at the path; AbortError */
export async function mustAnswer(path: string, kind: ErrorKind, signal?: AbortSignal): Promise<void> {
  if (await answers(path, signal)) return;
  throw new CheckpointdError(
    kind,
    `${path} does not answer: reading it took more than five seconds. Is it on a network disk whose server is gone? Name another path, or try again when the server answers.`,
    { details: { path }, retryable: true },
  );
}

/** A longer path is no argument of a process, and the system refuses it at once wherever it may lead. */
const argumentMax = 32_000;

/** Longer than a sleeping disk takes to wake, shorter than a client waits for an answer. */
const patienceMs = 5_000;

/**
 * True when a child could read `path` (or was told what is wrong with it), false when it was not back in time.
 *
 * A path on a disk of this machine needs no child. Without an `ls` (Windows) the answer is true, as if nothing had looked.
 */
async function answers(path: string, signal?: AbortSignal, msMax = patienceMs): Promise<boolean> {
  signal?.throwIfAborted();
  if (process.platform === 'win32' || path.includes('\0') || path.length > argumentMax) return true;
  if (path.startsWith('/') && isOnThisMachine(path)) return true;
  passSeam('probe', path);
  // -f neither sorts nor looks at each file; a directory given by a link is read, anything else is only looked up.
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
      child.kill('SIGKILL'); // it may be held by the system even so, and is not waited for
      child.unref();
      end(false);
    };
    stop.addEventListener('abort', giveUp);
    child.once('exit', () => end(true));
    child.once('error', () => end(true)); // no ls here
  });
}
