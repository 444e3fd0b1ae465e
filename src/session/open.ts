// The request session/open: makes an open session. `openSession` prepares work tree and storage, joins the session if
// this daemon has it open, and claims it otherwise. `load` reads the conversation, enables the checkpoints and starts
// the watcher. When a step fails, the earlier steps are undone.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { stopwatch } from '../base/clock.ts';
import { type DirectoryIdentity, directoryAt, isSameDirectory } from '../base/directory-identity.ts';
import type { Log } from '../base/log.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { strategyNamed } from '../store/strategies.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';
import { newMarker, type SessionMarker } from './description.ts';
import { refuseAtDescriptorLimit } from './descriptor-limit.ts';
import { SessionDirectory } from './directory.ts';
import { enableCheckpoints, type InitMode } from './enable.ts';
import { finishDeletion } from './end.ts';
import { convertLine } from './imported-line.ts';
import { openKeptLog } from './kept-log.ts';
import { endOrphans, type OwnerTerms, SessionOwner } from './owner.ts';
import { Session, type SessionEvents, type SessionOptions } from './session.ts';
import { preparePlace, type SessionPlace, storageFailure } from './storage.ts';
import { deleteTrash, renameAway } from './trash.ts';
import { beginWatching, startWatching } from './watching.ts';

export interface OpenRequest extends Omit<SessionPlace, 'storage'> {
  readonly conversationId?: string | undefined;
  readonly strategy: string;
  readonly retention?: 'session' | 'keep' | undefined;
  readonly init: InitMode;
  /**
   * Set when the client wants an unreadable conversation log to be renamed, so that the checkpoints can be used without
   * the log.
   */
  readonly recover?: 'conversation' | undefined;
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
  const elapsed = stopwatch();
  const { retention } = strategyNamed(request.strategy);
  const { workTree, storage } = preparePlace({ ...request, storage: request.options.storage });
  const asked = { ...request, options: { ...request.options, storage } };
  const fresh = newMarker(workTree, {
    conversationId: request.conversationId ?? randomUUID(),
    strategy: request.strategy,
    retention: request.retention ?? retention,
  });
  const joined = await join(fresh, asked, around, context);
  if (joined !== undefined) return { session: joined, resumed: true };
  refuseAtDescriptorLimit();
  const directory = new SessionDirectory(storage, fresh.session);
  await finishDeletion(directory, around.log);
  const { owner, resumed } = await claim(directory, fresh, around.terms);
  try {
    const session = await load({ directory, owner, workTree, resumed }, fresh, asked, around, context);
    await around.events.opened(session, { resumed, ms: elapsed() }, context.client);
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

/** Returns the session if this daemon has it open. Warns about settings of the request that the session ignores. */
async function join(
  { session: id, workTreeIdentity }: SessionMarker,
  request: OpenRequest,
  around: Surroundings,
  context: OperationContext,
): Promise<Session | undefined> {
  const open = await around.alreadyOpen(
    id,
    (other) =>
      other.parts.workTree.identity === workTreeIdentity && ignoredSettings(other, request).length === 0,
  );
  if (open === undefined) return undefined;
  const ignored = ignoredSettings(open, request);
  if (ignored.length > 0)
    context.warn(
      `This session is open already and keeps its own settings. These settings of the request were ignored: ${ignored.join(', ')}. Close the session first to open it with other settings.`,
    );
  warnIfReplaced(open.parts, context);
  return open;
}

/** Returns the names of the requested settings that differ from the settings of the open session. */
function ignoredSettings({ parts: { marker, options } }: Session, request: OpenRequest): string[] {
  const wanted = settingsOf(request.options, request.retention);
  const actual = settingsOf(options, marker.retention);
  return request.named.filter((name) => name in wanted && !isDeepStrictEqual(wanted[name], actual[name]));
}

function settingsOf(
  options: SessionOptions,
  retention: OpenRequest['retention'],
): Readonly<Record<string, unknown>> {
  return { ...options, retention, storageDir: options.storage };
}

/** Claims the session. If the session is new, also makes its directory. @throws StoreBusy, ReadOnlyStore, NoSpace */
async function claim(
  directory: SessionDirectory,
  fresh: SessionMarker,
  terms: OwnerTerms = {},
): Promise<{ readonly owner: SessionOwner; readonly resumed: boolean }> {
  let resumed = false;
  let isMade = false;
  const prepare = (): void => {
    resumed = directory.exists() || directory.isUnmarked();
    if (resumed) {
      directory.refuseLaterFormat();
      directory.removeTemporaries();
    } else {
      directory.create(fresh);
      isMade = true;
    }
  };
  const undo = (): void => {
    if (isMade) directory.removeNew();
  };
  const owner = await SessionOwner.require(directory, { prepare, undo, terms });
  try {
    if (resumed) await endOrphans(directory.root);
    return { owner, resumed };
  } catch (error) {
    owner.release();
    throw storageFailure(directory.storage, error);
  }
}

interface Claimed {
  readonly directory: SessionDirectory;
  readonly owner: SessionOwner;
  readonly workTree: WorkTree;
  readonly resumed: boolean;
}

/** Reads the session's files, enables its checkpoints and starts its watcher. */
async function load(
  claimed: Claimed,
  fresh: SessionMarker,
  request: OpenRequest,
  around: Surroundings,
  context: OperationContext,
): Promise<Session> {
  const { directory, owner, workTree, resumed } = claimed;
  const { options } = request;
  if (directory.isUnconverted) {
    const report = context.progress('import');
    await convertLine(directory, fresh, {
      signal: context.signal,
      onCheckpoint: (filesDone, filesTotal) => report({ filesDone, filesTotal, bytesDone: 0 }),
    });
  }
  const stored = directory.readMarker();
  if (resumed && stored === undefined)
    context.warn(
      `session.json in ${directory.own}, which identifies the session, was damaged or missing. The daemon wrote it again from this request, and keeps the session unless you set another retention.`,
    );
  const marker = effectiveMarker(directory, stored, fresh, request);
  if (owner.unlocked !== undefined)
    around.log.info(`the session is not locked against other containers: ${owner.unlocked}`);
  const recover = request.recover === 'conversation';
  const { warnings, ...kept } = await openKeptLog({
    directory,
    marker,
    durability: options.durability,
    recover,
    owner,
  });
  for (const warning of warnings) context.warn(warning);
  const { events, neighbours, onPoison, log } = around;
  const parts = { marker, directory, owner, workTree, options, events, neighbours, onPoison, log };
  const session = new Session({ ...parts, ...kept });
  try {
    if (resumed) warnIfReplaced(session.parts, context);
    if (around.watches !== false) beginWatching(session);
    await enableCheckpoints(session, request.init, context, recover);
    // Writes the marker only after all files were read. If a file has a later version, the opening fails before this
    // step.
    if (marker !== stored) directory.create(marker);
    if (around.watches !== false) startWatching(session);
    session.writeSummary();
    return session;
  } catch (error) {
    await session.watcher?.close();
    session.parts.sessionLog.close();
    throw error;
  }
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
  const [present, recorded] = [directoryAt(directory.root), found?.directory];
  if (present === undefined || recorded === undefined) return present ?? recorded;
  return isSameDirectory(recorded, present) || directory.stranger() !== undefined ? recorded : present;
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
