// The daemon as its client sees it: one connection with its life cycle, around handlers that somebody else wrote.
// Everything that ends it goes through `ending.ts`. It knows no session, no store and no file of the user.

import type { Readable } from 'node:stream';
import { given } from '../base/given.ts';
import type { Log, LogSink } from '../base/log.ts';
import { methods, protocolVersion, schemaHash } from '../protocol/methods.ts';
import type {
  EventOf,
  InitializeParams,
  InitializeResult,
  JsonObject,
  NotificationMethod,
} from '../protocol/types.ts';
import { normalParams, validateParams } from '../protocol/validators.ts';
import { offerHere } from './capabilities.ts';
import { Dispatcher, type Handlers } from './dispatch.ts';
import { Ending, type EndReason } from './ending.ts';
import { Lifecycle } from './lifecycle.ts';
import { packageVersion, protocolDocument } from './package-files.ts';
import { watchParent } from './parent-watch.ts';
import { logRequest } from './request-log.ts';
import { inFlightMax } from './transport/admission.ts';
import { Connection, type ConnectionEnd, type Outcome } from './transport/connection.ts';
import type { FrameOutput } from './transport/frame-backlog.ts';
import { frameLimits } from './transport/frame-parser.ts';

/** Sends a notification to a client that asked for it and that reads; others never see it. */
export type Notify = <M extends NotificationMethod>(method: M, params: EventOf<M>) => void;

/** What the server needs of a daemon. */
export interface Daemon {
  readonly handlers: Partial<Handlers>;
  /** Called once, whatever the end. Bounded from outside. */
  stop(reason: EndReason): Promise<void>;
  /** What may go on after the last reply until the process ends, for a bounded time: deleting what is renamed away. */
  finish?(): Promise<void>;
  /** The last synchronous act before the process is gone; for what a stop did not finish. Must not throw. */
  abandon?(): void;
}

export interface ServerOptions {
  readonly input: Readable;
  readonly output: FrameOutput;
  readonly log: Log;
  /** Leaves the process; called once, after everything is stopped and sent. */
  readonly exit: (code: number) => void;
  /** Whether the client is our parent process (stdio). */
  readonly isParentClient: boolean;
  /** The client's process id where the command line told it. */
  readonly clientProcessId?: number;
}

/** What a client may send without asking for an answer; everything else is dropped unread. */
const accepted: ReadonlySet<string> = new Set(['initialized', 'exit', '$/setTrace']);
const traceCharactersMax = 2000;

