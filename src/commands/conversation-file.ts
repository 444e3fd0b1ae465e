// A conversation as a document: answered, written to a file in one step, or read from one. A file is replaced whole
// or not at all, a link at its place is replaced and not followed, and what is refused leaves everything as it was.
import { randomBytes } from 'node:crypto';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { CheckpointdError, isNoSpace, systemCode } from '../base/errors.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { base32 } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import {
  type ConversationDocument,
  documentText,
  toDocument,
} from '../conversation/document/conversation-json.ts';
import { mustAnswer } from '../session/answering-path.ts';
import { contextNow } from '../session/context/session-context.ts';
import type { Session } from '../session/session.ts';
import { fromText, parseTreePath } from '../tree/tree-path.ts';

const documentBytesMax = 256 << 20;

/** The document of the conversation as it stands. `checkpoint_manager` is a reference that owns nothing (C2). */
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

/** Bytes of a document's JSON, counted without making it at once. */
export async function sizeOfDocument(document: ConversationDocument): Promise<number> {
  const slices = new Slices();
  let bytes = 0;
  for (const piece of documentText(document)) {
    bytes += Buffer.byteLength(piece);
    if (slices.isDue()) await slices.pause();
  }
  return bytes;
}

/**
 * Writes the document beside its place and renames it there.
 *
 * @throws InvalidParams (no such directory, a directory stands there, inside the storage), PathOutsideWorkTree (a
 * relative path that leads out), NoSpace, StoreUnavailable: then nothing was written
 */
export async function writeDocument(
  session: Session,
  path: string,
  document: ConversationDocument,
): Promise<{ readonly path: string; readonly bytes: number }> {
  await mustAnswer(placeOf(session, path), 'InvalidParams');
  const target = targetOf(session, path);
  // Captures leave such a name out, so that a kill in between leaves nothing in a checkpoint.
  const temporary = join(dirname(target), `.ckpt-tmp-${base32(randomBytes(13), 20)}-0`);
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const fd = files.openSync(temporary, flags, 0o600);
    let bytes = 0;
    try {
      const slices = new Slices();
      for (const piece of documentText(document)) {
        const chunk = Buffer.from(piece);
        for (let at = 0; at < chunk.length; ) at += files.writeSync(fd, chunk, at);
        bytes += chunk.length;
        if (slices.isDue()) await slices.pause();
      }
      if (session.parts.options.durability === 'power') await filesAsync.fsync(fd);
    } finally {
      files.closeSync(fd);
    }
    await filesAsync.rename(temporary, target);
    return { path: target, bytes };
  } catch (error) {
    files.rmSync(temporary, { force: true });
    throw unwritable(target, error);
  }
}

/** The text of a document's file. @throws InvalidParams, LimitExceeded */
export async function readDocumentFile(session: Session, path: string): Promise<string> {
  const file = placeOf(session, path);
  await mustAnswer(file, 'InvalidParams');
  let fd: number;
  try {
    fd = files.openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    throw refusal(`${file} cannot be read (${code}). Give a file that is there and readable.`, file, error);
  }
  try {
    const stats = files.fstatSync(fd);
    if (!stats.isFile()) throw refusal(`${file} is not a file. Give the file that was exported.`, file);
    if (stats.size > documentBytesMax) {
      throw new CheckpointdError(
        'LimitExceeded',
        `${file} is larger than ${documentBytesMax} bytes, which no exported conversation is.`,
        { details: { path: file, bytes: stats.size, limit: documentBytesMax } },
      );
    }
    const slices = new Slices();
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const got = files.readSync(fd, bytes, length, Math.min(1 << 20, bytes.length - length), length);
      if (got === 0) break;
      length += got;
      if (slices.isDue()) await slices.pause();
    }
    return bytes.toString('utf8', 0, length);
  } finally {
    files.closeSync(fd);
  }
}

/** An absolute path as it is; a relative one in the work tree. @throws PathOutsideWorkTree, InvalidParams */
function placeOf(session: Session, path: string): string {
  if (path.includes('\0') || path === '') throw refusal('path: give the path of a file.', path);
  if (isAbsolute(path)) return resolve(path);
  parseTreePath(fromText(path));
  return join(session.parts.workTree.root, path);
}

/** Where a document will stand: in a directory that is there, links above it resolved. */
function targetOf(session: Session, path: string): string {
  const place = placeOf(session, path);
  const { workTree, options } = session.parts;
  let directory: string;
  try {
    directory = files.realpathSync(dirname(place));
  } catch (error) {
    throw refusal(`The directory of ${place} cannot be reached. Make it first.`, place, error);
  }
  if (!isAbsolute(path) && !isWithin(directory, workTree.root)) {
    throw new CheckpointdError(
      'PathOutsideWorkTree',
      `${path} leads out of the work tree through a symbolic link. Give an absolute path to write elsewhere.`,
      { details: { path } },
    );
  }
  if (isWithin(directory, options.storage))
    throw refusal(`${place} lies in the daemon's own storage. Choose another place.`, place);
  const target = join(directory, basename(place));
  if (files.lstatSync(target, { throwIfNoEntry: false })?.isDirectory() === true)
    throw refusal(`${target} is a directory. Give the path of a file.`, target);
  return target;
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

function refusal(message: string, path: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError('InvalidParams', message, { details: { path }, cause });
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
  return refusal(`${file} cannot be written (${code}). Check the directory's permissions.`, file, cause);
}
