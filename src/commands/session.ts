// The commands on sessions: open, look at, list, close, delete.
import { isDeepStrictEqual } from 'node:util';
import { given } from '../base/given.ts';
import { baseOf } from '../checkpoints/checkpoint-index.ts';
import { viewAfterCommit, viewOf } from '../checkpoints/checkpoint-view.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { type KnownModel, knownModel } from '../conversation/model.ts';
import { checkTools, type ToolsByOrigin } from '../conversation/tools.ts';
import type * as Wire from '../protocol/types.ts';
import { SessionDirectory } from '../session/directory.ts';
import { defaultStrategy, ownRepository } from '../session/offered-strategies.ts';
import type { OpenRequest } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import type { ListedSession, Sessions } from '../session/sessions.ts';
import { readSummary } from '../session/summary.ts';
import { checkPatterns } from '../tree/globs.ts';
import { checkpointAnswer, checkpointsState, skipped } from './answers/checkpoint-answer.ts';
import { pageOf } from './answers/paging.ts';
import { placePath } from './answers/paths.ts';
import { restoreAnswer } from './answers/restore-answer.ts';
import { defineCommand, type OpeningCommand } from './command.ts';
import { inLane } from './execute.ts';
import { checkpointsMin } from './expendable.ts';
import { watcherFigures } from './worktree.ts';

const defaultLimits = { maxFileBytes: 256 * 1024 * 1024, initTimeoutMs: 60_000 };

const actsAsTwo = 'limits.maxCheckpoints is 1 and acts as 2: the base and the newest checkpoint always stay.';

/** Opens a session, and applies what the client says about its model, tools and limits. */
export const sessionOpen: OpeningCommand<'session/open'> = {
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

/** Returns the state of a session with the figures of its parts. */
export const sessionGet = defineCommand('session/get', async ({ session }) => {
  const { marker, workTree, options, queue, conversation, openedAt } = session.parts;
  const checkpoints = session.enabled;
  const head = checkpoints?.index.head;
  const cache = checkpoints?.stats.figures ?? { hits: 0, misses: 0, size: 0, sizeMax: 0 };
  const cacheFigures = { hits: cache.hits, misses: cache.misses, size: cache.size, maxSize: cache.sizeMax };
  const { pendingUserMessage, messageLocked } = conversation.state;
  return {
    session: session.id,
    workspace: workTree.root,
    conversationId: marker.conversationId,
    strategy: marker.strategy,
    retention: marker.retention,
    durability: options.durability,
    openedAt,
    checkpoints: checkpointsState(session),
    ...(checkpoints === undefined || head === undefined
      ? {}
      : { head: checkpointAnswer(await viewOf(checkpoints, head)) }),
    manager: {
      ...given({ shadowRepoPath: shadowPath(session), pendingUserMessage }),
      workTreePath: workTree.root,
      checkpoints: checkpoints?.index.listedSize ?? 0,
      tagIndex: checkpoints?.index.tagCount ?? 0,
      currentTurn: head?.record.currentTurn ?? 0,
      toolsInTurn: head?.record.toolsInTurn ?? 0,
      messageLocked,
      fileStatsCache: cacheFigures,
    },
    cache: cacheFigures,
    watcher: watcherFigures(session),
    queue: {
      length: queue.figures.waiting,
      capacity: queue.figures.capacity,
      poisoned: queue.figures.poisoned,
      ...given({ running: queue.figures.running }),
    },
    ...given({ unfinishedRestore: session.hasUnfinishedRestore || undefined }),
  };
});

/** Lists the sessions of a storage, open or kept, by pages. */
export const sessionList = defineCommand('session/list', async ({ params, daemon }) => {
  const { sessions } = daemon;
  const storage = params.storageDir == null ? daemon.storage : placePath(params.storageDir, 'storageDir');
  const workspace = params.workspace == null ? undefined : placePath(params.workspace, 'workspace');
  const warnings: string[] = [];
  const listed = await sessions.list(storage, (text) => warnings.push(text));
  const all = listed.filter(({ marker }) => workspace === undefined || marker.workTree === workspace);
  const page = pageOf(all, `sessions ${storage} ${workspace ?? ''}`, params);
  return {
    sessions: await Promise.all(page.items.map((one) => summary(sessions, one))),
    ...given({ nextCursor: page.nextCursor, warnings: warnings.length === 0 ? undefined : warnings }),
  };
});

async function summary(sessions: Sessions, listed: ListedSession): Promise<Wire.SessionSummary> {
  const { marker, open, lastUsedMs, holder } = listed;
  const session = open ? sessions.get(marker.session) : undefined;
  const directory = new SessionDirectory(listed.storage, marker.session);
  const checkpoints = session?.enabled?.index.listedSize ?? readSummary(directory)?.checkpoints;
  return {
    session: marker.session,
    workspace: marker.workTree,
    conversationId: marker.conversationId,
    strategy: marker.strategy,
    retention: marker.retention,
    open,
    ...given({ checkpoints, holder }),
    bytes: await sessions.bytesOf(listed),
    createdAt: marker.created,
    // The file system's clock runs some milliseconds behind ours.
    lastUsedAt: new Date(Math.max(lastUsedMs ?? 0, Date.parse(marker.created))).toISOString(),
  };
}

/**
 * Ends a client's share of a session, and the session when no other client has it open. Files that are not to be kept are removed
 * where that loses nothing.
 */
export const sessionClose = defineCommand(
  'session/close',
  async ({ session, client, daemon: { sessions }, context }) => {
    sessions.openedBy(client, session.id); // it may have been ended while the key was looked up
    // From here on it is given up, whatever becomes of its files: the next start sees to what is left.
    const lost = 'The session is closed, but not all of it could be put away';
    const ended = await afterCommit(context, lost, () => sessions.closeFor(client, session.id));
    if (ended?.fate === 'removed') return { removed: true };
    return { removed: false, reason: ended?.because ?? 'failed' };
  },
  {
    // Closing a kept session can only come out one way.
    endsSession: ({ parts }) =>
      parts.marker.retention === 'session' ? undefined : { removed: false, reason: 'retention' },
  },
);

/** Deletes a session, open here or kept, with its checkpoints and its conversation. */
export const sessionDelete = defineCommand('session/delete', async ({ params, client, daemon, context }) => {
  const storage = params.storageDir == null ? undefined : placePath(params.storageDir, 'storageDir');
  const { bytesFreed } = await daemon.sessions.delete(params.session, context, storage, client);
  return { deleted: true, bytesFreed };
});

/** Returns the git repository of a session whose checkpoints lie in one of its own, for clients that look into it with git. */
export function shadowPath(session: Session): string | undefined {
  return session.enabled === undefined ? undefined : ownRepository(session);
}
