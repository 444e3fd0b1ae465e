// Removing checkpoints from a session, one by one or many: what they came after is noted, then they go from the store,
// then from the index. Which ones may go is for the commands (checkpoint/delete, store/gc).
import type { CheckpointId } from '../base/ids.ts';
import { afterCommit } from '../session/operations/after-commit.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import type { Session } from '../session/session.ts';

/** Removes checkpoints; returns how many. */
export async function removeCheckpoints(
  session: Session,
  ids: readonly CheckpointId[],
  context: OperationContext,
): Promise<number> {
  if (ids.length === 0) return 0;
  const { store, index } = session.requireCheckpoints();
  const { removedParents } = session.parts;
  // A full disk must not keep anybody from making room.
  const lost = 'Checkpoints are removed, but what came before them is known only until the session closes';
  await afterCommit(context, lost, () =>
    removedParents.note(ids.flatMap((id) => index.byId(id)?.record ?? [])),
  );
  await store.remove(ids);
  index.remove(ids);
  session.noteSummary();
  return ids.length;
}
