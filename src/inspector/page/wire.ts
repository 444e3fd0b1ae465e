// Connects the page to the server: JSON-RPC over one WebSocket, which is opened again when the connection breaks. This
// module also stores the last messages for the log. The connection works for all methods.
import type * as Wire from '../../protocol/types.ts';
import {
  type OwnEvents,
  type OwnRequests,
  ownErrors,
  type StorageMethod,
  secretPrefix,
  socketProtocol,
} from '../own-methods.ts';

interface DaemonRequests extends Wire.RequestTypes {}

type Requests = DaemonRequests & OwnRequests;
export type Method = keyof Requests;
export type Params<M extends Method> = Requests[M]['params'] &
  (M extends StorageMethod ? { readonly via: string } : unknown);
export type AnswerOf<M extends Method> = Requests[M]['result'];

type Events = { readonly [M in Wire.NotificationMethod]: Wire.EventOf<M> } & OwnEvents;

export interface AskOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (value: Wire.ProgressValue) => void;
}

/** A message in the log. */
export interface Logged {
  readonly number: number;
  readonly at: number;
  readonly way: 'out' | 'in';
  readonly kind: 'request' | 'answer' | 'error' | 'event';
  readonly method: string;
  readonly id: number | undefined;
  /** The duration of the request. Undefined for messages that are not answers. */
  readonly ms: number | undefined;
  readonly bytes: number;
  /** The message as it was sent. If the message is long, only its beginning. */
  readonly text: string;
}

/**
 * The state of the connection. `refused` means that the server does not know this tab, so the page does not try again.
 */
export type LinkState = 'connecting' | 'open' | 'broken' | 'refused';

export class LinkError extends Error {
  readonly kind: string;
  readonly data: Partial<Wire.ErrorData>;

  constructor(message: string, data: Partial<Wire.ErrorData> = {}) {
    super(message);
    this.kind = data.kind ?? 'Unknown';
    this.data = data;
  }
}

/** Returns the message of an error that the daemon or the connection reported. @throws any other error */
export function messageOf(error: unknown): string {
  if (!(error instanceof LinkError)) throw error;
  return error.message;
}

interface Waiting {
  readonly method: string;
  readonly sentAt: number;
  readonly resolve: (result: never) => void;
  readonly reject: (why: Error) => void;
  readonly onProgress: AskOptions['onProgress'];
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Partial<Wire.ErrorData>;
  };
}

const loggedMax = 2000;
const loggedCharacters = 20_000;
const firstPauseMs = 250;
const longestPauseMs = 4000;
/**
 * After this number of failed attempts to connect, the page stops trying, because the server has ended or refuses this
 * page.
 */
const failuresMax = 3;

export class WireLink {
  readonly #secret: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Set<(params: never) => void>>();
  readonly #onState: (state: LinkState) => void;
  readonly #onLog: () => void;
  #socket: WebSocket | undefined;
  /** Resolves to undefined when requests can be sent, or to the error when the connection has failed. */
  #opened: Promise<LinkError | undefined> = Promise.resolve(undefined);
  #lastId = 0;
  #lastNumber = 0;
  #pauseMs = firstPauseMs;
  #failures = 0;
  readonly log: Logged[] = [];

  constructor(secret: string, onState: (state: LinkState) => void, onLog: () => void) {
    this.#secret = secret;
    this.#onState = onState;
    this.#onLog = onLog;
    this.#connect();
  }

  /**
   * Sends a request as soon as the connection is open. @throws LinkError, also when the connection breaks before the
   * answer arrives
   */
  async ask<M extends Method>(
    method: M,
    params: Params<M>,
    { signal, onProgress }: AskOptions = {},
  ): Promise<AnswerOf<M>> {
    const failure = await this.#opened;
    if (failure !== undefined) throw failure;
    this.#lastId += 1;
    const id = this.#lastId;
    const cancel = (): void => this.#send({ method: '$/cancelRequest', params: { id } });
    try {
      return await new Promise<AnswerOf<M>>((resolve, reject) => {
        this.#waiting.set(id, { method, sentAt: performance.now(), resolve, reject, onProgress });
        this.#send({
          id,
          method,
          params: onProgress === undefined ? params : { ...params, workDoneToken: id },
        });
        if (signal?.aborted === true) cancel();
        else signal?.addEventListener('abort', cancel, { once: true });
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  on<E extends keyof Events>(event: E, listener: (params: Events[E]) => void): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
  }

  #connect(): void {
    this.#onState('connecting');
    let hasOpened = false;
    const socket = new WebSocket(`ws://${location.host}/wire`, [socketProtocol, secretPrefix + this.#secret]);
    this.#socket = socket;
    this.#opened = new Promise((resolve) => {
      socket.addEventListener('open', () => {
        hasOpened = true;
        this.#failures = 0;
        this.#pauseMs = firstPauseMs;
        this.#onState('open');
        resolve(undefined);
      });
      socket.addEventListener('close', () => {
        const gone = new LinkError('The connection to the inspector broke.', { kind: ownErrors.gone });
        resolve(gone);
        if (socket === this.#socket) this.#onDisconnect(gone, hasOpened);
      });
    });
    socket.addEventListener('message', ({ data }) => this.#take(String(data)));
  }

  #onDisconnect(gone: LinkError, hadOpened: boolean): void {
    for (const { reject } of this.#waiting.values()) reject(gone);
    this.#waiting.clear();
    this.#failures = hadOpened ? 0 : this.#failures + 1;
    if (this.#failures >= failuresMax) return this.#onState('refused');
    // From now on, new requests wait for the next connection.
    this.#opened = new Promise((resolve) => {
      setTimeout(() => {
        this.#connect();
        resolve(this.#opened);
      }, this.#pauseMs);
    });
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#onState('broken');
  }

  #send(message: Message): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#socket.send(text);
    const kind = message.id === undefined ? 'event' : 'request';
    this.#logMessage('out', kind, message.method ?? '', message.id, undefined, text);
  }

  #take(text: string): void {
    const message = JSON.parse(text) as Message;
    const { id, method, params, result, error } = message;
    if (method !== undefined) {
      this.#logMessage('in', 'event', method, undefined, undefined, text);
      if (method === '$/progress') {
        const { token, value } = params as Wire.ProgressParams;
        this.#waiting.get(Number(token))?.onProgress?.(value);
      }
      for (const listener of this.#listeners.get(method) ?? []) listener(params as never);
      return;
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (waiting === undefined || id === undefined) return;
    this.#waiting.delete(id);
    const ms = performance.now() - waiting.sentAt;
    this.#logMessage('in', error === undefined ? 'answer' : 'error', waiting.method, id, ms, text);
    if (error === undefined) waiting.resolve(result as never);
    else waiting.reject(new LinkError(error.message, error.data));
  }

  #logMessage(
    way: Logged['way'],
    kind: Logged['kind'],
    method: string,
    id: number | undefined,
    ms: number | undefined,
    whole: string,
  ): void {
    this.#lastNumber += 1;
    const text = whole.length > loggedCharacters ? `${whole.slice(0, loggedCharacters)}…` : whole;
    this.log.push({
      number: this.#lastNumber,
      at: Date.now(),
      way,
      kind,
      method,
      id,
      ms,
      bytes: whole.length,
      text,
    });
    if (this.log.length > loggedMax) this.log.splice(0, this.log.length - loggedMax);
    this.#onLog();
  }
}
