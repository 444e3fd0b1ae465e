// conversation/removeContext: paths and globs that no longer go with every message.
import { checkContextPaths } from '../../../conversation/context/context.ts';
import { contextAfterChange } from '../../answers/conversation-answer.ts';
import { defineConversationChange } from '../../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/removeContext',
  ({ conversation, params, keyed }) => conversation.context.remove(params.paths, keyed),
  async ({ removed }, on) => ({ changed: removed, context: await contextAfterChange(on) }),
  {
    check: ({ params }) => checkContextPaths(params.paths),
  },
);
