// The typed client that the package exports as `checkpointd/client`. The client starts and initialises a daemon, and
// makes sure that the daemon ends. The client has types for every method and event of the protocol. The client uses
// only the protocol, and no code of the daemon.
/// <reference types="node" preserve="true" />
import { within } from '../base/within.ts';
import type * as Wire from '../protocol/types.ts';
import { programFile } from '../wire/places.ts';
import { CheckpointdGoneError, CheckpointdRequestError } from './client-error.ts';
import { DaemonConnection, type DaemonLink, type RequestOptions } from './connection.ts';
import { DaemonSocket } from './daemon-socket.ts';

export type * from '../protocol/types.ts';
export { CheckpointdGoneError, CheckpointdRequestError } from './client-error.ts';
export type { RequestOptions } from './connection.ts';

/** The maximum time to wait for the answer to `initialize`. On a busy machine, Node takes seconds to start. */
const startMs = 30_000;
/**
 * The time limit for the daemon's answer to `shutdown`, and also for the daemon's exit after it. When a limit is
 * exceeded, the client kills the daemon.
 */
const closeMs = 2000;

export interface ClientOptions {
  /** The program to start. By default the client starts the daemon of this package with the current Node. */
  readonly command?: string;
  /** The program's arguments, such as `--storage-dir=/path`. `checkpointd --help` lists the daemon's arguments. */
  readonly args?: readonly string[];
  /** The daemon's whole environment. By default the daemon gets the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The file to which the daemon appends its log. By default there is no log file. */
  readonly logFile?: string;
  /** The level of the log. The default is `info`. */
  readonly logLevel?: 'error' | 'warn' | 'info' | 'debug';
  readonly clientInfo?: Wire.ClientInfo;
  /**
   * The level of the trace. With a trace, the daemon sends a notification for each request (`on('$/logTrace', …)`). See
   * also {@link CheckpointdClient.notify}.
   */
  readonly trace?: Wire.TraceValue;
  /** The events that the daemon sends to the client. See {@link CheckpointdClient.on}. */
  readonly events?: readonly Wire.EventName[];
}

/** The options for joining a running daemon. */
export type AttachOptions = Pick<ClientOptions, 'clientInfo' | 'trace' | 'events'>;

/**
 * A client of a running daemon. Create a client with {@link CheckpointdClient.start}. `await using` closes the client
 * automatically.
 *
 * An unanswered request keeps this process alive, but the connection alone does not. Therefore a script that fails
 * before {@link CheckpointdClient.close} still ends, and then the daemon ends. A program that only listens to events
 * must keep itself alive.
 */
export class CheckpointdClient implements AsyncDisposable {
  readonly #link: DaemonLink;
  readonly #connection: DaemonConnection;
  readonly #queue: (() => void)[] = [];
  #inFlight = 0;
  #server: Wire.InitializeResult | undefined;
  #closing: Promise<number | null> | undefined;

  private constructor(link: DaemonLink) {
    this.#link = link;
    this.#connection = new DaemonConnection(link);
  }

  /**
   * Starts a daemon and initialises it. @throws CheckpointdGoneError when the daemon cannot be started or does not
   * answer
   */
  static async start(options: ClientOptions = {}): Promise<CheckpointdClient> {
    const command = options.command ?? process.execPath;
    const args = [
      ...(options.command === undefined ? [programFile()] : []),
      ...(options.args ?? []),
      ...(options.logFile === undefined ? [] : [`--log-file=${options.logFile}`]),
      ...(options.logLevel === undefined ? [] : [`--log-level=${options.logLevel}`]),
    ];
    // Loads this module only here, because a client that joins a running daemon does not need it.
    const { DaemonProcess } = await import('./daemon-process.ts');
    return CheckpointdClient.#begin(await DaemonProcess.start(command, args, options.env), command, options);
  }

