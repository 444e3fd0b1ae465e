// What a command is: the name of a method and the function that carries it out. What comes before and after that
// function (the session, the key, the lane, recovery, the record of the operation) is execute.ts's, by the facts that
// the protocol states of the method.
import type { Log } from '../base/log.ts';
import type { OperationContext, ProgressFigures } from '../checkpoints/operation.ts';
import type { methods } from '../protocol/methods.ts';
import type { ParamsOf, RequestMethod, ResultOf } from '../protocol/types.ts';
import type { Opened } from '../session/open.ts';
import type { EarlierEffect, OperationRecords } from '../session/operations/operation-records.ts';
import type { Session } from '../session/session.ts';
import type { Sessions } from '../session/sessions.ts';
import type { Client } from '../session/sharing/shares.ts';

/** Every method of a client but those of the connection's own life cycle. */
export type CommandMethod = Exclude<RequestMethod, 'initialize' | 'shutdown' | 'rpc.discover'>;

/** What a command is given of the daemon. */
export interface DaemonParts {
  readonly sessions: Sessions;
  /** Where sessions live unless a request says otherwise. */
  readonly storage: string;
  /** The fate of what is done to no session in particular. */
  readonly operations: OperationRecords;
  /**
   * The fate of a client's openings and ends of sessions: a session that is gone cannot remember how it went. Each
   * client has its own, because an answer to another one's opening would leave it without a share.
   */
  readonly openingsOf: (client: Client) => OperationRecords;
  /** Runs what the protocol says runs once at a time in the whole daemon. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  readonly log: Log;
}

/** How the request came: from whom, and that it can be cancelled and told how far it is. */
export interface Request {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly progress: { report(update: ProgressFigures & { readonly phase: string }): void };
}

/** What a command works with. */
export interface Call<M extends CommandMethod> {
  readonly params: ParamsOf<M>;
  readonly context: OperationContext;
  readonly client: Client;
  readonly daemon: DaemonParts;
}

type LaneOf<M extends CommandMethod> = (typeof methods)[M]['lane'];

/** The same with the open session that the parameters name, where they do. */
export type CallOf<M extends CommandMethod> =
  LaneOf<M> extends 'global'
    ? Call<M>
    : ParamsOf<M> extends { readonly session: string }
      ? Call<M> & { readonly session: Session }
      : Call<M>;

/** The wire's answer; `operation`, `replayed` and `warnings` are added by the executor. */
export type Answer<M extends CommandMethod> = ResultOf<M> | Promise<ResultOf<M>>;

export interface Command<M extends CommandMethod, P = undefined> extends CommandOptions<M, P> {
  readonly method: M;
  readonly run: (call: CallOf<M>, prepared: P) => Answer<M>;
}

interface CommandOptions<M extends CommandMethod, P> {
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
  /** What has to happen in the lanes of other sessions before this one's is entered; `run` is given what came of it. */
  readonly beforeLane?: (call: CallOf<M>) => Promise<P> | undefined;
  /** It enables checkpoints, without which nothing can be recovered, and recovers by itself. */
  readonly recoversItself?: true;
  /** It ends the lane of its session instead of waiting in it; what a kept session will answer, noted before. */
  readonly endsSession?: (session: Session) => ResultOf<M> | undefined;
}

/** A command. */
export function defineCommand<M extends CommandMethod, P = undefined>(
  method: M,
  run: (call: CallOf<M>, prepared: P) => Answer<M>,
  options: CommandOptions<M, P> = {},
): Command<M> {
  // What is prepared is between the two functions of one command.
  return { method, run, ...options } as unknown as Command<M>;
}

/** The command that begins a session: it finds its session by opening it, then answers. */
export interface OpeningCommand<M extends CommandMethod> {
  readonly method: M;
  readonly open: (call: Call<M>) => Promise<Opened>;
  readonly run: (call: Call<M> & Opened) => Answer<M>;
}

/** One command a method; one that is missing does not compile. */
export type Commands = {
  readonly [M in CommandMethod]: M extends 'session/open' ? OpeningCommand<M> : Command<M>;
};

/** Any command, for who has the name of its method from a client. */
export type AnyCommand = Commands[CommandMethod];
