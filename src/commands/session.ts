// The commands for sessions: open, get, list, close, delete, and look up the outcome of an operation.
import { isDeepStrictEqual } from 'node:util';
import { checkpointsMin } from '../checkpoints/expendable.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { checkTools, type KnownModel, knownModel, type ToolsByOrigin } from '../conversation/settings.ts';
import { errorCodes } from '../protocol/methods.ts';
import type * as Wire from '../protocol/types.ts';
import { Remotes } from '../remote/remotes.ts';
import { readSummary, type SessionMarker } from '../session/description.ts';
import { SessionDirectory } from '../session/directory.ts';
import { defaultStrategy } from '../session/offered-strategies.ts';
import type { OpenRequest } from '../session/open.ts';
import type { Session, SessionOptions } from '../session/session.ts';
import { ownRepository } from '../session/session-store.ts';
import type { ListedSession, Sessions } from '../session/sessions.ts';
import { checkPatterns } from '../tree/globs.ts';
import {
  answerAfterCommit,
  checkpointAnswer,
  checkpointsState,
  skipped,
} from './answers/checkpoint-answer.ts';
import { pageOf } from './answers/paging.ts';
import { placePath, storageOf } from './answers/paths.ts';
import { restoreAnswer } from './answers/restore-answer.ts';
import { pushAfterTurns } from './background-push.ts';
import { defineCommand, defineDaemonCommand } from './command.ts';
import { inLane } from './execute.ts';
import { keepLimitsLater } from './limits.ts';
import { once } from './once.ts';
import { watcherFigures } from './worktree.ts';

const defaultLimits = { maxFileBytes: 256 * 1024 * 1024, initTimeoutMs: 60_000 };

const actsAsTwo =
  'limits.maxCheckpoints is 1 and acts as 2, because the base and the newest checkpoint always stay.';

/** Opens a session, and applies the client's model, tools and limits. */
export const sessionOpen = defineDaemonCommand('session/open', (call) => {
  const { params, context, client, daemon } = call;
  return once(daemon.openingsOf(client), 'session/open', call, () =>
    daemon.alone(async () => {
      // Reads the settings first, so that the daemon refuses invalid parameters before it opens the session.
      const settings = settingsOf(params);
      checkPatterns(params.include ?? [], 'include');
      checkPatterns(params.exclude ?? [], 'exclude');
      const request = openRequest(params, daemon.storage);
      if (params.remote != null) new Remotes(request.options.storage).get(params.remote);
      const { session, resumed } = await daemon.sessions.open(request, context, client);
      if (session.hasLimits) keepLimitsLater(session);
      if (params.remote != null) pushAfterTurns(session, params.remote, params.push ?? 'manual');
      // If an earlier daemon ran this request, the log of the session may contain the key.
      return once(session.parts.operations, 'session/open', call, async () => {
        if ((params.limits?.maxCheckpoints ?? checkpointsMin) < checkpointsMin) context.warn(actsAsTwo);
        const lost = 'The session is open, but some of its settings could not be stored';
        await afterCommit(context, lost, () => applySettings(session, settings, context));
        return openResult(session, resumed, context);
      });
    }),
  );
});

function openRequest(params: Wire.SessionOpenParams, defaultStorage: string): OpenRequest {
  const storage = storageOf(params, defaultStorage);
  return {
    workTree: placePath(params.workspace, 'workspace'),
    conversationId: params.conversationId,
    retention: params.retention,
    recover: params.recover,
    strategy: params.strategy ?? defaultStrategy,
    init: params.init ?? 'auto',
    allowProtected: params.allowProtected ?? false,
    isDefaultStorage: storage === defaultStorage,
    named: Object.entries(params).flatMap(([name, value]) => (value == null ? [] : [name])),
    options: sessionOptions(params, storage),
  };
}

/** Returns the options for opening a session: the client's options, and default values for all other options. */
export function sessionOptions(
  params: Pick<Wire.SessionOpenParams, 'include' | 'exclude' | 'durability' | 'limits' | 'features'>,
  storage: string,
): SessionOptions {
  return {
    storage,
    include: params.include ?? [],
    exclude: params.exclude ?? [],
    durability: params.durability ?? 'process',
    limits: {
      ...params.limits,
      maxFileBytes: params.limits?.maxFileBytes ?? defaultLimits.maxFileBytes,
      initTimeoutMs: params.limits?.initTimeoutMs ?? defaultLimits.initTimeoutMs,
    },
    features: {
      checkpoints: params.features?.checkpoints ?? true,
      tangent: params.features?.tangent ?? true,
    },
  };
}

