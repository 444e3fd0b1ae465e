// conversation/appendTranscript: lines that belong to no exchange.
import { checkLength } from '../../../conversation/entry.ts';
import { asItIs, defineConversationChange } from '../../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/appendTranscript',
  ({ conversation, params, keyed }) =>
    conversation.appendTranscript(params.text, { user: params.user ?? false, idempotency: keyed }),
  asItIs,
  {
    check: ({ conversation: { state }, params }) =>
      checkLength(params.text, state.limits.messageChars, 'text'),
  },
);
