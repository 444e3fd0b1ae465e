// Makes a session from a fetched line. Until the session is complete, a note in its directory says that the session is
// being deleted. So if the import fails or is killed, the next sweep removes the session. The import changes no other
// session.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { systemClock, timestamp } from '../base/clock.ts';
import { directoryAt } from '../base/directory-identity.ts';
import { CheckpointdError, isDamage, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { given } from '../base/given.ts';
import type { SnapshotId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { Slices } from '../base/slices.ts';
import type { Known, LedgerRecord } from '../checkpoints/ledger.ts';
import { encodeRecord, type LogRecord, logHeader } from '../conversation/log/session-log.ts';
import { checkGit } from '../git/process/version.ts';
import { findRepository } from '../git/repository/git-dir.ts';
import { corrupt } from '../remote/carrier.ts';
import { SnapshotCopier } from '../remote/copied-snapshots.ts';
import type { OpenLine } from '../remote/fetched-lines.ts';
import { readConversation } from '../remote/line-reader.ts';
import { GuardedStore, PublishedList } from '../store/guarded-store.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { strategyNamed } from '../store/strategies.ts';
import type { Directory } from '../tree/tree.ts';
import { openWorkTree, refuseStorageInside, type WorkTree } from '../work-tree/work-tree.ts';
import { mustAnswer } from './answering-path.ts';
import {
  SessionDirectory,
  type SessionMarker,
  type SessionOrigin,
  sessionFormat,
  sessionIdOf,
} from './directory.ts';
import { deleteTrash, finishDeletion, renameAway } from './end.ts';
import { readKeptLog } from './kept-log.ts';
import { busy, SessionOwner } from './owner.ts';
import { openClosedStore } from './session-store.ts';
import { prepareStorage, refuseParentOf, storageFailure } from './storage.ts';

/**
 * The maximum number of checkpoints in one transaction. Each transaction of a git store makes a pack with its commits.
 */
const publishedAtOnce = 500;

/** The place of an import, as the client requests it. */
interface ImportPlace {
  /** The absolute path of the work tree. */
  readonly workTree: string;
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
  readonly storage: string;
  readonly isDefaultStorage: boolean;
  readonly allowProtected: boolean;
}

/** The checked place of an import, at which a session can be made. */
interface PreparedPlace {
  readonly workTree: WorkTree;
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
  /** The canonical path of the storage root. */
  readonly storage: string;
}

interface ImportRequest extends PreparedPlace {
  readonly origin: Pick<SessionOrigin, 'remote'>;
}

interface ImportContext {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly onCheckpoint: (done: number, total: number) => void;
  /** Called when the session is complete, but before other processes can find it. */
  readonly beforeCommit?: (marker: SessionMarker) => void;
}

/**
 * Checks the place of an import. Call this function before fetching data. @throws the errors of groups 2xxx and 3xxx,
 * NotARepository
 */
export async function prepareImport(place: ImportPlace): Promise<PreparedPlace> {
  const { strategy, retention, isDefaultStorage } = place;
  await checkGit();
  const driver = strategyNamed(strategy);
  await mustAnswer(place.workTree, 'WorkTreeUnreadable');
  const workTree = openWorkTree(place.workTree, { allowProtected: place.allowProtected });
  if (!isDefaultStorage || workTree.protectedPlace === undefined)
    refuseStorageInside(workTree, place.storage);
  const storage = prepareStorage(place.storage, { isDefault: isDefaultStorage });
  refuseParentOf(workTree.root, storage);
  if (driver.needsRepository && findRepository(workTree.root) === undefined)
    throw notInRepository(strategy, workTree);
  return { workTree, strategy, retention, storage };
}

function notInRepository(strategy: string, { root }: Pick<WorkTree, 'root'>): CheckpointdError {
  return new CheckpointdError(
    'NotARepository',
    `The strategy ${strategy} stores checkpoints in a git repository, but ${root} is not in one. Run "git init" there, or use the strategy shadow.`,
  );
}

/** Writes the session as a closed session, which other processes can find. Returns its marker. */
export async function importSession(
  { line, objects }: OpenLine,
  request: ImportRequest,
  context: ImportContext,
): Promise<SessionMarker> {
  const marker = await markerFor(line, request, context.log);
  const directory = new SessionDirectory(request.storage, marker.session);
  const owner = await claimNew(directory, marker);
  try {
    await fill(directory, { line, objects }, marker, context);
    await directory.sync();
    context.signal.throwIfAborted();
    context.beforeCommit?.(marker);
    files.rmSync(directory.deletionFile); // the commit point: from now on other processes can find the session
    return marker;
  } catch (error) {
    await removeIncomplete(directory, marker, context.log);
    throw error;
  } finally {
    owner.release();
  }
}

/**
 * Returns the marker of the new session. The conversation keeps its id, unless this storage already has a
 * session with this id.
 */
async function markerFor(
  { manifest, commit }: OpenLine['line'],
  { strategy, retention, origin, workTree, storage }: ImportRequest,
  log: Log,
): Promise<SessionMarker> {
  const idOf = (conversationId: string): SessionMarker['session'] =>
    sessionIdOf(workTree.root, conversationId, strategy);
  const first = new SessionDirectory(storage, idOf(manifest.conversationId));
  await finishDeletion(first, log);
  const conversationId = first.exists() || first.isUnmarked() ? randomUUID() : manifest.conversationId;
  return {
    marker: 'checkpointd session',
    format: sessionFormat,
    session: idOf(conversationId),
    workTree: workTree.root,
    workTreeIdentity: workTree.identity,
    ...given({ workTreeDirectory: directoryAt(workTree.root) }),
    conversationId,
    strategy,
    retention,
    created: timestamp(systemClock),
    origin: { ...origin, session: manifest.session, writer: manifest.writer, commit },
  };
}

async function claimNew(directory: SessionDirectory, marker: SessionMarker): Promise<SessionOwner> {
  const prepare = (): void => {
    if (directory.exists()) throw busy({ pid: -1, host: '' });
    directory.makeRoot();
    directory.makeOwn();
    writeAtomically(directory.deletionFile, '', { durable: true });
    directory.create(marker);
  };
  try {
    const owner = await SessionOwner.claim(directory, { prepare, undo: () => directory.removeNew() });
    if (!(owner instanceof SessionOwner)) throw busy(owner);
    return owner;
  } catch (error) {
    throw systemCode(error) === undefined ? error : storageFailure(directory.storage, error);
  }
}

async function fill(
  directory: SessionDirectory,
  { line, objects }: OpenLine,
  marker: SessionMarker,
  { signal, onCheckpoint }: ImportContext,
): Promise<void> {
  const opened = await openClosedStore(directory, marker);
  if (opened === undefined) throw notInRepository(marker.strategy, { root: marker.workTree });
  const store = new GuardedStore(opened.store, PublishedList.open(directory.publishedFile));
  try {
    await store.compare();
    const isAdopted = opened.store.adopt !== undefined;
    const copier = new SnapshotCopier(objects, store);
    const copies = new Map<SnapshotId, SnapshotId>();
    const snapshots = line.checkpoints.map(({ record }) => record.snapshot);
    await opened.store.adopt?.(join(objects.gitDir, 'objects'), snapshots, signal);
    // A store that cannot publish many checkpoints at once protects only a few unpublished snapshots from sweeps.
    const atOnce = opened.store.publishAll === undefined ? 1 : publishedAtOnce;
    for (let done = 0; done < line.checkpoints.length; ) {
      signal.throwIfAborted();
      const some = line.checkpoints.slice(done, done + atOnce);
      if (!isAdopted) await copyNew(copier, objects, snapshots.slice(done, done + atOnce), copies, signal);
      const publications = some.map(({ record, tag, name }) => ({
        record: { ...record, snapshot: copies.get(record.snapshot) ?? record.snapshot },
        ...given({ tag, name }),
      }));
      await store.publishAll(publications);
      done += some.length;
      onCheckpoint(done, line.checkpoints.length);
    }
    await writeLog(directory, { line, objects }, contentIds(store, copier), signal);
    await checkConversation(directory, marker, line);
    writeAtomically(directory.enabledFile, '');
    await store.sync();
  } finally {
    await store.close();
  }
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

/**
 * Returns a function. For the id of a content in the line, the function returns the id of this content in this store,
 * or undefined if the store lacks the content.
 */
function contentIds(
  { gitObjects }: Pick<SnapshotStore, 'gitObjects'>,
  copier: SnapshotCopier,
): (content: Known) => Known | undefined {
  return (content) => (content === 'absent' || gitObjects !== undefined ? content : copier.idOf(content));
}

/** Writes the log. Every record keeps its position, because checkpoints refer to positions. */
async function writeLog(
  directory: SessionDirectory,
  { line, objects }: OpenLine,
  contentId: (content: Known) => Known | undefined,
  signal: AbortSignal,
): Promise<void> {
  const fd = files.openSync(directory.logFile, 'wx', 0o600);
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

function renamed(record: LogRecord, contentId: (content: Known) => Known | undefined): LogRecord {
  if (record.kind !== 'ledger' || !('records' in record) || !Array.isArray(record.records)) return record;
  const records = (record.records as readonly LedgerRecord[]).flatMap((entry) => {
    const content = contentId(entry.content);
    return content === undefined ? [] : [{ ...entry, content }];
  });
  return { kind: 'ledger', records } as LogRecord;
}

/**
 * Removes the incomplete session. If the removal fails, the note of the deletion stays, and the next sweep
 * removes the session.
 */
async function removeIncomplete(directory: SessionDirectory, marker: SessionMarker, log: Log): Promise<void> {
  try {
    if (!strategyNamed(marker.strategy).livesInSessionDirectory) {
      const opened = await openClosedStore(directory, marker);
      await opened?.store.destroy();
      await opened?.store.close();
    }
    await deleteTrash(renameAway(directory));
  } catch (error) {
    log.warn(`a session that could not be imported is removed at the next start: ${String(error)}`);
  }
}
