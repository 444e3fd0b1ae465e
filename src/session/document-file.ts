// A conversation's document in a file of the client: writes an export and reads it back. The daemon replaces a file
// completely or not at all. A refused request changes nothing.
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { CheckpointdError, fileLimit, isNoSpace, systemCode } from '../base/errors.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { base32, type CheckpointId } from '../base/ids.ts';
import { readInSlices } from '../base/regular-file.ts';
import { Slices } from '../base/slices.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import {
  type ConversationDocument,
  documentText,
  toDocument,
} from '../conversation/document/conversation-json.ts';
import { mustAnswer } from './answering-path.ts';
import { contextNow } from './context.ts';
import { deniedPath, documentSource, documentTarget, refusedPath } from './document-place.ts';
import { fileStamp, type ReplacedFile, saveReplaced } from './replaced-file.ts';
import type { Session } from './session.ts';

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
