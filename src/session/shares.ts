// Records, for each session, which clients have the session open or are opening it. Several clients may have one
// session open. The session ends when the last of these clients leaves. This module only counts clients; it does not
// open or end sessions.
import { CheckpointdError } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';

/** A client, compared by identity. */
export type Client = object;

export class Shares {
  readonly #holders = new Map<SessionId, Set<Client>>();
  readonly #left = new WeakSet<Client>();
  /** The unfinished openings, each with the client that requested it. */
  readonly #openings = new Map<symbol, Client>();
  /**
   * Set when the daemon has begun to end. From then on no client may open a session, with one exception: requests that
   * the client `last` had sent before.
   */
  #end: { readonly last: Client | undefined } | undefined;

  /** Records that a client has opened the session. A second call for the same client has no effect. */
  join(session: SessionId, client: Client): void {
    const holders = this.#holders.get(session) ?? new Set();
    this.#holders.set(session, holders.add(client));
  }

  /**
   * Records an unfinished opening until the returned function is called.
   * @throws StoreUnavailable when the daemon has begun to end and the client is not `last`
   */
  opens(client: Client): () => void {
    if (this.#end !== undefined && this.#end.last !== client) throw closing();
    const opening = Symbol();
    this.#openings.set(opening, client);
    return () => void this.#openings.delete(opening);
  }

  /** Records that a client has closed the session. Returns true when no client has the session open any more. */
  release(session: SessionId, client: Client): boolean {
    const holders = this.#holders.get(session);
    holders?.delete(client);
    if (holders !== undefined && holders.size > 0) return false;
    this.#holders.delete(session);
    return true;
  }

  /**
   * Forgets the clients of a session that ends. The returned function restores the records of the clients that are
   * still connected, and returns true if at least one client is connected.
   */
  forget(session: SessionId): () => boolean {
    const before = this.#holders.get(session);
    this.#holders.delete(session);
    return () => {
      for (const client of before ?? []) if (!this.#left.has(client)) this.join(session, client);
      return this.#holders.has(session);
    };
  }

  has(session: SessionId, client: Client): boolean {
    return this.#holders.get(session)?.has(client) === true;
  }

  isOpenForOthers(session: SessionId, client: Client): boolean {
    const holders = this.#holders.get(session);
    return holders !== undefined && [...holders].some((holder) => holder !== client);
  }

  /**
   * Begins to end the daemon, unless a client other than `last` has a session open or is opening a session. From then
   * on no other client can open a session, because the ending daemon would close this session at once.
   */
  beginEnd(last?: Client): boolean {
    const stays = (client: Client): boolean => client !== last && !this.#left.has(client);
    const clients = [...this.#holders.values(), this.#openings.values()].flatMap((some) => [...some]);
    if (!clients.some(stays)) this.#end ??= { last };
    return this.#end !== undefined;
  }

  of(client: Client): SessionId[] {
    return [...this.#holders].filter(([, holders]) => holders.has(client)).map(([session]) => session);
  }

  /** Records that a client is gone, so that its unfinished openings do not open a session. */
  leave(client: Client): void {
    this.#left.add(client);
  }

  hasLeft(client: Client): boolean {
    return this.#left.has(client);
  }
}

/** Returns the error for deleting a session that other clients have open. */
export function openForOthers(session: SessionId): CheckpointdError {
  return new CheckpointdError(
    'StoreBusy',
    'Other clients have this session open. Close the session in these clients, then delete it.',
    { details: { session, pid: process.pid }, retryable: true },
  );
}

/** Returns the error for a request to a session that is not open. */
export function unknownSession(id: string): CheckpointdError {
  return new CheckpointdError(
    'UnknownSession',
    'No open session has this id. Use session/open; session/list lists the kept sessions.',
    { details: { session: id.slice(0, 64) } },
  );
}

/** Returns the error for an opening while the daemon ends. */
export function closing(): CheckpointdError {
  return new CheckpointdError('StoreUnavailable', 'The daemon is ending. Start it again to open a session.', {
    retryable: true,
  });
}
