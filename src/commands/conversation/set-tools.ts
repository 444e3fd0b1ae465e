// conversation/setTools: the tools that the client offers to its model.
import { asItIs, defineConversationChange } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/setTools',
  ({ conversation, params: { tools, toolManager }, keyed }) => {
    const result = conversation.settings.setTools(tools, keyed);
    if (toolManager != null) conversation.settings.setRuntime({ toolManager });
    return result;
  },
  asItIs,
);
