// A restore's outcome as others see it: with its checkpoint described and the conversation's lengths.

import { type CheckpointView, viewAfterCommit } from '../../checkpoints/checkpoint-view.ts';
import type { OperationContext } from '../../checkpoints/operation.ts';
import { type Lengths, lengthsOf } from '../../conversation/answers.ts';
import type { Session } from '../session.ts';
import type { RestoreOutcome } from './outcome.ts';

export interface RestoreView extends Omit<RestoreOutcome, 'checkpoint' | 'historyLength'> {
  readonly checkpoint?: CheckpointView;
  /** Where the conversation stands after it; absent in a dry run and when the files alone were restored. */
  readonly conversation?: Lengths;
}

/** Describes an outcome, after its commit. */
export async function viewOfRestore(
  session: Session,
  outcome: RestoreOutcome,
  context: OperationContext,
): Promise<RestoreView> {
  const { checkpoint, historyLength: _foreseen, ...rest } = outcome;
  if (checkpoint === undefined) return rest;
  return {
    ...rest,
    checkpoint: await viewAfterCommit(context, session.requireCheckpoints(), checkpoint),
    ...(checkpoint.record.scope === 'files'
      ? {}
      : { conversation: lengthsOf(session.parts.conversation.state) }),
  };
}
