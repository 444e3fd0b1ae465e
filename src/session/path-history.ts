// Returns the history of a path: who wrote which content, and the first checkpoint with this content.
import { timestamp } from '../base/clock.ts';
import type { CheckpointId, SessionId } from '../base/ids.ts';
import { contentAt } from '../capture/content-id.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { Author, Known, LedgerRecord } from '../checkpoints/ledger.ts';
import type { StoredCheckpoint } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { sessionThatWrote } from './authorship.ts';
import type { Session } from './session.ts';

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
  const isRecorded = base === undefined || later.some(({ by, at }) => by === base.id || at < base.timestamp);
  const first: LedgerRecord[] =
    isRecorded || original === undefined
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
