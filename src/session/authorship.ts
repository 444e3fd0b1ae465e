// Records the author of each write, and returns the authors of a path. The sources are checkpoints and the
// agent's reports. The records are in the session's log. The ledger itself is in checkpoints/ledger.ts.
import { timestamp } from '../base/clock.ts';
import type { CheckpointId, SessionId } from '../base/ids.ts';
import { contentAt } from '../capture/content-id.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { changesBetween, sideOf } from '../checkpoints/compared.ts';
import { type Author, type Known, Ledger, type LedgerRecord } from '../checkpoints/ledger.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { ReportedWrite } from '../checkpoints/reported-writes.ts';
import type { LogRecord } from '../conversation/log/session-log.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { Entry, TreeChange } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { requireWorkTree } from '../work-tree/work-tree.ts';
import { storeReported } from './reported-contents.ts';
import type { Session } from './session.ts';

type Idempotency = NonNullable<OperationContext['stamp']['idempotency']>;

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

function keep(
  session: Session,
  records: readonly LedgerRecord[],
  {
    idempotency,
    report,
  }: { idempotency?: LoggedAuthorship['idempotency']; report?: ReportedWrite | undefined } = {},
): void {
  if (records.length === 0 && idempotency === undefined && report === undefined) return;
  const logged: LoggedAuthorship = {
    kind: 'ledger',
    records,
    reports: report && [report],
    idempotency,
  };
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
  keep(session, noted(session, changes, record, who));
}

/**
 * For the first checkpoint of a session, returns the paths whose content differs from the ledger. The ledger may still
 * have records of earlier checkpoints that were removed. Omits every path that has no record: for such a path, the base
 * in the store has the content ({@link CheckpointIndex.base}).
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
export async function recordRestore(
  session: Session,
  before: StoredCheckpoint | undefined,
  { record }: StoredCheckpoint,
  ours: ReadonlySet<TreePath>,
): Promise<void> {
  const { store, ledger } = session.requireCheckpoints();
  if (before === undefined) return;
  const changes = await store.changes(before.record.snapshot, record.snapshot);
  const written = changes.filter(({ path }) => ours.has(path));
  const others = changes.filter(({ path }) => !ours.has(path));
  keep(session, [
    ...ledger.recordCheckpoint(written, 'agent', record.timestamp, record.id),
    ...noted(session, others, record, 'user'),
  ]);
}

/**
 * Records changes in the ledger. If the agent of another session made a change, that session is the author. Otherwise
 * `who` is the author.
 */
