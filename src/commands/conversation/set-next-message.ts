// conversation/setNextMessage: what the user is about to send.
import { defineConversationChange, warned, warningsOf } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/setNextMessage',
  ({ conversation, params, keyed, context }) => {
    const options = { lock: params.lock ?? false, idempotency: keyed };
    return warned(context, conversation.setNextMessage(params.message, options));
  },
  ({ warnings, ...result }) => ({ ...result, ...warningsOf({ warnings }) }),
);
