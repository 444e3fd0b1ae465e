// Turns the events of a session into notifications of the protocol. If the daemon cannot describe an event, the daemon
// only logs the failure, and the operation does not fail.
import { CheckpointdError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { lengthsOf } from '../../conversation/state/state.ts';
import { errorCodes } from '../../protocol/methods.ts';
import type { EventOf, NotificationMethod } from '../../protocol/types.ts';
import type { Session, SessionEvents } from '../../session/session.ts';
import type { StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { TreePath } from '../../tree/tree-path.ts';
import type { ChangeBatch } from '../../watch/watcher.ts';
import { checkpointAnswer } from './checkpoint-answer.ts';
import { pathRef } from './paths.ts';
import { countsOf, listsOf } from './restore-answer.ts';

const driftPathsMax = 100;

/** Sends a notification to all clients, including `by`, the client that made the request. */
type Notify = <M extends NotificationMethod>(method: M, params: EventOf<M>, by?: object) => void;

/**
 * Returns the listener that sends events as notifications. Clients get each notification before the response of the
 * operation is sent.
 */
export function sessionEvents(notify: Notify, log: Log): SessionEvents {
  const send = async <M extends NotificationMethod>(
    method: M,
    params: Promise<EventOf<M>>,
    by?: object,
  ): Promise<void> => {
    try {
      notify(method, await params, by);
    } catch (error) {
      log.warn(`the daemon could not send an event: ${String(error)}`);
    }
  };
  /** The sessions whose clients have already been notified that the model's window is full. */
  const full = new WeakSet<Session>();
  return {
    opened: (session, facts, by) => send('session/didOpen', openingOf(session, facts), by),
    created: (session, stored, facts, by) =>
      send('checkpoint/didCreate', creationOf(session, stored, facts), by),
    restored: (session, target, facts, by) =>
      send('checkpoint/didRestore', restoreOf(session, target, facts, log), by),
    failed: (session, method, error, by) => {
      if (error instanceof Error && error.name === 'AbortError') return;
      const operation = operationOf(error);
      notify('checkpoint/didFail', { session: session.id, method, error: factOf(error), operation }, by);
    },
    workTreeChanged: (session, change) => notify('worktree/didChange', changeOf(session, change)),
    workTreeDrifted: (session, paths) => notify('worktree/didDrift', driftOf(session, paths)),
    pushed: (session, { error, ...outcome }) =>
      notify('remote/didPush', { session: session.id, ...outcome, error: error && factOf(error) }),
    lineFound: (session, { remote, writer, head }, by) =>
      notify('remote/didFindLine', { session: session.id, remote, line: { writer, head } }, by),
    conversationChanged: (session, method, by) => {
      const { state, windowUse } = session.parts.conversation;
      notify('conversation/didChange', { session: session.id, method, ...lengthsOf(state) }, by);
      if (windowUse.level === 'none') full.delete(session);
      else if (!full.has(session)) {
        full.add(session);
        notify('conversation/didFillWindow', { session: session.id, contextWindow: windowUse }, by);
      }
    },
  };
}

async function creationOf(
  session: Session,
  stored: StoredCheckpoint,
  facts: Parameters<SessionEvents['created']>[2],
): Promise<EventOf<'checkpoint/didCreate'>> {
  const checkpoint = await checkpointAnswer(session.requireCheckpoints(), stored);
  return { session: session.id, checkpoint, ...facts };
}

async function restoreOf(
  session: Session,
  target: StoredCheckpoint,
  { outcome, ms, isRecovered = false }: Parameters<SessionEvents['restored']>[2],
  log: Log,
): Promise<EventOf<'checkpoint/didRestore'>> {
  const { checkpoint: stored, safety } = outcome;
  return {
    session: session.id,
    target: target.record.id,
    checkpoint: stored && (await checkpointAnswer(session.requireCheckpoints(), stored)),
    safety: safety?.record.id,
    counts: countsOf(outcome),
    ms,
    ...(isRecovered ? { recovered: true, ...(await listsOf(session, outcome, log)) } : {}),
  };
}

async function openingOf(
  session: Session,
  facts: { readonly resumed: boolean; readonly ms: number },
): Promise<EventOf<'session/didOpen'>> {
  const { enabled } = session;
  const base = enabled?.index.base;
  return {
    session: session.id,
    workspace: session.parts.workTree.root,
    strategy: session.parts.marker.strategy,
    base: enabled && base && (await checkpointAnswer(enabled, base)),
    ...facts,
  };
}

/** Returns the operation id from the details of an error, if there is one. */
function operationOf(error: unknown): string | undefined {
  const operation = error instanceof CheckpointdError ? error.details?.operationId : undefined;
  return typeof operation === 'string' ? operation : undefined;
}

function factOf(error: unknown): EventOf<'checkpoint/didFail'>['error'] {
  const kind = error instanceof CheckpointdError ? error.kind : 'InternalError';
  const message = error instanceof CheckpointdError ? error.message : 'The operation failed.';
  return { code: errorCodes[kind], kind, message };
}

function changeOf(session: Session, { paths, overflow, isLost }: ChangeBatch): EventOf<'worktree/didChange'> {
  const { state = 'off', dirtyPaths = 0 } = session.watcher?.figures ?? {};
  return {
    session: session.id,
    state,
    dirtyPaths,
    paths: paths.map(pathRef),
    more: overflow || undefined,
    overflowed: isLost || undefined,
  };
}

function driftOf(session: Session, paths: readonly TreePath[]): EventOf<'worktree/didDrift'> {
  return { session: session.id, paths: paths.slice(0, driftPathsMax).map(pathRef), count: paths.length };
}
