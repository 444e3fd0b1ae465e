// Opens, finds, lists, closes and deletes the sessions of this daemon and of a storage root. Two openings of the same
// session run one after the other. When several clients have a session open, the session ends when the last of these
// clients leaves. All other operations belong to the session itself.
import type { SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { counted } from '../base/text/plural.ts';
import { Turns } from '../base/turns.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { killAllGit } from '../git/process/run.ts';
import { mustAnswer } from './answering-path.ts';
import { Conversions } from './conversions.ts';
import { SessionDirectory } from './directory.ts';
import {
  abandonSession,
  beforeDeletion,
  deleteClosed,
  deleteOpen,
  type Ended,
  endSession,
  orphanGraceMs,
  sweepStorage,
} from './end.ts';
import { LingeringSessions } from './lingering.ts';
import { type KeptSession, sessionsIn } from './listing.ts';
import { type Opened, type OpenRequest, openSession, type Surroundings } from './open.ts';
import type { EndKind } from './reason-to-stay.ts';
import type { Session } from './session.ts';
import { type Client, closing, openForOthers, Shares, unknownSession } from './shares.ts';
import { watchFromNow } from './watching.ts';

export interface ListedSession extends KeptSession {
  readonly open: boolean;
}

interface SessionsOptions {
  readonly surroundings: Omit<Surroundings, 'alreadyOpen' | 'neighbours'>;
  readonly defaultStorage: string;
  /** The grace period for orphans in ms. Default: 24 h. */
  readonly orphanGraceMs?: number | undefined;
  /**
   * True when a kept session stays open after its last client has left, so that the next client finds it open; see
   * {@link LingeringSessions}.
   */
  readonly keepsOpen?: boolean | undefined;
  readonly log: Log;
}

const idleSweepMs = 30_000;

export class Sessions {
  readonly #open = new Map<SessionId, Session>();
  readonly #options: SessionsOptions;
  /** Runs openings one after the other, so that two requests for the same session share the session. */
  readonly #openings = new Turns();
  #isClosing = false;
  /** The sessions that are ending. */
  readonly #ending = new Map<Session, Promise<void>>();
  /** The way in which the daemon ends all its sessions. Until the daemon begins to end, the value is `abrupt`. */
  #lastKind: EndKind = 'abrupt';
  readonly #storages = new Set<string>();
  #idleSweep: NodeJS.Timeout | undefined;
  readonly #deletions = new Set<Promise<void>>();
  readonly #shares = new Shares();
  readonly #lingering = new LingeringSessions(
    (session) => void this.#endEach([session.id], (id) => this.close(id)),
  );

  /** Imported sessions that no client has open. The daemon writes the contents of each session into its store. */
  readonly conversions: Conversions;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.conversions = new Conversions(options.surroundings.terms ?? {}, options.log);
  }

  /**
   * Sweeps the default storage after a while, even if the daemon opens no session. During the delay, a client can
   * resume an orphan, which then has an owner. If the grace period is 0, no client may resume an orphan. The sweep then
   * runs at once, and openings wait until the paths of the orphans are free.
   */
  sweepAtStart(delayMs = idleSweepMs): void {
    if (this.#options.orphanGraceMs === 0) {
      void this.#openings.run(
        () => new Promise<void>((resolve) => this.#sweepOnce(this.#options.defaultStorage, () => resolve())),
      );
      return;
    }
    this.#idleSweep = setTimeout(() => {
      void this.#openings.run(() => this.#isClosing || this.#sweepOnce(this.#options.defaultStorage));
    }, delayMs).unref();
  }

  get all(): readonly Session[] {
    return [...this.#open.values()];
  }

  /** Returns the open session with this id. @throws UnknownSession */
  get(id: string): Session {
    const session = this.#open.get(id as SessionId);
    if (session !== undefined) return session;
    throw unknownSession(id);
  }

  /**
   * Returns the session if this client has opened it.
   * @throws UnknownSession
   */
  openedBy(client: Client, id: string): Session {
    const session = this.get(id);
    if (this.#shares.has(session.id, client)) return session;
    throw unknownSession(id);
  }

  /**
   * Opens a session for a client, or joins the open session. The session stays open until {@link closeFor} or
   * {@link leave}.
   */
  async open(request: OpenRequest, context: OperationContext, client: Client = this): Promise<Opened> {
    const isDone = this.#shares.opens(client);
    return this.#openInTurn(request, context, client).finally(isDone);
  }

  async #openInTurn(request: OpenRequest, context: OperationContext, client: Client): Promise<Opened> {
    // Checks the path before the opening waits for its turn. So a hanging mount delays no other opening.
    await Promise.all([
      mustAnswer(request.workTree, 'WorkTreeUnreadable', context.signal),
      this.#storageAnswers(request.options.storage, context.signal),
      this.conversions.endOf(request.conversationId, context.signal),
    ]);
    const opening = this.#openings.run(async () => {
      context.signal.throwIfAborted();
      await this.#endOf(request.conversationId);
      if (this.#isClosing || this.#shares.hasLeft(client)) throw closing();
      const opened = await openSession(
        request,
        {
          ...this.#options.surroundings,
          alreadyOpen: (id, suits) => this.#join(id as SessionId, client, suits),
          neighbours: (of) => this.#neighbours(of),
        },
        context,
      );
      this.#open.set(opened.session.id, opened.session);
      this.#shares.join(opened.session.id, client);
      this.#sweepOnce(request.options.storage);
      return opened;
    });
    return opening;
  }

  /**
   * Closes a session for one client. If no other client has the session open, also ends the session. @throws
   * UnknownSession
   */
  async closeFor(client: Client, id: string, kind: EndKind = 'orderly'): Promise<Ended> {
    const { id: session, parts } = this.openedBy(client, id);
    const isLast = this.#shares.release(session, client);
    if (isLast && !this.#linger(session)) return this.close(session, kind);
    const because = parts.marker.retention === 'keep' ? 'retention' : 'otherClients';
    return { fate: 'kept', because, deleted: Promise.resolve() };
  }

  /** Closes all sessions for a client that is gone. Ends the sessions that only this client had open. */
  async leave(client: Client, kind: EndKind): Promise<void> {
    this.#shares.leave(client);
    await this.#openings.whenIdle(); // an opening of this client may still open a session, which must end too
    await this.#endEach(this.#shares.of(client), (id) => this.closeFor(client, id, kind));
  }

  /**
   * Begins to end the daemon. Returns false and does nothing if a client other than `last` has a session open or is
   * opening a session; see {@link Shares.beginEnd}.
   */
  beginEnd(last?: Client): boolean {
    return this.#shares.beginEnd(last);
  }

  /** Ends one session, even if clients have it open. @throws UnknownSession */
  close(id: string, kind: EndKind = 'orderly'): Promise<Ended> {
    const session = this.get(id);
    return this.#during(session, () => endSession(session, kind));
  }

  /**
   * Ends every session. Resolves when the paths of removed sessions are free. Continues after a failure in
   * one session.
   */
  async closeAll(kind: EndKind): Promise<void> {
    this.#isClosing = true;
    this.#lastKind = kind;
    clearTimeout(this.#idleSweep);
    await this.conversions.close();
    // If a running opening completes, its session is closed, too. If the opening fails, it removes its files.
    await this.#openings.whenIdle();
    await this.#endEach([...this.#open.keys()], (id) => this.close(id, kind));
  }

  /** Resolves when all directories that were renamed away are deleted. */
  async deletionsDone(): Promise<void> {
    await Promise.allSettled(this.#deletions);
  }

  /** Ends the remaining sessions synchronously. Called just before the process ends. */
  abandonAll(): void {
    killAllGit();
    for (const session of [...this.#open.values(), ...this.#ending.keys()]) {
      try {
        abandonSession(session, this.#lastKind);
      } catch (error) {
        this.#options.log.error(`the daemon could not abandon a session: ${String(error)}`);
      }
    }
    this.#open.clear();
  }

  /**
   * Lists the open and closed sessions in a storage root, newest heartbeat first. Omits a session that cannot
   * be read.
   */
  async list(storage: string, warn: (text: string) => void): Promise<ListedSession[]> {
    await this.#storageAnswers(storage);
    return sessionsIn(storage, this.#options.log, warn).map((listed) => ({
      ...listed,
      open: this.#open.has(listed.marker.session),
    }));
  }

  /**
   * Deletes a session, whether it is open in this daemon or closed. @throws UnknownSession; StoreBusy while
   * other clients have the session open; RestoreFailed
   */
  async delete(
    id: string,
    context: OperationContext,
    storage: string = this.#options.defaultStorage,
    client: Client = this,
  ): Promise<{ readonly bytesFreed: number }> {
    const open = this.#open.get(id as SessionId);
    if (open === undefined) {
      await this.#storageAnswers(storage);
      await this.conversions.cancel(id);
      const { bytesFreed, deleted } = await deleteClosed(storage, id, this.#options.log, context);
      this.#watchDeletion(deleted);
      return { bytesFreed };
    }
    if (this.#shares.isOpenForOthers(open.id, client)) throw openForOthers(open.id);
    const bytes = await beforeDeletion(open, context);
    if (this.#open.get(open.id) !== open) {
      await this.#ending.get(open); // the session was closed or deleted while the daemon measured it
      return open.parts.directory.exists() ? this.delete(id, context, storage, client) : { bytesFreed: 0 };
    }
    if (this.#shares.isOpenForOthers(open.id, client)) throw openForOthers(open.id);
    const { bytesFreed } = await this.#during(open, (reopen) => deleteOpen(open, bytes, context, reopen));
    return { bytesFreed };
  }

  /**
   * Returns the size of a session on disk in bytes. For an open session of this daemon, the store reports the size. For
   * any other session, returns the size of the directory.
   */
  async bytesOf({ marker, storage }: ListedSession): Promise<number> {
    const store = this.#open.get(marker.session)?.enabled?.store;
    if (store !== undefined) return (await store.sessionBytes?.()) ?? (await store.usage()).bytes;
    return new SessionDirectory(storage, marker.session).size();
  }

  async #join(
    id: SessionId,
    client: Client,
    suits: (open: Session) => boolean,
  ): Promise<Session | undefined> {
    const session = this.#open.get(id);
    if (session === undefined) return undefined;
    if (this.#lingering.has(id) && !suits(session)) {
      await this.close(id);
      return undefined;
    }
    this.#lingering.end(id);
    this.#shares.join(id, client); // joins before any await, because a session without clients may end
    watchFromNow(session);
    return session;
  }

  /** Keeps a session open after its last client has left. Returns false when the session must be closed. */
  #linger(id: SessionId): boolean {
    const session = this.#open.get(id);
    if (this.#options.keepsOpen !== true || session === undefined) return false;
    const isLingering = this.#lingering.begin(session);
    if (isLingering) watchFromNow(session);
    return isLingering;
  }

  /**
   * Runs the end of a session. Until the end is complete, no client finds the session, and an opening waits. `reopen`
   * gives the session back to its clients, and returns false when no client is left.
   */
  async #during<T extends Pick<Ended, 'deleted'>>(
    session: Session,
    end: (reopen: () => boolean) => Promise<T>,
  ): Promise<T> {
    this.#lingering.end(session.id);
    this.#open.delete(session.id);
    const rejoin = this.#shares.forget(session.id);
    const ended = end(() => {
      const isOpen = !this.#isClosing && rejoin();
      if (isOpen) this.#open.set(session.id, session);
      return isOpen;
    });
    const over = ended.then(
      ({ deleted }) => this.#watchDeletion(deleted),
      () => undefined, // the caller of this method gets the error
    );
    this.#ending.set(session, over);
    try {
      return await ended;
    } finally {
      // Even after a failure the session has ended, and another process may now own its path.
      this.#ending.delete(session);
    }
  }

  /** Waits until the sessions of a conversation have ended. Until then, the directory of each session is locked. */
  async #endOf(conversationId: string | undefined): Promise<void> {
    const ends = [...this.#ending].filter(([{ parts }]) => parts.marker.conversationId === conversationId);
    await Promise.all(ends.map(([, end]) => end));
  }

  async #endEach(ids: readonly SessionId[], end: (id: SessionId) => Promise<unknown>): Promise<void> {
    const ends = await Promise.allSettled(ids.map(end));
    for (const each of ends)
      if (each.status === 'rejected')
        this.#options.log.error(`a session did not end cleanly: ${String(each.reason)}`);
  }

  /**
   * If a client named a storage, checks that the path of this storage is not on a hanging mount. Does not
   * check the default storage, because the daemon uses it all the time.
   */
  async #storageAnswers(storage: string, signal?: AbortSignal): Promise<void> {
    if (storage !== this.#options.defaultStorage) await mustAnswer(storage, 'StoreUnavailable', signal);
  }

  #neighbours(of: Session): Session[] {
    const { identity } = of.parts.workTree;
    return this.all.filter((other) => other !== of && other.parts.workTree.identity === identity);
  }

  /** Sweeps a storage root in the background when the daemon uses the root for the first time. */
  #sweepOnce(storage: string, onDecided?: () => void): void {
    if (this.#storages.has(storage)) return;
    this.#storages.add(storage);
    this.#watchDeletion(this.#sweep(storage, onDecided));
  }

  async #sweep(storage: string, onDecided?: () => void): Promise<void> {
    const { log } = this.#options;
    const grace = this.#options.orphanGraceMs ?? orphanGraceMs;
    try {
      const removed = await sweepStorage(storage, grace, log, onDecided);
      if (removed.length > 0) log.info(`removed ${counted(removed.length, 'session')} of dead daemons`);
    } catch (error) {
      log.warn(`the daemon could not remove the orphans in ${storage}: ${String(error)}`);
    }
  }

  #watchDeletion(deletion: Promise<void>): void {
    this.#deletions.add(deletion);
    void deletion.finally(() => this.#deletions.delete(deletion));
  }
}
