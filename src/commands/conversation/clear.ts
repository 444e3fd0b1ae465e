// conversation/clear: an empty conversation; settings and an open tangent stay.
import { asItIs, defineConversationChange } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/clear',
  ({ conversation, keyed }) => conversation.clear(keyed),
  asItIs,
);
