// Finds the two ends of the range that a revert undoes. The range is the work of a turn, a tool or a restore, or any
// part of one line of checkpoints.
import { CheckpointdError } from '../base/errors.ts';
import type { StoredCheckpoint } from '../store/snapshot-store.ts';
import type { CheckpointIndex } from './checkpoint-index.ts';

/** A range on one line. When `to` is absent, the range ends at the current work tree. */
export interface RevertRange {
  readonly from: StoredCheckpoint;
  readonly to?: StoredCheckpoint | undefined;
}

/**
 * The range that a client requests: one checkpoint, the two ends of a range, or only an author. When `to` is absent,
 * the range ends at the current work tree. If only an author is given, the range is the whole line of the head, from
 * its oldest checkpoint to the current work tree.
 */
interface AskedRange {
  readonly author?: string | null | undefined;
  readonly tag?: string | null | undefined;
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
}

/** Finds the range that a client requests. @throws InvalidParams, InvalidTag, UnknownCheckpoint, InvalidRange */
export function revertRange(index: CheckpointIndex, { tag, from, to, author }: AskedRange): RevertRange {
  if (tag == null && from == null) {
    if (author != null && to == null) return wholeLine(index);
    throw new CheckpointdError(
      'InvalidParams',
      'Give "tag", or "from" with or without "to", or "author". With "author" alone, the revert covers all changes of that author in the session.',
    );
  }
  if (tag != null) {
    if (from == null && to == null) return rangeOf(index, index.resolve(tag));
    throw new CheckpointdError(
      'InvalidParams',
      '"tag" cannot be combined with "from" and "to". Give either "tag", or "from" and "to".',
    );
  }
  const range = {
    from: index.resolve(from ?? ''),
    to: to == null ? undefined : index.resolve(to),
  };
  requireOneLine(index, range);
  return range;
}

/** Returns the range from the oldest checkpoint on the head's line to the current work tree. */
function wholeLine(index: CheckpointIndex): RevertRange {
  const oldest = [...index.lineOfHead()].at(-1);
  if (oldest !== undefined) return { from: oldest };
  throw new CheckpointdError('InvalidRange', 'The session has no checkpoint, so there is nothing to revert.');
}

/**
 * Returns the range from a checkpoint to the current work tree. @throws InvalidRange when the checkpoint is not on the
 * head's line
 */
export function rangeSince(index: CheckpointIndex, from: StoredCheckpoint): RevertRange {
  requireOneLine(index, { from });
  return { from };
}

/** Returns the range of one checkpoint: the work of the turn, the tool or the restore that made the checkpoint. */
function rangeOf(index: CheckpointIndex, checkpoint: StoredCheckpoint): RevertRange {
  const { kind, id, safety } = checkpoint.record;
  if (kind === 'turn') return turnRange(index, checkpoint);
  const before = kind === 'restore' && safety !== undefined ? index.byId(safety) : index.predecessor(id);
  if (before !== undefined) return { from: before, to: checkpoint };
  throw new CheckpointdError(
    'InvalidRange',
    'The previous checkpoint was removed, so the daemon does not know which changes to revert. Give "from" and "to".',
    { details: { to: id } },
  );
}

/**
 * Returns the range of a turn. The range ends at the next turn on the same line. Without a next turn, the range ends
 * at the current work tree. If a restore has abandoned the line, the range ends at the line's last checkpoint.
 */
function turnRange(index: CheckpointIndex, turn: StoredCheckpoint): RevertRange {
  const { id } = turn.record;
  if (!index.isDetached(id)) {
    const next = turnAfter(index, id);
    return next === undefined ? { from: turn } : { from: turn, to: next };
  }
  const later = index.list('every').filter(({ record }) => isBefore(index, id, record.id));
  const turns = later.filter(({ record }) => record.kind === 'turn');
  const to = turns[0] ?? later.at(-1);
  if (to !== undefined) return { from: turn, to };
  throw new CheckpointdError(
    'InvalidRange',
    'A restore ended this turn before a checkpoint saved the changes of the turn. There is nothing to revert.',
    { details: { from: id } },
  );
}

/** Returns the first turn that follows a checkpoint on the line of the head. */
function turnAfter(index: CheckpointIndex, id: string): StoredCheckpoint | undefined {
  let nearest: StoredCheckpoint | undefined;
  for (const each of index.lineOfHead()) {
    if (each.record.id === id) return nearest;
    if (each.record.kind === 'turn') nearest = each;
  }
  return undefined;
}

function isBefore(index: CheckpointIndex, earlier: string, later: StoredCheckpoint['record']['id']): boolean {
  for (const { record } of index.ancestorsOf(later)) if (record.id === earlier) return true;
  return false;
}

/** Checks that `from` and `to` are on one line and that `to` comes after `from`. @throws InvalidRange */
function requireOneLine(index: CheckpointIndex, { from, to }: RevertRange): void {
  const [first, last] = [from.record.id, to?.record.id];
  const isOnLine =
    last === undefined ? !index.isDetached(first) : first === last || isBefore(index, first, last);
  if (isOnLine) return;
  const end = last === undefined ? 'The current state' : `Checkpoint "${index.labelOf(last)}"`;
  throw new CheckpointdError(
    'InvalidRange',
    `${end} does not come after checkpoint "${index.labelOf(first)}". The later end of a range must descend from the earlier end. checkpoint/list marks detached checkpoints.`,
    { details: { from: first, to: last } },
  );
}
