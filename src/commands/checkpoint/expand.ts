// checkpoint/expand: a turn with the checkpoints of its tools.
import type * as Wire from '../../protocol/types.ts';
import { viewOf } from '../../session/index/checkpoint-view.ts';
import { partsOf } from '../../session/index/tag.ts';
import { checkpoint } from '../answers/checkpoint-answer.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('checkpoint/expand', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const { index } = checkpoints;
  const stored = index.resolve(params.tag);
  const tag = index.tagOf(stored.record.id);
  const tools: Wire.Checkpoint[] = [];
  if (tag !== undefined && partsOf(tag).tool === undefined) {
    for (const tool of index.toolsOf(partsOf(tag).turn))
      tools.push(checkpoint(await viewOf(checkpoints, tool)));
  }
  return { checkpoint: checkpoint(await viewOf(checkpoints, stored)), tools };
});
