// session/*: opening, closing, deleting, listing, looking at.
import { isDeepStrictEqual } from 'node:util';
import { converse } from '../../commands/converse.ts';
import { type KnownModel, knownModel } from '../../conversation/model.ts';
import { checkTools, type ToolsByOrigin } from '../../conversation/tools.ts';
import type * as Wire from '../../protocol/types.ts';
import { viewOf } from '../../session/index/checkpoint-view.ts';
import { baseTag } from '../../session/index/tag.ts';
import { defaultStrategy, ownRepository } from '../../session/offered-strategies.ts';
import type { OpenRequest } from '../../session/open.ts';
import { type OperationContext } from '../../session/operations/operation-context.ts';
import { OperationRecords } from '../../session/operations/operation-records.ts';
import { viewOfRestore } from '../../session/restore/view.ts';
import type { Session } from '../../session/session.ts';
import type { ListedSession, Sessions } from '../../session/sessions.ts';
import type { Handlers } from '../dispatch.ts';
import { given, placePath } from '../from-protocol.ts';
import { pageOf } from '../paging.ts';
import { checkpoint, checkpointsState, restoreResult, skipped } from '../to-protocol.ts';
import { readContext } from './operation.ts';

type SessionMethods = 'session/open' | 'session/close' | 'session/delete' | 'session/list' | 'session/get';

export interface SessionDefaults {
  readonly storage: string;
}

const defaultLimits = { maxFileBytes: 256 * 1024 * 1024, initTimeoutMs: 60_000 };

export function sessionHandlers(
  sessions: Sessions,
  defaults: SessionDefaults,
): Pick<Handlers, SessionMethods> {
  // Sessions that are gone cannot remember how they went, nor those that are not open yet that they are being opened.
  const lives = new OperationRecords();
  return {
    'session/open': (params, context) =>
      once(lives, 'session/open', params, async () => {
        const settings = settingsOf(params); // refused before anything is opened
        const { session, resumed } = await sessions.open(openRequest(params, defaults), readContext(context));
        // A kept session may know the key from an earlier daemon; it is open again now, as that answer said.
        return once(session.parts.operations, 'session/open', params, async () => {
          await applySettings(session, settings, readContext(context));
          return openResult(session, resumed);
        });
      }),
    'session/close': (params) =>
      once(lives, 'session/close', params, async () => {
        const { operations, marker } = sessions.get(params.session).parts;
        const close = async (): Promise<Wire.SessionCloseResult> => {
          const { fate } = await sessions.close(params.session);
          return { removed: fate === 'removed' };
        };
        if (marker.retention === 'session') return close();
        // Noted while the log is still open: closing a kept session can only come out one way.
        const noted = await once(operations, 'session/close', params, async () => ({ removed: false }));
        return noted.replayed === true ? noted : close();
      }),
    'session/delete': (params) =>
      once(lives, 'session/delete', params, async () => {
        const storage = params.storageDir == null ? undefined : placePath(params.storageDir, 'storageDir');
        const { bytesFreed } = await sessions.delete(params.session, storage);
        return { deleted: true, bytesFreed };
      }),
    'session/list': async (params) => {
      const storage =
        params.storageDir == null ? defaults.storage : placePath(params.storageDir, 'storageDir');
      const workspace = params.workspace == null ? undefined : placePath(params.workspace, 'workspace');
      const listed = await sessions.list(storage);
      const all = listed.filter(({ marker }) => workspace === undefined || marker.workTree === workspace);
      const page = pageOf(all, `sessions ${storage} ${workspace ?? ''}`, params);
      return {
        sessions: await Promise.all(page.items.map((listed) => summary(sessions, listed))),
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      };
    },
    'session/get': async (params) => describe(sessions.get(params.session)),
  };
}

/** Runs an opening or an end of a session once per key. */
async function once<R extends object>(
  records: OperationRecords,
  method: string,
  params: { readonly idempotencyKey?: string | null },
  work: () => Promise<R>,
): Promise<R & { readonly replayed?: boolean }> {
  if (params.idempotencyKey == null) return work();
  return records.run({ method, params, key: params.idempotencyKey }, work, work);
}

function openRequest(params: Wire.SessionOpenParams, defaults: SessionDefaults): OpenRequest {
  const storage = params.storageDir == null ? defaults.storage : placePath(params.storageDir, 'storageDir');
  return {
    workTree: placePath(params.workspace, 'workspace'),
    ...given({ conversationId: params.conversationId, retention: params.retention }),
    strategy: params.strategy ?? defaultStrategy,
    init: params.init ?? 'auto',
    allowProtected: params.allowProtected ?? false,
    isDefaultStorage: storage === defaults.storage,
    options: {
      storage,
      include: params.include ?? [],
      exclude: params.exclude ?? [],
      durability: params.durability ?? 'process',
      limits: { ...defaultLimits, ...given(params.limits ?? {}) },
    },
  };
}

