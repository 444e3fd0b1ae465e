// Finds writes that the agents of other sessions reported, but that this session did not learn about. There are three
// causes: the agent reported to another daemon, this session was closed, or one of the two work trees contains the
// other. Reads the logs of the other sessions, and changes no file.
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import type { ReportedWrite } from '../checkpoints/reported-writes.ts';
import { wholeRecords } from '../conversation/log/session-log.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { reportsIn } from './authorship.ts';
import { SessionDirectory } from './directory.ts';
import { sessionsIn } from './listing.ts';
import type { Session } from './session.ts';

interface MissedReports {
  readonly paths: ReadonlySet<TreePath>;
  /** True when another session's log cannot be read. `paths` may then be incomplete. */
  readonly isPartial: boolean;
}

/**
 * Returns the paths of missed writes in the session's work tree. Other sessions of the storage reported these
 * writes since the given time, and this session did not see the reports.
 */
export function missedReports(session: Session, since: string): MissedReports {
  const { options, log, workTree, ledger } = session.parts;
  const paths = new Set<TreePath>();
  let isPartial = false;
  for (const { marker } of sessionsIn(options.storage, log, () => undefined)) {
    const translate = translation(marker.workTree, workTree.root);
    if (marker.session === session.id || translate === undefined) continue;
    const { logFile } = new SessionDirectory(options.storage, marker.session);
    const reports = ownReports(logFile, marker.session, since);
    isPartial ||= reports === undefined;
    for (const report of reports ?? []) {
      const path = translate(report.path);
      if (path !== undefined && !ledger.reports.has({ ...report, path })) paths.add(path);
    }
  }
  return { paths, isPartial };
}

/** Returns the writes that a session has reported since a time, or undefined when its log cannot be read. */
function ownReports(logFile: string, id: SessionId, since: string): ReportedWrite[] | undefined {
  try {
    // If the log was last written before `since`, it contains no later report. The tolerance is for file systems with
    // coarse file times.
    if (files.statSync(logFile).mtimeMs < Date.parse(since) - clockErrorMs) return [];
    const reports = reportsIn(wholeRecords(files.readFileSync(logFile)));
    return reports.filter(({ session, at }) => session === id && Date.parse(at) >= Date.parse(since));
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? [] : undefined;
  }
}

const clockErrorMs = 10_000;

/**
 * Returns a function that translates paths in the work tree `from` into paths in the work tree `to`. Returns undefined
 * if neither work tree contains the other.
 */
function translation(from: string, to: string): ((path: TreePath) => TreePath | undefined) | undefined {
  if (from === to) return (path) => path;
  const [below, above] = [`${from}/`, `${to}/`];
  if (from.startsWith(above)) return (path) => `${from.slice(above.length)}/${path}` as TreePath;
  if (!to.startsWith(below)) return undefined;
  const inner = `${to.slice(below.length)}/`;
  return (path) => (path.startsWith(inner) ? (path.slice(inner.length) as TreePath) : undefined);
}
