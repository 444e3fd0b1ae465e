// Records the authors of the changes in checkpoints and restores, and finds the author of a content. The records are in
// the session's log. The ledger itself is in checkpoints/ledger.ts, and recorded-writes.ts records what agents report.
import type { SessionId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { changesBetween, sideOf } from '../checkpoints/compared.ts';
import { type Author, type Known, Ledger, type LedgerRecord } from '../checkpoints/ledger.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { ReportedWrite } from '../checkpoints/reported-writes.ts';
import type { LogRecord } from '../conversation/log/session-log.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { Entry, TreeChange } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { Session } from './session.ts';

type Idempotency = NonNullable<OperationContext['stamp']['idempotency']>;

export interface RecordedWrite {
  readonly recorded: boolean;
  /** The id of the content in this session's store. Absent when the file is gone. */
  readonly content?: string | undefined;
  readonly size?: number | undefined;
}

interface LoggedAuthorship extends LogRecord {
  readonly kind: 'ledger';
  readonly records: readonly LedgerRecord[];
  /** The writes that an agent reported: the agent of this session, or the agent of another session on the work tree. */
  readonly reports?: readonly ReportedWrite[] | undefined;
  /**
   * The client's key, and the answer to its request. Key and answer are in the same record as the effect, so all three
   * are logged together.
   */
  readonly idempotency?: (Idempotency & { readonly result: RecordedWrite }) | undefined;
}

/** Rebuilds the ledger from the records of the session's log. */
export function ledgerFrom(records: readonly LogRecord[]): Ledger {
  const logged = records.filter(isAuthorship);
  return new Ledger(
    logged.flatMap((record) => record.records),
    reportsIn(logged),
  );
}

/** Returns the reports among the records of a session's log. */
export function reportsIn(records: readonly LogRecord[]): ReportedWrite[] {
  return records.flatMap((record) => (isAuthorship(record) ? (record.reports ?? []) : []));
}

function isAuthorship(record: LogRecord): record is LoggedAuthorship {
  return record.kind === 'ledger' && 'records' in record;
}

/** Appends a record of authors to the session's log, unless the record is empty. */
export function logAuthors(
  session: Session,
  records: readonly LedgerRecord[],
  { idempotency, reports }: Pick<LoggedAuthorship, 'idempotency' | 'reports'> = {},
): void {
  if (records.length === 0 && idempotency === undefined && reports === undefined) return;
  const logged: LoggedAuthorship = { kind: 'ledger', records, reports, idempotency };
  session.parts.sessionLog.append(logged);
}

/**
 * Records the author of each change since the previous checkpoint. If another session of this daemon reported the
 * change, that session is the author. Otherwise the kind of the checkpoint decides: for a tool, the author is the
 * agent; for a turn, the author is the user.
 */
export async function recordCheckpoint(
  session: Session,
  before: StoredCheckpoint | undefined,
  made: StoredCheckpoint,
): Promise<void> {
  const checkpoints = session.requireCheckpoints();
  const { record } = made;
  const changes =
    before === undefined
      ? await changesSinceKnown(checkpoints, record.snapshot)
      : await changesBetween(
          checkpoints.store,
          sideOf(checkpoints.index, before),
          sideOf(checkpoints.index, made),
        );
  const who: Author = record.kind === 'turn' ? 'user' : 'agent';
  logAuthors(session, recordChanges(session, changes, record, who));
}

/**
 * For the first checkpoint of a session, returns the paths whose content differs from the ledger. The ledger may still
 * have records of earlier checkpoints that were removed. Omits every path that has no record: for such a path, the base
 * in the store has the content.
 */
async function changesSinceKnown(
  { store, ledger }: Checkpoints,
  snapshot: StoredCheckpoint['record']['snapshot'],
): Promise<TreeChange[]> {
  const paths = ledger.paths();
  if (paths.length === 0) return [];
  const present = new Map((await store.entries(snapshot)).map((entry) => [entry.path, entry]));
  return paths
    .map((path): TreeChange => {
      const after = present.get(path);
      return after === undefined ? { path } : { path, after };
    })
    .filter(({ path, after }) => ledger.last(path)?.content !== contentOf(after));
}

/**
 * Records the authors after a restore. This session is the author of the paths that the restore wrote or deleted. All
 * other changes since the checkpoint before the restore belong to the user or to another session.
 */
export function recordRestore(
  session: Session,
  changes: readonly TreeChange[],
  { record }: StoredCheckpoint,
  ours: ReadonlySet<TreePath>,
): void {
  const { ledger } = session.requireCheckpoints();
  const written = changes.filter(({ path }) => ours.has(path));
  const others = changes.filter(({ path }) => !ours.has(path));
  logAuthors(session, [
    ...ledger.recordCheckpoint(written, 'agent', record.timestamp, record.id),
    ...recordChanges(session, others, record, 'user'),
  ]);
}

/**
 * Records changes in the ledger. If the agent of another session made a change, that session is the author. Otherwise
 * `who` is the author.
 */
function recordChanges(
  session: Session,
  changes: readonly TreeChange[],
  { id, timestamp: at }: StoredCheckpoint['record'],
  who: Author,
): LedgerRecord[] {
  const { ledger } = session.requireCheckpoints();
  return changes.flatMap((change) => {
    const other = sessionThatLeft(session, change.path, contentOf(change.after));
    return ledger.recordCheckpoint([change], other === undefined ? who : 'session', at, id, other);
  });
}

/**
 * Returns the author of a content that this session did not write: the agent of another open session, or else
 * the user.
 */
export function authorOf(session: Session, path: TreePath, content: Known): 'session' | 'user' {
  return sessionThatLeft(session, path, content) === undefined ? 'user' : 'session';
}

/** Returns another open session whose agent was the last to write the path, and wrote this content. */
function sessionThatLeft(session: Session, path: TreePath, content: Known): SessionId | undefined {
  const left = session.parts.neighbours(session).find((other) => {
    const last = other.enabled?.ledger.last(path);
    return last?.content === content && last.who === 'agent';
  });
  return left?.id;
}

/** Finds the author of a content at a path. Looks in the ledger, and then in the other open sessions. */
export function writerOf(
  session: Session,
  path: TreePath,
  content: Known,
): { readonly author: Author; readonly session?: SessionId | undefined } {
  const record = firstWriteOf(session, path, content);
  const author = record?.who ?? authorOf(session, path, content);
  const made = { path, content, who: author, at: '' };
  return {
    author,
    session: author === 'session' ? sessionThatWrote(session, record ?? made) : undefined,
  };
}

/**
 * Returns the newest record of a content. Ignores records of restores, because a restore only writes content that
 * already has an author. A revert is an exception, because it merges. The session is the author of a content that first
 * came from a revert. Returns undefined when the content is only in records of other restores.
 */
function firstWriteOf(session: Session, path: TreePath, content: Known): LedgerRecord | undefined {
  const { index, ledger } = session.requireCheckpoints();
  const known = ledger.history(path).filter((each) => each.content === content);
  const restoreOf = ({ by }: LedgerRecord): CheckpointRecord | undefined => {
    const record = by === undefined ? undefined : index.byId(by)?.record;
    return record?.kind === 'restore' ? record : undefined;
  };
  const [oldest] = known;
  const isMerged = oldest !== undefined && restoreOf(oldest)?.reverted !== undefined;
  return known.findLast((each) => restoreOf(each) === undefined) ?? (isMerged ? oldest : undefined);
}

const contentOf = (entry: Entry | undefined): Known => entry?.blob ?? 'absent';

/**
 * Returns the session whose agent wrote the content. The record names this session, or the session is open and its
 * ledger has the write.
 */
export function sessionThatWrote(
  session: Session,
  { path, content, session: recorded }: LedgerRecord,
): SessionId | undefined {
  if (recorded !== undefined) return recorded;
  const wrote = (known: LedgerRecord): boolean => known.content === content && known.who === 'agent';
  return session.parts.neighbours(session).find((other) => other.enabled?.ledger.history(path).some(wrote))
    ?.id;
}
