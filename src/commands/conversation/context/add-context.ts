// conversation/addContext: paths and globs whose files go with every message.
import { checkContextTargets } from '../../../session/context/session-context.ts';
import { contextAfterChange } from '../../answers/conversation-answer.ts';
import { defineConversationChange } from '../../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/addContext',
  async ({ session, conversation, params, keyed }) => {
    await checkContextTargets(session, params.paths);
    return conversation.context.add(params.paths, keyed);
  },
  async ({ added }, on) => ({ changed: added, context: await contextAfterChange(on) }),
  {
    check: ({ session, params }) => checkContextTargets(session, params.paths),
  },
);
