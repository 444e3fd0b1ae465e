// A command: the name of a method and the function that carries it out. execute.ts does the steps before and after that
// function (session, key, lane, recovery, record of the operation), by the facts of the method in the protocol.
import type { Log } from '../base/log.ts';
import type { OperationContext, ProgressFigures } from '../checkpoints/operation.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../protocol/types.ts';
import type { EarlierEffect, OperationRecords } from '../session/operations.ts';
import type { Session } from '../session/session.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Client } from '../session/shares.ts';
import type { StorageOperations } from '../session/storage-operations.ts';

/** Every method of a client but those of the connection's own life cycle. */
export type CommandMethod = Exclude<RequestMethod, 'initialize' | 'shutdown' | 'rpc.discover'>;

/** Methods on sessions from outside: they list, open, close, delete, push or import them. */
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
  /** The storage of sessions, unless a request names another one. */
  readonly storage: string;
  /** The fate of what is done to no session in particular. */
  readonly operations: OperationRecords;
  /** The fate of what is done to a storage and to no session of it; it survives the daemon. */
  readonly operationsOf: (storage: string) => StorageOperations;
  /**
   * The fate of a client's openings and ends of sessions: a session that is gone cannot remember how it went. Each
   * client has its own, because an answer to another one's opening would leave it without a share.
   */
  readonly openingsOf: (client: Client) => OperationRecords;
  /** Runs what the protocol says runs once at a time in the whole daemon. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  readonly log: Log;
}

/** How the request came: from which client, how it is cancelled, and where its progress goes. */
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
  /** The warnings that `context.warn` has collected for the answer so far. */
  readonly warnings: string[];
}

/** A call with the session that its parameters name. */
export interface SessionCall<P> extends Omit<Call<P>, 'daemon'> {
  readonly session: Session;
  readonly openSessions: () => readonly Session[];
}

export type CallOf<M extends SessionMethod> = SessionCall<ParamsOf<M>>;

/** The wire's answer; `operation`, `replayed` and `warnings` are added by the executor. */
export type Answer<M extends CommandMethod> = ResultOf<M> | Promise<ResultOf<M>>;

interface CommandOptions<M extends SessionMethod> {
  /**
   * Makes the answer again when the first one was lost with the process: from the checkpoint that was published, or
   * from what was logged with the effect. Default: what was logged is the answer.
   */
  readonly again?: (earlier: EarlierEffect, call: CallOf<M>) => Answer<M>;
  /**
   * Refuses parameters that are wrong whatever a recovery does. Called only where a restore stopped half-way, before it is
   * recovered; `run` refuses them by itself.
   */
  readonly check?: (call: CallOf<M>) => unknown;
  /** The log holds the key in the record of the effect itself, so no record of the operation is written beside it. */
  readonly isKeptWithEffect?: true;
}

export interface Command<M extends SessionMethod> extends CommandOptions<M> {
  readonly method: M;
  readonly run: (call: CallOf<M>) => Answer<M>;
}

/** A command on sessions from outside. It finds, opens or ends them itself, and remembers its own keys. */
export interface DaemonCommand<M extends DaemonMethod> {
  readonly method: M;
  readonly runOutside: (call: Call<ParamsOf<M>>) => Answer<M>;
}

/** One command a method; one that is missing does not compile. */
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
  readonly idempotencyKey?: string | null;
}

/** A command on an open session for the executor, which knows the parameters of none. */
export interface AnySessionCommand {
  readonly method: SessionMethod;
  run(call: SessionCall<SessionParams>): object | Promise<object>;
  again?(earlier: EarlierEffect, call: SessionCall<SessionParams>): object | Promise<object>;
  check?(call: SessionCall<SessionParams>): unknown;
  readonly isKeptWithEffect?: true;
}

/** Any command. Its parameters have been validated for its method when it runs. */
export type AnyCommand =
  | AnySessionCommand
  | { readonly method: DaemonMethod; runOutside(call: Call<object>): object | Promise<object> };
