// All sessions of this daemon, and those that lie in a storage root: opening, finding, listing, closing, deleting.
// One opening of the same session at a time; everything else about a session is in the session.
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { killAllGit } from '../git/process/run.ts';
import { strategyNamed } from '../store/strategies.ts';
import { mustAnswer } from './answering-path.ts';
import { SessionDirectory, type SessionMarker } from './directory.ts';
import { abandonSession, type Ended, type EndKind, endSession } from './end.ts';
import { type Opened, type OpenRequest, openSession, type Surroundings } from './open.ts';
import type { OperationContext } from './operations/operation-context.ts';
import { busy, lastSignOfLife, SessionOwner } from './owner.ts';
import { deleteTrash, renameAway, sizeOf } from './removal.ts';
import type { Session } from './session.ts';
import { destroyClosedStore } from './session-store.ts';
import { orphanGraceMs, sweepStorage } from './sweep.ts';

export interface ListedSession {
  readonly marker: SessionMarker;
  readonly open: boolean;
  /** When its owner last showed a sign of life, ms since 1970. */
  readonly lastUsedMs?: number;
  readonly storage: string;
}

export interface SessionsOptions {
  readonly surroundings: Omit<Surroundings, 'alreadyOpen' | 'neighbours'>;
  readonly defaultStorage: string;
  /** Grace for orphans, ms; default 24 h. */
  readonly orphanGraceMs?: number;
  readonly log: Log;
}

const idleSweepMs = 30_000;

