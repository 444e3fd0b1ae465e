// The smaller changes to a session's checkpoints: a name, a deletion, the removal of all of them by hand. None of
// them touches the work tree or the conversation.
import { CheckpointdError } from '../base/errors.ts';
import type { CheckpointId } from '../base/ids.ts';
import { parseName } from '../session/index/name.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import { ensureRecovered } from '../session/restore/recover.ts';
import type { Session } from '../session/session.ts';
import type { StoredCheckpoint } from '../store/snapshot-store.ts';
import { letGo } from './remove-checkpoints.ts';
import { tangentCheckpoints } from './tangent-files.ts';

/** Gives a checkpoint a name that is unique in the session, or takes it away with `undefined`. */
export function rename(
  session: Session,
  target: string,
  name: string | undefined,
  context: OperationContext,
): Promise<StoredCheckpoint> {
  session.requireCheckpoints().index.resolve(target);
  if (name !== undefined) parseName(name);
  return session.parts.queue.run(async () => {
    const { index, store } = session.requireCheckpoints();
    const { record } = index.resolve(target);
    const bearer = name === undefined ? undefined : index.byName(name);
    if (bearer !== undefined && bearer.record.id !== record.id) {
      throw new CheckpointdError(
        'DuplicateName',
        `There is a checkpoint named "${name}" already. Choose another name.`,
        { details: { name } },
      );
    }
    session.parts.operations.intend('checkpoint/rename', context.stamp, {
      renames: record.id,
      ...(name === undefined ? {} : { name }),
    });
    await store.rename(record.id, name);
    index.rename(record.id, name);
    return index.resolve(record.id);
  }, context.signal);
}

/** Deletes one checkpoint; every other one stays restorable. Its contents go with the next store/gc. */
export function remove(session: Session, target: string, context: OperationContext): Promise<CheckpointId> {
  session.requireCheckpoints().index.resolve(target);
  return session.parts.queue.run(async () => {
    await ensureRecovered(session, context);
    const { index } = session.requireCheckpoints();
    const { record } = index.resolve(target);
    // A restore's own checkpoint is the durable fact that the conversation went back; without it a restart would
    // find the conversation in the future again.
    if (record.kind === 'restore' && index.head?.record.id === record.id) {
      throw new CheckpointdError(
        'PreconditionFailed',
        'The session stands on this restore. Make another checkpoint first, or use checkpoint/clean to remove all.',
        {
          details: { id: record.id },
        },
      );
    }
    if (tangentCheckpoints(index, session.parts.conversation).has(record.id)) {
      throw new CheckpointdError(
        'PreconditionFailed',
        'A tangent goes back to the files of this checkpoint. Leave the tangent first.',
        { details: { id: record.id } },
      );
    }
    // The head of the conversation is found from the newest checkpoint; without it, from the log.
    if (index.head?.record.id === record.id) session.parts.conversation.settle();
    session.parts.operations.intend('checkpoint/delete', context.stamp, { removes: record.id });
    await letGo(session, [record.id]);
    return record.id;
  }, context.signal);
}
