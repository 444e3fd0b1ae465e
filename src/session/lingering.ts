// A background daemon keeps a session open and watched after its last client, so that the next command finds
// it open. Another process claims a lingering session by a file in the session's directory (owner.ts), and
// the daemon closes the session at once. Only sessions of retention `keep` linger: their end removes nothing.
import { systemCode } from '../base/errors.ts';
import { type FSWatcher, files, watchDirectory } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import type { Session } from './session.ts';

export class LingeringSessions {
  readonly #watches = new Map<SessionId, FSWatcher>();
  readonly #yieldSession: (session: Session) => void;

  /** `yieldSession` is called once for a session that another process claims. */
  constructor(yieldSession: (session: Session) => void) {
    this.#yieldSession = yieldSession;
  }

  /**
   * Keeps the session open from now on. Returns false for a session that must be closed, or when the claim of another
   * process would stay unnoticed.
   */
  begin(session: Session): boolean {
    const { directory, marker } = session.parts;
    if (marker.retention !== 'keep' || session.enabled === undefined) return false;
    const giveUp = (): void => {
      if (!this.has(session.id)) return;
      this.end(session.id);
      this.#yieldSession(session);
    };
    const look = (): void => {
      const isThere = files.existsSync(directory.ownerFile); // the storage was removed
      if (!isThere || files.existsSync(directory.wantedFile)) giveUp();
    };
    try {
      const watch = watchDirectory(directory.own, look);
      watch.on('error', giveUp); // the claim of another process would go unnoticed
      this.#watches.set(session.id, watch.unref());
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
    look(); // a process may have claimed the session before
    return true;
  }

  has(id: SessionId): boolean {
    return this.#watches.has(id);
  }

  /** Stops lingering: a client has the session again, or it is being closed. */
  end(id: SessionId): void {
    this.#watches.get(id)?.close();
    this.#watches.delete(id);
  }
}
