// The session's side of restores: what a restore works on, and the recovery that comes before every change.
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { given } from '../base/given.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { recoverAnswered } from '../restore/after-power-cut.ts';
import { recover } from '../restore/recover.ts';
import type { RestoreSite } from '../restore/restore-site.ts';
import { noteRestore } from './authorship.ts';
import type { Session } from './session.ts';
import { storageFailure } from './storage.ts';

/** Returns what a restore of the session works on. `checkpoints`: where they are not enabled yet. */
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
    noteAuthors: (before, made, ours) => noteRestore(session, before, made, ours),
    announce: async (target, outcome, { isRecovered, by }) => {
      const facts = { outcome, ms: outcome.ms, ...given({ isRecovered: isRecovered || undefined }) };
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
 * Comes before every change of a session: recovers if a restore failed in this process. `check` refuses the change, where
 * it can be refused before that.
 * @throws StoreUnavailable when the session's directory was removed under it: nothing could be stored.
 */
export async function ensureRecovered(
  session: Session,
  context: OperationContext,
  check?: () => unknown,
): Promise<void> {
  const { directory, owner } = session.parts;
  let isThere: boolean;
  try {
    owner.mustHold();
    isThere = directory.exists();
  } catch (error) {
    throw systemCode(error) === undefined ? error : storageFailure(directory.root, error);
  }
  if (!isThere) {
    const message = `The session's directory ${directory.root} was removed while the session was open. Close the session and open it again.`;
    throw new CheckpointdError('StoreUnavailable', message, { details: { path: directory.root } });
  }
  // Without checkpoints nothing can be recovered: the change asks for them, or enables them.
  if (!session.hasUnfinishedRestore || session.enabled === undefined) return;
  await check?.();
  const site = restoreSite(session);
  await recover(site, context);
  await recoverAnswered(site, context);
  session.recovered = undefined; // only the answer to an opening has the lists; all others have the warning
}
