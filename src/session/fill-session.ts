// Fills a session from a line: publishes its checkpoints in the session's store, and writes its conversation. Either
// the import fills the session before other processes can see the session, or the first opening fills it
// (imported-line.ts).
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { CheckpointdError, isDamage } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { SnapshotId } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import type { Known, LedgerRecord } from '../checkpoints/ledger.ts';
import { encodeRecord, type LogRecord, logHeader } from '../conversation/log/session-log.ts';
import { corrupt } from '../remote/carrier.ts';
import { SnapshotCopier } from '../remote/copied-snapshots.ts';
import type { OpenLine } from '../remote/fetched-lines.ts';
import { readConversation } from '../remote/line-reader.ts';
import { GuardedStore, PublishedList } from '../store/guarded-store.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Directory } from '../tree/tree.ts';
import type { SessionMarker } from './description.ts';
import type { SessionDirectory } from './directory.ts';
import { readKeptLog } from './kept-log.ts';

/**
 * The maximum number of checkpoints in one transaction. Each transaction of a git store makes a pack with its commits.
 */
const publishedAtOnce = 500;

interface FilledSession {
  readonly directory: SessionDirectory;
  readonly marker: SessionMarker;
  readonly store: SnapshotStore;
}

export interface FillContext {
  readonly signal: AbortSignal;
  /** Called after some checkpoints were published. */
  readonly onCheckpoint: (done: number, total: number) => void;
}

/**
 * Publishes the checkpoints of the line, and writes the conversation. Skips checkpoints that an interrupted call has
 * published already. @throws RemoteCorrupt, DataCorrupt, NoSpace, AbortError
 */
export async function fillSession(
  { directory, marker, store: inner }: FilledSession,
  { line, objects }: OpenLine,
  { signal, onCheckpoint }: FillContext,
): Promise<void> {
  const store = new GuardedStore(inner, PublishedList.open(directory.publishedFile));
  const published = new Set((await store.compare()).map(({ record }) => record.id));
  const copier = new SnapshotCopier(objects, store);
  const copies = new Map<SnapshotId, SnapshotId>();
  const snapshots = line.checkpoints.map(({ record }) => record.snapshot);
  await inner.adopt?.(join(objects.gitDir, 'objects'), snapshots, signal);
  // A store that cannot publish many checkpoints at once protects only a few unpublished snapshots from sweeps.
  const atOnce = inner.publishAll === undefined ? 1 : publishedAtOnce;
  for (let done = 0; done < line.checkpoints.length; ) {
    signal.throwIfAborted();
    const some = line.checkpoints.slice(done, done + atOnce);
    if (inner.adopt === undefined)
      await copyNew(copier, objects, snapshots.slice(done, done + atOnce), copies, signal);
    const publications = some
      .filter(({ record }) => !published.has(record.id))
      .map(({ record, tag, name }) => ({
        record: { ...record, snapshot: copies.get(record.snapshot) ?? record.snapshot },
        tag,
        name,
      }));
    await store.publishAll(publications, signal);
    done += some.length;
    onCheckpoint(done, line.checkpoints.length);
  }
  const contentId = contentIds(store, copier);
  await writeConversation({ directory, marker }, { line, objects }, { contentId, signal });
  writeAtomically(directory.enabledFile, '');
  await store.sync();
}

/** Copies the snapshots that were not copied before, and adds their new ids to `copies`. */
async function copyNew(
  copier: SnapshotCopier,
  objects: OpenLine['objects'],
  snapshots: readonly SnapshotId[],
  copies: Map<SnapshotId, SnapshotId>,
  signal: AbortSignal,
): Promise<void> {
  const wanted = [...new Set(snapshots)].filter((snapshot) => !copies.has(snapshot));
  const roots: Directory[] = [];
  for (const snapshot of wanted) roots.push(await objects.directory(snapshot));
  const ids = await copier.copyAll(roots, signal);
  for (const [index, id] of ids.entries()) copies.set(wanted[index] ?? id, id);
}

/** Takes the id of a content in the line, and returns the id of this content in the session's store. */
type ContentId = (content: Known) => Known | undefined;

/** Returns a function that returns undefined for a content that the store lacks. */
function contentIds({ gitObjects }: Pick<SnapshotStore, 'gitObjects'>, copier: SnapshotCopier): ContentId {
  return (content) => (content === 'absent' || gitObjects !== undefined ? content : copier.idOf(content));
}

/**
 * Writes the log of the session. Every record keeps its position, because checkpoints refer to positions. Without
 * `contentId`, the contents keep their ids. @throws RemoteCorrupt when the line has no valid conversation
 */
export async function writeConversation(
  { directory, marker }: Pick<FilledSession, 'directory' | 'marker'>,
  { line, objects }: OpenLine,
  {
    contentId = (content) => content,
    signal,
  }: { readonly contentId?: ContentId; readonly signal: AbortSignal },
): Promise<void> {
  const { logFile } = directory;
  const temporary = `${logFile}.${randomBytes(6).toString('hex')}.tmp`;
  const fd = files.openSync(temporary, 'wx', 0o600);
  const slices = new Slices(signal);
  try {
    files.writeSync(fd, logHeader);
    for await (const record of readConversation(objects.reader, line, signal)) {
      if (slices.isDue()) await slices.pause();
      const bytes = encodeRecord(renamed(record, contentId));
      for (let at = 0; at < bytes.length; ) at += files.writeSync(fd, bytes, at);
    }
  } finally {
    files.closeSync(fd);
  }
  files.renameSync(temporary, logFile);
  await checkConversation(directory, marker, line);
}

/**
 * Reads the log in the same way as an opening of the session. @throws RemoteCorrupt when the log contains no valid
 * conversation
 */
async function checkConversation(
  directory: SessionDirectory,
  marker: SessionMarker,
  { checkpoints }: OpenLine['line'],
): Promise<void> {
  try {
    const { sessionLog, conversation } = await readKeptLog(directory, marker);
    sessionLog.close();
    for (const { record } of checkpoints) conversation.at(record.conversation);
  } catch (error) {
    if (error instanceof CheckpointdError && !isDamage(error)) throw error;
    throw corrupt('its conversation cannot be read', {}, error);
  }
}

function renamed(record: LogRecord, contentId: ContentId): LogRecord {
  if (record.kind !== 'ledger' || !('records' in record) || !Array.isArray(record.records)) return record;
  const records = (record.records as readonly LedgerRecord[]).flatMap((entry) => {
    const content = contentId(entry.content);
    return content === undefined ? [] : [{ ...entry, content }];
  });
  return { kind: 'ledger', records } as LogRecord;
}
