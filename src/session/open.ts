// The request session/open: makes an open session. The steps, in this order, are work tree, storage, ownership,
// conversation, checkpoints and watcher. When a step fails, the earlier steps are undone.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { systemClock, timestamp } from '../base/clock.ts';
import {
  type DirectoryIdentity,
  directoryAt,
  diskEntryAt,
  isSameDirectory,
} from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { findRepository } from '../git/repository/git-dir.ts';
import { AnsweredRestores } from '../restore/answered-restores.ts';
import { LateEdits } from '../restore/late-look.ts';
import { strategyNamed } from '../store/strategies.ts';
import { openWorkTree, refuseStorageInside, type WorkTree } from '../work-tree/work-tree.ts';
import { refuseAtDescriptorLimit } from './descriptor-limit.ts';
import { SessionDirectory, type SessionMarker, sessionFormat, sessionIdOf } from './directory.ts';
import { enableCheckpoints, type InitMode } from './enable.ts';
import { finishDeletion } from './end.ts';
import { convertLine } from './imported-line.ts';
import { type KeptLog, openKeptLog } from './kept-log.ts';
import { OperationQueue } from './operation-queue.ts';
import { busy, endOrphans, type OwnerTerms, SessionOwner } from './owner.ts';
import { Session, type SessionEvents, type SessionOptions } from './session.ts';
import { prepareStorage, refuseParentOf, storageFailure } from './storage.ts';
import { deleteTrash, renameAway } from './trash.ts';
import { beginWatching, startWatching } from './watching.ts';

export interface OpenRequest {
  /** The absolute path of the work tree, as the client spelled it. */
  readonly workTree: string;
  readonly conversationId?: string | undefined;
  readonly strategy: string;
  readonly retention?: 'session' | 'keep' | undefined;
  readonly init: InitMode;
  /**
   * Set when the client wants an unreadable conversation log to be renamed, so that the checkpoints can be used without
   * the log.
   */
  readonly recover?: 'conversation' | undefined;
  readonly allowProtected: boolean;
  /**
   * True for the default storage. The default storage may be in a protected directory if the client allows this
   * directory.
   */
  readonly isDefaultStorage: boolean;
  readonly options: SessionOptions;
  /** The names of the parameters that the client set. All other options have their default values. */
  readonly named: readonly string[];
}

/** The parts of the daemon that a session needs. */
export interface Surroundings {
  readonly events: SessionEvents;
  readonly log: Log;
  /** Called when an internal check has failed. The process should then end, so that the next start runs a recovery. */
  readonly onPoison: (because: Error) => void;
  /** The fields of `owner.json` that are equal for all sessions of the daemon; see {@link OwnerTerms}. */
  readonly terms?: OwnerTerms;
  /**
   * False when the opening must not start the watching. {@link watchFromNow} then starts the watching later. Default:
   * true.
   */
  readonly watches?: boolean | undefined;
  /**
   * Returns the session with this id if this daemon has the session open. If no client uses the session, and the
   * session does not suit the request, closes the session and returns undefined.
   */
  readonly alreadyOpen: (id: string, suits: (open: Session) => boolean) => Promise<Session | undefined>;
  /** Returns the other sessions of this daemon on the same work tree. */
  readonly neighbours: (of: Session) => readonly Session[];
}

export interface Opened {
  readonly session: Session;
  /**
   * True when the session existed before this request: it was open in this daemon, kept on disk, or left behind by a
   * daemon that died.
   */
  readonly resumed: boolean;
}

/**
 * Opens or resumes a session. @throws the errors of groups 2xxx, 3xxx and 5xxx; then no part of the session stays
 * open
 */
