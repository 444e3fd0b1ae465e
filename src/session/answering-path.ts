// Paths that a client names are tried in a child before the daemon touches them: what hangs, hangs there.
import { CheckpointdError, type ErrorKind } from '../base/errors.ts';
import { answers } from '../base/path-probe.ts';

/** @throws an error of `kind`, which may go by itself, when nothing answers at the path; AbortError */
export async function mustAnswer(path: string, kind: ErrorKind, signal?: AbortSignal): Promise<void> {
  if (await answers(path, signal)) return;
  throw new CheckpointdError(
    kind,
    `${path} does not answer: reading it took more than five seconds. Is it on a network disk whose server is gone? Give another path, or try again when it is back.`,
    { details: { path }, retryable: true },
  );
}
