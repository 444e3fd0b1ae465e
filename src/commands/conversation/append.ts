// conversation/append: one exchange.
import { checkEntry, newEntryId } from '../../conversation/entry.ts';
import { asItIs, defineConversationChange } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/append',
  ({ conversation, params, keyed }) => conversation.append(params.entry, keyed),
  asItIs,
  {
    check: ({ conversation: { state }, params }) =>
      checkEntry(params.entry, newEntryId(), 'entry', state.limits),
  },
);