export async function openSession(
  request: OpenRequest,
  around: Surroundings,
  context: OperationContext,
): Promise<Opened> {
  const started = systemClock.monotonic();
  const driver = strategyNamed(request.strategy);
  const workTree = openWorkTree(request.workTree, { allowProtected: request.allowProtected });
  const { storage } = request.options;
  // If the client has allowed a protected work tree, such as the home directory, this work tree may contain the default
  // storage. A capture then leaves out the storage.
  if (!request.isDefaultStorage || workTree.protectedPlace === undefined) checkStorage(workTree, storage);
  const root = prepareStorage(storage, { isDefault: request.isDefaultStorage });
  refuseParentOf(workTree.root, root);
  const conversationId = request.conversationId ?? randomUUID();
  const id = sessionIdOf(workTree.root, conversationId, request.strategy);
  const ignoredBy = (other: Session): string[] => ignoredSettings(other, request, root);
  const suits = (other: Session): boolean =>
    other.parts.workTree.identity === workTree.identity && ignoredBy(other).length === 0;
  const open = await around.alreadyOpen(id, suits);
  if (open !== undefined) {
    const ignored = ignoredBy(open);
    if (ignored.length > 0)
      context.warn(
        `This session is open already and keeps its own settings. These settings of the request were ignored: ${ignored.join(', ')}. Close the session first to open it with other settings.`,
      );
    warnIfReplaced(open.parts, context);
    return { session: open, resumed: true };
  }
  refuseAtDescriptorLimit();
  const marker: SessionMarker = {
    marker: 'checkpointd session',
    format: sessionFormat,
    session: id,
    workTree: workTree.root,
    workTreeIdentity: workTree.identity,
    workTreeDirectory: directoryAt(workTree.root),
    conversationId,
    strategy: request.strategy,
    retention: request.retention ?? driver.retention,
    created: timestamp(systemClock),
  };
  const directory = new SessionDirectory(root, id);
  await finishDeletion(directory, around.log);
  const { owner, resumed } = await own(directory, marker, around.terms ?? {});
  try {
    const resolved = { ...request, options: { ...request.options, storage: root } };
    const session = await build({ directory, marker, owner, workTree, resumed }, resolved, around, context);
    const ms = Math.round(systemClock.monotonic() - started);
    await around.events.opened(session, { resumed, ms }, context.client);
    return { session, resumed };
  } catch (error) {
    // After a failure, removes the files that this opening made. Older files do not change.
    let trash: string | undefined;
    try {
      trash = resumed ? undefined : renameAway(directory);
    } finally {
      owner.release();
    }
    await deleteTrash(trash, around.log);
    throw error;
  }
}

/**
 * Checks where the storage is. @throws StorageInsideWorkTree; an error for a path that cannot exist, such as a path
 * below a file
 */
function checkStorage(workTree: WorkTree, storage: string): void {
  try {
    refuseStorageInside(workTree, storage);
  } catch (error) {
    throw systemCode(error) === undefined ? error : storageFailure(storage, error);
  }
}

/** Claims the session. If the session is new, also makes its directory. @throws StoreBusy, ReadOnlyStore, NoSpace */
async function own(
  directory: SessionDirectory,
  marker: SessionMarker,
  terms: OwnerTerms,
): Promise<{ readonly owner: SessionOwner; readonly resumed: boolean }> {
  let resumed = false;
  try {
    let isMade = false;
    const prepare = (): void => {
      resumed = directory.exists() || directory.isUnmarked();
      if (resumed) {
        directory.refuseLaterFormat();
        directory.removeTemporaries();
      } else {
        directory.create(marker);
        isMade = true;
      }
    };
    const undo = (): void => {
      if (isMade) directory.removeNew();
    };
    const owner = await SessionOwner.claim(directory, { prepare, undo, terms });
    if (!(owner instanceof SessionOwner)) throw busy(owner);
    try {
      if (resumed) await endOrphans(directory.root);
    } catch (error) {
      owner.release();
      throw error;
    }
    return { owner, resumed };
  } catch (error) {
    throw systemCode(error) === undefined ? error : storageFailure(directory.storage, error);
  }
}

interface Foundations {
  readonly directory: SessionDirectory;
  readonly marker: SessionMarker;
  readonly owner: SessionOwner;
  readonly workTree: WorkTree;
  readonly resumed: boolean;
}

async function build(
  found: Foundations,
  request: OpenRequest,
  around: Surroundings,
  context: OperationContext,
): Promise<Session> {
  const { directory, marker, resumed } = found;
  if (directory.isUnconverted) await convertFirst(directory, marker, context);
  const stored = directory.readMarker();
  if (resumed && stored === undefined)
    context.warn(
      `session.json in ${directory.own}, which identifies the session, was damaged or missing. The daemon wrote it again from this request, and keeps the session unless you set another retention.`,
    );
  const effective = { ...found, marker: effectiveMarker(directory, stored, marker, request) };
  const recover = request.recover === 'conversation';
  const { durability } = request.options;
  const { owner } = found;
  if (owner.unlocked !== undefined)
    around.log.info(`the session is not locked against other containers: ${owner.unlocked}`);
  const kept = await openKeptLog({ directory, marker: effective.marker, durability, recover, owner });
  for (const warning of kept.warnings) context.warn(warning);
  const session = assemble(effective, kept, request, around);
  try {
    if (resumed) warnIfReplaced(effective, context);
    if (around.watches !== false) beginWatching(session);
    await enableCheckpoints(session, request.init, context, recover);
    // Writes the marker only after all files were read. If a file has a later version, the opening fails before this
    // step.
    if (effective.marker !== stored) directory.create(effective.marker);
    if (around.watches !== false) startWatching(session);
    session.writeSummary();
    return session;
  } catch (error) {
    await session.watcher?.close();
    session.parts.sessionLog.close();
    throw error;
  }
}

