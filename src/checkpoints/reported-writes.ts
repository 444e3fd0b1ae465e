// Records the writes that agents report, in the order of the reports. The agents belong to all open sessions on the
// same work tree. From reports and checkpoints, this module concludes whether one author made the whole change of a
// path. The data is in memory, and this module never reads the disk. The session keeps the reports in its log.
import type { BlobId, CheckpointId, SessionId } from '../base/ids.ts';
import type { Entry } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';

/** One report of a write or a deletion. JSON-safe. */
export interface ReportedWrite {
  readonly path: TreePath;
  /**
   * The content after the write. Absent when the reporting session has a different kind of store, whose content ids
   * differ.
   */
  readonly content?: BlobId | 'absent' | undefined;
  readonly session: SessionId;
  /** The name of the agent in the reporting session, if the conversation contains a name. */
  readonly agent?: string | undefined;
  /**
   * The head at the time of the report: the head of the session that keeps this record, not that of the reporting
   * session.
   */
  readonly after: CheckpointId;
  /** The time of the report (RFC 3339). All sessions that record the report use the same time. */
  readonly at: string;
  /**
   * True when this session was closed for some time after its current head was made. The session may have missed
   * reports during that time.
   */
  readonly mayMiss?: true;
}

/**
 * A station of a range: the entry of a path in one checkpoint of the range, or in the current work tree, which has no
 * id.
 */
export interface EntryAtCheckpoint {
  readonly id?: CheckpointId | undefined;
  readonly entry: Entry | undefined;
}

/** One change of a path's content. When `session` is absent, no session reported the change. */
export interface ReportedStep {
  readonly before: BlobId | 'absent';
  readonly after: BlobId | 'absent';
  readonly session?: SessionId;
}

/**
 * Says which part of a change an author made. `whole`: the author made the whole change. `none`: other authors made
 * the whole change.
 */
export type Share = 'whole' | 'none' | 'mixedAuthors' | 'unknownAuthor';

export class ReportedWrites {
  readonly #byPath = new Map<TreePath, ReportedWrite[]>();
  #openedAt: CheckpointId | undefined;

  constructor(reports: Iterable<ReportedWrite> = []) {
    for (const report of reports) this.add(report);
  }

  /**
   * Records which head the session has when its checkpoints are enabled. The session may lack reports that came after
   * this head was made and before the checkpoints were enabled.
   */
  beginAt(head: CheckpointId | undefined): void {
    this.#openedAt = head;
  }

