// conversation/setModel: the model that the client talks to.
import { bytesPerToken, contextBudgetTokens } from '../../conversation/context/context.ts';
import type { ModelInfo } from '../../conversation/model.ts';
import type * as Wire from '../../protocol/types.ts';
import { defineConversationChange, warned, warningsOf } from '../conversation-change.ts';

export const command = defineConversationChange(
  'conversation/setModel',
  ({ conversation, params, keyed, context }) =>
    warned(context, conversation.settings.setModel(params.modelInfo, keyed)),
  ({ modelInfo, warnings }, { session: { parts } }) => ({
    modelInfo: modelInfo as ModelInfo & Wire.ModelInfo,
    maxContextSize: contextBudgetTokens({ ...parts.conversation.state, modelInfo }) * bytesPerToken,
    ...warningsOf({ warnings }),
  }),
);
