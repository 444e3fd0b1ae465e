// The ledger records who wrote each content that a path had in a checkpoint or that the agent reported. A content
// without a record counts as the work of another author. The ledger is in memory and never reads the disk. The session
// stores the records in its log and rebuilds the ledger from them at the next start.
import type { BlobId, SessionId } from '../base/ids.ts';
import type { TreeChange } from '../tree/tree.ts';
import { byBytes, type TreePath } from '../tree/tree-path.ts';
import { type ReportedWrite, ReportedWrites } from './reported-writes.ts';

/**
 * The author of a content. `agent`: the agent of this session. `session`: the agent of another session. `user`: the
 * user, or an unknown program.
 */
export type Author = 'agent' | 'user' | 'session';

/** The id of a content, or `absent` when the path does not exist. */
export type Known = BlobId | 'absent';

/** One write or deletion of one path. JSON-safe. */
export interface LedgerRecord {
  readonly path: TreePath;
  readonly content: Known;
  readonly who: Author;
  /** The session whose agent wrote the content, if `who` is `session`. The id remains after the session closes. */
  readonly session?: SessionId | undefined;
  /** The id of the checkpoint in which the write was found, or the name of the tool that reported the write. */
  readonly by?: string | undefined;
  /** The time of the record (RFC 3339). The ledger uses only the order of the records, not this time. */
  readonly at: string;
}

export class Ledger {
  /** The records of each path, oldest first. A path without a record is assumed never to have existed. */
  readonly #histories = new Map<TreePath, LedgerRecord[]>();
  #newest: LedgerRecord | undefined;
  /**
   * The reports of all sessions on the work tree. The records of the paths do not contain the reports of other
   * sessions.
   */
  readonly reports: ReportedWrites;

  /** Rebuilds a ledger from its records, in the order in which they were made. */
  constructor(records: Iterable<LedgerRecord> = [], reports: Iterable<ReportedWrite> = []) {
    for (const record of records) this.add(record);
    this.reports = new ReportedWrites(reports);
  }

  /**
   * Returns a new record of a write or a deletion. Returns undefined when the last record has the same author and
   * content.
   */
  compose(path: TreePath, content: Known, who: Author, at: string, by?: string): LedgerRecord | undefined {
    const last = this.last(path);
    if (last?.content === content && last.who === who) return undefined;
    return { path, content, who, at, by };
  }

  /**
   * Records the changes between the previous checkpoint and a new checkpoint. The first checkpoint is compared with an
   * empty tree. A reported content keeps its author. Other new contents get the author `who`. Returns the records for
   * the session's log.
   */
  recordCheckpoint(
    changes: Iterable<TreeChange>,
    who: Author,
    at: string,
    by?: string,
    session?: SessionId,
  ): LedgerRecord[] {
    const added: LedgerRecord[] = [];
    for (const { path, after } of changes) {
      const content: Known = after?.blob ?? 'absent';
      if (this.last(path)?.content === content) continue;
      const record: LedgerRecord = { path, content, who, at, by, session };
      this.add(record);
      added.push(record);
    }
    return added;
  }

  /**
   * True when the path has this content in a checkpoint, or the agent reported this content. Always true for `absent`.
   */
  isKnown(path: TreePath, content: Known): boolean {
    if (content === 'absent') return true;
    return this.history(path).some((record) => record.content === content);
  }

  history(path: TreePath): readonly LedgerRecord[] {
    return this.#histories.get(path) ?? [];
  }

  /** Returns the newest record of a path, or undefined when the path has no record. */
  last(path: TreePath): LedgerRecord | undefined {
    return this.#histories.get(path)?.at(-1);
  }

  /** Returns every path that has a record, in bytewise order. */
  paths(): TreePath[] {
    return [...this.#histories.keys()].sort(byBytes);
  }

  add(record: LedgerRecord): void {
    const history = this.#histories.get(record.path);
    const own = this.#withoutCopies(record, history ?? []);
    if (history === undefined) this.#histories.set(own.path, [own]);
    else history.push(own);
    this.#newest = own;
  }

  /**
   * Returns the record, and takes each string from an earlier record if that record has an equal string. This saves a
   * third of the memory, because many records have the same path, content or time.
   */
  #withoutCopies(record: LedgerRecord, history: readonly LedgerRecord[]): LedgerRecord {
    const { who, at, by, session } = record;
    const path = history[0]?.path ?? record.path;
    const content = history.slice(-lookBack).find((each) => each.content === record.content)?.content;
    const beside = at === this.#newest?.at && by === this.#newest.by ? this.#newest : record;
    return {
      path,
      content: content ?? record.content,
      who,
      at: beside.at,
      by: beside.by,
      session,
    };
  }
}

/**
 * When a path gets a new record, the ledger searches at most this many of the path's last records for an equal content.
 */
const lookBack = 8;
