// How the conversation of a session is changed: one change at a time with everything else that the session does, in
// arrival order, after what a failed restore left half-way. What a change is, the conversation knows.
import type { Idempotency } from '../conversation/log/timeline.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import { ensureRecovered } from '../session/restore/recover.ts';
import type { Session } from '../session/session.ts';

/**
 * Runs one change. `change` gets what has to be logged with it, so that the client's key and the effect are one
 * record; listeners are told before this resolves.
 */
export function converse<R>(
  session: Session,
  method: string,
  context: OperationContext,
  change: (keyed: Idempotency | undefined) => R | Promise<R>,
): Promise<R> {
  const { queue, events } = session.parts;
  return queue.run(async () => {
    await ensureRecovered(session, context);
    const result = await change(context.stamp.idempotency);
    events.conversationChanged(session, method);
    return result;
  }, context.signal);
}
