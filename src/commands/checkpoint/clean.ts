// checkpoint/clean: removes every checkpoint of the session with its store; the conversation and the work tree stay.
// Checkpoints are disabled until the next checkpoint/init. Where there are none to remove, none are removed.
import { files } from '../../base/files.ts';
import { given } from '../../base/given.ts';
import type * as Wire from '../../protocol/types.ts';
import type { Checkpoints } from '../../session/checkpoints.ts';
import { ownRepository } from '../../session/offered-strategies.ts';
import { afterCommit } from '../../session/operations/after-commit.ts';
import type { Intended } from '../../session/operations/intentions.ts';
import type { OperationContext } from '../../session/operations/operation-context.ts';
import { deleteTrash, renameStoreAway } from '../../session/removal.ts';
import type { Session } from '../../session/session.ts';
import { checkpointsState, disabledState } from '../answers/checkpoint-answer.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand(
  'checkpoint/clean',
  async ({ session, context }) => {
    if (hasNone(session)) {
      return { removed: 0, checkpoints: checkpointsState(session) };
    }
    const checkpoints = session.requireCheckpoints();
    const { store, index } = checkpoints;
    const removed = index.size;
    // The checkpoints that brought the conversation back go; that it went back must stay.
    session.parts.conversation.recordHead();
    const all = index.list('every').map(({ record }) => record.id);
    const intended = index.head && { cleans: index.head.record.id, removed };
    const { operations } = session.parts;
    if (intended) operations.intend('checkpoint/clean', context.stamp, intended);
    await store.remove(all);
    // From here on the next start finds no checkpoint, and may not even look for one.
    if (intended) await noteCleaned(session, context, intended);
    await removeStore(session, checkpoints, context);
    return answer(session, removed);
  },
  { again: ({ effect }, { session }) => answer(session, Number(effect)) },
);

/** Checkpoints are disabled, and none were kept by an earlier run that could not be reached now. */
function hasNone(session: Session): boolean {
  return session.enabled === undefined && !files.existsSync(session.parts.directory.enabledFile);
}

function answer(session: Session, removed: number): Wire.CheckpointCleanResult {
  return { removed, ...given({ path: ownRepository(session) }), checkpoints: disabledState('Cleaned') };
}

/** The checkpoints are gone; what the store still holds goes too, as far as the disk lets it. */
async function removeStore(
  session: Session,
  { store, capture }: Checkpoints,
  context: OperationContext,
): Promise<void> {
  const { directory, log } = session.parts;
  const lost = 'The checkpoints are removed, but not all that the store kept for them';
  session.disable('Cleaned');
  session.noteSummary();
  await afterCommit(context, lost, () => capture.close());
  await afterCommit(context, lost, () => store.destroy());
  await afterCommit(context, lost, () => store.close());
  await afterCommit(context, lost, () => files.rmSync(directory.enabledFile, { force: true }));
  const trash = await afterCommit(context, lost, () => renameStoreAway(directory));
  if (trash === undefined) return;
  // Not awaited: 20,000 loose objects take a second, and the path is free for the next init already.
  deleteTrash(trash).catch((error: unknown) =>
    log.warn(`removed checkpoints could not be deleted whole, the next start goes on: ${String(error)}`),
  );
}

async function noteCleaned({ parts }: Session, context: OperationContext, intended: Intended): Promise<void> {
  await afterCommit(context, "The checkpoints are removed, but the session's log could not note it", () =>
    parts.operations.intend('checkpoint/clean', context.stamp, intended, 'isDone'),
  );
}
