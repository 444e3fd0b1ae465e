// conversation/append: one exchange.
import { asItIs, defineConversationChange } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/append',
  ({ conversation, params, keyed }) => conversation.append(params.entry, keyed),
  asItIs,
);
