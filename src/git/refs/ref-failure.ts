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

/** Says what helps where git may not write the refs in `directory`; all else is thrown as it is. */
export function throwRefused(error: unknown, directory: string): never {
  if (!(error instanceof CheckpointdError) || error.kind !== 'GitFailed') throw error;
  if (!/Permission denied|Read-only file system|unable to create directory/.test(error.message)) throw error;
  throw new CheckpointdError(
    'ReadOnlyStore',
    `The refs in ${directory} cannot be written: ${error.message} Make "refs" and "packed-refs" there yours again (sudo chown -R "$USER"), or use the strategy "shadow". Nothing was changed.`,
    { details: { path: directory }, cause: error },
  );
}

/** Two failures, in the words of the first. */
export function both(error: unknown, second: unknown): AggregateError {
  return new AggregateError([error, second], textOf(error));
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
