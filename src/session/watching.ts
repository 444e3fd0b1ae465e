// The watcher of a session: started when the session stands, told to the client in batches. What captures hold of it
// is checked by those that look at everything. A work tree that cannot be watched is no failure: captures walk it then.
import { setTimeout as delay } from 'node:timers/promises';
import type { ScanKind, StartedScan } from '../capture/tree-capturer.ts';
import { WatchAudit } from '../capture/watch-audit.ts';
import { byBytes } from '../tree/tree-path.ts';
import type { ChangeBatch } from '../watch/change-batches.ts';
import { WorkTreeWatcher } from '../watch/watcher.ts';
import type { Session } from './session.ts';

/** Makes the watcher; what captures hold can be held from now on, so that the first one may. */
export function beginHolding(session: Session): void {
  const { workTree, log, events, options, directory } = session.parts;
  const watcher = new WorkTreeWatcher({
    root: workTree.root,
    storage: options.storage,
    fenceDirectory: directory.fenceDirectory,
    isIgnored: (path) => session.enabled?.capture.isLeftOut(path) ?? false,
    leftOut: () => session.enabled?.capture.leftOutDirectories() ?? [],
    onChange: (change) => told(session, change),
    onDrift: (paths) => events.workTreeDrifted(session, paths),
    onHoldable: () => session.enabled?.capture.scanSoon(),
    log,
  });
  session.setWatcher(watcher);
  watcher.held?.start();
}

function told(session: Session, change: ChangeBatch): void {
  session.parts.conversation.context.noteChanges(change.overflow ? undefined : change.paths);
  session.parts.events.workTreeChanged(session, change);
}

/** So long the watch that tells people waits for captures at most. */
const waitMsMax = 5000;

/**
 * Starts watching in the background; `worktree/status` tells how far it is. What captures rest on comes first: the two
 * walk the same directories, and would take the processors from each other just when a client wants its first capture.
 */
export function startWatching(session: Session): void {
  const { watcher, enabled } = session;
  enabled?.capture.scanSoon(); // directories may have been holdable before there was anything to capture
  if (enabled === undefined || watcher?.held === undefined) watcher?.start();
  else watcher.start(Promise.race([enabled.capture.whenHeld(), delay(waitMsMax, undefined, { ref: false })]));
  void sayLive(session);
}

/** What changed between the opening and going live was seen by nobody; from then on everything is told. */
async function sayLive(session: Session): Promise<void> {
  const { watcher } = session;
  await watcher?.ready().catch(() => undefined); // logged by the watcher, which stays unwatched
  if (watcher?.figures.state === 'live') told(session, { paths: [], overflow: true, isLost: false });
}

/** What happens when a capture of the session begins to look, and when it has succeeded; see {@link WatchAudit}. */
export function auditedScan(session: Session): (kind: ScanKind) => StartedScan {
  const { log } = session.parts;
  const told = new WatchAudit({
    watch: () => session.watcher,
    onDrift: (untold) => {
      const paths = untold.map(({ path }) => path).sort(byBytes);
      session.watcher?.mend(paths, [...new Set(untold.flatMap(({ directories }) => directories))]);
    },
    log,
  });
  const held = new WatchAudit({
    watch: () => {
      const tree = session.watcher?.held;
      const isLive = session.enabled?.capture.isHeld ?? false;
      return tree && { changes: tree.changes, isLive, fence: () => tree.fence() };
    },
    onDrift: (untold) => {
      log.info(`${untold.length} changes were not told to captures: the next one looks at everything.`);
      session.enabled?.capture.distrust();
    },
    log,
  });
  return ({ isWhole, isPlain, isStored }) => {
    const { watcher } = session;
    const position = watcher?.changes.position ?? 0;
    const audited = isPlain ? [told.begin(), held.begin()] : [];
    return {
      changes: watcher?.changesSinceCapture() ?? { kind: 'everything', reason: 'unwatched' },
      succeeded: (seen) => {
        if (isWhole && isStored) watcher?.captured(position);
        for (const audit of audited) audit?.(seen);
      },
    };
  };
}
