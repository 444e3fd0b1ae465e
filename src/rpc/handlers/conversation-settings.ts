// conversation/* that change what the client set up (context, tools, agents, model) and that carry the whole as a
// document.
import {
  documentOf,
  exportToFile,
  readDocumentFile,
  sizeOfDocument,
} from '../../commands/conversation-file.ts';
import { bytesPerToken, contextBudgetTokens } from '../../conversation/context/context.ts';
import type { ModelInfo } from '../../conversation/model.ts';
import type * as Wire from '../../protocol/types.ts';
import { keepAgents } from '../../session/context/agent-context.ts';
import { checkContextTargets, contextNow } from '../../session/context/session-context.ts';
import type { Sessions } from '../../session/sessions.ts';
import { contextState } from '../conversation-view.ts';
import type { Handlers } from '../dispatch.ts';
import { asItIs, changing, invalid, told, warned } from './conversation-change.ts';
import { readContext } from './operation.ts';

type SettingsMethods =
  | 'conversation/addContext'
  | 'conversation/removeContext'
  | 'conversation/setTools'
  | 'conversation/setAgents'
  | 'conversation/setModel'
  | 'conversation/setMcpEnabled';

/** What the client set up. */
export function settingsHandlers(sessions: Sessions): Pick<Handlers, SettingsMethods> {
  return {
    'conversation/addContext': changing(
      sessions,
      'conversation/addContext',
      async ({ session, conversation, params, keyed }) => {
        await checkContextTargets(session, params.paths);
        return conversation.context.add(params.paths, keyed);
      },
      async ({ added }, session) => ({ changed: added, context: contextState(await contextNow(session)) }),
    ),
    'conversation/removeContext': changing(
      sessions,
      'conversation/removeContext',
      ({ conversation, params, keyed }) => conversation.context.remove(params.paths, keyed),
      async ({ removed }, session) => ({
        changed: removed,
        context: contextState(await contextNow(session)),
      }),
    ),
    'conversation/setTools': changing(
      sessions,
      'conversation/setTools',
      ({ conversation, params: { tools, toolManager }, keyed }) => {
        const result = conversation.settings.setTools(tools, keyed);
        if (toolManager != null) conversation.settings.setRuntime({ toolManager });
        return result;
      },
      asItIs,
    ),
    // Held until the process ends, so its key is as well: a repeat after a restart has to do it again (C10).
    'conversation/setAgents': changing(
      sessions,
      'conversation/setAgents',
      async ({ session, params: { agents } }) => warned(session, await keepAgents(session, agents)),
      asItIs,
    ),
    'conversation/setModel': changing(
      sessions,
      'conversation/setModel',
      ({ session, conversation, params, keyed }) =>
        warned(session, conversation.settings.setModel(params.modelInfo, keyed)),
      ({ modelInfo, warnings }, { parts: { conversation } }) => ({
        modelInfo: modelInfo as ModelInfo & Wire.ModelInfo,
        maxContextSize: contextBudgetTokens({ ...conversation.state, modelInfo }) * bytesPerToken,
        ...told(warnings),
      }),
    ),
    'conversation/setMcpEnabled': changing(
      sessions,
      'conversation/setMcpEnabled',
      ({ conversation, params, keyed }) => conversation.settings.setMcpEnabled(params.mcpEnabled, keyed),
      asItIs,
    ),
  };
}

/** The conversation as a document. */
export function documentHandlers(
  sessions: Sessions,
): Pick<Handlers, 'conversation/export' | 'conversation/import'> {
  return {
    'conversation/export': async (params, context) => {
      const session = sessions.get(params.session);
      const operation = readContext(context);
      if (params.path != null) {
        const request = { path: params.path, overwrite: params.overwrite ?? false };
        return exportToFile(session, request, sessions.all, operation);
      }
      return session.parts.queue.run(async () => {
        const document = await documentOf(session);
        return { document: document as unknown as Wire.JsonObject, bytes: await sizeOfDocument(document) };
      }, operation.signal);
    },
    'conversation/import': changing(
      sessions,
      'conversation/import',
      async ({ session, conversation, params: { document, path }, keyed, operation }) => {
        if ((document == null) === (path == null)) throw invalid('Give either document or path.');
        const source = path == null ? document : await readDocumentFile(session, path);
        const imported = await conversation.import(source, {
          signal: operation.signal,
          idempotency: keyed,
        });
        return warned(session, imported);
      },
      asItIs,
    ),
  };
}
