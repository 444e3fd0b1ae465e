// checkpoint/rename: gives a checkpoint a name that is unique in the session, or takes it away.
import { CheckpointdError } from '../../base/errors.ts';
import { given } from '../../base/given.ts';
import type * as Wire from '../../protocol/types.ts';
import type { CheckpointIndex } from '../../session/index/checkpoint-index.ts';
import { viewAfterCommit } from '../../session/index/checkpoint-view.ts';
import { parseName } from '../../session/index/name.ts';
import type { OperationContext } from '../../session/operations/operation-context.ts';
import type { Session } from '../../session/session.ts';
import type { CheckpointRecord } from '../../store/snapshot-store.ts';
import { checkpointAnswer } from '../answers/checkpoint-answer.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand(
  'checkpoint/rename',
  async ({ session, params, context }) => {
    const { index, store } = session.requireCheckpoints();
    const { record, name } = checked(index, params);
    const intended = { renames: record.id, ...given({ name }) };
    session.parts.operations.intend('checkpoint/rename', context.stamp, intended);
    await store.rename(record.id, name);
    index.rename(record.id, name);
    return answer(session, record.id, context);
  },
  {
    check: ({ session, params }) => checked(session.requireCheckpoints().index, params),
    again: ({ checkpoint: id = '' }, { session, context }) => answer(session, id, context),
  },
);

/** The checkpoint that is meant, and its new name. @throws UnknownCheckpoint, InvalidTag, InvalidName, DuplicateName */
function checked(
  index: CheckpointIndex,
  params: Wire.CheckpointRenameParams,
): { readonly record: CheckpointRecord; readonly name: string | undefined } {
  const { record } = index.resolve(params.tag);
  const name = params.name ?? undefined;
  if (name !== undefined) parseName(name);
  const bearer = name === undefined ? undefined : index.byName(name);
  if (bearer === undefined || bearer.record.id === record.id) return { record, name };
  throw new CheckpointdError(
    'DuplicateName',
    `There is a checkpoint named "${name}" already. Choose another name.`,
    { details: { name } },
  );
}

async function answer(
  session: Session,
  id: string,
  context: OperationContext,
): Promise<Wire.CheckpointRenameResult> {
  const checkpoints = session.requireCheckpoints();
  const stored = checkpoints.index.resolve(id);
  return { checkpoint: checkpointAnswer(await viewAfterCommit(context, checkpoints, stored)) };
}
