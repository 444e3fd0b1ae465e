// The watcher of a session: started when the session stands, told to the client in batches, and never trusted for a
// capture. A work tree that cannot be watched is no failure: captures walk it either way.
import { WorkTreeWatcher } from '../worktree/watcher.ts';
import type { Session } from './session.ts';

/** Starts watching in the background; `worktree/status` tells how far it is. */
export function startWatching(session: Session): void {
  const { workTree, log, events, options } = session.parts;
  const watcher = new WorkTreeWatcher({
    root: workTree.root,
    storage: options.storage,
    isIgnored: (path) => session.enabled?.capture.isLeftOut(path) ?? false,
    onChange: (change) => {
      session.parts.conversation.context.noteChanges(change.overflow ? undefined : change.paths);
      events.workTreeChanged(session, change);
    },
    log,
  });
  session.setWatcher(watcher);
  watcher.start();
}
