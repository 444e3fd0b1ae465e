// What all changes of the conversation have in common: the client's key is logged in the record of the change itself,
// listeners are told once it is done, and the wire's answer is made from what the conversation answered, now or, by the
// key, after a restart.

import type { OperationContext } from '../checkpoints/operation.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Idempotency } from '../conversation/log/timeline.ts';
import type { ParamsOf, ResultOf } from '../protocol/types.ts';
import type { Session } from '../session/session.ts';
import { type CallOf, type Command, type CommandMethod, defineCommand } from './command.ts';

type ConversationMethod = Extract<CommandMethod, `conversation/${string}`>;

/** What a change works with. */
export interface ConversationChange<M extends ConversationMethod> {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly params: ParamsOf<M>;
  /** To be logged with the effect. */
  readonly keyed: Idempotency | undefined;
  readonly context: OperationContext;
}

type AnswerTo<M extends ConversationMethod, E> = (
  effect: E,
  on: { readonly session: Session; readonly context: OperationContext },
) => ResultOf<M> | Promise<ResultOf<M>>;

interface ChangeOptions<M extends ConversationMethod, E> {
  /** Makes the answer again by its key. Default: `answer`, of the effect that was logged. */
  readonly again?: (
    checkpoint: string | undefined,
    effect: E,
    session: Session,
    context: OperationContext,
  ) => ReturnType<AnswerTo<M, E>>;
  /** Refuses parameters that are wrong whatever a recovery does; see `check` of `defineCommand`. */
  readonly check?: (on: ConversationChange<M>) => unknown;
}

/**
 * The command of a change. `change` answers what is logged with the key, `answer` makes the wire's answer of it; it is
 * called after the commit and must not fail.
 */
export function defineConversationChange<M extends ConversationMethod, E extends object>(
  method: M,
  change: (on: ConversationChange<M>) => E | Promise<E>,
  answer: AnswerTo<M, E>,
  { again, check }: ChangeOptions<M, E> = {},
): Command<M> {
  const on = (call: CallOf<M>): ConversationChange<M> => {
    const { session, params, context } = call as unknown as ConversationChange<M>;
    return {
      session,
      conversation: session.parts.conversation,
      params,
      keyed: context.stamp.idempotency,
      context,
    };
  };
  return defineCommand(
    method,
    async (call) => {
      const wanted = on(call);
      const effect = await change(wanted);
      wanted.session.parts.events.conversationChanged(wanted.session, method, call.context.client);
      return answer(effect, wanted);
    },
    {
      isKeptWithEffect: true,
      check: (call) => check?.(on(call)),
      again: ({ checkpoint, effect }, call) => {
        const { session, context } = on(call);
        if (again === undefined) return answer(effect as E, { session, context });
        return again(checkpoint, effect as E, session, context);
      },
    },
  );
}

/** The wire answers what the conversation answers. */
export const asItIs = <E>(effect: E): E => effect;

/** Tells of what had to be assumed or left out. */
export function warned<E extends { readonly warnings: readonly string[] }>(
  context: OperationContext,
  effect: E,
): E {
  for (const warning of effect.warnings) context.warn(warning);
  return effect;
}

/** Warnings that there are none of are absent. */
export function warningsOf({ warnings }: { readonly warnings: readonly string[] }): {
  readonly warnings?: readonly string[];
} {
  return warnings.length === 0 ? {} : { warnings };
}