/** Reads the settings from a request to open a session. @throws InvalidParams */
function settingsOf({ modelInfo, tools, mcpEnabled, limits }: Wire.SessionOpenParams): Settings {
  const model = modelInfo == null ? undefined : knownModel(modelInfo);
  return {
    model,
    tools: tools == null ? undefined : checkTools(tools),
    mcpEnabled,
    messageChars: limits?.maxMessageCharacters,
  };
}

interface Settings {
  readonly model?: KnownModel | undefined;
  readonly tools?: ToolsByOrigin | undefined;
  readonly mcpEnabled?: boolean | undefined;
  readonly messageChars?: number | undefined;
}

/**
 * Applies only the settings that differ from those of the conversation. Opening a session a hundred times thus logs a
 * setting only once.
 */
async function applySettings(session: Session, wanted: Settings, context: OperationContext): Promise<void> {
  const { conversation } = session.parts;
  const { model, tools, mcpEnabled, messageChars } = wanted;
  for (const warning of model?.warnings ?? []) context.warn(warning);
  if (Object.values(wanted).every((value) => value === undefined)) return;
  await inLane(session, 'session/open', context, () => {
    session.requireRecovered();
    const { settings, state } = conversation;
    if (model !== undefined && !isDeepStrictEqual(state.modelInfo, model.info)) settings.setModel(model.info);
    if (tools !== undefined && !isDeepStrictEqual(state.tools, tools)) settings.setTools(tools);
    if (mcpEnabled !== undefined && state.mcpEnabled !== mcpEnabled) settings.setMcpEnabled(mcpEnabled);
    if (messageChars !== undefined && state.limits.messageChars !== messageChars)
      settings.setLimits({ messageChars });
    session.parts.events.conversationChanged(session, 'session/open', context.client);
  });
}

/** Returns the fields that identify a session in every answer about the session. */
export function sessionFields(
  { session, workTree, conversationId, strategy, retention }: SessionMarker,
  workspace = workTree,
): Pick<Wire.SessionOpenResult, 'session' | 'workspace' | 'conversationId' | 'strategy' | 'retention'> {
  return { session, workspace, conversationId, strategy, retention };
}

async function openResult(
  session: Session,
  resumed: boolean,
  context: OperationContext,
): Promise<Wire.SessionOpenResult> {
  const { marker, workTree } = session.parts;
  const checkpoints = session.enabled;
  const base = checkpoints?.index.base;
  const { recovered } = session;
  session.recovered = undefined;
  return {
    ...sessionFields(marker, workTree.root),
    resumed,
    checkpoints: checkpointsState(session),
    shadowRepoPath: shadowPath(session),
    base: checkpoints && base && (await answerAfterCommit(context, checkpoints, base)),
    skipped: skipped(base?.record.skipped ?? []),
    ...(recovered === undefined ? {} : { recovered: await restoreAnswer(session, recovered, context) }),
  };
}

/** Returns the state of a session, with counters of its parts. */
export const sessionGet = defineCommand('session/get', async ({ session }) => {
  const { marker, workTree, options, queue, conversation, openedAt } = session.parts;
  const checkpoints = session.enabled;
  const head = checkpoints?.index.head;
  const cache = checkpoints?.stats.figures ?? { hits: 0, misses: 0, size: 0, sizeMax: 0 };
  const cacheFigures = { hits: cache.hits, misses: cache.misses, size: cache.size, maxSize: cache.sizeMax };
  const { pendingUserMessage, messageLocked } = conversation.state;
  const { origin } = marker;
  return {
    ...sessionFields(marker, workTree.root),
    durability: options.durability,
    openedAt,
    checkpoints: checkpointsState(session),
    head: checkpoints && head && (await checkpointAnswer(checkpoints, head)),
    manager: {
      shadowRepoPath: shadowPath(session),
      pendingUserMessage,
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
      running: queue.figures.running,
    },
    origin: origin && {
      remote: origin.remote,
      session: origin.session,
      writer: origin.writer,
      head: origin.commit,
    },
    unfinishedRestore: session.hasUnfinishedRestore || undefined,
  };
});

