// The order in which a request happens, told here and nowhere else: find the session, look its key up, wait for its
// lane, recover what a failed restore left, run, and (in the commands, step by step through afterCommit) what follows
// the commit; then the record of the operation, and the answer. Which of these a method has is said by the facts that
// protocol.json states of it. It knows no command in particular.
import { CheckpointdError, failedAfterRecovery } from '../base/errors.ts';
import { given } from '../base/given.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { methods } from '../protocol/methods.ts';
import type { EarlierEffect, OperationRecords } from '../session/operations/operation-records.ts';
import { ensureRecovered } from '../session/restores.ts';
import type { Session } from '../session/session.ts';
import type { AnyCommand, Call, CommandMethod, DaemonParts, OpeningCommand, Request } from './command.ts';
import { keepLimitsLater, limitWarnings } from './keep-limits.ts';

type Answer = object;
type Params = { readonly session?: string; readonly idempotencyKey?: string | null };
type AnyCall = Omit<Call<CommandMethod>, 'params'> & { readonly params: Params };

/** Any command but the one that opens sessions, without the types of its method. */
interface Runnable {
  readonly method: CommandMethod;
  readonly run: (
    call: AnyCall & { readonly session?: Session },
    prepared?: unknown,
  ) => Answer | Promise<Answer>;
  readonly beforeLane?: (call: AnyCall & { readonly session: Session }) => Promise<unknown> | undefined;
  readonly again?: (
    earlier: object,
    call: AnyCall & { readonly session: Session },
  ) => Answer | Promise<Answer>;
  readonly check?: (call: AnyCall & { readonly session: Session }) => unknown;
  readonly isKeptWithEffect?: true;
  readonly recoversItself?: true;
  readonly endsSession?: (session: Session) => Answer | undefined;
}

/** Carries a request out. Its parameters have been validated. */
export async function execute(
  command: AnyCommand,
  params: object,
  request: Request,
  daemon: DaemonParts,
): Promise<Answer> {
  const warnings: string[] = [];
  const { client } = request;
  let isRecovered = false;
  const noteRecovered = (): void => {
    isRecovered = true;
  };
  const context = { ...contextOf(request, daemon, warnings), noteRecovered };
  try {
    return await answerOf(command, { params, client, daemon, context }, warnings);
  } catch (error) {
    throw isRecovered ? failedAfterRecovery(error) : error;
  }
}

async function answerOf(command: AnyCommand, call: AnyCall, warnings: string[]): Promise<Answer> {
  const { daemon } = call;
  if ('open' in command) return opening(command, call, warnings);
  const runnable = command as unknown as Runnable;
  const { lane, namesSession } = methods[command.method];
  if (runnable.endsSession !== undefined) return ending(runnable, call, warnings);
  if (lane === 'global')
    return once(daemon.operations, command.method, call, warnings, () =>
      daemon.alone(async () => runnable.run(call)),
    );
  if (!namesSession) return runnable.run(call); // a field of that name in its parameters would be no field of its own
  const session = daemon.sessions.get(call.params.session ?? '');
  return lane === 'session'
    ? change(runnable, { ...call, session }, warnings)
    : runnable.run({ ...call, session });
}

