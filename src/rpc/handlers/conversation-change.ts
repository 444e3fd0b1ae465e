// What all changes of the conversation over the wire have in common: one change in the session's queue, logged together
// with the client's key, told to listeners, answered; and answered again when the key comes again.
import { CheckpointdError } from '../../base/errors.ts';
import { converse } from '../../commands/converse.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { Idempotency } from '../../conversation/log/timeline.ts';
import type * as Wire from '../../protocol/types.ts';
import type { OperationContext } from '../../session/operations/operation-context.ts';
import type { Session } from '../../session/session.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { Handler } from '../dispatch.ts';
import type { conversationReading } from './conversation-reading.ts';
import { mutate } from './operation.ts';

export type ConversationMethods = Extract<Wire.RequestMethod, `conversation/${string}`>;
type ChangingMethod = Exclude<
  ConversationMethods,
  keyof ReturnType<typeof conversationReading> | 'conversation/export'
>;

/** What a change works with. */
interface Change<M extends ChangingMethod> {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly params: Wire.ParamsOf<M>;
  /** To be logged with the effect. */
  readonly keyed: Idempotency | undefined;
  readonly operation: OperationContext;
}

/**
 * The handler of a change. `answer` makes the wire's answer of what the conversation answered, now or, by the key,
 * after a restart; `again` does so where a checkpoint was the effect.
 */
export function changing<M extends ChangingMethod, E extends object>(
  sessions: Sessions,
  method: M,
  change: (on: Change<M>) => E | Promise<E>,
  answer: (effect: E, session: Session) => Wire.ResultOf<M> | Promise<Wire.ResultOf<M>>,
  again?: (checkpoint: string, session: Session) => Promise<Wire.ResultOf<M>>,
): Handler<M> {
  const handler = async (
    params: Wire.ParamsOf<ChangingMethod>,
    context: Parameters<Handler<M>>[1],
  ): Promise<Wire.ResultOf<M>> => {
    const session = sessions.get(params.session);
    const { conversation } = session.parts;
    return mutate(
      session,
      method,
      params,
      context,
      async (operation) => {
        const effect = await converse(session, method, operation, async (keyed) =>
          change({ session, conversation, params, keyed, operation }),
        );
        return answer(effect, session);
      },
      async (checkpoint, effect) =>
        checkpoint !== '' && again !== undefined ? again(checkpoint, session) : answer(effect as E, session),
      { isLoggedWithEffect: true },
    );
  };
  return handler;
}

/** The wire answers what the conversation answers. */
export const asItIs = <E>(effect: E): E => effect;

/** Warnings as an optional field of an answer. */
export function told(warnings: readonly string[]): { warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings };
}

/** Warnings go to the log as well, which the client may listen to. */
export function warned<E extends { readonly warnings: readonly string[] }>(session: Session, effect: E): E {
  for (const warning of effect.warnings) session.parts.log.warn(warning);
  return effect;
}

/** A combination of parameters that their types cannot refuse. */
export function invalid(message: string): CheckpointdError {
  return new CheckpointdError('InvalidParams', message);
}
