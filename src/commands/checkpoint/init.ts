// checkpoint/init: enables checkpoints by hand where they were not enabled by themselves, outside a repository too.
import { checkGit } from '../../git/process/version.ts';
import type * as Wire from '../../protocol/types.ts';
import { createBase, enableCheckpoints } from '../../session/enable.ts';
import { requireBase } from '../../session/index/base.ts';
import { viewAfterCommit } from '../../session/index/checkpoint-view.ts';
import type { OperationContext } from '../../session/operations/operation-context.ts';
import type { Session } from '../../session/session.ts';
import { setStoreAside } from '../../session/session-store.ts';
import { checkpointAnswer, checkpointsState, skipped } from '../answers/checkpoint-answer.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand(
  'checkpoint/init',
  async ({ session, context }) => {
    const { clock, operations } = session.parts;
    const started = clock.monotonic();
    const already = session.enabled;
    if (session.disabledReason === 'FeatureOff') session.requireCheckpoints();
    if (already === undefined) {
      await checkGit(); // asked for by hand, a git that is missing is a failure and no reason to stay disabled
      operations.intend('checkpoint/init', context.stamp, { enables: true });
      await enableOrBeginAnew(session, context);
      session.setRecovered(undefined); // the answer has the warning instead
    } else {
      await already.store.sizes([]); // asks for nothing: a store that is gone says so
      if (already.index.head === undefined) await createBase(session, already, context); // all were deleted
    }
    session.noteSummary();
    return answer(session, already === undefined, Math.round(clock.monotonic() - started), context);
  },
  { recoversItself: true, again: (_remains, { session, context }) => answer(session, true, 0, context) },
);

/** A store that was told damaged before, and is so still, is set aside: that is what was asked for. */
async function enableOrBeginAnew(session: Session, context: OperationContext): Promise<void> {
  const wasTold = session.disabledReason === 'StoreCorrupt';
  await enableCheckpoints(session, 'force', context);
  if (!wasTold || session.disabledReason !== 'StoreCorrupt') return;
  await setStoreAside(session);
  await enableCheckpoints(session, 'force', context);
}

async function answer(
  session: Session,
  initialized: boolean,
  ms: number,
  context: OperationContext,
): Promise<Wire.CheckpointInitResult> {
  const checkpoints = session.requireCheckpoints();
  const base = await viewAfterCommit(context, checkpoints, requireBase(checkpoints.index));
  return {
    initialized,
    checkpoints: checkpointsState(session),
    base: checkpointAnswer(base),
    skipped: skipped(base.skipped),
    ms,
  };
}