  /**
   * Returns the record of a report. Returns undefined when the last two reports of the path have the same session,
   * content and checkpoint as this report.
   */
  compose(report: Omit<ReportedWrite, 'mayMiss'>): ReportedWrite | undefined {
    // The first repetition of a report is recorded, as a sign that the content was written several times.
    const last = (this.#byPath.get(report.path) ?? []).slice(-2);
    const isRepeat = last.every(
      ({ session, content, after }) =>
        session === report.session && content === report.content && after === report.after,
    );
    if (last.length === 2 && isRepeat && report.content !== undefined) return undefined;
    return report.after === this.#openedAt ? { ...report, mayMiss: true } : report;
  }

  /** True when this session has already recorded this report of another session. */
  has({ path, session, at }: ReportedWrite): boolean {
    return this.#byPath.get(path)?.some((known) => known.session === session && known.at === at) === true;
  }

  add(report: ReportedWrite): void {
    const known = this.#byPath.get(report.path);
    if (known === undefined) this.#byPath.set(report.path, [report]);
    else known.push(report);
  }

  /**
   * For each session, returns the name of the agent that reported writes. If `after` is given, returns only agents that
   * reported after one of these checkpoints.
   */
  agents(after?: ReadonlySet<CheckpointId>): Map<SessionId, string | undefined> {
    const found = new Map<SessionId, string | undefined>();
    for (const reports of this.#byPath.values())
      for (const report of reports)
        if (after === undefined || after.has(report.after)) found.set(report.session, report.agent);
    return found;
  }

  /**
   * Returns which part of a path's change was made by one author. Covers the change from the first to the last
   * checkpoint.
   */
  shareOf(author: SessionId, path: TreePath, stations: readonly EntryAtCheckpoint[]): Share {
    const reports = this.#byPath.get(path) ?? [];
    const intervals = stations.slice(0, -1).map(({ id }) => reports.filter(({ after }) => after === id));
    const inRange = intervals.flat();
    const isAuthors = inRange.some(({ session }) => session === author);
    const isOthers = inRange.some(({ session }) => session !== author);
    if (isAuthors && (isOthers || isOverlapping(reports, inRange[0]))) return 'mixedAuthors';
    const isProven = intervals.every((writes, i) => isExplained(writes, stations[i], stations[i + 1]));
    if (!isProven || !hasOneMode(stations)) return 'unknownAuthor';
    return isAuthors ? 'whole' : 'none';
  }

  /**
   * Returns the changes that an author made to a path's content, oldest first. Covers the first `intervals` intervals
   * between the stations ({@link EntryAtCheckpoint}). Returns undefined when the reports do not show which author made
   * a change. The stations go on after the range, up to the current state, because a report may come late.
   */
  stepsOf(
    author: SessionId,
    path: TreePath,
    stations: readonly EntryAtCheckpoint[],
    intervals: number,
  ): readonly ReportedStep[] | undefined {
    if (!hasOneMode(stations.slice(0, intervals + 1))) return undefined;
    const steps = stepsBetween(this.#byPath.get(path) ?? [], stations)
      ?.slice(0, intervals)
      .flat();
    return steps?.filter(({ session }) => session === author);
  }
}

/**
 * Returns the changes from each station to the next, or undefined when the reports do not prove the authors. Each
 * report is about one write. If a report names the content that the path already had, the report came late and is about
 * an earlier change. If a report came late, the authors are unknown.
 */
function stepsBetween(
  reports: readonly ReportedWrite[],
  stations: readonly EntryAtCheckpoint[],
): readonly (readonly ReportedStep[])[] | undefined {
  const intervals: ReportedStep[][] = [];
  let content = contentOf(stations[0]);
  let count = 0;
  for (const [i, { id }] of stations.slice(0, -1).entries()) {
    const steps: ReportedStep[] = [];
    const writes = reports.filter(({ after }) => after === id);
    for (const { content: after, session, mayMiss } of writes) {
      if (mayMiss === true || after === undefined || after === content) return undefined;
      steps.push({ before: content, after, session });
      content = after;
    }
    count += writes.length;
    const end = contentOf(stations[i + 1]);
    if (end !== content) steps.push({ before: content, after: end });
    content = end;
    intervals.push(steps);
  }
  // A report that was made on another line of checkpoints may be a late report about this line.
  const first = reports.findIndex(({ after }) => stations.some(({ id }) => id === after));
  return first >= 0 && reports.length - first > count ? undefined : intervals;
}

/** True when the reports between two checkpoints explain the change of the content between them. */
function isExplained(
  writes: readonly ReportedWrite[],
  start: EntryAtCheckpoint | undefined,
  end: EntryAtCheckpoint | undefined,
): boolean {
  if (writes.some(({ mayMiss }) => mayMiss === true)) return false;
  const last = writes.at(-1);
  return (last === undefined ? contentOf(start) : last.content) === contentOf(end);
}

/**
 * Checks `first` and all later reports. True when one session reported a content directly after another session had
 * reported the same content. In this case, both sessions had written their content before the first of the two reports.
 */
function isOverlapping(reports: readonly ReportedWrite[], first: ReportedWrite | undefined): boolean {
  const start = first === undefined ? reports.length : reports.indexOf(first);
  return reports.slice(start).some(({ session, content }, i) => {
    const before = reports[start + i - 1];
    if (before === undefined || before.session === session) return false;
    return content === undefined || content === before.content;
  });
}

/** True when all stations have the same mode. A report contains no mode, so the author of a changed mode is unknown. */
function hasOneMode(stations: readonly EntryAtCheckpoint[]): boolean {
  const modes = stations.flatMap(({ entry }) =>
    entry === undefined ? [] : [`${entry.mode} ${entry.permissions}`],
  );
  return new Set(modes).size <= 1;
}

function contentOf(station: EntryAtCheckpoint | undefined): BlobId | 'absent' {
  return station?.entry?.blob ?? 'absent';
}
