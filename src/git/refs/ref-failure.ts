// How a transaction of refs fails: what is known of it, and what helps. It moves nothing.
import { CheckpointdError } from '../../base/errors.ts';
import type { RefChange } from './ref-transaction.ts';

/** Nobody knows whether the changes were done, or they were and the disk does not keep them. */
export function untold(cause: unknown): CheckpointdError {
  return new CheckpointdError(
    'StoreUnavailable',
    `The refs of the checkpoint store could not be changed, and what may have been done could not be taken back yet: ${textOf(cause)} Remove the cause: the next change of this session takes it back first.`,
    { effects: 'unknown', cause },
  );
}

/** Somebody else moved them; nothing was done. */
export function movedByOthers(changes: readonly RefChange[], cause: unknown): CheckpointdError {
  const refs = changes.map(({ ref }) => ref);
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
