// checkpoint/delete: deletes one checkpoint; every other one stays restorable. Its contents go with the next store/gc.
import { CheckpointdError } from '../../base/errors.ts';
import type * as Wire from '../../protocol/types.ts';
import { type CallOf, defineCommand } from '../command.ts';
import { removeCheckpoints } from '../remove-checkpoints.ts';
import { tangentCheckpoints } from '../tangent-files.ts';

export const command = defineCommand('checkpoint/delete', deleteCheckpoint, {
  check: ({ session, params }) => session.requireCheckpoints().index.resolve(params.tag),
});

async function deleteCheckpoint({
  session,
  params,
  context,
}: CallOf<'checkpoint/delete'>): Promise<Wire.CheckpointDeleteResult> {
  const { index } = session.requireCheckpoints();
  const { record } = index.resolve(params.tag);
  // A restore's own checkpoint is the durable fact that the conversation went back; without it a restart would
  // find the conversation in the future again.
  if (record.kind === 'restore' && index.head?.record.id === record.id) {
    throw new CheckpointdError(
      'PreconditionFailed',
      'The session stands on this restore. Make another checkpoint first, or use checkpoint/clean to remove all.',
      { details: { id: record.id } },
    );
  }
  const { conversation, operations } = session.parts;
  if (tangentCheckpoints(index, conversation).has(record.id)) {
    throw new CheckpointdError(
      'PreconditionFailed',
      'A tangent goes back to the files of this checkpoint. Leave the tangent first.',
      { details: { id: record.id } },
    );
  }
  // The head of the conversation is found from the newest checkpoint; without it, from the log.
  if (index.head?.record.id === record.id) conversation.recordHead();
  operations.intend('checkpoint/delete', context.stamp, { removes: record.id });
  await removeCheckpoints(session, [record.id], context);
  return { deleted: record.id };
}