/** Brings the contents of an imported session into its store. */
async function convertFirst(
  directory: SessionDirectory,
  marker: SessionMarker,
  context: OperationContext,
): Promise<void> {
  const report = context.progress('import');
  await convertLine(directory, marker, {
    signal: context.signal,
    onCheckpoint: (filesDone, filesTotal) => report({ filesDone, filesTotal, bytesDone: 0 }),
  });
}

/** Returns the names of the requested settings that differ from the settings of the open session. */
function ignoredSettings({ parts }: Session, request: OpenRequest, storageDir: string): string[] {
  const { marker, options } = parts;
  const { retention } = request;
  const wanted: Record<string, unknown> = { ...request.options, retention, storageDir };
  const actual: Record<string, unknown> = {
    ...options,
    retention: marker.retention,
    storageDir: options.storage,
  };
  return request.named.filter((name) => name in wanted && !isDeepStrictEqual(wanted[name], actual[name]));
}

/**
 * Returns the marker of an opened session. A resumed session keeps the settings of its creation. A request
 * can change only the retention.
 */
function effectiveMarker(
  directory: SessionDirectory,
  found: SessionMarker | undefined,
  fresh: SessionMarker,
  request: OpenRequest,
): SessionMarker {
  // A power cut may leave the marker file empty. The old retention is then unknown, so the session is kept.
  const stored = found ?? { ...fresh, retention: 'keep' };
  const place = placeOf(directory, found);
  const retention = request.retention ?? stored.retention;
  if (found !== undefined && retention === stored.retention && place === found.directory) return stored;
  const { directory: _, ...rest } = stored;
  return { ...rest, retention, directory: place };
}

/**
 * Returns the identity of the directory that this session may remove from now on. This is the directory that is now at
 * the session's path: a user may have restored the session from a backup. If this directory contains an entry that no
 * session makes, returns the recorded identity instead.
 */
function placeOf(
  directory: SessionDirectory,
  found: SessionMarker | undefined,
): DirectoryIdentity | undefined {
  const entry = diskEntryAt(directory.root);
  if (entry.is !== 'directory') return found?.directory;
  if (found?.directory === undefined) return entry.identity;
  const isSame = isSameDirectory(found.directory, entry.identity);
  return isSame || directory.stranger() !== undefined ? found.directory : entry.identity;
}

function assemble(
  found: Foundations,
  kept: KeptLog,
  { options }: OpenRequest,
  around: Surroundings,
): Session {
  const { warnings: _warnings, ...ofLog } = kept;
  const { directory, workTree } = found;
  return new Session({
    ...found,
    repository: findRepository(workTree.root),
    options,
    queue: new OperationQueue(around.onPoison),
    ...ofLog,
    answered: new AnsweredRestores(directory, workTree.root, options.durability === 'power', around.log),
    late: new LateEdits(directory, workTree.root, around.log, found.owner),
    events: around.events,
    neighbours: around.neighbours,
    clock: systemClock,
    openedAt: timestamp(systemClock),
    log: around.log,
  });
}

/**
 * Warns that another directory has replaced the work tree. Stops warning when the new directory has a checkpoint, so
 * that commands do not repeat the warning for ever. From this checkpoint on, only a restore of an older checkpoint
 * causes a warning.
 */
function warnIfReplaced(
  { directory, marker }: { readonly directory: SessionDirectory; readonly marker: SessionMarker },
  context: OperationContext,
): void {
  const now = directory.replacementOf(marker);
  if (now === undefined) return;
  const made =
    now.birth === '0' ? '' : ` (at ${new Date(Number(BigInt(now.birth) / 1_000_000n)).toISOString()})`;
  context.warn(
    `The work tree ${marker.workTree} was replaced since this session was made${made}. Earlier checkpoints hold the files of the old directory, and a restore writes these files into the new directory.`,
  );
}
