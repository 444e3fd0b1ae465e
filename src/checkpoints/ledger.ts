// The ledger records who wrote each content: for each path the contents that a checkpoint holds or that the agent
// reported. Any other content is an edit of another author. It is in memory and pure: the session keeps its records
// in the log and feeds them in again at the next start. It never looks at the disk.
import { given } from '../base/given.ts';
import type { BlobId, SessionId } from '../base/ids.ts';
import type { TreeChange } from '../tree/tree.ts';
import { byBytes, type TreePath } from '../tree/tree-path.ts';
import { type ReportedWrite, ReportedWrites } from './reported-writes.ts';

/** `agent`: this session's; `user`: by hand or by an unknown program; `session`: another session's agent. */
export type Author = 'agent' | 'user' | 'session';

/** A content, or `absent`: the path does not exist. */
export type Known = BlobId | 'absent';

/** One thing that happened to one path. JSON-safe. */
export interface LedgerRecord {
  readonly path: TreePath;
  readonly content: Known;
  readonly who: Author;
  /** The session whose agent wrote the content, if `who` is `session`. It remains known after that session closes. */
  readonly session?: SessionId;
  /** Which tool or checkpoint, as the recorder names it. */
  readonly by?: string;
  /** RFC 3339. Order is the order of records, never the clock's. */
  readonly at: string;
}

export class Ledger {
  /** By path, oldest first. A path without an entry was never seen: it was absent as far as we know. */
  readonly #histories = new Map<TreePath, LedgerRecord[]>();
  /** The reports of all sessions on the work tree. Those of other sessions are in no history. */
  readonly reports: ReportedWrites;

  /** Rebuilds a ledger from its records, in the order in which they were made. */
  constructor(records: Iterable<LedgerRecord> = [], reports: Iterable<ReportedWrite> = []) {
    for (const record of records) this.add(record);
    this.reports = new ReportedWrites(reports);
  }

  /** The record of a write or a deletion, or undefined when it says nothing new: the same author left the same content. */
  compose(path: TreePath, content: Known, who: Author, at: string, by?: string): LedgerRecord | undefined {
    const last = this.last(path);
    if (last?.content === content && last.who === who) return undefined;
    return { path, content, who, at, ...given({ by }) };
  }

  /**
   * Notes what a checkpoint holds, as its changes against the checkpoint before it (the first: against nothing).
   * A content that was reported already keeps its author; what is new is put down to `who`. Returns what to
   * persist; a session that can read its checkpoints again may as well record them again.
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
      const record: LedgerRecord = { path, content, who, at, ...given({ by, session }) };
      this.add(record);
      added.push(record);
    }
    return added;
  }

  /** True when some checkpoint or the agent is known to have had this content (or this absence) at the path. */
  isKnown(path: TreePath, content: Known): boolean {
    if (content === 'absent') return true;
    return this.history(path).some((record) => record.content === content);
  }

  history(path: TreePath): readonly LedgerRecord[] {
    return this.#histories.get(path) ?? [];
  }

  /** The last thing that happened to a path, if anything is known. */
  last(path: TreePath): LedgerRecord | undefined {
    return this.#histories.get(path)?.at(-1);
  }

  /** Every path that has a history, in bytewise order. */
  paths(): TreePath[] {
    return [...this.#histories.keys()].sort(byBytes);
  }

  add(record: LedgerRecord): void {
    const history = this.#histories.get(record.path);
    if (history === undefined) this.#histories.set(record.path, [record]);
    else history.push(record);
  }
}
