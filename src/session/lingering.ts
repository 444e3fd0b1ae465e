// The sessions that a background daemon has open though no client does: the next command finds them open and watched.
// Another process that wants one writes a file into it (owner.ts), and gets it at once. Only kept sessions linger, so to
// end one removes nothing.
import { systemCode } from '../base/errors.ts';
import { type FSWatcher, files, watchDirectory } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import type { Session } from './session.ts';

export class LingeringSessions {
  readonly #watches = new Map<SessionId, FSWatcher>();
  readonly #yieldSession: (session: Session) => void;

  /** `yieldSession` is called once for a session that another process wants. */
  constructor(yieldSession: (session: Session) => void) {
    this.#yieldSession = yieldSession;
  }

  /** Returns false for a session that must not linger, or where a process that wants it would not be noticed. */
  begin(session: Session): boolean {
    const { directory, marker } = session.parts;
    if (marker.retention !== 'keep' || session.enabled === undefined) return false;
    const look = (): void => {
      if (!this.has(session.id) || !files.existsSync(directory.wantedFile)) return;
      this.end(session.id);
      this.#yieldSession(session);
    };
    try {
      const watch = watchDirectory(directory.own, look);
      watch.on('error', () => this.end(session.id)); // the directory is gone: nothing in it can be wanted
      this.#watches.set(session.id, watch.unref());
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
    look(); // it may have been wanted before
    return true;
  }

  has(id: SessionId): boolean {
    return this.#watches.has(id);
  }

  /** Ends the wait: a client has the session again, or it is being closed. */
  end(id: SessionId): void {
    this.#watches.get(id)?.close();
    this.#watches.delete(id);
  }
}
