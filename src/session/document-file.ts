// A conversation's document in a file of the client. This module checks the file's place, saves an existing file before
// replacing it, and writes and reads the document. The daemon replaces a file completely or not at all, and never
// replaces a link or a device. A refused request changes nothing. If an open session's work tree contains the file, the
// daemon first saves the file in that session. If the daemon cannot save this file, it does not replace the file. Any
// other file is replaced without being saved.
import { randomBytes } from 'node:crypto';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { CheckpointdError, type ErrorKind, fileLimit, isNoSpace, systemCode } from '../base/errors.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { base32, type CheckpointId, newOperationId } from '../base/ids.ts';
import { readInSlices } from '../base/regular-file.ts';
import { Slices } from '../base/slices.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { capturePresent } from '../checkpoints/publish.ts';
import {
  type ConversationDocument,
  documentText,
  toDocument,
} from '../conversation/document/conversation-json.ts';
import { publishSafety } from '../restore/restore.ts';
import { fromBytes, fromText, isWithin as isTreePathWithin, parseTreePath } from '../tree/tree-path.ts';
import { mustAnswer } from './answering-path.ts';
import { contextNow } from './context.ts';
import { ensureRecovered, restoreSite } from './restores.ts';
import type { Session } from './session.ts';

/**
 * Returns the absolute path of a document. A relative path is resolved in the work tree. @throws
 * PathOutsideWorkTree, InvalidParams
 */
function documentSource(session: Session, path: string): string {
  if (path.includes('\0') || path === '') throw refusedPath('path must be the path of a file.', path);
  if (isAbsolute(path)) return resolve(path);
  parseTreePath(fromText(path));
  return join(session.parts.workTree.root, path);
}

/**
 * Returns the path for the new document. The path is in an existing directory, and links above the path are
 * resolved.
 * @throws InvalidParams (no such directory; a directory, a link or a device is at the path; the daemon's
 * storage; a git directory), PathOutsideWorkTree (a relative path that leads out), ReadOnlyStore (the user
 * may not enter the directory)
 */
function documentTarget(session: Session, path: string): string {
  const place = documentSource(session, path);
  const { workTree, options } = session.parts;
  let directory: string;
  try {
    directory = files.realpathSync(dirname(place));
    if (!files.statSync(directory).isDirectory())
      throw refusedPath(`${directory} is not a directory. Give a path in an existing directory.`, place);
  } catch (error) {
    if (error instanceof CheckpointdError) throw error;
    if (/^(EACCES|EPERM)$/.test(systemCode(error) ?? '')) throw deniedPath(place, error);
    throw refusedPath(
      `The directory of ${place} does not exist or cannot be reached. Make this directory first, or give another path.`,
      place,
      error,
    );
  }
  if (!isAbsolute(path) && !isPathBelow(directory, workTree.root)) {
    throw new CheckpointdError(
      'PathOutsideWorkTree',
      `${path} leads out of the work tree through a symbolic link. Give an absolute path to write elsewhere.`,
      { details: { path } },
    );
  }
  if (isPathBelow(directory, options.storage))
    throw refusedPath(`${place} is in the daemon's own storage. Choose another path.`, place);
  const target = join(directory, basename(place));
  if (isGits(target)) throw refusedPath(`${target} belongs to git. Choose another path.`, target);
  refuseSpecial(target);
  return target;
}