  /**
   * Joins a running daemon through its private socket, whose path is in `owner.json` of a session, and sends
   * `initialize`. If a program closes this client, the client leaves its sessions, and the daemon continues for other
   * clients.
   * @throws CheckpointdGoneError when no daemon listens on the socket, or when the socket does not belong to this user
   */
  static async attach(socket: string, options: AttachOptions = {}): Promise<CheckpointdClient> {
    return CheckpointdClient.#begin(await DaemonSocket.connect(socket), socket, options);
  }

  /**
   * Initialises a daemon that the caller has started. Closing the client ends this daemon.
   * @throws CheckpointdGoneError when the daemon does not answer
   */
  static over(link: DaemonLink, options: AttachOptions = {}): Promise<CheckpointdClient> {
    return CheckpointdClient.#begin(link, 'the daemon', options);
  }

  static async #begin(link: DaemonLink, name: string, options: AttachOptions): Promise<CheckpointdClient> {
    const client = new CheckpointdClient(link);
    const { clientInfo, trace, events = [] } = options;
    try {
      const answer = client.#connection.request('initialize', {
        processId: process.pid,
        clientInfo,
        trace,
        capabilities: { checkpointd: { events } },
      });
      if (!(await within(startMs, answer)))
        throw new CheckpointdGoneError(`${name} did not answer within ${startMs / 1000} s`);
      client.#server = await answer;
      await client.#connection.notify('initialized', {});
      return client;
    } catch (error) {
      await link.end(0);
      throw error;
    }
  }

  /** The daemon's description of itself. */
  get server(): Wire.InitializeResult {
    if (this.#server === undefined) throw new Error('the client has not been started');
    return this.#server;
  }

  /** The daemon's process id, if this client started it. */
  get pid(): number | undefined {
    return this.#link.pid;
  }

  /** Resolves with the reason as text when the daemon can no longer be reached. Never rejects. */
  get ended(): Promise<string> {
    return this.#link.ended;
  }

  /**
   * Sends a request. If the daemon already has the maximum number of requests, first waits until one of them is
   * answered.
   * @throws CheckpointdRequestError when the request is refused or fails; CheckpointdGoneError when the daemon has
   * ended
   */
  async request<M extends Wire.RequestMethod>(
    method: M,
    params: Wire.ParamsOf<M>,
    options: RequestOptions = {},
  ): Promise<Wire.ResultOf<M>> {
    while (this.#inFlight >= this.server.limits.maxInFlight)
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#inFlight += 1;
    try {
      return await this.#connection.request(method, params, options);
    } finally {
      this.#inFlight -= 1;
      this.#queue.shift()?.();
    }
  }

  /**
   * Sends a notification, such as `$/setTrace`. A notification gets no answer, and the daemon ignores an
   * invalid notification.
   * @throws CheckpointdGoneError when the daemon has ended
   */
  notify<M extends Wire.NotificationMethod>(method: M, params: Wire.EventOf<M>): Promise<void> {
    return this.#connection.notify(method, params);
  }

  /** Listens to an event in {@link ClientOptions.events}. Returns a function that stops listening. */
  on<E extends Wire.NotificationMethod>(event: E, listener: (params: Wire.EventOf<E>) => void): () => void {
    return this.#connection.on(event, listener);
  }

  /**
   * Shuts the daemon down and waits until it has ended. Kills a daemon that does not answer or end within two seconds.
   * Returns the daemon's exit code.
   */
  close(): Promise<number | null> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<number | null> {
    let patience = closeMs;
    try {
      // A daemon that does not answer `shutdown` in time is killed at once.
      if (await within(closeMs, this.#connection.request('shutdown', {})))
        await this.#connection.notify('exit', {});
      else patience = 0;
    } catch (error) {
      // A daemon that refuses `shutdown` gets no more time; it may also have ended already.
      if (!(error instanceof CheckpointdGoneError || error instanceof CheckpointdRequestError)) throw error;
      patience = 0;
    }
    const code = await this.#link.end(patience);
    await this.#link.ended;
    return code;
  }
}
