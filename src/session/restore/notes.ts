// What is written down about a restore beside the fact itself: where the conversation's head is, and who wrote
// what. Moves nothing.

import { afterCommit, type OperationContext } from '../../checkpoints/operation.ts';
import type { StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import { noteRestore } from '../authorship.ts';
import type { Session } from '../session.ts';

export interface RestoreDone {
  readonly checkpoint: StoredCheckpoint;
  /** Where the session stood before it. */
  readonly before: StoredCheckpoint | undefined;
  /** What the restore wrote or deleted. */
  readonly ours: ReadonlySet<TreePath>;
}

/**
 * Notes the head in the log too (for a session that is opened again where checkpoints are not available), and who
 * wrote what. The checkpoint has decided already, so a log or a store that refuses a note fails nothing.
 */
export async function noteDone(
  session: Session,
  done: RestoreDone,
  context: OperationContext,
): Promise<void> {
  const { conversation } = session.parts;
  const lost = 'The restore is done, but the log of the session could not note it';
  await afterCommit(context, lost, async () => {
    if (done.checkpoint.record.scope !== 'files') conversation.recordHead();
    await noteRestore(session, done.before, done.checkpoint, done.ours);
  });
}
