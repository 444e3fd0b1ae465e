// Removing checkpoints from a session, one by one or many: what they came after is noted, then they go from the store,
// then from the index. Which ones may go is for its callers (manage.ts, collect.ts).
import { CheckpointdError } from '../base/errors.ts';
import type { CheckpointId } from '../base/ids.ts';
import type { Session } from '../session/session.ts';

/** Removes checkpoints; returns how many. */
export async function letGo(session: Session, ids: readonly CheckpointId[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { store, index } = session.requireCheckpoints();
  const { descent, log } = session.parts;
  try {
    descent.note(ids.flatMap((id) => index.byId(id)?.record ?? []));
  } catch (error) {
    if (!(error instanceof CheckpointdError)) throw error;
    // A full disk must not keep anybody from making room.
    log.warn(
      `Checkpoints are removed, but what came before them is known only until the session closes: ${error.message}`,
    );
  }
  await store.remove(ids);
  index.remove(ids);
  return ids.length;
}
