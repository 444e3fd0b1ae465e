// What stands for the beginning: the checkpoint of tag "0", or the oldest that is left where somebody deleted it.
import { CheckpointdError } from '../../base/errors.ts';
import type { StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { CheckpointIndex } from './checkpoint-index.ts';
import { baseTag } from './tag.ts';

export function baseOf(index: CheckpointIndex): StoredCheckpoint | undefined {
  return index.byTag(baseTag) ?? index.oldest;
}

/** @throws UnknownCheckpoint when all were deleted, with the way to a new one. */
export function requireBase(index: CheckpointIndex): StoredCheckpoint {
  const base = baseOf(index);
  if (base !== undefined) return base;
  throw new CheckpointdError(
    'UnknownCheckpoint',
    'This session has no checkpoint any more: all were deleted. Use checkpoint/create to make one, or checkpoint/init to take a new base.',
  );
}
