// Connects the watcher and the capturer of a session. The watcher reports changes to clients and to captures. The audit
// compares the watcher's reports with the changes that captures find. If a work tree cannot be watched, the session
// still works, and captures scan the whole tree.
import { setTimeout as delay } from 'node:timers/promises';
import { Capturer, type FinishedScan } from '../capture/capturer.ts';
import { WatchAudit } from '../capture/watch-audit.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { byBytes } from '../tree/tree-path.ts';
import { type ChangeBatch, WorkTreeWatcher } from '../watch/watcher.ts';
import { storageWithin } from '../work-tree/work-tree.ts';
import type { Session } from './session.ts';

/** Makes the watcher and starts its directory handles, so that the first capture can already open handles. */
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
  session.parts.conversation.context.invalidate(change.overflow ? undefined : change.paths);
  session.parts.events.workTreeChanged(session, change);
}

/** The longest time in ms that chokidar waits for the directory handles of captures. */
const waitMsMax = 5000;

/**
 * Starts chokidar in the background. `worktree/status` reports its progress. First waits until captures have their
 * directory handles. Otherwise chokidar, which walks the same directories, would take processor time while a client
 * waits for the first capture.
 */
export function startWatching(session: Session): void {
  const { watcher, enabled } = session;
  enabled?.capture.scanSoon(); // if the handles are ready already, nothing else starts a scan
  if (enabled === undefined || watcher?.handles === undefined) watcher?.start();
  else
    watcher.start(Promise.race([enabled.capture.whenWatched(), delay(waitMsMax, undefined, { ref: false })]));
  void notifyLive(session);
}

/** Starts to watch the work tree of an open session, unless the session is already watched. */
export function watchFromNow(session: Session): void {
  if (session.watcher !== undefined) return;
  beginWatching(session);
  startWatching(session);
}

/**
 * Notifies clients that any file may have changed before the watcher started, because the watcher did not report those
 * changes.
 */
async function notifyLive(session: Session): Promise<void> {
  const { watcher } = session;
  await watcher?.ready();
  if (watcher?.figures.state === 'live') notify(session, { paths: [], overflow: true, isLost: false });
}

/**
 * Opens the capturer for the session's work tree and store. The capturer's scans use the watcher, and show whether the
 * watcher has missed a change.
 */
export function openCapturer(
  session: Session,
  store: SnapshotStore,
  ignoreDirectory = session.parts.directory.ignoreDirectory,
): Capturer {
  const { workTree, options, directory, log, marker } = session.parts;
  const own = storageWithin(workTree, options.storage);
  return new Capturer({
    store,
    workTree,
    include: options.include,
    exclude: options.exclude,
    maxFileBytes: options.limits.maxFileBytes,
    leftOut: own === undefined ? undefined : [own],
    ignoreDirectory,
    knownFile: marker.retention === 'keep' ? directory.knownFile : undefined,
    head: () => session.enabled?.index.head?.record.snapshot,
    onScanned: audited(session),
    handles: () => session.watcher?.handles,
    log,
  });
}

/** Returns the callback that the capturer calls after each successful scan. The callback audits the watcher. */
function audited(session: Session): (scan: FinishedScan) => void {
  const audit = new WatchAudit({
    handles: () => {
      const handles = session.watcher?.handles;
      const isTrusted = session.enabled?.capture.isWatched ?? false;
      return handles && { changes: handles.changes, isTrusted, fence: () => handles.fence() };
    },
    onDrift: (paths) => {
      session.enabled?.capture.requireFullScan();
      session.watcher?.drifted(paths);
      session.parts.events.workTreeDrifted(session, paths.toSorted(byBytes));
    },
    log: session.parts.log,
  });
  return ({ position, tree, isWhole, isPlain, isStored }) => {
    if (isWhole && isStored) session.watcher?.captured(position);
    if (isPlain) audit.compare(position, tree);
  };
}
