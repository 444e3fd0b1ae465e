// conversation/setValidRange: the part of the history that a model is shown.
import { asItIs, defineConversationChange } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/setValidRange',
  ({ conversation, params: { range }, keyed }) => conversation.setValidRange(range.start, range.end, keyed),
  asItIs,
);
