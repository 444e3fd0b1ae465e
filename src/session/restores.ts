// Connects sessions with restores. Builds the restore site of a session, and runs the recovery that precedes every
// change.
import { CheckpointdError } from '../base/errors.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { recoverAnswered } from '../restore/after-power-cut.ts';
import { recover } from '../restore/recover.ts';
import type { RestoreSite } from '../restore/restore-site.ts';
import { recordRestore } from './authorship.ts';
import type { Session } from './session.ts';
import { storageFailure } from './storage.ts';

/**
 * Returns the restore site of the session. A caller must pass `checkpoints` if the session has not enabled checkpoints
 * yet.
 */
export function restoreSite(
  session: Session,
  checkpoints: Checkpoints = session.requireCheckpoints(),
): RestoreSite {
  const { parts } = session;
  return {
    ...parts,
    workTreeIdentity: parts.marker.workTreeIdentity,
    checkpoints,
    openStore: () => session.enabled?.store,
    setUnfinished: (isUnfinished) => {
      session.hasUnfinishedRestore = isUnfinished;
    },
    recordAuthors: (changes, made, ours) => recordRestore(session, changes, made, ours),
    announce: async (target, outcome, { isRecovered, by }) => {
      const facts = { outcome, ms: outcome.ms, isRecovered: isRecovered || undefined };
      if (isRecovered) {
        parts.operations.learn(checkpoints.index.list('every'));
        session.recovered = outcome;
      }
      await parts.events.restored(session, target, facts, by);
      if (isRecovered && outcome.checkpoint?.record.scope !== 'files')
        parts.events.conversationChanged(session, 'checkpoint/restore', by);
    },
  };
}

/**
 * If a restore is unfinished, recovers it. Call this function before every change of a session. `check` may refuse the
 * change before the recovery begins. @throws StoreUnavailable when another program removed the session's directory, so
 * that the change could not be stored
 */
export async function ensureRecovered(
  session: Session,
  context: OperationContext,
  check?: () => unknown,
): Promise<void> {
  const { directory, owner } = session.parts;
  let isThere: boolean;
  try {
    owner.requireOwner();
    isThere = directory.exists();
  } catch (error) {
    throw storageFailure(directory.root, error);
  }
  if (!isThere) {
    const message = `The session's directory ${directory.root} was removed while the session was open. Close the session and open it again.`;
    throw new CheckpointdError('StoreUnavailable', message, { details: { path: directory.root } });
  }
  // Without checkpoints the restore cannot be recovered here. The change then fails because checkpoints are disabled,
  // or the change itself enables them.
  if (!session.hasUnfinishedRestore || session.enabled === undefined) return;
  await check?.();
  const site = restoreSite(session);
  await recover(site, context);
  await recoverAnswered(site, context);
  // The answer to an opening contains the lists of paths of the restore. All other answers contain only the warning.
  session.recovered = undefined;
}