export class Sessions {
  readonly #open = new Map<SessionId, Session>();
  readonly #options: SessionsOptions;
  /** Openings wait for each other, so that two requests for one session get one. */
  #opening: Promise<unknown> = Promise.resolve();
  #isClosing = false;
  /** Sessions whose end has begun and is not finished. */
  readonly #ending = new Set<Session>();
  readonly #storages = new Set<string>();
  #idleSweep: NodeJS.Timeout | undefined;
  readonly #deletions = new Set<Promise<void>>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /**
   * Sweeps the default storage after a while, for a daemon in which no session is opened. Not at once: whoever
   * comes to resume an orphan opens it first, and from then on it has an owner.
   */
  sweepLater(delayMs = idleSweepMs): void {
    this.#idleSweep = setTimeout(() => {
      void this.#opening.then(() => this.#isClosing || this.#sweepOnce(this.#options.defaultStorage));
    }, delayMs).unref();
  }

  get all(): readonly Session[] {
    return [...this.#open.values()];
  }

  /** The open session of this id. @throws UnknownSession */
  get(id: string): Session {
    const session = this.#open.get(id as SessionId);
    if (session !== undefined) return session;
    throw new CheckpointdError(
      'UnknownSession',
      'No session with this id is open here. Use session/open; session/list shows the kept ones.',
      {
        details: { session: id.slice(0, 64) },
      },
    );
  }

  async open(request: OpenRequest, context: OperationContext): Promise<Opened> {
    // Before it stands in line: a path that does not answer holds up nobody else's opening.
    await Promise.all([
      mustAnswer(request.workTree, 'WorkTreeUnreadable', context.signal),
      mustAnswer(request.options.storage, 'StoreUnavailable', context.signal),
    ]);
    const opening = this.#opening.then(async () => {
      context.signal.throwIfAborted();
      if (this.#isClosing) throw closing();
      const opened = await openSession(
        request,
        {
          ...this.#options.surroundings,
          alreadyOpen: (id) => this.#open.get(id as SessionId),
          neighbours: (of) => this.#neighbours(of),
        },
        context,
      );
      this.#open.set(opened.session.id, opened.session);
      this.#sweepOnce(request.options.storage);
      return opened;
    });
    this.#opening = opening.catch(() => undefined); // told to its own caller; the next opening only waits for its end
    return opening;
  }

  /** Ends one session. @throws UnknownSession */
  async close(id: string, kind: EndKind = 'orderly'): Promise<Ended> {
    const session = this.get(id);
    this.#open.delete(session.id);
    this.#ending.add(session);
    try {
      const ended = await endSession(session, kind);
      this.#watchDeletion(ended.deleted);
      return ended;
    } finally {
      this.#ending.delete(session); // also after a failure it is given up, and its path may be another owner's
    }
  }

  /** Ends every session; resolves when every path that may go is gone. A failure in one does not spare the others. */
  async closeAll(kind: EndKind): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#idleSweep);
    await this.#opening; // one that was under way either stands and is closed too, or has removed what it made
    const ids = [...this.#open.keys()];
    const ends = await Promise.allSettled(ids.map((id) => this.close(id, kind)));
    for (const end of ends)
      if (end.status === 'rejected')
        this.#options.log.error(`a session did not end cleanly: ${String(end.reason)}`);
  }

  /** Resolves when everything that was renamed away is deleted. */
  async deletionsDone(): Promise<void> {
    await Promise.allSettled(this.#deletions);
  }

  /** For a process that dies now: what is still open, or still on its way out, gets the synchronous treatment. */
  abandonAll(): void {
    killAllGit();
    for (const session of [...this.#open.values(), ...this.#ending]) {
      try {
        abandonSession(session);
      } catch (error) {
        this.#options.log.error(`a session was left as it is: ${String(error)}`);
      }
    }
    this.#open.clear();
  }

  /** Sessions in a storage root, open here or not, newest sign of life first. One that cannot be read is left out. */
  async list(storage: string = this.#options.defaultStorage): Promise<ListedSession[]> {
    await mustAnswer(storage, 'StoreUnavailable');
    const listed: ListedSession[] = [];
    for (const name of sessionNames(storage)) {
      try {
        const session = this.#listed(storage, name);
        if (session !== undefined) listed.push(session);
      } catch (error) {
        if (systemCode(error) === undefined && !(error instanceof CheckpointdError)) throw error;
        this.#options.log.warn(`session/list leaves out ${name}, which cannot be read: ${String(error)}`);
      }
    }
    return listed.sort((a, b) => (b.lastUsedMs ?? 0) - (a.lastUsedMs ?? 0));
  }

  #listed(storage: string, name: SessionId): ListedSession | undefined {
    const directory = new SessionDirectory(storage, name);
    const marker = directory.exists() ? directory.readMarker() : undefined;
    if (marker === undefined) return undefined;
    const lastUsedMs = lastSignOfLife(directory);
    const open = this.#open.has(name);
    return { marker, storage, open, ...(lastUsedMs === undefined ? {} : { lastUsedMs }) };
  }

  /** Deletes a session with its checkpoints and conversation, open here or kept (003's cascade). */
  async delete(
    id: string,
    storage: string = this.#options.defaultStorage,
  ): Promise<{ readonly bytesFreed: number }> {
    const open = this.#open.get(id as SessionId);
    if (open === undefined) await mustAnswer(storage, 'StoreUnavailable');
    const directory = open?.parts.directory ?? new SessionDirectory(storage, id as SessionId);
    if (open !== undefined) {
      // At once: whoever closes or deletes it meanwhile would end it a second time, descriptors and all.
      this.#open.delete(open.id);
      this.#ending.add(open);
      try {
        directory.ours(); // before anything is destroyed
        const bytesFreed = await sizeOf(directory.root);
        await open.enabled?.store.destroy();
        const { fate, deleted } = await endSession(open, 'orderly');
        if (fate === 'removed') {
          this.#watchDeletion(deleted);
          return { bytesFreed };
        }
      } finally {
        this.#ending.delete(open);
      }
    } else if (!/^ses_[0-9a-z]{26}$/.test(id) || !directory.exists()) {
      throw new CheckpointdError(
        'UnknownSession',
        'There is no session with this id. session/list shows the kept ones.',
        { details: { session: id.slice(0, 64) } },
      );
    }
    directory.refuseLaterFormat();
    const bytesFreed = await sizeOf(directory.root);
    const owner = directory.exists() ? await SessionOwner.claim(directory) : undefined;
    if (owner !== undefined && !(owner instanceof SessionOwner)) throw busy(owner);
    if (open === undefined) await this.#destroyOutside(directory);
    const trash = renameAway(directory);
    owner?.release();
    if (trash !== undefined) this.#watchDeletion(deleteTrash(trash));
    return { bytesFreed };
  }

  /** Bytes on disk of a session: what its store says when it is open here, its directory otherwise. */
  async bytesOf({ marker, storage }: ListedSession): Promise<number> {
    const store = this.#open.get(marker.session)?.enabled?.store;
    if (store !== undefined) return (await store.heldBytes?.()) ?? (await store.usage()).bytes;
    return sizeOf(new SessionDirectory(storage, marker.session).root);
  }

  #neighbours(of: Session): Session[] {
    const { identity } = of.parts.workTree;
    return this.all.filter((other) => other !== of && other.parts.workTree.identity === identity);
  }

  /** Sweeps a storage root in the background, the first time it is used. */
  #sweepOnce(storage: string): void {
    if (this.#storages.has(storage)) return;
    this.#storages.add(storage);
    const sweep = this.#sweep(storage);
    this.#watchDeletion(sweep);
  }

  async #sweep(storage: string): Promise<void> {
    const { log } = this.#options;
    const grace = this.#options.orphanGraceMs ?? orphanGraceMs;
    const { removed } = await sweepStorage(
      storage,
      grace,
      (directory) => this.#destroyOutside(directory),
      log,
    );
    if (removed.length > 0) log.info(`removed ${removed.length} session(s) of dead daemons`);
  }

  /** Removes what a strategy keeps outside the directory of a session that is not open here. */
  async #destroyOutside(directory: SessionDirectory): Promise<void> {
    const marker = directory.readMarker();
    if (marker === undefined) return;
    if (strategyNamed(marker.strategy).livesInSessionDirectory) return;
    try {
      await destroyClosedStore(directory, marker);
    } catch (error) {
      if (!(error instanceof CheckpointdError) || error.kind !== 'StoreCorrupt') throw error;
      this.#options.log.warn(
        `a session is removed, and not what a damaged store holds of it: ${error.message}`,
      );
    }
  }

  #watchDeletion(deletion: Promise<void>): void {
    const { log } = this.#options;
    const watched = deletion.catch((error: unknown) =>
      log.warn(`a removed session could not be deleted whole, the next start goes on: ${String(error)}`),
    );
    this.#deletions.add(watched);
    void watched.finally(() => this.#deletions.delete(watched));
  }
}

function closing(): CheckpointdError {
  return new CheckpointdError('StoreUnavailable', 'The daemon is ending. Start it again to open a session.', {
    retryable: true,
  });
}

function sessionNames(storage: string): SessionId[] {
  try {
    return files.readdirSync(storage).filter((name): name is SessionId => /^ses_[0-9a-z]{26}$/.test(name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
