// checkpoint/stats: how many files a checkpoint changed, or two of them differ in.
import { CheckpointdError } from '../../base/errors.ts';
import { viewOf } from '../../session/index/checkpoint-view.ts';
import { statsBetween } from '../../session/index/stats.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('checkpoint/stats', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const { index } = checkpoints;
  if (params.tag != null && (params.from != null || params.to != null))
    throw new CheckpointdError('InvalidParams', 'tag excludes from and to: give one or the other.');
  if (params.tag != null) return (await viewOf(checkpoints, index.resolve(params.tag))).stats;
  if (params.from != null && params.to != null) {
    const [from, to] = [index.resolve(params.from), index.resolve(params.to)];
    return statsBetween(checkpoints, from, to);
  }
  throw new CheckpointdError('InvalidParams', 'Give either tag, or both from and to.');
});
