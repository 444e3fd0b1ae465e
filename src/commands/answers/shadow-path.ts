// Where the git repository of a session's checkpoints lies, for clients that look into it with git.
import { ownRepository } from '../../session/offered-strategies.ts';
import type { Session } from '../../session/session.ts';

/** Of a session whose checkpoints are in a repository of its own. */
export function shadowPath(session: Session): string | undefined {
  return session.enabled === undefined ? undefined : ownRepository(session);
}
