// checkpoint/list: the checkpoints by pages.
import { given } from '../../base/given.ts';
import type * as Wire from '../../protocol/types.ts';
import { viewOf } from '../../session/index/checkpoint-view.ts';
import { snapshotSize } from '../../session/index/snapshot-size.ts';
import { checkpointAnswer } from '../answers/checkpoint-answer.ts';
import { pageOf } from '../answers/paging.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('checkpoint/list', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const { index } = checkpoints;
  const kind = params.kind ?? 'all';
  const page = pageOf(index.listing(kind), `${session.id} ${index.generation} ${kind}`, params);
  const views: Wire.Checkpoint[] = [];
  for (const stored of page.items) {
    const view = checkpointAnswer(await viewOf(checkpoints, stored));
    const { snapshot } = stored.record;
    const size = params.withSizes === true ? await snapshotSize(checkpoints.store, snapshot) : undefined;
    views.push({ ...view, ...size });
  }
  return { checkpoints: views, ...given({ nextCursor: page.nextCursor }) };
});
