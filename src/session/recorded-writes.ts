// Records the writes that an agent reports, in every session on the work tree. Keeps the reported contents, so that a
// revert of one author has the contents that no checkpoint has.
import { timestamp } from '../base/clock.ts';
import { contentAt } from '../capture/content-id.ts';
import type { Known, LedgerRecord } from '../checkpoints/ledger.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import type { ReportedWrite } from '../checkpoints/reported-writes.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { requireWorkTree } from '../work-tree/work-tree.ts';
import { logAuthors, type RecordedWrite } from './authorship.ts';
import { storeReported } from './reported-contents.ts';
import type { Session } from './session.ts';

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
  logAuthors(session, record === undefined ? [] : [record], {
    idempotency: idempotency && { ...idempotency, result },
    reports: report && [report],
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
    logAuthors(session, [], { reports: [report] });
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
