// checkpoint/expand: a turn with the checkpoints of its tools.
import type * as Wire from '../../protocol/types.ts';
import { viewOf } from '../../session/index/checkpoint-view.ts';
import { checkpointAnswer } from '../answers/checkpoint-answer.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('checkpoint/expand', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const { index } = checkpoints;
  const stored = index.resolve(params.tag);
  const tools: Wire.Checkpoint[] = [];
  if (stored.record.kind === 'turn') {
    for (const tool of index.toolsOf(stored.record.id))
      tools.push(checkpointAnswer(await viewOf(checkpoints, tool)));
  }
  return { checkpoint: checkpointAnswer(await viewOf(checkpoints, stored)), tools };
});
