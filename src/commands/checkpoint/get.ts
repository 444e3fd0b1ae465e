// checkpoint/get: one checkpoint with all that is known of it.
import { given } from '../../base/given.ts';
import { viewOf } from '../../session/index/checkpoint-view.ts';
import { checkpointAnswer, skipped } from '../answers/checkpoint-answer.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('checkpoint/get', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const stored = checkpoints.index.resolve(params.tag);
  const { message, restored, safety, inTangent } = stored.record;
  const view = await viewOf(checkpoints, stored);
  return {
    checkpoint: checkpointAnswer(view),
    ...(message === '' ? {} : { message }),
    skipped: skipped(view.skipped),
    ...given({ restored, safety, inTangent }),
  };
});
