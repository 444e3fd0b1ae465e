// conversation/exitTangent: back to the main conversation, and to its files where the tangent carried them.
import { lengthsOf } from '../../../conversation/answers.ts';
import { restoreAgain, restoreAnswer } from '../../answers/restore-answer.ts';
import { defineConversationChange } from '../../conversation-change.ts';
import { exitTangentWithFiles } from '../../tangent-files.ts';

export const command = defineConversationChange(
  'conversation/exitTangent',
  async ({ session, params, keyed, context }) => {
    const { exit, restore } = await exitTangentWithFiles(session, params.keepTail ?? false, context, keyed);
    return restore === undefined
      ? exit
      : { ...exit, restore: await restoreAnswer(session, restore, false, context) };
  },
  ({ filesCheckpoint: _named, ...result }) => result,
  {
    again: async (checkpoint, effect, session, context) => {
      if (checkpoint === undefined) {
        const { filesCheckpoint: _named, ...result } = effect;
        return result;
      }
      const restore = await restoreAgain(session, checkpoint, context);
      return {
        exited: true,
        restore,
        ...(restore.conversation ?? lengthsOf(session.parts.conversation.state)),
      };
    },
  },
);
