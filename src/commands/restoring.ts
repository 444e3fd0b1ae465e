// What checkpoint/restore, undo and redo share: the check of where the session stands, and what is told once the files
// and the conversation have moved.
import { CheckpointdError } from '../base/errors.ts';
import type * as Wire from '../protocol/types.ts';
import type { CheckpointIndex } from '../session/index/checkpoint-index.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import type { EarlierEffect } from '../session/operations/operation-records.ts';
import type { RestoreOutcome } from '../session/restore/outcome.ts';
import type { Session } from '../session/session.ts';
import { restoreAgain, restoreAnswer } from './answers/restore-answer.ts';

/** Refuses when the session does not stand where the caller believes. @throws PreconditionFailed */
export function checkExpectation(index: CheckpointIndex, expected: string | null | undefined): void {
  if (expected == null) return;
  const head = index.head?.record.id;
  if (index.resolve(expected).record.id === head) return;
  throw new CheckpointdError(
    'PreconditionFailed',
    'The session does not stand on the expected checkpoint: something was created or restored meanwhile. Look again, then repeat.',
    { details: { expected, head: head ?? null } },
  );
}

/** The answer of a restore, after telling listeners when the conversation moved too. */
export async function restored(
  session: Session,
  method: 'checkpoint/restore' | 'checkpoint/undo' | 'checkpoint/redo',
  outcome: RestoreOutcome,
  dryRun: boolean,
  context: OperationContext,
): Promise<Wire.RestoreResult> {
  const scope = outcome.checkpoint?.record.scope;
  if (scope !== undefined && scope !== 'files')
    session.parts.events.conversationChanged(session, method, context.client);
  return restoreAnswer(session, outcome, dryRun, context);
}

/** The answer again, for a key whose first answer was lost with the process. */
export function restoredBefore(
  { checkpoint = '' }: EarlierEffect,
  { session, context }: { readonly session: Session; readonly context: OperationContext },
): Promise<Wire.RestoreResult> {
  return restoreAgain(session, checkpoint, context);
}
