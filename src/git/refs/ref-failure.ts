// How a transaction of refs fails: what is known of it, and what helps. It moves nothing.
import { CheckpointdError } from '../../base/errors.ts';

/** Nobody knows whether the changes were done. */
export function untold(cause: unknown): CheckpointdError {
  return new CheckpointdError(
    'StoreUnavailable',
    `The refs of the checkpoint store could not be changed and not be looked at either, so it is not known what was done: ${textOf(cause)} Remove the cause, then open the session again to see what it holds.`,
    { effects: 'unknown', cause },
  );
}

/** Of what was told so, some was done. */
export function doneAfterAll(): CheckpointdError {
  return new CheckpointdError(
    'StoreUnavailable',
    'An earlier change of the checkpoint store was done in part or whole although it was told as failed. Close the session and open it again, to see what it holds.',
  );
}

/** The changes were done, the disk did not keep them, and they could not be taken back. */
export function notTakenBack(errors: readonly unknown[]): CheckpointdError {
  return new CheckpointdError(
    'StoreUnavailable',
    'The disk refused to keep what was changed, and it could not be taken back either. Open the session again to see what it holds.',
    { effects: 'unknown', cause: new AggregateError(errors) },
  );
}

/** Somebody else moved them; nothing was done. */
export function movedByOthers(refs: readonly string[], cause: unknown): CheckpointdError {
  return new CheckpointdError(
    'StoreCorrupt',
    `The ref ${refs[0]} of the checkpoint store was changed by another program. Open the session again.`,
    { details: { refs }, cause },
  );
}

/** Two failures, in the words of the first. */
export function both(error: unknown, second: unknown): AggregateError {
  return new AggregateError([error, second], textOf(error));
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
