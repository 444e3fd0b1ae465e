// Who holds or is opening which session: several clients may have opened the same one, and it ends when the last of
// them is gone. Clients are known by identity alone. It opens and ends nothing.
import { CheckpointdError } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';

/** A client, compared by identity. */
export type Client = object;

export class Shares {
  readonly #holders = new Map<SessionId, Set<Client>>();
  readonly #left = new WeakSet<Client>();
  /** Clients by their openings that are under way. */
  readonly #openings = new Map<symbol, Client>();
  /** Set when the end of the daemon has begun: only `last` may still open a session, with what it asked before. */
  #end: { readonly last: Client | undefined } | undefined;

  /** Notes that a client has opened the session; a second time changes nothing. */
  join(session: SessionId, client: Client): void {
    const holders = this.#holders.get(session) ?? new Set();
    this.#holders.set(session, holders.add(client));
  }

  /**
   * Notes an opening that is under way, until the returned function is called.
   * @throws StoreUnavailable when the end has begun and the client is not the last one
   */
  opens(client: Client): () => void {
    if (this.#end !== undefined && this.#end.last !== client) throw closing();
    const opening = Symbol();
    this.#openings.set(opening, client);
    return () => void this.#openings.delete(opening);
  }

  /** Ends a client's share. Returns true when no client has the session now. */
  release(session: SessionId, client: Client): boolean {
    const holders = this.#holders.get(session);
    holders?.delete(client);
    if (holders !== undefined && holders.size > 0) return false;
    this.#holders.delete(session);
    return true;
  }

  /** Forgets a session that ends. The returned function notes its clients again; whether one of them is left. */
  forget(session: SessionId): () => boolean {
    const before = this.#holders.get(session);
    this.#holders.delete(session);
    return () => {
      for (const client of before ?? []) if (!this.#left.has(client)) this.join(session, client);
      return this.#holders.has(session);
    };
  }

  holds(session: SessionId, client: Client): boolean {
    return this.#holders.get(session)?.has(client) === true;
  }

  isHeldByOthers(session: SessionId, client: Client): boolean {
    const holders = this.#holders.get(session);
    return holders !== undefined && [...holders].some((holder) => holder !== client);
  }

  /**
   * Begins the end of the daemon, unless a client besides the last one holds or is opening a session. Once begun, no
   * other client can open one: it would be told that it has a session, and lose it at once.
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

  /** Notes that a client is gone: an opening of its that is still under way must not stand. */
  leave(client: Client): void {
    this.#left.add(client);
  }

  hasLeft(client: Client): boolean {
    return this.#left.has(client);
  }
}

/** The error of deleting a session that other clients have open. */
export function heldByOthers(session: SessionId): CheckpointdError {
  return new CheckpointdError(
    'StoreBusy',
    'Other clients have this session open. Close it in these clients, then delete it.',
    { details: { session, pid: process.pid }, retryable: true },
  );
}

/** The error of a request for a session that is not open. */
export function unknownSession(id: string): CheckpointdError {
  return new CheckpointdError(
    'UnknownSession',
    'No open session has this id. Use session/open; session/list lists the kept sessions.',
    { details: { session: id.slice(0, 64) } },
  );
}

/** The error of an opening while the daemon ends. */
export function closing(): CheckpointdError {
  return new CheckpointdError('StoreUnavailable', 'The daemon is ending. Start it again to open a session.', {
    retryable: true,
  });
}