function noted(
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

interface RecordedWrite {
  readonly recorded: boolean;
  /** The id of the content in this session's store. Absent when the file is gone. */
  readonly content?: string | undefined;
  readonly size?: number | undefined;
}

/** Records that the agent has just written (or deleted) a file. Reads the file's current content. */
export async function recordWrite(
  session: Session,
  write: { readonly path: TreePath; readonly toolName?: string | undefined },
  context: OperationContext,
): Promise<RecordedWrite> {
  const { store, ledger } = session.requireCheckpoints();
  const { workTree } = session.parts;
  const keepers = await keepersOf(session, write.path);
  // Between reading the file and logging the report there is no await. So the log has the reports in the order in which
  // the contents were read.
  const found = await contentAt(store, workTree, write.path, context.signal);
  // A missing file counts as deleted by the agent, unless the work tree itself is missing.
  requireWorkTree(workTree);
  const content = found?.blob ?? 'absent';
  const at = timestamp();
  const record = ledger.compose(write.path, content, 'agent', at, write.toolName);
  const result = {
    recorded: record !== undefined,
    content: found?.blob,
    size: found?.size,
  };
  keepContent(keepers, content, found?.bytes);
  const { idempotency } = context.stamp;
  // The other sessions log the report first, and this session logs the report last. If the daemon is killed in between,
  // the other sessions already know that this session wrote the path.
  for (const other of session.parts.neighbours(session))
    recordReport(other, session, { path: write.path, content, at });
  const report = reportFor(session, session, { path: write.path, content, at });
  // Logs first. If the log cannot be written, the ledger stays unchanged.
  keep(session, record === undefined ? [] : [record], {
    idempotency: idempotency && { ...idempotency, result },
    report,
  });
  if (record !== undefined) ledger.add(record);
  if (report !== undefined) ledger.reports.add(report);
  return result;
}

/**
 * Returns the sessions that must keep the content of an agent's write to a path. Returns an empty list while only one
 * session is open on the work tree. Includes only sessions that compute content ids as this session does, and whose
 * captures include the path.
 */
async function keepersOf(session: Session, path: TreePath): Promise<Session[]> {
  const others = session.parts.neighbours(session);
  if (others.length === 0) return [];
  const name = nameOfEmpty(session);
  const keepers: Session[] = [];
  for (const each of [session, ...others.filter((other) => nameOfEmpty(other) === name)]) {
    try {
      if ((await each.enabled?.capture.takes(path)) === true) keepers.push(each);
    } catch (error) {
      each.parts.log.warn(
        `the daemon could not check whether session ${each.id} must keep the content of an agent's write: ${String(error)}`,
      );
    }
  }
  return keepers;
}

/**
 * Keeps a reported content. After a failure, only writes a warning to the log. Without this content, a revert of one
 * author merely skips the path.
 */
function keepContent(keepers: readonly Session[], content: Known, bytes: Uint8Array | undefined): void {
  if (content === 'absent' || bytes === undefined) return;
  for (const { id, parts } of keepers) {
    try {
      storeReported(parts.directory.reportedDirectory, content, bytes);
    } catch (error) {
      parts.log.warn(
        `the daemon could not keep the content of an agent's write in session ${id}: ${String(error)}`,
      );
    }
  }
}

type Written = Pick<LedgerRecord, 'path' | 'content' | 'at'>;

/**
 * Records, in a session, a write that another session on the work tree has reported. If the write cannot be logged,
 * gives a warning.
 */
function recordReport(session: Session, writer: Session, written: Written): void {
  const report = reportFor(session, writer, written);
  if (report === undefined) return;
  try {
    keep(session, [], { report });
  } catch (error) {
    session.parts.log.warn(
      `a write that ${writer.id} reported is not in the log of ${session.id}: ${String(error)}`,
    );
  }
  session.parts.ledger.reports.add(report);
}

/**
 * Returns the report that `session` records about a write of `writer`. Returns undefined when `session` has no
 * checkpoint or already knows the write.
 */
function reportFor(
  session: Session,
  writer: Session,
  { path, content, at }: Written,
): ReportedWrite | undefined {
  const after = session.enabled?.index.head?.record.id;
  if (after === undefined) return undefined;
  const isShared = session === writer || nameOfEmpty(session) === nameOfEmpty(writer);
  return session.parts.ledger.reports.compose({
    path,
    content: isShared ? content : undefined,
    agent: agentNameOf(writer),
    session: writer.id,
    after,
    at,
  });
}

/**
 * Returns the id of the empty content. Two sessions with the same id for the empty content compute all content ids in
 * the same way.
 */
function nameOfEmpty(session: Session): string | undefined {
  return session.enabled?.store.hash(0).digest();
}

/** Returns the name of a session's agent: the part before the colon in the id of the session's conversation. */
export function agentNameOf({ parts }: Session): string | undefined {
  return /^([^:]+):/.exec(parts.marker.conversationId)?.[1];
}

interface LedgerEntryView {
  readonly author: Author;
  /** The position in the history of the path, counted from 1. */
  readonly seq: number;
  readonly timestamp: string;
  readonly content?: string;
  readonly checkpoint?: string | undefined;
  readonly tag?: string | undefined;
  readonly toolName?: string | undefined;
  /** The id of another session, if the agent of that session made the change. */
  readonly session?: SessionId | undefined;
}

type Listing = ReturnType<CheckpointIndex['listing']>;

interface PathHistory {
  /** For each change, oldest first, a function that describes the change. */
  readonly entries: readonly (() => Promise<LedgerEntryView>)[];
  /** The author of the file's current content. Absent when the newest entry has this content. */
  readonly present?: LedgerEntryView;
}

/** Returns the history of a path. */
export async function pathHistory(session: Session, path: TreePath): Promise<PathHistory> {
  const checkpoints = session.requireCheckpoints();
  const { ledger, store } = checkpoints;
  const base = checkpoints.index.base?.record;
  const original = base === undefined ? undefined : await store.entry(base.snapshot, path);
  const later = ledger.history(path);
  // The ledger may also have records from removed checkpoints. These records come before all others.
  const isTold = base === undefined || later.some(({ by, at }) => by === base.id || at < base.timestamp);
  const first: LedgerRecord[] =
    isTold || original === undefined
      ? []
      : [{ path, content: original.blob, who: 'user', by: base.id, at: base.timestamp }];
  const records = [...first, ...later];
  const all = checkpoints.index.listing('every');
  const entries = records.map(
    (record, i) => async () =>
      describe(session, record, i + 1, await checkpointWith(checkpoints, all, record, records[i + 1])),
  );
  const found = await contentAt(store, session.parts.workTree, path);
  const content: Known = found?.blob ?? 'absent';
  if (content === (records.at(-1)?.content ?? 'absent')) return { entries };
  const now = { path, content, who: 'user' as const, at: timestamp() };
  return { entries, present: describe(session, now, records.length + 1, undefined) };
}

/**
 * Returns the id of the first checkpoint with the content of a record. If a reported content was replaced before the
 * next checkpoint, no checkpoint has this content.
 */
async function checkpointWith(
  { index, store }: Checkpoints,
  all: Listing,
  { path, content, by, at }: LedgerRecord,
  next: LedgerRecord | undefined,
): Promise<CheckpointId | undefined> {
  if (isCheckpointId(by)) return index.byId(by)?.record.id;
  // A checkpoint and the report after it may have the same time, because the clock is coarse. The next checkpoint then
  // has the content.
  for (const { record } of since(all, at, 2)) {
    if (next !== undefined && next.at < record.timestamp) return undefined;
    const found = await store.entry(record.snapshot, path);
    if ((found?.blob ?? 'absent') === content) return record.id;
  }
  return undefined;
}

/** Returns the first `count` checkpoints that are not older than a time. */
function since(all: Listing, at: string, count: number): readonly StoredCheckpoint[] {
  let [from, to] = [0, all.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const [found] = all.slice(middle, middle + 1);
    if (found !== undefined && found.record.timestamp < at) from = middle + 1;
    else to = middle;
  }
  return all.slice(from, from + count);
}

const isCheckpointId = (by: string | undefined): by is string => by?.startsWith('ckpt_') === true;

function describe(
  session: Session,
  record: LedgerRecord,
  seq: number,
  checkpoint: CheckpointId | undefined,
): LedgerEntryView {
  const { index } = session.requireCheckpoints();
  const writer = record.who === 'session' ? sessionThatWrote(session, record) : undefined;
  const tag = checkpoint === undefined ? undefined : index.tagOf(checkpoint);
  return {
    author: record.who,
    seq,
    timestamp: record.at,
    ...(record.content === 'absent' ? {} : { content: record.content }),
    checkpoint,
    tag,
    toolName: isCheckpointId(record.by) ? undefined : record.by,
    session: writer,
  };
}

/**
 * Returns the session whose agent wrote the content. The record names this session, or the session is open and its
 * ledger has the write.
 */
function sessionThatWrote(
  session: Session,
  { path, content, session: recorded }: LedgerRecord,
): SessionId | undefined {
  if (recorded !== undefined) return recorded;
  const wrote = (known: LedgerRecord): boolean => known.content === content && known.who === 'agent';
  return session.parts.neighbours(session).find((other) => other.enabled?.ledger.history(path).some(wrote))
    ?.id;
}
