// Converts checkpoints into the protocol's form, and reports whether checkpoints are enabled.

import type { CheckpointView } from '../../checkpoints/checkpoint-view.ts';
import type * as Wire from '../../protocol/types.ts';
import { type DisabledReason, remedies, type Session } from '../../session/session.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import { pathRef } from './paths.ts';

export function checkpointAnswer(view: CheckpointView): Wire.Checkpoint {
  const { skipped: _skipped, ...rest } = view;
  return rest;
}

export function skipped(
  list: readonly { readonly path: TreePath; readonly reason: string }[],
): Wire.SkippedPath[] {
  return list.map(({ path, reason }) => ({ ...pathRef(path), reason }));
}

/**
 * Returns whether checkpoints are enabled. If checkpoints are disabled, also returns the reason and what to do about
 * it.
 */
export function checkpointsState(session: Session): Wire.CheckpointsState {
  const reason = session.disabledReason;
  return reason === undefined ? { enabled: true } : disabledState(reason, session.disabledMessage);
}

export function disabledState(reason: DisabledReason, message = remedies[reason]): Wire.CheckpointsState {
  return { enabled: false, reason, message };
}
