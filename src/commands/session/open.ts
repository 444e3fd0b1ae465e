// session/open: opens or resumes a session, and makes what the client says of itself the conversation's.
import { isDeepStrictEqual } from 'node:util';
import { given } from '../../base/given.ts';
import { type KnownModel, knownModel } from '../../conversation/model.ts';
import { checkTools, type ToolsByOrigin } from '../../conversation/tools.ts';
import type * as Wire from '../../protocol/types.ts';
import { baseOf } from '../../session/index/base.ts';
import { viewAfterCommit } from '../../session/index/checkpoint-view.ts';
import { defaultStrategy } from '../../session/offered-strategies.ts';
import type { OpenRequest } from '../../session/open.ts';
import { afterCommit } from '../../session/operations/after-commit.ts';
import type { OperationContext } from '../../session/operations/operation-context.ts';
import type { Session } from '../../session/session.ts';
import { checkPatterns } from '../../tree/globs.ts';
import { checkpointAnswer, checkpointsState, skipped } from '../answers/checkpoint-answer.ts';
import { placePath } from '../answers/paths.ts';
import { restoreAnswer } from '../answers/restore-answer.ts';
import { shadowPath } from '../answers/shadow-path.ts';
import type { OpeningCommand } from '../command.ts';
import { inLane } from '../execute.ts';
import { checkpointsMin } from '../expendable.ts';

const defaultLimits = { maxFileBytes: 256 * 1024 * 1024, initTimeoutMs: 60_000 };

const actsAsTwo = 'limits.maxCheckpoints is 1 and acts as 2: the base and the newest checkpoint always stay.';

export const command: OpeningCommand<'session/open'> = {
  method: 'session/open',
  open: ({ params, context, client, daemon }) => {
    // Refused before anything is opened.
    settingsOf(params);
    checkPatterns(params.include ?? [], 'include');
    checkPatterns(params.exclude ?? [], 'exclude');
    return daemon.sessions.open(openRequest(params, daemon.storage), context, client);
  },
  run: async ({ params, context, session, resumed }) => {
    if ((params.limits?.maxCheckpoints ?? checkpointsMin) < checkpointsMin) context.warn(actsAsTwo);
    const lost = 'The session is open, but not all that the client said of itself could be stored';
    await afterCommit(context, lost, () => applySettings(session, settingsOf(params), context));
    return openResult(session, resumed, context);
  },
};

function openRequest(params: Wire.SessionOpenParams, defaultStorage: string): OpenRequest {
  const storage = params.storageDir == null ? defaultStorage : placePath(params.storageDir, 'storageDir');
  return {
    workTree: placePath(params.workspace, 'workspace'),
    ...given({
      conversationId: params.conversationId,
      retention: params.retention,
      recover: params.recover,
    }),
    strategy: params.strategy ?? defaultStrategy,
    init: params.init ?? 'auto',
    allowProtected: params.allowProtected ?? false,
    isDefaultStorage: storage === defaultStorage,
    named: Object.entries(params).flatMap(([name, value]) => (value == null ? [] : [name])),
    options: {
      storage,
      include: params.include ?? [],
      exclude: params.exclude ?? [],
      durability: params.durability ?? 'process',
      limits: { ...defaultLimits, ...given(params.limits ?? {}) },
      features: { checkpoints: true, tangent: true, ...given(params.features ?? {}) },
    },
  };
}

/** What the client says of itself at open. @throws InvalidParams */
function settingsOf({ modelInfo, tools, mcpEnabled, limits }: Wire.SessionOpenParams): Settings {
  const model = modelInfo == null ? undefined : knownModel(modelInfo);
  return given({
    model,
    tools: tools == null ? undefined : checkTools(tools),
    mcpEnabled,
    messageChars: limits?.maxMessageCharacters,
  });
}

interface Settings {
  readonly model?: KnownModel;
  readonly tools?: ToolsByOrigin;
  readonly mcpEnabled?: boolean;
  readonly messageChars?: number;
}

/** Makes it the conversation's, where it is new: a session that is opened a hundred times logs it once. */
async function applySettings(session: Session, wanted: Settings, context: OperationContext): Promise<void> {
  const { conversation } = session.parts;
  const { model, tools, mcpEnabled, messageChars } = wanted;
  for (const warning of model?.warnings ?? []) context.warn(warning);
  if (Object.keys(wanted).length === 0) return;
  await inLane(session, 'session/open', context, () => {
    const { settings, state } = conversation;
    if (model !== undefined && !isDeepStrictEqual(state.modelInfo, model.info)) settings.setModel(model.info);
    if (tools !== undefined && !isDeepStrictEqual(state.tools, tools)) settings.setTools(tools);
    if (mcpEnabled !== undefined && state.mcpEnabled !== mcpEnabled) settings.setMcpEnabled(mcpEnabled);
    if (messageChars !== undefined && state.limits.messageChars !== messageChars)
      settings.setLimits({ messageChars });
    session.parts.events.conversationChanged(session, 'session/open', context.client);
  });
}

async function openResult(
  session: Session,
  resumed: boolean,
  context: OperationContext,
): Promise<Wire.SessionOpenResult> {
  const { marker, workTree } = session.parts;
  const checkpoints = session.enabled;
  const base = checkpoints && baseOf(checkpoints.index);
  const view =
    checkpoints === undefined || base === undefined
      ? undefined
      : await viewAfterCommit(context, checkpoints, base);
  const { recovered } = session;
  session.setRecovered(undefined);
  return {
    session: session.id,
    workspace: workTree.root,
    conversationId: marker.conversationId,
    strategy: marker.strategy,
    retention: marker.retention,
    resumed,
    checkpoints: checkpointsState(session),
    ...given({ shadowRepoPath: shadowPath(session) }),
    ...given({ base: view && checkpointAnswer(view) }),
    skipped: view === undefined ? [] : skipped(view.skipped),
    ...(recovered === undefined
      ? {}
      : { recovered: await restoreAnswer(session, recovered, false, context) }),
  };
}
