// Serves one client: manages the life cycle of its connection, running requests, progress, trace and end. The server
// decides what the end of a client means for sessions and for the process.
import type { Readable } from 'node:stream';
import type { Log } from '../base/log.ts';
import { methods, protocolVersion, schemaHash } from '../protocol/methods.ts';
import type {
  ClientInfo,
  EventOf,
  InitializeParams,
  InitializeResult,
  JsonObject,
  NotificationMethod,
  TraceValue,
} from '../protocol/types.ts';
import { normalParams, validateParams } from '../protocol/validators.ts';
import { frameLimits } from '../wire/frame-parser.ts';
import { packageVersion, protocolDocument } from '../wire/places.ts';
import { offerHere } from './capabilities.ts';
import { Dispatcher, type Handlers } from './dispatch.ts';
import type { EndReason } from './ending.ts';
import { type WireError, wireError } from './error-response.ts';
import { watchParent } from './parent-watch.ts';
import { logRequest } from './request-log.ts';
import { inFlightMax } from './transport/admission.ts';
import { Connection, type ConnectionEnd, type RequestOutcome } from './transport/connection.ts';
import type { FrameOutput } from './transport/one-write-writer.ts';

/** The streams of a client's connection, and a function that closes them. */
export interface ClientStreams {
  readonly input: Readable;
  readonly output: FrameOutput;
  /** Closes both streams. Called after the last frame was sent. */
  readonly close: () => void;
}

interface ServedClientPorts {
  readonly streams: ClientStreams;
  readonly log: Log;
  /** True when the client is the parent of this process (stdio). */
  readonly isParent: boolean;
  /** The client's process id, if the command line contains it. */
  readonly processId?: number | undefined;
  /** Loads the handlers. Called when a request first needs the handlers. */
  readonly loadHandlers: () => Promise<Partial<Handlers>>;
  /** Called when the answer to `initialize` was sent. */
  readonly onInitialized: () => void;
  /** Performs `shutdown`, within a time limit. */
  readonly onShutdown: () => Promise<void>;
  /** Called when the client leaves or has died. May be called more than once. */
  readonly onEnd: (reason: EndReason, code: number) => void;
}

/** The notifications that a client may send. The daemon drops all other notifications unread. */
const accepted: ReadonlySet<string> = new Set(['initialized', 'exit', '$/setTrace']);
const traceCharactersMax = 2000;

/**
 * The state of a connection (before `initialize`, running, after `shutdown`), and the client's parameters of
 * `initialize`.
 */
class Lifecycle {
  #state: 'new' | 'running' | 'shutdown' = 'new';
  #events: ReadonlySet<string> = new Set();
  #trace: TraceValue = 'off';

  get hasShutDown(): boolean {
    return this.#state === 'shutdown';
  }

  get trace(): TraceValue {
    return this.#trace;
  }

  /** The events that the client requested, in the order that the client gave. */
  get events(): readonly string[] {
    return [...this.#events];
  }

  /**
   * Returns the error for a request that must not be served in this state. Returns undefined when the request may be
   * served.
   */
  refuse(method: string): WireError | undefined {
    if (this.#state === 'shutdown') {
      return wireError('InvalidRequest', 'checkpointd has shut down; only "exit" is accepted.');
    }
    if (method === 'rpc.discover') return undefined;
    if (method === 'initialize') {
      return this.#state === 'new'
        ? undefined
        : wireError('InvalidRequest', '"initialize" may be sent only once.');
    }
    if (this.#state === 'running') return undefined;
    return wireError('ServerNotInitialized', 'Send "initialize" first.', { retryable: true });
  }

  /** Records that the client has sent `initialize`. From now on, events and log lines may be sent to the client. */
  initialize(params: InitializeParams, known: (event: string) => boolean): void {
    this.#state = 'running';
    this.#events = new Set((params.capabilities?.checkpointd?.events ?? []).filter(known));
    this.#trace = params.trace ?? 'off';
  }

  shutdown(): void {
    this.#state = 'shutdown';
  }

  setTrace(value: TraceValue): void {
    this.#trace = value;
  }

  /**
   * True when a notification may be sent to this client: a log line, a requested trace, or an event that the client
   * requested.
   */
  wants(event: string): boolean {
    if (this.#state !== 'running') return false;
    return (
      event === 'window/logMessage' ||
      (event === '$/logTrace' && this.#trace !== 'off') ||
      this.#events.has(event)
    );
  }
}

export class ServedClient {
  readonly #ports: ServedClientPorts;
  readonly #lifecycle = new Lifecycle();
  readonly #connection: Connection;
  readonly #dispatcher: Dispatcher;
  readonly #watches: (() => void)[] = [];
  #isDropping = false;
  #info: ClientInfo | undefined;

  constructor(ports: ServedClientPorts) {
    this.#ports = ports;
    const { input, output } = ports.streams;
    this.#connection = new Connection({
      input,
      output,
      onRequest: (method, params, cancel) => this.#request(method, params, cancel),
      wantsNotification: (method) => accepted.has(method),
      onNotification: (method, params) => this.#notification(method, params),
      onEnd: (end) => this.#connectionEnded(end),
    });
    this.#dispatcher = new Dispatcher({
      client: this,
      ownHandlers: {
        initialize: async (params) => {
          setImmediate(ports.onInitialized);
          return this.#initialize(params);
        },
        shutdown: async () => {
          this.#lifecycle.shutdown();
          await ports.onShutdown();
          return null;
        },
        'rpc.discover': async () => JSON.parse(protocolDocument('openrpc.json')) as JsonObject,
      },
      loadHandlers: ports.loadHandlers,
      notify: (method, params) => this.#connection.notify(method, params),
      log: ports.log,
    });
  }