export class Server {
  readonly #options: ServerOptions;
  readonly #lifecycle = new Lifecycle();
  readonly #connection: Connection;
  readonly #ending: Ending;
  #dispatcher: Dispatcher | undefined;
  #isDropping = false;
  #daemon: Promise<Daemon> | undefined;
  #loaded: Daemon | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#connection = new Connection({
      input: options.input,
      output: options.output,
      onRequest: (method, params, cancel) => this.#request(method, params, cancel),
      wantsNotification: (method) => accepted.has(method),
      onNotification: (method, params) => this.#notification(method, params),
      onEnd: (end) => void this.#connectionEnded(end),
    });
    this.#ending = new Ending({
      settle: async (graceMs) => this.#dispatcher?.settle(graceMs),
      stop: async (reason) => (await this.#daemon)?.stop(reason),
      drain: (msMax) => this.#connection.drain(msMax),
      finish: async () => this.#loaded?.finish?.(),
      exit: (code) => {
        this.#loaded?.abandon?.();
        options.exit(code);
      },
      log: options.log,
    });
  }

  /** Warnings and errors for the client's log. A sink for `createLog`; silent before `initialize`. */
  readonly logSink: LogSink = (level, message) => {
    if (level !== 'error' && level !== 'warn') return;
    this.notify('window/logMessage', { type: level === 'error' ? 1 : 2, message });
  };

  readonly notify: Notify = (method, params) => {
    if (!this.#lifecycle.wants(method)) return;
    const isSent = this.#connection.notify(method, params);
    // Said once, at the first loss; the line itself would only be dropped too.
    if (!isSent && !this.#isDropping)
      this.#options.log.info(`the client does not read: ${method} was dropped`);
    this.#isDropping = !isSent;
  };

  /**
   * Begins to serve. The daemon is loaded behind the answer to `initialize`, or when the first request needs it:
   * its modules took 65 of the 170 ms to the first answer.
   */
  listen(load: () => Promise<Daemon>): void {
    const loadOnce = (): Promise<Daemon> => {
      this.#daemon ??= load().then((daemon) => (this.#loaded = daemon));
      return this.#daemon;
    };
    this.#dispatcher = new Dispatcher({
      ownHandlers: {
        initialize: async (params) => {
          setImmediate(() => this.#ending.hasBegun || void loadOnce());
          return this.#initialize(params);
        },
        shutdown: async () => this.#shutdown(),
        'rpc.discover': async () => JSON.parse(protocolDocument('openrpc.json')) as JsonObject,
      },
      loadHandlers: async () => (await loadOnce()).handlers,
      notify: (method, params) => this.#connection.notify(method, params),
      log: this.#options.log,
    });
    this.#watch(this.#options.clientProcessId, this.#options.isParentClient);
    this.#connection.listen();
  }

  /** Ends the process in order; for signals and uncaught failures. */
  end(reason: EndReason, code: number): Promise<void> {
    this.#lifecycle.shutdown();
    return this.#ending.end(reason, code);
  }

  async #request(method: string, params: unknown, cancel: AbortSignal): Promise<Outcome> {
    const startedMs = performance.now();
    if (this.#dispatcher === undefined) throw new TypeError('a request before listen');
    const refused = this.#lifecycle.refuse(method);
    if (refused === undefined) this.#trace(`received ${method}`, params);
    const outcome =
      refused === undefined ? await this.#dispatcher.request(method, params, cancel) : { error: refused };
    const ms = performance.now() - startedMs;
    logRequest(this.#options.log, { method, params, outcome, ms });
    const came = 'error' in outcome ? `failed with ${outcome.error.data.kind}` : 'answered';
    if (refused === undefined) this.#trace(`${method} ${came} after ${Math.round(ms)} ms`);
    return outcome;
  }

  #notification(method: string, params: unknown): void {
    if (method === 'exit') {
      const code = this.#lifecycle.state === 'shutdown' ? 0 : 1;
      void this.end('exit', code);
    } else if (method === '$/setTrace' && validateParams(method, params).length === 0) {
      const { value } = normalParams(params) as EventOf<'$/setTrace'>;
      this.#lifecycle.setTrace(value);
    }
  }

  #initialize(params: InitializeParams): InitializeResult {
    this.#lifecycle.initialize(params, isEvent);
    this.#watch(params.processId, false);
    const { capabilities, limits } = offerHere();
    return {
      protocolVersion,
      serverInfo: { name: 'checkpointd', version: packageVersion() },
      schemaHash,
      capabilities: { checkpointd: { ...capabilities, events: { names: this.#lifecycle.events } } },
      limits: {
        ...limits,
        maxHeaderBytes: frameLimits.headerBytesMax,
        maxBodyBytes: frameLimits.bodyBytesMax,
        maxInFlight: inFlightMax,
      },
    };
  }

  async #shutdown(): Promise<null> {
    this.#lifecycle.shutdown();
    await this.#ending.shutdown();
    return null;
  }

  #connectionEnded(end: ConnectionEnd): Promise<void> {
    const wasShutDown = this.#lifecycle.state === 'shutdown' && end !== 'framing';
    return this.end(end === 'framing' ? 'framing' : 'endOfInput', wasShutDown ? 0 : 1);
  }

  #watch(processId: number | undefined, watchOwnParent: boolean): void {
    if (processId === undefined && !watchOwnParent) return;
    watchParent({
      ...given({ processId }),
      watchOwnParent,
      onGone: () => void this.end('parentDeath', 1),
    });
  }

  #trace(message: string, params?: unknown): void {
    if (!this.#lifecycle.wants('$/logTrace')) return;
    const isVerbose = this.#lifecycle.trace === 'verbose' && params !== undefined;
    const verbose = isVerbose ? { verbose: JSON.stringify(params).slice(0, traceCharactersMax) } : {};
    this.notify('$/logTrace', { message, ...verbose });
  }
}

/** Whether this is one of the events that a client can ask for. */
function isEvent(name: string): boolean {
  if (!Object.hasOwn(methods, name)) return false;
  const facts = methods[name as keyof typeof methods];
  return facts.kind === 'notification' && facts.direction === 'serverToClient' && /^\w+\/did/.test(name);
}