/** Lists the sessions of a storage page by page, both open and closed ones. */
export const sessionList = defineDaemonCommand('session/list', async ({ params, daemon }) => {
  const { sessions } = daemon;
  const storage = storageOf(params, daemon.storage);
  const workspace = params.workspace == null ? undefined : placePath(params.workspace, 'workspace');
  const warnings: string[] = [];
  const listed = await sessions.list(storage, (text) => warnings.push(text));
  const all = listed.filter(({ marker }) => workspace === undefined || marker.workTree === workspace);
  const page = pageOf(all, `sessions ${storage} ${workspace ?? ''}`, params);
  return {
    sessions: await Promise.all(page.items.map((one) => summary(sessions, one, warnings))),
    nextCursor: page.nextCursor,
    warnings: warnings.length === 0 ? undefined : warnings,
  };
});

async function summary(
  sessions: Sessions,
  listed: ListedSession,
  warnings: string[],
): Promise<Wire.SessionSummary> {
  const { marker, open, lastUsedMs, holder } = listed;
  const session = open ? sessions.get(marker.session) : undefined;
  const directory = new SessionDirectory(listed.storage, marker.session);
  const read = session?.enabled === undefined ? readSummary(directory) : undefined;
  if (read === 'damaged')
    warnings.push(
      `session/list cannot count the checkpoints of ${marker.session}: ${directory.summaryFile} is damaged. The next session/open of the session writes a new summary.`,
    );
  const stored = read === 'damaged' ? undefined : read?.checkpoints;
  const checkpoints = session?.enabled?.index.listedSize ?? stored;
  return {
    ...sessionFields(marker),
    open,
    checkpoints,
    holder,
    bytes: await sessions.bytesOf(listed),
    createdAt: marker.created,
    // The clock of the file system is some milliseconds behind the clock of the process, so a heartbeat may seem older
    // than the session.
    lastUsedAt: new Date(Math.max(lastUsedMs ?? 0, Date.parse(marker.created))).toISOString(),
  };
}

/**
 * Closes a session for one client. If no other client has the session open, ends the session. An ended session is
 * removed, unless its retention is `keep` or the removal would lose user data.
 */
export const sessionClose = defineDaemonCommand('session/close', (call) => {
  const { params, client, context, daemon } = call;
  const { sessions } = daemon;
  return once(daemon.openingsOf(client), 'session/close', call, async () => {
    const { id, parts } = sessions.get(params.session);
    if (parts.marker.retention === 'keep') {
      // Closing a session with retention `keep` has only one possible answer. The daemon therefore logs the answer in
      // advance, while the session's log is still open.
      const kept = async (): Promise<Wire.SessionCloseResult> => ({ removed: false, reason: 'retention' });
      const noted = await once(parts.operations, 'session/close', call, kept);
      if (noted.replayed === true) return noted;
    }
    sessions.openedBy(client, id); // the session may have ended while the daemon looked up the key
    // From here on, the session ends even if a step fails. The next daemon removes the remaining files when it
    // starts.
    const lost = 'The session is closed, but some of its data could not be removed';
    const ended = await afterCommit(context, lost, () => sessions.closeFor(client, id));
    if (ended?.fate === 'removed') return { removed: true };
    return { removed: false, reason: ended?.because ?? 'failed' };
  });
});

/** Deletes a session with its checkpoints and its conversation. The session may be closed, or open in this daemon. */
export const sessionDelete = defineDaemonCommand('session/delete', (call) => {
  const { params, client, daemon, context } = call;
  return once(daemon.operations, 'session/delete', call, () =>
    daemon.alone(async () => {
      const storage = storageOf(params, daemon.storage);
      const { bytesFreed } = await daemon.sessions.delete(params.session, context, storage, client);
      return { deleted: true, bytesFreed };
    }),
  );
});

/**
 * Returns the path of the git repository that contains only the session's checkpoints, if there is one. Clients can
 * read this repository with git.
 */
function shadowPath(session: Session): string | undefined {
  return session.enabled === undefined ? undefined : ownRepository(session);
}

/** Returns the outcome of an operation, for a client that lost its connection before the answer. */
export const operationGet = defineCommand('operation/get', ({ session, params }) => {
  const fate = session.parts.operations.find(params.operation ?? params.idempotencyKey ?? '');
  if (fate === undefined) return { state: 'unknown' };
  const { state, operation, method, result, checkpoint, error } = fate;
  return {
    state,
    operation,
    method,
    result,
    checkpoint,
    error: error && { code: errorCodes[error.kind], ...error },
  };
});
