// conversation/setAgents: the agents that the client knows, until the process ends; its key is held as long.
import { keepAgents } from '../../session/context/agent-context.ts';
import { asItIs, defineConversationChange, warned } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/setAgents',
  async ({ session, params: { agents }, context }) => warned(context, await keepAgents(session, agents)),
  asItIs,
);
