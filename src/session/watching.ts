// The watcher of a session: started when the session stands, told to the client in batches, checked against every
// plain capture, and never trusted for one. A work tree that cannot be watched is no failure: captures walk it either way.
import type { LookKind, StartedLook } from '../capture/full-capture.ts';
import { WatchAudit } from '../capture/watch-audit.ts';
import { byBytes } from '../tree/tree-path.ts';
import type { ChangeBatch } from '../watch/change-batches.ts';
import { WorkTreeWatcher } from '../watch/watcher.ts';
import type { Session } from './session.ts';

/** Starts watching in the background; `worktree/status` tells how far it is. */
export function startWatching(session: Session): void {
  const { workTree, log, events, options, directory } = session.parts;
  const told = (change: ChangeBatch): void => {
    session.parts.conversation.context.noteChanges(change.overflow ? undefined : change.paths);
    events.workTreeChanged(session, change);
  };
  const watcher = new WorkTreeWatcher({
    root: workTree.root,
    storage: options.storage,
    fenceDirectory: directory.fenceDirectory,
    isIgnored: (path) => session.enabled?.capture.isLeftOut(path) ?? false,
    leftOut: () => session.enabled?.capture.leftOutDirectories() ?? [],
    onChange: told,
    onDrift: (paths) => events.workTreeDrifted(session, paths),
    log,
  });
  session.setWatcher(watcher);
  watcher.start();
  void sayLive(watcher, told);
}

/** What changed between the opening and going live was seen by nobody; from then on everything is told. */
async function sayLive(watcher: WorkTreeWatcher, told: (change: ChangeBatch) => void): Promise<void> {
  await watcher.ready().catch(() => undefined); // logged by the watcher, which stays unwatched
  if (watcher.figures.state === 'live') told({ paths: [], overflow: true });
}

/** What happens when a capture of the session begins to look, and when it has succeeded; see {@link WatchAudit}. */
export function watchedLook(session: Session): (kind: LookKind) => StartedLook {
  const { log } = session.parts;
  const audit = new WatchAudit({
    watch: () => session.watcher,
    onDrift: (untold) => {
      const paths = untold.map(({ path }) => path).sort(byBytes);
      session.watcher?.mend(paths, [...new Set(untold.flatMap(({ directories }) => directories))]);
    },
    log,
  });
  return ({ isWhole, isPlain, isStored }) => {
    const { watcher } = session;
    const position = watcher?.changes.position ?? 0;
    const audited = isPlain ? audit.begin() : undefined;
    return {
      changes: watcher?.changesSinceCapture() ?? { kind: 'everything', reason: 'unwatched' },
      succeeded: (seen) => {
        if (isWhole && isStored) watcher?.captured(position);
        audited?.(seen);
      },
    };
  };
}
