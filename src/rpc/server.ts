// Serves any number of clients with one daemon, and controls the order in which clients connect and leave. The first
// client connects over stdio (or --pipe, --socket). When the first client leaves, the daemon ends. But if other clients
// have sessions open, the daemon ends only after these clients have left. This module uses no session, no store and no
// file of the user.
import type { Log, LogSink } from '../base/log.ts';
import type { EventOf, NotificationMethod } from '../protocol/types.ts';
import type { Handlers } from './dispatch.ts';
import { Ending, type EndReason } from './ending.ts';
import { type ClientStreams, ServedClient } from './served-client.ts';

/**
 * Sends a notification to every client that requested the event and that reads its input. `by` is the client whose
 * request caused the event.
 */
export type Notify = <M extends NotificationMethod>(method: M, params: EventOf<M>, by?: object) => void;

/** The part of a daemon that the server needs. The daemon distinguishes clients only by identity. */
export interface ServedDaemon {
  readonly handlers: Partial<Handlers>;
  /**
   * Stops all sessions. Called once, for whatever reason the daemon ends. The caller limits the time, and the reason
   * decides what happens to the sessions.
   */
  stop(reason: EndReason): Promise<void>;
  /** Waits for a limited time for work that continues after the last response, such as deleting renamed directories. */
  finish?(): Promise<void>;
  /**
   * Abandons the work that is still unfinished after the stop. This is the last step of the process, so the function
   * must be synchronous and must not throw.
   */
  abandon?(): void;
  /** Ends the sessions that only this client has open. */
  leave?(client: object, reason: EndReason): Promise<void>;
  /**
   * Begins to end the daemon, unless a client other than `last` has a session open or is opening a session. Returns
   * true when the end has begun. From then on, no client can open a session.
   */
  beginEnd?(last?: object): boolean;
}

export interface FirstClient {
  readonly streams: ClientStreams;
  /** True when the client is the parent of this process (stdio). */
  readonly isParent: boolean;
  /** The client's process id, if the command line contains it. */
  readonly processId?: number | undefined;
}

interface ServerOptions {
  readonly log: Log;
  /** Exits the process. Called once, when the daemon has stopped and all responses were sent. */
  readonly exit: (code: number) => void;
  /** The first client. When absent, the daemon treats all clients equally, and ends after `idleMs` without a client. */
  readonly first?: FirstClient;
  readonly idleMs?: number;
}

export class Server {
  readonly #options: ServerOptions;
  readonly #clients = new Set<ServedClient>();
  readonly #ending: Ending;
  #first: ServedClient | undefined;
  /** Set when the first client has ended while other clients still use the daemon: the reason and the exit code. */
  #firstEnd: { readonly reason: EndReason; readonly code: number } | undefined;
  #loadOnce: () => Promise<ServedDaemon> = () =>
    Promise.reject(new TypeError('the server received a request before it listened'));
  #daemon: Promise<ServedDaemon> | undefined;
  #loaded: ServedDaemon | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#ending = new Ending({
      finishRequests: async (graceMs) => void (await this.#each((client) => client.finishRequests(graceMs))),
      stop: async (reason) => (await this.#daemon)?.stop(reason),
      drain: async (msMax) => void (await this.#each((client) => client.drain(msMax))),
      finish: async () => this.#loaded?.finish?.(),
      exit: (code) => {
        this.#loaded?.abandon?.();
        options.exit(code);
      },
      log: options.log,
    });
  }

  /**
   * A sink for `createLog` that sends warnings and errors to the clients' logs. A client gets nothing before
   * `initialize`.
   */
  readonly logSink: LogSink = (level, message) => {
    if (level !== 'error' && level !== 'warn') return;
    this.notify('window/logMessage', { type: level === 'error' ? 1 : 2, message });
  };

