// conversation/recordLines: how many lines a write of the agent changed.
import { given } from '../../base/given.ts';
import { linesNow } from '../../session/context/session-context.ts';
import { toText } from '../../tree/tree-path.ts';
import { treePath } from '../answers/paths.ts';
import { asItIs, defineConversationChange } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/recordLines',
  async ({ session, conversation, params, keyed, context }) => {
    const { linesBefore, linesAfter, oldText, newText } = params;
    const path = treePath(params);
    const after = linesAfter ?? (await linesNow(session, path, context.signal));
    const optional = given({ before: linesBefore, oldText, newText });
    const write = { path: toText(path), operation: params.operation, after, ...optional };
    return conversation.recordLines(write, keyed);
  },
  asItIs,
  {
    check: ({ params }) => treePath(params),
  },
);
