// A command is the name of a method and the function that runs the method. execute.ts runs the steps before and after
// this function. Before the function runs, execute.ts finds the session, checks the key, waits in the queue, and
// recovers an interrupted restore. Afterwards, execute.ts records the operation. The protocol's description of a method
// says which of these steps apply to the method.
import type { Log } from '../base/log.ts';
import type { OperationContext, ProgressFigures } from '../checkpoints/operation.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../protocol/types.ts';
import type { EarlierEffect, OperationRecords } from '../session/operations.ts';
import type { Session } from '../session/session.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Client } from '../session/shares.ts';
import type { StorageOperations } from '../session/storage-operations.ts';

/** Every request method, except the methods for the connection itself. */
export type CommandMethod = Exclude<RequestMethod, 'initialize' | 'shutdown' | 'rpc.discover'>;

/** The methods for whole sessions: they list, open, close, delete, push or import sessions. */
type DaemonMethod =
  | 'session/open'
  | 'session/close'
  | 'session/delete'
  | 'session/list'
  | 'session/import'
  | 'remote/add'
  | 'remote/list'
  | 'remote/remove'
  | 'remote/push'
  | 'remote/fetch'
  | 'remote/sessions'
  | 'remote/delete';

type SessionMethod = Exclude<CommandMethod, DaemonMethod>;

export interface DaemonParts {
  readonly sessions: Sessions;
  /** The default storage of sessions. */
  readonly storage: string;
  /** The recorded outcomes of operations that do not belong to a single session. */
  readonly operations: OperationRecords;
  /**
   * Returns the recorded outcomes of operations on a whole storage. These outcomes still exist after the daemon has
   * ended.
   */
  readonly operationsOf: (storage: string) => StorageOperations;
  /**
   * Returns the recorded outcomes of a client's session/open and session/close requests. These outcomes are not in the
   * session, because a removed session has no records. Each client has its own records, because an answer to one client
   * does not open the session for another client.
   */
  readonly openingsOf: (client: Client) => OperationRecords;
  /** Runs pieces of work one after another, never two at the same time in the whole daemon. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  readonly log: Log;
}

/** The parts of a request apart from its parameters: its client, its cancellation, and the receiver of its progress. */
export interface Request {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly progress: { report(update: ProgressFigures & { readonly phase: string }): void };
}

export interface Call<P> {
  readonly params: P;
  readonly context: OperationContext;
  readonly client: Client;
  readonly daemon: DaemonParts;
  /** The warnings that the answer will contain. `context.warn` adds a warning. */
  readonly warnings: string[];
}

/** A call, together with the session that its parameters name. */
export interface SessionCall<P> extends Omit<Call<P>, 'daemon'> {
  readonly session: Session;
  readonly openSessions: () => readonly Session[];
}

export type CallOf<M extends SessionMethod> = SessionCall<ParamsOf<M>>;

/** The answer in the protocol's form. The executor adds `operation`, `replayed` and `warnings`. */
export type Answer<M extends CommandMethod> = ResultOf<M> | Promise<ResultOf<M>>;

interface CommandOptions<M extends SessionMethod> {
  /**
   * Makes the answer to a repeated request, if the process died before it answered the first request. The answer
   * comes from the published checkpoint, or from the log record of the effect. Without this function, the log record
   * itself is the answer.
   */
  readonly again?: (earlier: EarlierEffect, call: CallOf<M>) => Answer<M>;
  /**
   * Refuses invalid parameters. The result of this check must be the same before and after a recovery. The executor
   * calls this function only before it recovers an unfinished restore. Without a recovery, `run` itself refuses the
   * parameters.
   */
  readonly check?: (call: CallOf<M>) => unknown;
  /** True when the log record of the effect also contains the key, so that the operation needs no record of its own. */
  readonly isKeptWithEffect?: true;
}

export interface Command<M extends SessionMethod> extends CommandOptions<M> {
  readonly method: M;
  readonly run: (call: CallOf<M>) => Answer<M>;
}

/** A command for whole sessions. The command itself finds, opens or ends sessions, and remembers the clients' keys. */
export interface DaemonCommand<M extends DaemonMethod> {
  readonly method: M;
  readonly runOutside: (call: Call<ParamsOf<M>>) => Answer<M>;
}

/** The table of commands, one per method. A missing command is a compile error. */
export type Commands = {
  readonly [M in CommandMethod]: M extends DaemonMethod
    ? DaemonCommand<M>
    : M extends SessionMethod
      ? Command<M>
      : never;
};

export function defineCommand<M extends SessionMethod>(
  method: M,
  run: (call: CallOf<M>) => Answer<M>,
  options: CommandOptions<M> = {},
): Command<M> {
  return { method, run, ...options };
}

export function defineDaemonCommand<M extends DaemonMethod>(
  method: M,
  runOutside: DaemonCommand<M>['runOutside'],
): DaemonCommand<M> {
  return { method, runOutside };
}

export interface SessionParams {
  readonly session: string;
  readonly idempotencyKey?: string | undefined;
}

/**
 * A command for an open session, in the form that the executor uses. The executor does not know the parameters of each
 * command.
 */
export interface AnySessionCommand {
  readonly method: SessionMethod;
  run(call: SessionCall<SessionParams>): object | Promise<object>;
  again?(earlier: EarlierEffect, call: SessionCall<SessionParams>): object | Promise<object>;
  check?(call: SessionCall<SessionParams>): unknown;
  readonly isKeptWithEffect?: true;
}

/** Any command. The daemon validates the parameters before it runs the command. */
export type AnyCommand =
  | AnySessionCommand
  | { readonly method: DaemonMethod; runOutside(call: Call<object>): object | Promise<object> };
