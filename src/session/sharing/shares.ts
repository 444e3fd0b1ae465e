// Who holds which open session: several clients may have opened the same one, and it ends when the last of them is
// gone. Clients are known by identity alone. It opens and ends nothing.
import { CheckpointdError } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';

/** A client, compared by identity. */
export type Client = object;

export class Shares {
  readonly #holders = new Map<SessionId, Set<Client>>();
  readonly #left = new WeakSet<Client>();

  /** Notes that a client has opened the session; a second time changes nothing. */
  join(session: SessionId, client: Client): void {
    const holders = this.#holders.get(session) ?? new Set();
    this.#holders.set(session, holders.add(client));
  }

  /** Ends a client's share. Whether nobody holds the session now. */
  release(session: SessionId, client: Client): boolean {
    const holders = this.#holders.get(session);
    holders?.delete(client);
    if (holders !== undefined && holders.size > 0) return false;
    this.#holders.delete(session);
    return true;
  }

  /** Forgets a session that has ended. */
  forget(session: SessionId): void {
    this.#holders.delete(session);
  }

  holds(session: SessionId, client: Client): boolean {
    return this.#holders.get(session)?.has(client) === true;
  }

  isHeldByOthers(session: SessionId, client: Client): boolean {
    const holders = this.#holders.get(session);
    return holders !== undefined && [...holders].some((holder) => holder !== client);
  }

  /** Whether any session is held, `besides` one client. */
  isHeld(besides?: Client): boolean {
    return [...this.#holders.values()].some((holders) => [...holders].some((holder) => holder !== besides));
  }

  /** The sessions that a client holds. */
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

/** The error for whoever would delete a session that others hold. */
export function heldByOthers(session: SessionId): CheckpointdError {
  return new CheckpointdError(
    'StoreBusy',
    'Other clients have this session open. Close it there, then delete it.',
    { details: { session, pid: process.pid }, retryable: true },
  );
}
