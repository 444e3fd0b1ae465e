// The typed client that the package exports as `checkpointd/client`: starts a daemon (or speaks over given streams),
// initialises it, and gives every method of the protocol with its types. Knows the wire and nothing of the daemon.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import type * as Wire from '../protocol/types.ts';

export type * from '../protocol/types.ts';

export interface ClientOptions {
  /** The program to start. Default: the daemon of this package, on this Node. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly clientInfo?: Wire.ClientInfo;
  /** The events to be told of; see {@link CheckpointdClient.on}. */
  readonly events?: readonly Wire.EventName[];
}

export interface RequestOptions {
  /** Cancels the request; it is then rejected with code -32800, and nothing has changed. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (value: Wire.ProgressValue) => void;
}

/** A request that the daemon refused or could not carry out. */
export class CheckpointdRequestError extends Error {
  readonly code: number;
  /** `kind`, `retryable`, `effects` and details; absent for errors of JSON-RPC itself. */
  readonly data: Wire.ErrorData | undefined;

  constructor(code: number, message: string, data: Wire.ErrorData | undefined) {
    super(message);
    this.name = 'CheckpointdRequestError';
    this.code = code;
    this.data = data;
  }

  /** The stable name of the failure, as the reference lists it. */
  get kind(): string {
    return this.data?.kind ?? 'Unknown';
  }
}

export class CheckpointdClient {
  /** What the daemon said of itself. */
  readonly server: Wire.InitializeResult;
  readonly #connection: MessageConnection;
  readonly #child: ChildProcess;
  readonly #progress = new Map<string | number, (value: Wire.ProgressValue) => void>();
  #tokens = 0;

  private constructor(connection: MessageConnection, child: ChildProcess, server: Wire.InitializeResult) {
    this.#connection = connection;
    this.#child = child;
    this.server = server;
    connection.onNotification('$/progress', ({ token, value }: Wire.ProgressParams) =>
      this.#progress.get(token)?.(value),
    );
  }

  /** Starts a daemon and initialises it. @throws when it cannot be started or does not answer */
  static async start(options: ClientOptions = {}): Promise<CheckpointdClient> {
    const program = fileURLToPath(new URL('../main.js', import.meta.url));
    const command = options.command ?? process.execPath;
    const args = options.args ?? (options.command === undefined ? [program] : []);
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: options.env ?? process.env,
    });
    await once(child, 'spawn');
    const connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    connection.onError(([error]) => child.emit('error', error));
    connection.listen();
    const params: Wire.InitializeParams = {
      processId: process.pid,
      ...(options.clientInfo === undefined ? {} : { clientInfo: options.clientInfo }),
      capabilities: { checkpointd: { events: options.events ?? [] } },
    };
    const server: Wire.InitializeResult = await connection.sendRequest('initialize', params);
    await connection.sendNotification('initialized', {});
    return new CheckpointdClient(connection, child, server);
  }

  /** The daemon's process id. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a request. @throws CheckpointdRequestError */
  async request<M extends Wire.RequestMethod>(
    method: M,
    params: Wire.ParamsOf<M>,
    { signal, onProgress }: RequestOptions = {},
  ): Promise<Wire.ResultOf<M>> {
    const source = new CancellationTokenSource();
    const cancel = (): void => source.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    this.#tokens += 1;
    const token = `progress-${this.#tokens}`;
    if (onProgress !== undefined) this.#progress.set(token, onProgress);
    try {
      const sent = onProgress === undefined ? params : { ...params, workDoneToken: token };
      return await this.#connection.sendRequest<Wire.ResultOf<M>>(method, sent, source.token);
    } catch (error) {
      if (error instanceof ResponseError) {
        throw new CheckpointdRequestError(
          error.code,
          error.message,
          error.data as Wire.ErrorData | undefined,
        );
      }
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#progress.delete(token);
      source.dispose();
    }
  }

  /** Listens to an event that was named in {@link ClientOptions.events}; returns how to stop listening. */
  on<E extends Wire.NotificationMethod>(event: E, listener: (params: Wire.EventOf<E>) => void): () => void {
    const subscription = this.#connection.onNotification(event, listener);
    return () => subscription.dispose();
  }

  /** Shuts the daemon down and waits for its end; kills it after two seconds. Returns its exit code. */
  async close(): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const exited = once(this.#child, 'exit') as Promise<[number | null]>;
    await this.#connection.sendRequest('shutdown');
    await this.#connection.sendNotification('exit');
    const patience = new AbortController();
    const kill = delay(2000, undefined, { signal: patience.signal }).then(
      () => this.#child.kill('SIGKILL'),
      () => false,
    );
    const [code] = await exited;
    patience.abort();
    await kill;
    this.#connection.dispose();
    return code;
  }
}