/** What the client says of itself at open. @throws InvalidParams */
function settingsOf({ modelInfo, tools, mcpEnabled, limits }: Wire.SessionOpenParams): Settings {
  return {
    ...(modelInfo == null ? {} : { model: knownModel(modelInfo) }),
    ...(tools == null ? {} : { tools: checkTools(tools) }),
    ...(mcpEnabled == null ? {} : { mcpEnabled }),
    ...given({ messageChars: limits?.maxMessageCharacters }),
  };
}

interface Settings {
  readonly model?: KnownModel;
  readonly tools?: ToolsByOrigin;
  readonly mcpEnabled?: boolean;
  readonly messageChars?: number;
}

/** Makes it the conversation's, where it is new: a session that is opened a hundred times logs it once. */
async function applySettings(session: Session, settings: Settings, context: OperationContext): Promise<void> {
  const { conversation, log } = session.parts;
  const { model, tools, mcpEnabled, messageChars } = settings;
  for (const warning of model?.warnings ?? []) log.warn(warning);
  if (Object.values(settings).every((value) => value === undefined)) return;
  await converse(session, 'session/open', context, () => {
    const { state } = conversation;
    if (model !== undefined && !isDeepStrictEqual(state.modelInfo, model.info))
      conversation.settings.setModel(model.info);
    if (tools !== undefined && !isDeepStrictEqual(state.tools, tools)) conversation.settings.setTools(tools);
    if (mcpEnabled !== undefined && state.mcpEnabled !== mcpEnabled)
      conversation.settings.setMcpEnabled(mcpEnabled);
    if (messageChars !== undefined && state.limits.messageChars !== messageChars)
      conversation.settings.setLimits({ messageChars });
  });
}

async function openResult(session: Session, resumed: boolean): Promise<Wire.SessionOpenResult> {
  const { marker, workTree } = session.parts;
  const checkpoints = session.enabled;
  const base = checkpoints?.index.byTag(baseTag);
  const view = checkpoints === undefined || base === undefined ? undefined : await viewOf(checkpoints, base);
  const { recovered } = session;
  session.recovered = undefined;
  return {
    session: session.id,
    workspace: workTree.root,
    conversationId: marker.conversationId,
    strategy: marker.strategy,
    retention: marker.retention,
    resumed,
    checkpoints: checkpointsState(session),
    ...given({ shadowRepoPath: shadowPath(session) }),
    ...(view === undefined ? {} : { base: checkpoint(view) }),
    skipped: view === undefined ? [] : skipped(view.skipped),
    ...(recovered === undefined
      ? {}
      : { recovered: restoreResult(await viewOfRestore(session, recovered), false) }),
  };
}

function shadowPath(session: Session): string | undefined {
  return session.enabled === undefined ? undefined : ownRepository(session);
}

async function summary(sessions: Sessions, listed: ListedSession): Promise<Wire.SessionSummary> {
  const { marker, open, lastUsedMs } = listed;
  const session = open ? sessions.get(marker.session) : undefined;
  const checkpoints = session?.enabled?.index.listedSize;
  return {
    session: marker.session,
    workspace: marker.workTree,
    conversationId: marker.conversationId,
    strategy: marker.strategy,
    retention: marker.retention,
    open,
    ...(checkpoints === undefined ? {} : { checkpoints }),
    bytes: await sessions.bytesOf(listed),
    createdAt: marker.created,
    // The file system's clock runs some milliseconds behind ours.
    lastUsedAt: new Date(Math.max(lastUsedMs ?? 0, Date.parse(marker.created))).toISOString(),
  };
}

async function describe(session: Session): Promise<Wire.SessionGetResult> {
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
      : { head: checkpoint(await viewOf(checkpoints, head)) }),
    manager: {
      ...given({ shadowRepoPath: shadowPath(session) }),
      workTreePath: workTree.root,
      checkpoints: checkpoints?.index.listedSize ?? 0,
      tagIndex: checkpoints?.index.tagCount ?? 0,
      currentTurn: head?.record.currentTurn ?? 0,
      toolsInTurn: head?.record.toolsInTurn ?? 0,
      ...(pendingUserMessage === undefined ? {} : { pendingUserMessage }),
      messageLocked,
      fileStatsCache: cacheFigures,
    },
    cache: cacheFigures,
    watcher: watcherFigures(session),
    queue: {
      length: queue.figures.waiting,
      capacity: queue.figures.capacity,
      poisoned: queue.figures.poisoned,
    },
    ...(session.unfinishedRestore ? { unfinishedRestore: true } : {}),
  };
}

/** The watcher's figures; a session that does not watch says so. */
export function watcherFigures(session: Session): Wire.WatcherFigures {
  const figures = session.watcher?.figures;
  if (figures === undefined) return { state: 'off', watchedDirectories: 0, dirtyPaths: 0, overflows: 0 };
  const { state, watchedDirectories, dirtyPaths, overflows, drifts, reason } = figures;
  return {
    state,
    watchedDirectories,
    dirtyPaths,
    overflows,
    ...(drifts === 0 ? {} : { drifts }),
    ...(reason === undefined ? {} : { reason }),
  };
}
