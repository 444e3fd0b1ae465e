// Serves one page. Passes a JSON-RPC request unchanged to the daemon of the session that the request names. A page may
// read all data of a session, and may request the changes that people make by hand. A page can neither end a daemon nor
// delete data.
import type { RawData, WebSocket } from 'ws';
import { isObject, type JsonObject, parseJson } from '../base/json.ts';
import {
  type CheckpointdClient,
  CheckpointdGoneError,
  CheckpointdRequestError,
  type ProgressValue,
  type RequestMethod,
} from '../client/client.ts';
import { methods } from '../protocol/methods.ts';
import { ownErrors, storageMethods } from './own-methods.ts';
import type { ReachedSessions } from './reached-sessions.ts';

/** The requests with effects that a page may send. All requests without effects are allowed. */
const changes: ReadonlySet<string> = new Set([
  'checkpoint/create',
  'checkpoint/redo',
  'checkpoint/rename',
  'checkpoint/restore',
  'checkpoint/revert',
  'checkpoint/undo',
  'remote/fetch',
  'remote/push',
  'session/import',
  'store/gc',
]);

/** Answers this server's own methods. Returns undefined for all other methods. */
type OwnAnswers = (method: string) => object | undefined;

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data: object;
}

export class Relay {
  readonly #socket: WebSocket;
  readonly #sessions: ReachedSessions;
  readonly #own: OwnAnswers;
  /** The requests without an answer so far, keyed by the page's id of the request. */
  readonly #running = new Map<number, AbortController>();

  constructor(socket: WebSocket, sessions: ReachedSessions, own: OwnAnswers) {
    this.#socket = socket;
    this.#sessions = sessions;
    this.#own = own;
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? undefined : messageOf(textOf(data));
      if (message === undefined) socket.close(1007, 'no JSON-RPC message');
      else void this.#take(message);
    });
    // When the page closes, its read requests are cancelled. A change that has begun is completed.
    socket.on('close', () => {
      for (const running of this.#running.values()) running.abort();
    });
    socket.on('error', () => undefined); // the event `close` follows and is handled
  }

  send(message: object): void {
    if (this.#socket.readyState === this.#socket.OPEN)
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  async #take({ id, method, params }: JsonObject): Promise<void> {
    const given = isObject(params) ? params : {};
    if (method === '$/cancelRequest') this.#running.get(Number(given['id']))?.abort();
    if (typeof id !== 'number' || typeof method !== 'string') return;
    const running = new AbortController();
    this.#running.set(id, running);
    try {
      const own = this.#own(method);
      this.send({ id, result: own ?? (await this.#ask(id, method, given, running.signal)) });
    } catch (error) {
      this.send({ id, error: refusalOf(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  async #ask(id: number, method: string, params: JsonObject, signal: AbortSignal): Promise<unknown> {
    const { via, storageDir: _, workDoneToken, ...wanted } = params;
    if (!isAllowed(method)) throw new NotHere(`The inspector does not allow the request ${method}.`);
    const session = isOfStorage(method) ? via : wanted['session'];
    if (typeof session !== 'string') throw new NotHere(`The request ${method} needs the id of a session.`);
    this.#refuseUnfit(method, wanted);
    const client: CheckpointdClient = await this.#sessions.client(session);
    const onProgress = (value: ProgressValue): void =>
      this.send({ method: '$/progress', params: { token: id, value } });
    return client.request(
      method,
      isOfStorage(method) ? { ...wanted, storageDir: this.#sessions.storage } : wanted,
      {
        ...(workDoneToken === undefined ? {} : { onProgress }),
        ...(changes.has(method) && workDoneToken === undefined ? {} : { signal }),
      },
    );
  }

  /** Checks the parameters. @throws NotHere for parameters that only the command line may send */
  #refuseUnfit(method: string, wanted: JsonObject): void {
    if (method === 'remote/push' && wanted['send'] != null)
      throw new NotHere(
        'The inspector does not send files that look like secrets. Use "checkpointd push --send <glob>".',
      );
    if (method !== 'session/import') return;
    if (!this.#sessions.isWorkTree(wanted['workspace']))
      throw new NotHere(
        'The inspector imports only into a work tree that already has a session. Use "checkpointd import <remote> <session> -C <directory>".',
      );
    if (wanted['allowProtected'] != null)
      throw new NotHere(
        'The inspector does not allow protected places. Use "checkpointd import <remote> <session> --allow-protected".',
      );
  }
}

class NotHere extends Error {}

function isAllowed(method: string): method is RequestMethod {
  if (!Object.hasOwn(methods, method)) return false;
  const { kind, effects, namesSession } = methods[method as RequestMethod];
  if (isOfStorage(method)) return true;
  return kind === 'request' && namesSession && (effects === 'none' || changes.has(method));
}

function isOfStorage(method: string): boolean {
  return storageMethods.some((each) => each === method);
}

function textOf(data: RawData): string {
  return (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('utf8');
}

function messageOf(text: string): JsonObject | undefined {
  const message = parseJson(text);
  return isObject(message) ? message : undefined;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof CheckpointdRequestError)
    return { code: error.code, message: error.message, data: error.data ?? {} };
  const message = error instanceof Error ? error.message : String(error);
  const isGone = error instanceof CheckpointdGoneError;
  const kind = isGone ? ownErrors.gone : ownErrors.refused;
  // If the daemon ended during a change, the change may or may not have been made.
  return { code: -32000, message, data: { kind, retryable: isGone, effects: isGone ? 'unknown' : 'none' } };
}
