// A conversation as a document: answered, written to a file in one step, or read from one. A file is replaced whole
// or not at all, a link or a device at its place stays, and what is refused leaves everything as it was.
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { CheckpointdError, fileLimit, isNoSpace, systemCode } from '../base/errors.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { given } from '../base/given.ts';
import { base32, type CheckpointId } from '../base/ids.ts';
import { Slices } from '../base/slices.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import {
  type ConversationDocument,
  documentText,
  toDocument,
} from '../conversation/document/conversation-json.ts';
import type * as Wire from '../protocol/types.ts';
import { mustAnswer } from '../session/answering-path.ts';
import { contextNow } from '../session/context/session-context.ts';
import {
  deniedPath,
  documentSource,
  documentTarget,
  refusedPath,
} from '../session/document/document-path.ts';
import { fileStamp, type StandingFile, saveReplaced } from '../session/document/replaced-file.ts';
import type { Session } from '../session/session.ts';
import { defineCommand } from './command.ts';
import { asItIs, defineConversationChange, warned } from './conversation-change.ts';

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

export interface ExportRequest {
  /** Absolute, or relative to the work tree. */
  readonly path: string;
  readonly overwrite: boolean;
}

export interface Exported {
  readonly path: string;
  readonly bytes: number;
  /** The checkpoint that holds what was replaced. */
  readonly safety?: CheckpointId;
}

/** Where an export will stand, and what is saved of what stands there now. */
export interface ExportPlace {
  readonly target: string;
  readonly overwrite: boolean;
  readonly standing?: StandingFile;
}

/**
 * Finds the place of an export and saves what stands there, where it is to be replaced and lies in the work tree of one
 * of `sessions`. To be called before the session's own lane is entered: the file may lie in the work tree of another
 * session, which may be exporting into this one.
 *
 * @throws InvalidParams (no such directory, a directory stands there, inside the storage or a git directory),
 * PathOutsideWorkTree (a relative path that leads out), PreconditionFailed (what stands there cannot be saved)
 */
export async function placeOfExport(
  session: Session,
  { path, overwrite }: ExportRequest,
  sessions: readonly Session[],
  context: OperationContext,
): Promise<ExportPlace> {
  await mustAnswer(documentSource(session, path), 'InvalidParams');
  const target = documentTarget(session, path);
  const standing = overwrite ? await saveReplaced(target, sessions, context) : undefined;
  return { target, overwrite, ...given({ standing }) };
}

/**
 * Writes the document beside its place and moves it there. What stands there is replaced only when asked for.
 *
 * @throws PreconditionFailed (something stands there and overwriting was not asked for, or it changed since it was
 * saved), NoSpace: then nothing was written
 */
export async function exportToFile(
  session: Session,
  { target, overwrite, standing }: ExportPlace,
): Promise<Exported> {
  const temporary = join(dirname(target), `.ckpt-tmp-${base32(randomBytes(13), 20)}-0`);
  try {
    const bytes = await writeTemporary(session, temporary, await documentOf(session));
    const placed = overwrite ? replace(temporary, target, standing?.stamp) : await putNew(temporary, target);
    const { safety } = placed && standing !== undefined ? standing : {};
    return { path: target, bytes, ...given({ safety }) };
  } catch (error) {
    throw unwritable(target, error);
  } finally {
    files.rmSync(temporary, { force: true });
  }
}

/** Captures leave out a name of this form, so that a kill leaves nothing in a checkpoint. Returns the bytes written. */
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

/** Replaces what was saved. @throws PreconditionFailed when it is not that any more */
function replace(temporary: string, target: string, saved: string | undefined): true {
  const stamp = fileStamp(target);
  if (stamp !== undefined && stamp !== saved) throw occupied(target, 'changed while it was being saved');
  files.renameSync(temporary, target);
  return true;
}

/** Puts the file where nothing is. False: the very same document is there already. @throws PreconditionFailed */
async function putNew(temporary: string, target: string): Promise<boolean> {
  try {
    files.linkSync(temporary, target);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') {
      if (await isSameFile(temporary, target)) return false;
      throw occupied(target, 'is there already');
    }
    // A file system without hard links: look, then move.
    if (fileStamp(target) !== undefined) throw occupied(target, 'is there already');
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
    const [left, right] = [Buffer.alloc(1 << 20), Buffer.alloc(1 << 20)];
    for (let at = 0; ; ) {
      const length = files.readSync(first, left, 0, left.length, at);
      if (files.readSync(second, right, 0, right.length, at) !== length) return false;
      if (length === 0) return true;
      if (!left.subarray(0, length).equals(right.subarray(0, length))) return false;
      at += length;
      if (slices.isDue()) await slices.pause();
    }
  } finally {
    files.closeSync(first);
    files.closeSync(second);
  }
}

function occupied(target: string, how: string): CheckpointdError {
  return new CheckpointdError(
    'PreconditionFailed',
    `${target} ${how}. Give overwrite: true to replace it (what lies in the work tree of an open session is saved first), or another path.`,
    { details: { path: target } },
  );
}

/** The text of a document's file. @throws InvalidParams, DocumentInvalid */
export async function readDocumentFile(session: Session, path: string): Promise<string> {
  const file = documentSource(session, path);
  await mustAnswer(file, 'InvalidParams');
  let fd: number;
  try {
    fd = files.openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    throw refusedPath(
      `${file} cannot be read (${code}). Give a file that is there and readable.`,
      file,
      error,
    );
  }
  try {
    const stats = files.fstatSync(fd);
    if (!stats.isFile()) throw refusedPath(`${file} is not a file. Give the file that was exported.`, file);
    if (stats.size > documentBytesMax) {
      throw new CheckpointdError(
        'DocumentInvalid',
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

// conversation/export: the conversation as a document, answered or written to a file. It changes nothing of the
// session, so it can be had from one that can store nothing any more.

export const conversationExport = defineCommand<'conversation/export', ExportPlace | undefined>(
  'conversation/export',
  async ({ session }, place) => {
    if (place !== undefined) return exportToFile(session, place);
    const document = await documentOf(session);
    return { document: document as unknown as Wire.JsonObject, bytes: await sizeOfDocument(document) };
  },
  {
    beforeLane: ({ session, params: { path, overwrite }, daemon: { sessions }, context }) =>
      path == null
        ? undefined
        : placeOfExport(session, { path, overwrite: overwrite ?? false }, sessions.all, context),
  },
);

// conversation/import: a document in place of the conversation.

export const conversationImport = defineConversationChange(
  'conversation/import',
  async ({ session, conversation, params, keyed, context }) => {
    checkSource(params);
    const { document, path } = params;
    const source = path == null ? document : await readDocumentFile(session, path);
    const imported = await conversation.import(source, { signal: context.signal, idempotency: keyed });
    return warned(context, imported);
  },
  asItIs,
  { check: ({ params }) => checkSource(params) },
);

/** @throws InvalidParams */
function checkSource({ document, path }: Pick<Wire.ConversationImportParams, 'document' | 'path'>): void {
  if ((document == null) === (path == null))
    throw new CheckpointdError('InvalidParams', 'Give either document or path.');
}