/** Refuses an entry that is not a regular file. Replacing a device such as `/dev/null` would break the whole system. */
function refuseSpecial(target: string): void {
  const stats = files.lstatSync(target, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  const other = stats.isSymbolicLink() ? 'a symbolic link' : 'a device, a FIFO or a socket';
  const what = stats.isDirectory() ? 'a directory' : other;
  throw refusedPath(`${target} is ${what}. Name a regular file.`, target);
}

function isPathBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function refusedPath(message: string, path: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError('InvalidParams', message, { details: { path }, cause });
}

/** Returns the error for a directory that checkpointd allows, but in which the user has no permission to write. */
function deniedPath(path: string, cause: unknown): CheckpointdError {
  return new CheckpointdError(
    'ReadOnlyStore',
    `${path} cannot be written (${systemCode(cause)}). Make its directory writable for this user, or give a path in a writable directory. Nothing was written.`,
    { details: { path }, cause },
  );
}

/**
 * True when the path is a `.git`, is inside a `.git`, or is inside a directory that git would treat as a
 * repository.
 */
function isGits(target: string): boolean {
  if (isDotGit(target)) return true;
  for (let at = dirname(target); ; at = dirname(at)) {
    if (isDotGit(at) || ['HEAD', 'objects', 'refs'].every((name) => isThere(join(at, name)))) return true;
    if (dirname(at) === at) return false;
  }
}

function isDotGit(path: string): boolean {
  return /^\.git[. ]*$/i.test(basename(path));
}

function isThere(path: string): boolean {
  return files.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Describes an existing file: its stamp, which shows whether the file has changed, and the checkpoint that contains the
 * file.
 */
interface ReplacedFile {
  readonly stamp: string;
  readonly safety?: CheckpointId;
}

/**
 * Returns the stamp of the file at the target, or undefined when there is no file. The export compares this
 * stamp before it replaces the file.
 */
function fileStamp(target: string): string | undefined {
  const stats = files.lstatSync(target, { throwIfNoEntry: false, bigint: true });
  if (stats === undefined) return undefined;
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

/**
 * Saves a file, given by its absolute path, in a session whose work tree contains the file.
 * @throws PreconditionFailed when a work tree contains the file but its session cannot save the file; the
 * errors of captures
 */
async function saveReplaced(
  target: string,
  sessions: readonly Session[],
  context: OperationContext,
): Promise<ReplacedFile | undefined> {
  const stamp = fileStamp(target);
  if (stamp === undefined) return undefined;
  const holders = sessions.filter(({ parts }) => isPathBelow(target, parts.workTree.root));
  const able = holders.find(({ enabled }) => enabled !== undefined);
  if (able === undefined) {
    if (holders.length > 0) throw unsaved(target, 'checkpoints are disabled in the session of its work tree');
    return { stamp };
  }
  return { stamp, safety: await saveIn(able, target, context) };
}

function saveIn(session: Session, target: string, context: OperationContext): Promise<CheckpointId> {
  const operation = { ...context, stamp: { operation: newOperationId() } };
  return session.parts.queue.run(async () => {
    const checkpoints = await recoveredIn(session, target, operation);
    const path = fromBytes(Buffer.from(relative(session.parts.workTree.root, target), 'utf8'));
    const present = await capturePresent(checkpoints, context, [path]).catch((error: unknown) => {
      const isOfTree = error instanceof CheckpointdError && error.kind.startsWith('WorkTree');
      throw isOfTree ? unsaved(target, error.message, error) : error;
    });
    const left = present.skipped.find((skipped) => isTreePathWithin(path, skipped.path));
    if (left !== undefined) throw unsaved(target, `a checkpoint cannot hold the file (${left.reason})`);
    if ((await checkpoints.store.entry(present.snapshot, path)) === undefined)
      throw unsaved(target, 'the new checkpoint does not contain the file');
    const safety = await publishSafety(restoreSite(session), present, operation, 'Before an export');
    return safety.record.id;
  }, context.signal);
}

/**
 * Recovers an unfinished restore of a session, then returns the session's checkpoints. If the recovery fails, the
 * export stops.
 */
async function recoveredIn(
  session: Session,
  target: string,
  context: OperationContext,
): Promise<Checkpoints> {
  try {
    await ensureRecovered(session, context);
    return session.requireCheckpoints();
  } catch (error) {
    const isOfRecovery = error instanceof CheckpointdError && recoveryErrors.has(error.kind);
    throw isOfRecovery ? unsaved(target, error.message, error) : error;
  }
}

/** The errors that come only from a recovery. Other errors can come from any request. */
const recoveryErrors: ReadonlySet<string> = new Set<ErrorKind>([
  'CheckpointsDisabled',
  'RestoreFailed',
  'DataCorrupt',
  'WorkTreeMissing',
  'WorkTreeUnreadable',
  'WorkTreeBusy',
]);

function unsaved(target: string, because: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError(
    'PreconditionFailed',
    `The file at ${target} cannot be saved before it is replaced: ${because}. Export to another path, or move the file away first.`,
    { details: { path: target }, cause },
  );
}

const documentBytesMax = 256 << 20;

/**
 * Returns the document of the current conversation. The document's field `checkpoint_manager` contains only a reference
 * (C2).
 */
export async function documentOf(session: Session): Promise<ConversationDocument> {
  const { messageLength } = await contextNow(session);
  const { marker, conversation } = session.parts;
  return toDocument(conversation.state, {
    contextMessageLength: messageLength,
    checkpointManager: {
      session: session.id,
      strategy: marker.strategy,
      enabled: session.enabled !== undefined,
    },
  });
}

/** Returns the size of a document's JSON in bytes. Does not keep the whole text in memory. */
export async function sizeOfDocument(document: ConversationDocument): Promise<number> {
  const slices = new Slices();
  let bytes = 0;
  for (const piece of documentText(document)) {
    bytes += Buffer.byteLength(piece);
    if (slices.isDue()) await slices.pause();
  }
  return bytes;
}

interface ExportRequest {
  /** An absolute path, or a path relative to the work tree. */
  readonly path: string;
  readonly overwrite: boolean;
}

export interface Exported {
  readonly path: string;
  readonly bytes: number;
  /** The checkpoint that contains the replaced file. */
  readonly safety?: CheckpointId | undefined;
}

/** The place of an export, and the checkpoint that contains the file which the export replaces. */
interface ExportPlace {
  readonly target: string;
  readonly overwrite: boolean;
  readonly replaced?: ReplacedFile | undefined;
}

/**
 * Finds the place of an export. If the export will replace a file, saves the file in a session of `sessions` whose work
 * tree contains it. The caller must not run inside the queue of its own session. Otherwise two sessions that export
 * into each other's work tree would wait for each other.
 * @throws InvalidParams (no such directory; a directory is at the path; inside the storage or a git directory),
 * PathOutsideWorkTree (a relative path that leads out), PreconditionFailed (the existing file cannot be saved)
 */
export async function placeOfExport(
  session: Session,
  { path, overwrite }: ExportRequest,
  sessions: readonly Session[],
  context: OperationContext,
): Promise<ExportPlace> {
  await mustAnswer(documentSource(session, path), 'InvalidParams');
  const target = documentTarget(session, path);
  const replaced = overwrite ? await saveReplaced(target, sessions, context) : undefined;
  return { target, overwrite, replaced };
}

/**
 * Writes the document to a temporary file and moves it into place. Replaces an existing file only on request.
 * @throws PreconditionFailed (a file exists and overwriting was not requested, or the file changed since it was saved),
 * NoSpace. When one of these errors occurs, nothing was written
 */
export async function exportToFile(
  session: Session,
  { target, overwrite, replaced }: ExportPlace,
): Promise<Exported> {
  const temporary = join(dirname(target), `.ckpt-tmp-${base32(randomBytes(13), 20)}-0`);
  try {
    const bytes = await writeTemporary(session, temporary, await documentOf(session));
    const placed = overwrite ? replace(temporary, target, replaced?.stamp) : await putNew(temporary, target);
    const { safety } = placed && replaced !== undefined ? replaced : {};
    return { path: target, bytes, safety };
  } catch (error) {
    throw unwritable(target, error);
  } finally {
    files.rmSync(temporary, { force: true });
  }
}

/**
 * Writes the temporary file and returns its size in bytes. A capture ignores names of this form, so no checkpoint
 * contains a file that a killed process left behind.
 */
async function writeTemporary(
  session: Session,
  temporary: string,
  document: ConversationDocument,
): Promise<number> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = files.openSync(temporary, flags, 0o600);
  try {
    let bytes = 0;
    const slices = new Slices();
    for (const piece of documentText(document)) {
      const chunk = Buffer.from(piece);
      for (let at = 0; at < chunk.length; ) at += files.writeSync(fd, chunk, at);
      bytes += chunk.length;
      if (slices.isDue()) await slices.pause();
    }
    if (session.parts.options.durability === 'power') await filesAsync.fsync(fd);
    return bytes;
  } finally {
    files.closeSync(fd);
  }
}

/** Replaces the saved file. @throws PreconditionFailed when the file has changed since it was saved */
function replace(temporary: string, target: string, saved: string | undefined): true {
  const stamp = fileStamp(target);
  if (stamp !== undefined && stamp !== saved) throw occupied(target, 'changed while the daemon saved it');
  files.renameSync(temporary, target);
  return true;
}

/**
 * Moves the temporary file to a free path. Returns false when an identical document exists there already.
 * @throws PreconditionFailed
 */
async function putNew(temporary: string, target: string): Promise<boolean> {
  try {
    files.linkSync(temporary, target);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') {
      if (await isSameFile(temporary, target)) return false;
      throw occupied(target, 'already exists');
    }
    // On a file system without hard links, checks that the path is free and then renames.
    if (fileStamp(target) !== undefined) throw occupied(target, 'already exists');
    files.renameSync(temporary, target);
    return true;
  }
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = [files.lstatSync(a), files.lstatSync(b)];
  if (!other.isFile() || one.size !== other.size) return false;
  const [first, second] = [files.openSync(a, constants.O_RDONLY), files.openSync(b, constants.O_RDONLY)];
  try {
    const slices = new Slices();
    return (await readInSlices(first, slices)).equals(await readInSlices(second, slices));
  } finally {
    files.closeSync(first);
    files.closeSync(second);
  }
}

function occupied(target: string, how: string): CheckpointdError {
  return new CheckpointdError(
    'PreconditionFailed',
    `${target} ${how}. Use overwrite: true to replace it (a file in the work tree of an open session is saved first), or name another path.`,
    { details: { path: target } },
  );
}

/** Reads the text of a document's file. @throws InvalidParams, DocumentInvalid */
export async function readDocumentFile(session: Session, path: string): Promise<string> {
  const file = documentSource(session, path);
  await mustAnswer(file, 'InvalidParams');
  let fd: number;
  try {
    fd = files.openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    throw refusedPath(
      `${file} cannot be read (${code}). Name a file that exists and is readable.`,
      file,
      error,
    );
  }
  try {
    const stats = files.fstatSync(fd);
    if (!stats.isFile()) throw refusedPath(`${file} is not a file. Name the exported file.`, file);
    if (stats.size > documentBytesMax) {
      throw new CheckpointdError(
        'DocumentInvalid',
        `${file} is larger than ${documentBytesMax} bytes, the largest size of an exported conversation.`,
        { details: { path: file, bytes: stats.size, limit: documentBytesMax } },
      );
    }
    return (await readInSlices(fd, new Slices())).toString('utf8');
  } finally {
    files.closeSync(fd);
  }
}

function unwritable(file: string, cause: unknown): unknown {
  const code = systemCode(cause);
  if (code === undefined) return cause;
  if (isNoSpace(cause)) {
    return new CheckpointdError(
      'NoSpace',
      `The disk is full: ${file} was not written. Free some space and try again.`,
      { cause, details: { path: file }, retryable: true },
    );
  }
  const limited = fileLimit(cause, { details: { path: file } });
  if (limited !== undefined) return limited;
  if (/^(EACCES|EPERM|EROFS)$/.test(code)) return deniedPath(file, cause);
  return refusedPath(`${file} cannot be written (${code}). Give another path.`, file, cause);
}
