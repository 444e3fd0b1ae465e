// Runs the steps of a request. Only this file determines the order of the steps. The steps are: find the session, look
// up the key, wait in the queue, recover an interrupted restore, run the command, record the operation, and return the
// answer. The commands themselves run the steps after the commit, with afterCommit. The description of a method in
// protocol.json says which steps apply to it. This file is independent of single commands.
import { CheckpointdError, failedAfterRecovery } from '../base/errors.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { methods } from '../protocol/methods.ts';
import type { EarlierEffect, OperationRecords } from '../session/operations.ts';
import { ensureRecovered } from '../session/restores.ts';
import type { Session } from '../session/session.ts';
import type {
  AnyCommand,
  AnySessionCommand,
  CommandMethod,
  DaemonParts,
  Request,
  SessionCall,
  SessionParams,
} from './command.ts';
import { keepLimitsLater, limitWarnings } from './limits.ts';

type AnyCall = SessionCall<SessionParams>;

/** Runs a request. The caller has validated the parameters. */
export async function execute(
  command: AnyCommand,
  params: object,
  request: Request,
  daemon: DaemonParts,
): Promise<object> {
  const warnings: string[] = [];
  let isRecovered = false;
  const onRecovered = (): void => {
    isRecovered = true;
  };
  const context = contextOf(request, daemon, warnings, onRecovered);
  const call = { params, client: request.client, daemon, context, warnings };
  try {
    if ('runOutside' in command) return withWarnings(await command.runOutside(call), warnings);
    const named = params as SessionParams;
    const session = daemon.sessions.get(named.session);
    const openSessions = (): readonly Session[] => daemon.sessions.all;
    return await onSession(command, { ...call, params: named, session, openSessions });
  } catch (error) {
    throw isRecovered ? failedAfterRecovery(error) : error;
  }
}

/**
 * Runs a read-only request for a session that no daemon has open.
 * @throws the errors of the command; StoreUnavailable for a command that may change data, or that gives a warning
 */
export async function executeReading(
  command: AnySessionCommand,
  params: SessionParams,
  session: Session,
  signal: AbortSignal,
): Promise<object> {
  const refuse = (why: string): never => {
    throw new CheckpointdError('StoreUnavailable', `${why} Open the session.`);
  };
  const { lane, effects } = methods[command.method];
  if (lane !== 'none' || effects !== 'none')
    refuse(`${command.method} may change data, but a session that is not open can only be read.`);
  const context: OperationContext = {
    signal,
    stamp: {},
    onRecovered: () => undefined,
    progress: () => () => undefined,
    warn: refuse,
  };
  return command.run({ params, session, context, client: {}, warnings: [], openSessions: () => [session] });
}

/**
 * Runs a command for an open session. A request without a key does not change the session, and therefore needs no
 * recovery and no record of the operation.
 */
async function onSession(command: AnySessionCommand, call: AnyCall): Promise<object> {
  const { lane, idempotency } = methods[command.method];
  if (idempotency === 'key') return change(command, call);
  const answer = await command.run(call);
  return lane === 'session' ? withWarnings(answer, call.warnings) : answer;
}

/**
 * Runs a command that changes a session, in the session's queue. If an earlier restore failed, first recovers that
 * restore. `check` can refuse the change before the recovery.
 */
export function inLane<T>(
  session: Session,
  method: CommandMethod,
  context: OperationContext,
  run: () => T | Promise<T>,
  check?: () => unknown,
): Promise<T> {
  const recovered = async (): Promise<T> => {
    await ensureRecovered(session, context, check);
    return run();
  };
  return session.parts.queue.run(recovered, context.signal, method);
}

async function change(command: AnySessionCommand, call: AnyCall): Promise<object> {
  const { method } = command;
  const { session, params, warnings } = call;
  const { operations, events } = session.parts;
  const again = async (earlier: EarlierEffect): Promise<object> => {
    if (command.again !== undefined) return command.again(earlier, call);
    if (typeof earlier.effect === 'object' && earlier.effect !== null) return earlier.effect;
    throw answerLost(method);
  };
  const run = async (context: OperationContext): Promise<object> => {
    const { stamp } = context;
    const finished = operations.finishedBefore(stamp);
    if (finished !== undefined)
      return { ...(await again(finished)), operation: stamp.operation, replayed: true };
    const answer = { ...(await command.run({ ...call, context })), operation: stamp.operation };
    if (command.isKeptWithEffect !== true) await keepAnswer(operations, context, answer);
    if (session.hasLimits) warnings.push(...limitWarnings(session));
    return withWarnings(answer, warnings);
  };
  try {
    const answer = await operations.run(
      { method, params, key: params.idempotencyKey },
      (stamp) => {
        const context = { ...call.context, stamp };
        return inLane(
          session,
          method,
          context,
          () => run(context),
          () => command.check?.(call),
        );
      },
      again,
    );
    if (session.hasLimits) keepLimitsLater(session);
    session.afterChange?.(method);
    return answer;
  } catch (error) {
    events.failed(session, method, error, call.client);
    throw error;
  }
}

/** Logs an answer after the commit, so that a request with the same key gets the same answer after a restart. */
export async function keepAnswer(
  operations: OperationRecords,
  context: OperationContext,
  answer: object,
): Promise<void> {
  await afterCommit(
    context,
    'The request is done, but the answer could not be stored. After a restart, the answer to a repetition with the same idempotencyKey may differ',
    () => operations.keep(context.stamp, answer),
  );
}

export function withWarnings<T extends object>(answer: T, warnings: readonly string[]): T {
  return warnings.length === 0 ? answer : { ...answer, warnings: [...warnings] };
}

function contextOf(
  { signal, progress, client }: Request,
  { log }: DaemonParts,
  warnings: string[],
  onRecovered: () => void,
): OperationContext {
  return {
    signal,
    client,
    stamp: {},
    onRecovered,
    progress: (phase) => (done) => progress.report({ phase, ...done }),
    warn: (warning, cause) => {
      warnings.push(warning);
      log.warn(warning);
      if (cause instanceof Error && !(cause instanceof CheckpointdError))
        log.info(cause.stack ?? cause.message);
    },
  };
}

function answerLost(method: string): CheckpointdError {
  const message = `The request ${method} with this idempotencyKey is done, but its answer is no longer stored. Use session/get to see the state of the session.`;
  return new CheckpointdError('StoreCorrupt', message, { effects: 'committed' });
}