  readonly notify: Notify = (method, params, by) => {
    const info = by instanceof ServedClient ? by.info : undefined;
    const foreign = { ...params, origin: info === undefined ? {} : { client: info } };
    // If the client's own request caused an event, the client gets the event without `origin`. So the only client of a
    // daemon never gets this field.
    for (const client of this.#clients)
      client.notify(method, by === undefined || client === by ? params : foreign);
  };

  /**
   * Begins to serve. The server loads the daemon's modules after the answer to `initialize`, or when the first request
   * needs them. If the modules were loaded before, the first answer would take 170 ms instead of 105 ms.
   */
  listen(load: () => Promise<ServedDaemon>): void {
    this.#loadOnce = () => {
      this.#daemon ??= load().then((daemon) => {
        if (this.#ending.hasBegun) daemon.beginEnd?.(this.#first);
        this.#loaded = daemon;
        return daemon;
      });
      return this.#daemon;
    };
    const { first } = this.#options;
    if (first === undefined) this.#endIfUnused();
    else this.#first = this.#serve(first);
  }

  /** Serves an additional client. */
  attach(streams: ClientStreams): void {
    if (this.#ending.hasBegun) streams.close();
    else this.#serve({ streams, isParent: false });
  }

  /** Ends the process after all its steps, even when a signal or an uncaught failure is the cause. */
  end(reason: EndReason, code: number): Promise<void> {
    for (const client of this.#clients) client.shutdown();
    return this.#ending.end(reason, code);
  }

  #serve({ streams, isParent, processId }: FirstClient): ServedClient {
    const share = new Ending({
      finishRequests: (graceMs) => client.finishRequests(graceMs),
      stop: async (reason) => (await this.#daemon)?.leave?.(client, reason),
      drain: (msMax) => client.drain(msMax),
      finish: () => Promise.resolve(),
      exit: (code) => this.#left(client, reasonOfEnd, code),
      log: this.#options.log,
    });
    let reasonOfEnd: EndReason = 'exit';
    const client = new ServedClient({
      streams,
      log: this.#options.log,
      isParent,
      processId,
      loadHandlers: async () => (await this.#loadOnce()).handlers,
      onInitialized: () => this.#ending.hasBegun || void this.#loadOnce(),
      onShutdown: () => (this.#endsDaemon(client) ? this.#ending : share).shutdown(),
      onEnd: (reason, code) => {
        client.shutdown();
        reasonOfEnd = reason;
        void (this.#endsDaemon(client) ? this.end(reason, code) : share.end(reason, code));
      },
    });
    this.#clients.add(client);
    clearTimeout(this.#idle);
    client.listen();
    return client;
  }

  /**
   * True when the daemon ends together with this client: when this is the first client, and no other client has a
   * session open or is opening a session.
   */
  #endsDaemon(client: ServedClient): boolean {
    return client === this.#first && (this.#ending.hasBegun || this.#beginsEnd(client));
  }

  #beginsEnd(last?: ServedClient): boolean {
    return this.#loaded?.beginEnd?.(last) ?? true;
  }

  #left(client: ServedClient, reason: EndReason, code: number): void {
    this.#clients.delete(client);
    client.close();
    if (client === this.#first) {
      this.#first = undefined;
      this.#firstEnd = { reason, code };
      this.#options.log.info(
        'the first client has disconnected; other clients have sessions open, so the daemon continues',
      );
    }
    this.#endIfUnused();
  }

  #endIfUnused(): void {
    if (this.#first !== undefined || this.#ending.hasBegun) return;
    if (this.#firstEnd !== undefined) {
      if (this.#beginsEnd()) void this.end(this.#firstEnd.reason, this.#firstEnd.code);
    } else if (this.#clients.size === 0 && this.#options.idleMs !== undefined) {
      this.#idle = setTimeout(() => void this.end('idle', 0), this.#options.idleMs);
    }
  }

  async #each(what: (client: ServedClient) => Promise<void>): Promise<unknown> {
    return Promise.all([...this.#clients].map(what));
  }
}
