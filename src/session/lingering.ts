// After the last client of a session has left, a background daemon keeps the session open and watches its work tree. So
// the next command finds the session open. Such a session is called lingering. To claim a lingering session, another
// process makes a file in the session's directory (owner.ts). The daemon then closes the session at once. Only sessions
// with the retention `keep` linger, because closing them removes nothing.
import { systemCode } from '../base/errors.ts';
import { type FSWatcher, files, watchDirectory } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import type { Session } from './session.ts';

export class LingeringSessions {
  readonly #watches = new Map<SessionId, FSWatcher>();
  readonly #yieldSession: (session: Session) => void;

  /** `yieldSession` is called once for each session that another process claims. */
  constructor(yieldSession: (session: Session) => void) {
    this.#yieldSession = yieldSession;
  }

  /**
   * Keeps the session open from now on. Returns false when the session must be closed, for example when its directory
   * cannot be watched for claims.
   */
  begin(session: Session): boolean {
    const { directory, marker } = session.parts;
    if (marker.retention !== 'keep' || session.enabled === undefined) return false;
    const giveUp = (): void => {
      if (!this.has(session.id)) return;
      this.end(session.id);
      this.#yieldSession(session);
    };
    const checkClaim = (): void => {
      const isThere = files.existsSync(directory.ownerFile); // false when the storage was removed
      if (!isThere || files.existsSync(directory.wantedFile)) giveUp();
    };
    try {
      const watch = watchDirectory(directory.own, checkClaim);
      watch.on('error', giveUp); // otherwise the daemon would not notice a claim by another process
      this.#watches.set(session.id, watch.unref());
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
    checkClaim(); // a process may already have claimed the session
    return true;
  }

  has(id: SessionId): boolean {
    return this.#watches.has(id);
  }

  /** Stops the lingering of a session, because a client has opened it again or the daemon closes it. */
  end(id: SessionId): void {
    this.#watches.get(id)?.close();
    this.#watches.delete(id);
  }
}
