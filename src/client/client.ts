// The typed client that the package exports as `checkpointd/client`: starts a daemon, initialises it, gives every
// method and event of the protocol its types, and ends the daemon for certain. Knows the wire and nothing of the daemon.
/// <reference types="node" preserve="true" />
import {
  CancellationTokenSource,
  ConnectionError,
  createMessageConnection,
  ErrorCodes,
  type MessageConnection,
  ResponseError,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import type * as Wire from '../protocol/types.ts';
import { CheckpointdGoneError, CheckpointdRequestError } from './client-error.ts';
import { ClientReader } from './client-reader.ts';
import type { DaemonLink } from './daemon-link.ts';
import { DaemonSocket } from './daemon-socket.ts';
import { programFile } from './this-package.ts';
import { within } from './within.ts';

export type * from '../protocol/types.ts';
export { CheckpointdGoneError, CheckpointdRequestError } from './client-error.ts';

/** How long a daemon may take to answer `initialize`; starting Node on a busy machine takes seconds. */
const startMs = 30_000;
/** How long each of shutdown and exit may take before the daemon is killed. */
const closeMs = 2000;

export interface ClientOptions {
  /** The program to start. Default: the daemon of this package, on this Node. */
  readonly command?: string;
  /** The program's arguments, such as `--storage-dir=/path`; `checkpointd --help` lists the daemon's. */
  readonly args?: readonly string[];
  /** The daemon's whole environment. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the daemon appends its log. Default: nowhere. */
  readonly logFile?: string;
  /** How much the log tells. Default: `info`. */
  readonly logLevel?: 'error' | 'warn' | 'info' | 'debug';
  readonly clientInfo?: Wire.ClientInfo;
  /** Whether the daemon tells of each request (`on('$/logTrace', …)`); see {@link CheckpointdClient.notify}. */
  readonly trace?: Wire.TraceValue;
  /** The events to be told of; see {@link CheckpointdClient.on}. */
  readonly events?: readonly Wire.EventName[];
}

/** What a client says of itself, to a daemon that runs already. */
export type AttachOptions = Pick<ClientOptions, 'clientInfo' | 'trace' | 'events'>;

export interface RequestOptions {
  /**
   * Gives the request up. It is then rejected with `RequestCancelled` and has changed nothing, or resolved with its
   * result where it had committed. `AbortSignal.timeout(ms)` makes a time limit.
   */
  readonly signal?: AbortSignal;
  readonly onProgress?: (value: Wire.ProgressValue) => void;
}

/**
 * A running daemon. Get one from {@link CheckpointdClient.start}; `await using` closes it.
 *
 * The daemon keeps this process alive while a request is in flight and no longer: a script that fails before
 * {@link CheckpointdClient.close} ends all the same, and the daemon with it. What only listens to events must keep
 * itself alive.
 */
export class CheckpointdClient implements AsyncDisposable {
  readonly #connection: MessageConnection;
  readonly #daemon: DaemonLink;
  readonly #progress = new Map<string | number, (value: Wire.ProgressValue) => void>();
  /** Rejects when the daemon is gone: what a request in flight would otherwise wait for in vain. */
  readonly #gone: Promise<never>;
  #why: CheckpointdGoneError | undefined;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #tokens = 0;
  #server: Wire.InitializeResult | undefined;
  #closing: Promise<number | null> | undefined;

  private constructor(daemon: DaemonLink) {
    this.#daemon = daemon;
    let tellGone: (why: CheckpointdGoneError) => void = () => undefined;
    this.#gone = new Promise<never>((_, reject) => {
      tellGone = (why) => {
        this.#why ??= why;
        reject(this.#why);
      };
    });
    // Told to whoever waits; without a request in flight nobody does.
    this.#gone.catch(() => undefined);
    const reader = new ClientReader(daemon.output, (fault) => {
      tellGone(new CheckpointdGoneError(`the daemon sent what is no frame: ${fault}`));
      daemon.kill();
    });
    void daemon.ended.then((why) => tellGone(new CheckpointdGoneError(why)));
    this.#connection = createMessageConnection(reader, new StreamMessageWriter(daemon.input));
    this.#connection.onNotification('$/progress', ({ token, value }: Wire.ProgressParams) =>
      this.#progress.get(token)?.(value),
    );
    this.#connection.listen();
  }

  /** Starts a daemon and initialises it. @throws CheckpointdGoneError when it cannot be started or does not answer */
  static async start(options: ClientOptions = {}): Promise<CheckpointdClient> {
    const command = options.command ?? process.execPath;
    const args = [
      ...(options.command === undefined ? [programFile()] : []),
      ...(options.args ?? []),
      ...(options.logFile === undefined ? [] : [`--log-file=${options.logFile}`]),
      ...(options.logLevel === undefined ? [] : [`--log-level=${options.logLevel}`]),
    ];
    // Whoever comes to a daemon that runs does not wait for what starts one.
    const { DaemonProcess } = await import('./daemon-process.ts');
    return CheckpointdClient.#begin(await DaemonProcess.start(command, args, options.env), command, options);
  }

  /**
   * Comes to a daemon that runs, by its private socket (as `owner.json` of a session tells it), and initialises.
   * Closing this client ends its share of the sessions it opened; the daemon lives on for the others.
   * @throws CheckpointdGoneError when nobody listens there, or when the socket is not this user's
   */
  static async attach(socket: string, options: AttachOptions = {}): Promise<CheckpointdClient> {
    return CheckpointdClient.#begin(await DaemonSocket.connect(socket), socket, options);
  }

  static async #begin(link: DaemonLink, name: string, options: AttachOptions): Promise<CheckpointdClient> {
    const client = new CheckpointdClient(link);
    try {
      const params: Wire.InitializeParams = {
        processId: process.pid,
        ...(options.clientInfo === undefined ? {} : { clientInfo: options.clientInfo }),
        ...(options.trace === undefined ? {} : { trace: options.trace }),
        capabilities: { checkpointd: { events: options.events ?? [] } },
      };
      const answer = client.#send('initialize', params);
      client.#server = await within(startMs, answer, `${name} did not answer`);
      await client.#connection.sendNotification('initialized', {});
      return client;
    } catch (error) {
      await client.#daemon.end(0);
      client.#connection.dispose();
      throw error;
    }
  }

  /** What the daemon said of itself. */
  get server(): Wire.InitializeResult {
    if (this.#server === undefined) throw new Error('the client has not been started');
    return this.#server;
  }

  /** The daemon's process id, where this client started it. */
  get pid(): number | undefined {
    return this.#daemon.pid;
  }

  /**
   * Sends a request. More than the daemon takes at once wait their turn.
   * @throws CheckpointdRequestError by `kind`; CheckpointdGoneError when the daemon is gone
   */
  async request<M extends Wire.RequestMethod>(
    method: M,
    params: Wire.ParamsOf<M>,
    options: RequestOptions = {},
  ): Promise<Wire.ResultOf<M>> {
    while (this.#inFlight >= this.server.limits.maxInFlight)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inFlight += 1;
    try {
      return await this.#send(method, params, options);
    } finally {
      this.#inFlight -= 1;
      this.#waiting.shift()?.();
    }
  }

  /**
   * Sends a notification, such as `$/setTrace`. Nothing is answered; what is wrong is ignored by the daemon.
   * @throws CheckpointdGoneError when the daemon is gone
   */
  async notify<M extends Wire.NotificationMethod>(method: M, params: Wire.EventOf<M>): Promise<void> {
    if (this.#why !== undefined) throw this.#why;
    const release = this.#daemon.hold();
    try {
      await this.#connection.sendNotification(method, params);
    } catch (error) {
      throw this.#why ?? (isBroken(error) ? await this.#broken() : error);
    } finally {
      release();
    }
  }

  /** Listens to an event that was named in {@link ClientOptions.events}; returns how to stop listening. */
  on<E extends Wire.NotificationMethod>(event: E, listener: (params: Wire.EventOf<E>) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    if (!this.#listeners.has(event)) {
      this.#listeners.set(event, listeners);
      // The library keeps one handler a method, and would take the first away.
      this.#connection.onNotification(event, (params: unknown) => {
        for (const each of listeners) each(params as never);
      });
    }
    const each = (params: never): void => listener(params);
    listeners.add(each);
    return () => listeners.delete(each);
  }

  readonly #listeners = new Map<string, Set<(params: never) => void>>();

  /** Shuts the daemon down and waits for its end; kills it when that takes over two seconds. Returns its exit code. */
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
      await within(closeMs, this.#send('shutdown', {}), 'shutdown was not answered');
      await this.#connection.sendNotification('exit');
    } catch (error) {
      // A daemon that is gone or refuses has nothing more to say; one that hangs is killed at once.
      if (!(error instanceof CheckpointdGoneError || error instanceof CheckpointdRequestError)) throw error;
      patience = 0;
    }
    const code = await this.#daemon.end(patience);
    await this.#daemon.ended;
    this.#connection.dispose();
    return code;
  }

  async #send<M extends Wire.RequestMethod>(
    method: M,
    params: Wire.ParamsOf<M>,
    { signal, onProgress }: RequestOptions = {},
  ): Promise<Wire.ResultOf<M>> {
    if (this.#why !== undefined) throw this.#why;
    const source = new CancellationTokenSource();
    const cancel = (): void => source.cancel();
    this.#tokens += 1;
    const token = `progress-${this.#tokens}`;
    if (onProgress !== undefined) this.#progress.set(token, onProgress);
    const release = this.#daemon.hold();
    try {
      const sent = onProgress === undefined ? params : { ...params, workDoneToken: token };
      const answer = this.#connection.sendRequest<Wire.ResultOf<M>>(method, sent, source.token);
      // Of one that lost the race against the end of the daemon.
      answer.catch(() => undefined);
      // Only now: the cancel of a request must follow it.
      signal?.addEventListener('abort', cancel, { once: true });
      if (signal?.aborted === true) cancel();
      return await Promise.race([answer, this.#gone]);
    } catch (error) {
      if (this.#why === undefined && isBroken(error)) return await this.#broken();
      if (this.#why === undefined && error instanceof ResponseError) {
        const data = error.data as Wire.ErrorData | undefined;
        throw new CheckpointdRequestError(error.code, error.message, data);
      }
      throw this.#why ?? error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#progress.delete(token);
      release();
      source.dispose();
    }
  }

  /** The pipe told of the end before the process did; its end says more, and a daemon that cannot hear us is none. */
  async #broken(): Promise<never> {
    try {
      return await within(closeMs, this.#gone, 'the connection broke, and the daemon did not end');
    } finally {
      this.#daemon.kill();
    }
  }
}

/** Not an answer: the request could not be written, or nobody will answer it any more. */
function isBroken(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  const lost: readonly number[] = [ErrorCodes.MessageWriteError, ErrorCodes.PendingResponseRejected];
  return error instanceof ResponseError && lost.includes(error.code);
}
