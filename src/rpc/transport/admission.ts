// Checks every incoming JSON value before passing it to the JSON-RPC library. The checks concern the envelope, the id,
// and the number of running requests. Without these checks, the library confuses the ids 1 and "1" and never answers a
// duplicate id. The library also throws on a `$/cancelRequest` without parameters, and queues any number of requests.
// This module knows no methods except `$/cancelRequest` and `shutdown`.
import type { Message } from 'vscode-jsonrpc/node';
import { isObject } from '../../base/json.ts';
import { type WireError, wireError } from '../error-response.ts';

export type RequestId = string | number;

/** An accepted request or notification. */
interface Incoming extends Message {
  readonly id?: number;
  readonly method: string;
  readonly params: unknown;
}

/** A complete error response. `id` is null when the id of the request is unknown. */
export interface Refusal extends Message {
  readonly id: RequestId | null;
  readonly error: WireError;
}

type Verdict = { readonly pass: Incoming } | { readonly refuse: Refusal } | { readonly drop: string };

/** The maximum number of unanswered requests at one time. */
export const inFlightMax = 64;

export function refusal(id: RequestId | null, error: WireError): Refusal {
  return { jsonrpc: '2.0', id, error };
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** Returns the id for the answer to this JSON value. Returns null when the value has no valid id. */
export function idToAnswer(value: unknown): RequestId | null {
  const id = isObject(value) ? value['id'] : undefined;
  return isId(id) ? id : null;
}

/**
 * The running requests, by internal number. The library gets these numbers instead of the client's ids. The library
 * compares ids as text, and would confuse the ids 1 and "1". {@link Admission.release} returns the client's id for the
 * response.
 */
export class Admission {
  readonly #inFlightMax: number;
  readonly #wantsNotification: (method: string) => boolean;
  readonly #innerIds = new Map<RequestId, number>();
  readonly #outerIds = new Map<number, RequestId>();
  #lastInner = 0;

  /**
   * Drops a notification at once if `wantsNotification` returns false, so that the notification takes no turn of the
   * queue.
   */
  constructor(wantsNotification: (method: string) => boolean, max: number = inFlightMax) {
    this.#wantsNotification = wantsNotification;
    this.#inFlightMax = max;
  }

  get inFlight(): number {
    return this.#outerIds.size;
  }

  judge(value: unknown): Verdict {
    if (Array.isArray(value))
      return this.#invalid(null, 'Batches are not supported. Send one message per frame.');
    if (!isObject(value)) return this.#invalid(null, 'A message must be a JSON object.');
    const { id, method, params } = value;
    const answerTo = idToAnswer(value);
    if (value['jsonrpc'] !== '2.0') return this.#invalid(answerTo, '"jsonrpc" must be "2.0".');
    if (method === undefined && ('result' in value || 'error' in value)) {
      return { drop: 'a response without a request' };
    }
    if (typeof method !== 'string') return this.#invalid(answerTo, '"method" must be a string.');
    if ('id' in value) return this.#judgeRequest(id, method, params);
    return this.#judgeNotification(method, params);
  }

  /** Removes a request that has ended, and returns the id that the client gave it. */
  release(inner: number): RequestId | undefined {
    const outer = this.#outerIds.get(inner);
    if (outer !== undefined) {
      this.#outerIds.delete(inner);
      this.#innerIds.delete(outer);
    }
    return outer;
  }

  #judgeRequest(id: unknown, method: string, params: unknown): Verdict {
    if (!isId(id)) return this.#invalid(null, '"id" must be a string or an integer of at most 2^53-1.');
    if (this.#innerIds.has(id)) {
      return this.#invalid(id, 'A request with this id is still in flight. Use a new id.');
    }
    // The limit does not apply to `shutdown`, because a leaving client should not have to repeat its request.
    if (this.#outerIds.size >= this.#inFlightMax && method !== 'shutdown') {
      const message = `${this.#inFlightMax} requests are in flight. Wait for an answer, then send this request again.`;
      return { refuse: refusal(id, wireError('ServerBusy', message, { retryable: true })) };
    }
    this.#lastInner += 1;
    this.#innerIds.set(id, this.#lastInner);
    this.#outerIds.set(this.#lastInner, id);
    return { pass: { jsonrpc: '2.0', id: this.#lastInner, method, params } };
  }

  #judgeNotification(method: string, params: unknown): Verdict {
    if (method === '$/cancelRequest') {
      const inner = isObject(params) && isId(params['id']) ? this.#innerIds.get(params['id']) : undefined;
      if (inner === undefined) return { drop: 'a cancel of a request that is not in flight' };
      return { pass: { jsonrpc: '2.0', method, params: { id: inner } } };
    }
    if (!this.#wantsNotification(method)) return { drop: `notification ${method.slice(0, 100)}` };
    return { pass: { jsonrpc: '2.0', method, params } };
  }

  #invalid(id: RequestId | null, message: string): Verdict {
    return { refuse: refusal(id, wireError('InvalidRequest', message)) };
  }
}
