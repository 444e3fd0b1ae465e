// conversation/forget: back by messages, as if they had not been said.
import { defineConversationChange, warned, warningsOf } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/forget',
  ({ conversation, params, keyed, context }) => warned(context, conversation.forget(params.messages, keyed)),
  ({ warnings, ...result }) => ({ ...result, ...warningsOf({ warnings }) }),
);
