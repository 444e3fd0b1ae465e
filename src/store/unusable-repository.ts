// The error for a repository that contains the checkpoints, but that git cannot use in its current state. Usually this
// repository belongs to the user. No checkpoint is lost. Only the user can repair the repository, so the session opens
// without checkpoints.
import { CheckpointdError, isKind } from '../base/errors.ts';
import { UnreadableRefs } from '../git/refs/readable-refs.ts';

export class UnusableRepository extends CheckpointdError {
  /**
   * `what` is a sentence about the problem, to which the constructor appends the remedy. `path` is the path that the
   * user should check.
   */
  constructor(what: string, path: string, cause?: unknown) {
    super(
      'StoreUnavailable',
      `${what} Nothing was changed. Repair the repository, then open the session again or use checkpoint/init.`,
      { details: { path }, cause },
    );
  }
}

/** Returns the error for settings that git cannot parse. Such settings are no defect of checkpointd. */
export function unreadableSettings(config: string, error: unknown): unknown {
  if (!isKind('GitFailed')(error)) return error;
  const [, line] = /bad config line (\d+)/.exec(error.message) ?? [];
  if (line === undefined) return error;
  const what = `Git cannot read line ${line} of ${config}, the settings of the repository that holds the checkpoints. Correct that line.`;
  return new UnusableRepository(what, config, error);
}

/** If a repository has one of these properties, strategy local cannot use the repository. */
export const foreignText = {
  sha256: 'has the object format SHA-256',
  reftable: 'stores its refs in the format reftable',
} as const;

/**
 * Returns the error for a repository that was converted or replaced. The checkpoints are still in this repository, or
 * in an earlier repository at the same path.
 */
export function convertedRepository(
  path: string,
  foreign: keyof typeof foreignText,
  checkpoints: number,
): UnusableRepository {
  const remedy = {
    sha256: 'Put back the repository that held the checkpoints',
    reftable:
      'Convert it back ("git refs migrate --ref-format=files"), or put back the repository that held the checkpoints',
  }[foreign];
  const what = `The repository ${path} now ${foreignText[foreign]}, which the strategy local does not support. This session had ${checkpoints} checkpoints at this path. ${remedy}, or start another session with the strategy shadow.`;
  return new UnusableRepository(what, path);
}

/** Explains why git cannot list the refs when a store is opened. */
export function openedRefs(opening: Promise<void>): Promise<void> {
  return opening.catch((error: unknown) => {
    throw error instanceof UnreadableRefs ? new UnusableRepository(error.what, error.path, error) : error;
  });
}
