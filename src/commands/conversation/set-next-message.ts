// conversation/setNextMessage: what the user is about to send.
import { nextMessageFrom } from '../../conversation/next-message.ts';
import { defineConversationChange, warned, warningsOf } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/setNextMessage',
  ({ conversation, params, keyed, context }) => {
    const options = { lock: params.lock ?? false, idempotency: keyed };
    return warned(context, conversation.setNextMessage(params.message, options));
  },
  ({ warnings, ...result }) => ({ ...result, ...warningsOf({ warnings }) }),
  {
    check: ({ conversation: { state }, params }) => nextMessageFrom(params.message, state.limits),
  },
);
