// Makes a session from a fetched line. While the session is incomplete, a note in its directory marks it as a session
// to delete. So if the import fails or is killed, the next sweep removes the session. The import changes no other
// session.
import { randomUUID } from 'node:crypto';
import { writeAtomically } from '../base/atomic-file.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { checkGit } from '../git/process/version.ts';
import { findRepository } from '../git/repository/git-dir.ts';
import type { OpenLine } from '../remote/fetched-lines.ts';
import { strategyNamed } from '../store/strategies.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';
import { mustAnswer } from './answering-path.ts';
import { newMarker, type SessionMarker, type SessionOrigin } from './description.ts';
import { SessionDirectory } from './directory.ts';
import { finishDeletion } from './end.ts';
import { fillSession, writeConversation } from './fill-session.ts';
import { keepLine } from './imported-line.ts';
import { busy, type OwnerTerms, SessionOwner } from './owner.ts';
import { openClosedStore } from './session-store.ts';
import { preparePlace, type SessionPlace } from './storage.ts';
import { deleteTrash, renameAway } from './trash.ts';

/** The place of an import, as the client requests it. */
interface ImportPlace extends SessionPlace {
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
}

/** The place of an import, after the check that a session can be made there. */
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
  /** The terms of the owner that {@link ImportedSession} names. */
  readonly terms: OwnerTerms;
  /** Called when the session is complete, but before other processes can find it. */
  readonly beforeCommit?: (marker: SessionMarker) => void;
}

/**
 * Checks the place of an import. Call this function before fetching data. @throws the errors of groups 2xxx and 3xxx,
 * NotARepository
 */
export async function prepareImport(place: ImportPlace): Promise<PreparedPlace> {
  const { strategy, retention } = place;
  await checkGit();
  const driver = strategyNamed(strategy);
  await mustAnswer(place.workTree, 'WorkTreeUnreadable');
  const { workTree, storage } = preparePlace(place);
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

/** A session that was imported. */
export interface ImportedSession {
  readonly marker: SessionMarker;
  readonly directory: SessionDirectory;
  /** The owner of a session whose line must still be converted. Absent when the session is complete and closed. */
  readonly owner?: SessionOwner;
}

/** Makes the session. Other processes can find it as soon as this function has returned. */
export async function importSession(
  open: OpenLine,
  request: ImportRequest,
  context: ImportContext,
): Promise<ImportedSession> {
  const marker = await markerFor(open.line, request, context.log);
  const directory = new SessionDirectory(request.storage, marker.session);
  const owner = await claimNew(directory, marker);
  let isKept = false;
  try {
    await fill(directory, open, marker, context);
    await directory.sync();
    context.signal.throwIfAborted();
    if (directory.isUnconverted) owner.changeTerms(context.terms);
    context.beforeCommit?.(marker);
    files.rmSync(directory.deletionFile); // the commit point: from now on other processes can find the session
    isKept = directory.isUnconverted;
    return { marker, directory, ...(isKept ? { owner } : {}) };
  } catch (error) {
    await removeIncomplete(directory, marker, context.log);
    throw error;
  } finally {
    if (!isKept) owner.release();
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
  const given = {
    strategy,
    retention,
    origin: { ...origin, session: manifest.session, writer: manifest.writer, commit },
  };
  const marker = newMarker(workTree, { ...given, conversationId: manifest.conversationId });
  const first = new SessionDirectory(storage, marker.session);
  await finishDeletion(first, log);
  const isTaken = first.exists() || first.isUnmarked();
  return isTaken ? newMarker(workTree, { ...given, conversationId: randomUUID() }) : marker;
}

function claimNew(directory: SessionDirectory, marker: SessionMarker): Promise<SessionOwner> {
  const prepare = (): void => {
    if (directory.exists()) throw busy({ pid: -1, host: '' });
    directory.makeRoot();
    directory.makeOwn();
    writeAtomically(directory.deletionFile, '', { durable: true });
    directory.create(marker);
  };
  return SessionOwner.require(directory, { prepare, undo: () => directory.removeNew() });
}

/**
 * Copies all data of the line into the session. A store that cannot use git's objects gets its checkpoints later; see
 * {@link keepLine}.
 */
async function fill(
  directory: SessionDirectory,
  open: OpenLine,
  marker: SessionMarker,
  { signal, onCheckpoint }: ImportContext,
): Promise<void> {
  const opened = await openClosedStore(directory, marker);
  if (opened === undefined) throw notInRepository(marker.strategy, { root: marker.workTree });
  const { store } = opened;
  try {
    if (store.adopt !== undefined)
      return await fillSession({ directory, marker, store }, open, { signal, onCheckpoint });
    await keepLine(directory, open, signal);
    await writeConversation({ directory, marker }, open, { signal });
  } finally {
    await store.close();
  }
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
    await deleteTrash(renameAway(directory), log);
  } catch (error) {
    log.warn(`a session that could not be imported is removed at the next start: ${String(error)}`);
  }
}
