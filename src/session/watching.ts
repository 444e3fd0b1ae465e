// The watcher of a session: what it reports goes to the session's clients and to its captures, and the audit checks it.
// A work tree that cannot be watched is no failure: captures look at all of it then.
import { setTimeout as delay } from 'node:timers/promises';
import type { FinishedScan } from '../capture/capturer.ts';
import { WatchAudit } from '../capture/watch-audit.ts';
import { byBytes } from '../tree/tree-path.ts';
import type { ChangeBatch } from '../watch/change-batches.ts';
import { WorkTreeWatcher } from '../watch/watcher.ts';
import type { Session } from './session.ts';

/** Makes the watcher and starts its directory handles, so that the first capture may open some. */
export function beginWatching(session: Session): void {
  const { workTree, log, options, directory } = session.parts;
  const watcher = new WorkTreeWatcher({
    root: workTree.root,
    storage: options.storage,
    fenceDirectory: directory.fenceDirectory,
    isIgnored: (path) => session.enabled?.capture.isLeftOut(path) ?? false,
    ignoredDirectories: () => session.enabled?.capture.leftOutDirectories() ?? [],
    onChange: (change) => notify(session, change),
    onHandlesReady: () => session.enabled?.capture.scanSoon(),
    log,
  });
  session.watcher = watcher;
  watcher.handles?.start();
}

function notify(session: Session, change: ChangeBatch): void {
  session.parts.conversation.context.noteChanges(change.overflow ? undefined : change.paths);
  session.parts.events.workTreeChanged(session, change);
}

/** chokidar waits for the directory handles of captures at most so long. */
const waitMsMax = 5000;

/**
 * Starts chokidar in the background; `worktree/status` reports how far it is. The handles of captures come first: both
 * walk the same directories, and would compete for the processors just when a client wants its first capture.
 */
export function startWatching(session: Session): void {
  const { watcher, enabled } = session;
  enabled?.capture.scanSoon(); // the handles may have been ready before checkpoints were enabled
  if (enabled === undefined || watcher?.handles === undefined) watcher?.start();
  else watcher.start(Promise.race([enabled.capture.whenHeld(), delay(waitMsMax, undefined, { ref: false })]));
  void sayLive(session);
}

/** Notifies clients that anything may have changed before the watch went live: no source reported that. */
async function sayLive(session: Session): Promise<void> {
  const { watcher } = session;
  await watcher?.ready();
  if (watcher?.figures.state === 'live') notify(session, { paths: [], overflow: true, isLost: false });
}

/** Returns what the capturer of the session does with each scan that succeeded: it audits the watch. */
export function auditedScan(session: Session): (scan: FinishedScan) => void {
  const audit = new WatchAudit({
    handles: () => {
      const handles = session.watcher?.handles;
      const isTrusted = session.enabled?.capture.isHeld ?? false;
      return handles && { changes: handles.changes, isTrusted, fence: () => handles.fence() };
    },
    onDrift: (paths) => {
      session.enabled?.capture.distrust();
      session.watcher?.drifted(paths);
      session.parts.events.workTreeDrifted(session, paths.toSorted(byBytes));
    },
    log: session.parts.log,
  });
  return ({ position, seen, isWhole, isPlain, isStored }) => {
    if (isWhole && isStored) session.watcher?.captured(position);
    if (isPlain) audit.compare(position, seen);
  };
}