  /** The client's description of itself. */
  get info(): ClientInfo | undefined {
    return this.#info;
  }

  listen(): void {
    this.#watch(this.#ports.processId, this.#ports.isParent);
    this.#connection.listen();
  }

  /** Sends a notification, unless this client did not request the notification or does not read its input. */
  notify<M extends NotificationMethod>(method: M, params: EventOf<M>): void {
    if (!this.#lifecycle.wants(method)) return;
    const isSent = this.#connection.notify(method, params);
    // Reports the lost notifications only in the log, because a warning to the client would be lost, too.
    if (!isSent && !this.#isDropping)
      this.#ports.log.info(`the client does not read its messages, so ${method} was dropped`);
    this.#isDropping = !isSent;
  }

  /** Records the client's `shutdown`. After this call the client gets no events, and may send only `exit`. */
  shutdown(): void {
    this.#lifecycle.shutdown();
  }

  /** Waits until no request of this client runs. After `graceMs`, aborts the requests that are still running. */
  finishRequests(graceMs: number): Promise<void> {
    return this.#dispatcher.finishRequests(graceMs);
  }

  /**
   * Waits until the client's responses are sent, but at most `msMax`. As long as the client reads, the wait continues.
   */
  drain(msMax: number): Promise<void> {
    return this.#connection.drain(msMax);
  }

  /** Closes the connection. */
  close(): void {
    for (const unwatch of this.#watches.splice(0)) unwatch();
    this.#ports.streams.close();
  }

  async #request(method: string, params: unknown, cancel: AbortSignal): Promise<RequestOutcome> {
    const startedMs = performance.now();
    const refused = this.#lifecycle.refuse(method);
    if (refused === undefined) this.#trace(`received ${method}`, params);
    const outcome =
      refused === undefined ? await this.#dispatcher.request(method, params, cancel) : { error: refused };
    const ms = performance.now() - startedMs;
    logRequest(this.#ports.log, { method, params, outcome, ms });
    const came = 'error' in outcome ? `failed with ${outcome.error.data.kind}` : 'answered';
    if (refused === undefined) this.#trace(`${method} ${came} after ${Math.round(ms)} ms`);
    return outcome;
  }

  #notification(method: string, params: unknown): void {
    if (method === 'exit') {
      const code = this.#lifecycle.hasShutDown ? 0 : 1;
      this.#ports.onEnd('exit', code);
    } else if (method === '$/setTrace' && validateParams(method, params).length === 0) {
      const { value } = normalParams(params) as EventOf<'$/setTrace'>;
      this.#lifecycle.setTrace(value);
    }
  }

  #initialize(params: InitializeParams): InitializeResult {
    this.#lifecycle.initialize(params, isEvent);
    this.#info = params.clientInfo ?? undefined;
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

  #connectionEnded(end: ConnectionEnd): void {
    const wasShutDown = this.#lifecycle.hasShutDown && end !== 'framing';
    this.#ports.onEnd(end === 'framing' ? 'framing' : 'endOfInput', wasShutDown ? 0 : 1);
  }

  #watch(processId: number | undefined, watchOwnParent: boolean): void {
    if (processId === undefined && !watchOwnParent) return;
    const unwatch = watchParent({
      processId,
      watchOwnParent,
      onGone: () => this.#ports.onEnd('parentDeath', 1),
    });
    this.#watches.push(unwatch);
  }

  #trace(message: string, params?: unknown): void {
    if (!this.#lifecycle.wants('$/logTrace')) return;
    const isVerbose = this.#lifecycle.trace === 'verbose' && params !== undefined;
    const verbose = isVerbose ? { verbose: JSON.stringify(params).slice(0, traceCharactersMax) } : {};
    this.notify('$/logTrace', { message, ...verbose });
  }
}

function isEvent(name: string): boolean {
  if (!Object.hasOwn(methods, name)) return false;
  const facts = methods[name as keyof typeof methods];
  return facts.kind === 'notification' && facts.direction === 'serverToClient' && /^\w+\/did/.test(name);
}
