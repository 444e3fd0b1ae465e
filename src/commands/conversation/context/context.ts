// conversation/context: what goes with every message, and the message built from it where it is wanted.
import { given } from '../../../base/given.ts';
import { buildContextMessage, contextNow } from '../../../session/context/session-context.ts';
import { contextState } from '../../answers/conversation-answer.ts';
import { defineCommand } from '../../command.ts';

export const command = defineCommand('conversation/context', async ({ session, params, context }) => {
  if (params.message !== true) {
    const now = await contextNow(session, context.signal);
    return { context: contextState(now), ...given({ contextMessageLength: now.messageLength }) };
  }
  const hooks = params.hooks?.map(({ output }) => output);
  const agentPrompt = params.agentPrompt ?? undefined;
  const built = await buildContextMessage(session, { hooks, agentPrompt }, context.signal);
  for (const warning of built.warnings) context.warn(warning);
  return {
    context: contextState({ listed: built }),
    ...(built.message === '' ? {} : { message: built.message }),
    contextMessageLength: built.messageLength,
    ...(built.unreadable.length === 0 ? {} : { unreadable: built.unreadable }),
    ...(built.warnings.length === 0 ? {} : { warnings: built.warnings }),
  };
});
