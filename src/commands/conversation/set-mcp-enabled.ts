// conversation/setMcpEnabled: whether the client's MCP servers are used.
import { asItIs, defineConversationChange } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/setMcpEnabled',
  ({ conversation, params, keyed }) => conversation.settings.setMcpEnabled(params.mcpEnabled, keyed),
  asItIs,
);