/**
 * Runs a change of a session in its lane, after what a failed restore left half-way. `check` refuses the change before
 * anything is recovered.
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

async function change(
  command: Runnable,
  call: AnyCall & { readonly session: Session },
  warnings: string[],
): Promise<Answer> {
  const { method } = command;
  const { session, context } = call;
  const { operations, queue, events } = session.parts;
  if (methods[method].idempotency !== 'key') {
    // It leaves the session as it is (conversation/export), so there is nothing to recover or to remember.
    const preparing = command.beforeLane?.(call);
    const prepared = preparing === undefined ? undefined : await preparing; // who need not wait keeps its turn
    const exporting = async (): Promise<Answer> => withWarnings(await command.run(call, prepared), warnings);
    return queue.run(exporting, context.signal, method);
  }
  const { idempotencyKey: key, ...rest } = call.params;
  const again = async (earlier: EarlierEffect): Promise<Answer> => {
    if (command.again !== undefined) return command.again(earlier, call);
    if (typeof earlier.effect === 'object' && earlier.effect !== null) return earlier.effect;
    throw answerLost(method);
  };
  const check = (): unknown => command.check?.(call);
  const run = async (stamp: OperationContext['stamp']): Promise<Answer> => {
    const stamped = { ...call, context: { ...context, stamp } };
    const finished = operations.finishedBefore(stamp);
    if (finished !== undefined)
      return { ...(await again(finished)), operation: stamp.operation, replayed: true };
    const answer = { ...(await command.run(stamped)), operation: stamp.operation };
    if (command.isKeptWithEffect !== true) await keepAnswer(operations, method, stamped.context, answer);
    if (session.hasLimits) warnings.push(...limitWarnings(session));
    return withWarnings(answer, warnings);
  };
  try {
    const answer = await operations.run(
      { method, params: rest, ...given({ key }) },
      (stamp) =>
        command.recoversItself === true
          ? queue.run(() => run(stamp), context.signal, method)
          : inLane(session, method, { ...context, stamp }, () => run(stamp), check),
      again,
    );
    if (session.hasLimits) keepLimitsLater(session);
    return answer;
  } catch (error) {
    events.failed(session, method, error, context.client);
    throw error;
  }
}

/** A session is found by opening it. A kept one may know the key from an earlier daemon: it is open again now. */
function opening(
  command: OpeningCommand<'session/open'>,
  call: AnyCall,
  warnings: string[],
): Promise<Answer> {
  const { daemon, client } = call;
  const openCall = call as unknown as Call<'session/open'>;
  return once(daemon.openingsOf(client), command.method, call, warnings, () =>
    daemon.alone(async () => {
      const opened = await command.open(openCall);
      if (opened.session.hasLimits) keepLimitsLater(opened.session);
      return once(opened.session.parts.operations, command.method, call, warnings, async () =>
        command.run({ ...openCall, ...opened }),
      );
    }),
  );
}

/** Ends a session: what waits in its lane is refused. A kept one notes its answer while its log is still open. */
function ending(command: Runnable, call: AnyCall, warnings: string[]): Promise<Answer> {
  const { daemon, client, params } = call;
  return once(daemon.openingsOf(client), command.method, call, warnings, async () => {
    const session = daemon.sessions.get(params.session ?? '');
    const foreseen = command.endsSession?.(session);
    if (foreseen !== undefined) {
      const noted = await once(
        session.parts.operations,
        command.method,
        call,
        warnings,
        async () => foreseen,
      );
      if (noted.replayed === true) return noted;
    }
    return command.run({ ...call, session });
  });
}

/** Runs what opens or ends a session once per key. */
async function once(
  operations: OperationRecords,
  method: string,
  { params, context }: AnyCall,
  warnings: string[],
  work: () => Promise<Answer>,
): Promise<Answer & { readonly replayed?: boolean }> {
  const key = params.idempotencyKey;
  if (key == null) return withWarnings(await work(), warnings);
  return operations.run(
    { method, params, key },
    async (stamp) => {
      const answer = await work();
      await keepAnswer(operations, method, { ...context, stamp }, answer);
      return withWarnings(answer, warnings);
    },
    work,
  );
}

async function keepAnswer(
  operations: OperationRecords,
  method: string,
  context: OperationContext,
  answer: Answer,
): Promise<void> {
  await afterCommit(context, 'It is done, but a repeat of its key after a restart gets another answer', () =>
    operations.keep(method, context.stamp, answer),
  );
}

function withWarnings(answer: Answer, warnings: readonly string[]): Answer {
  return warnings.length === 0 ? answer : { ...answer, warnings: [...warnings] };
}

function contextOf(
  { signal, progress, client }: Request,
  { log }: DaemonParts,
  warnings: string[],
): Omit<OperationContext, 'noteRecovered'> {
  return {
    signal,
    client,
    stamp: {},
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
  const message = `${method} was done under this key, but its answer is not known any more. Look at the session to see what it holds.`;
  return new CheckpointdError('StoreCorrupt', message, { effects: 'committed' });
}
