// Opens the session's log, and passes its records to the parts of the session that wrote them. If the log is
// unreadable, renames the file when the client requests this. The session can then use its checkpoints without the log.
// Deletes no file.
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { CheckpointdError, isDamage } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { Ledger } from '../checkpoints/ledger.ts';
import { RemovedParents } from '../checkpoints/removed-parents.ts';
import { Conversation } from '../conversation/conversation.ts';
import { type LogRecord, SessionLog } from '../conversation/log/session-log.ts';
import type { StoredCheckpoint } from '../store/snapshot-store.ts';
import { ledgerFrom } from './authorship.ts';
import type { SessionMarker } from './description.ts';
import type { SessionDirectory } from './directory.ts';
import { OperationRecords } from './operations.ts';
import type { SessionOwner } from './owner.ts';
import type { Session } from './session.ts';

/** The parts of a session that are read from its log. */
interface LoggedParts {
  readonly sessionLog: SessionLog;
  readonly conversation: Conversation;
  readonly operations: OperationRecords;
  readonly ledger: Ledger;
  readonly removedParents: RemovedParents;
}

interface LogRequest {
  readonly directory: SessionDirectory;
  readonly marker: SessionMarker;
  readonly durability: 'process' | 'power';
  /** True when the client wants an unreadable log to be renamed. */
  readonly recover: boolean;
  readonly owner: Pick<SessionOwner, 'requireOwner' | 'tookOverSilent'>;
}

/**
 * Opens and reads the log. @throws StoreCorrupt or DataCorrupt, whose messages contain the remedy; StoreVersion,
 * StoreUnavailable
 */
export async function openKeptLog(
  request: LogRequest,
): Promise<LoggedParts & { readonly warnings: readonly string[] }> {
  const { logFile } = request.directory;
  if (request.owner.tookOverSilent) detach(logFile);
  try {
    const read = await readLog(request);
    return { ...read, warnings: cutTail(read.sessionLog) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (!request.recover) throw withRemedy(error);
    const aside = `${logFile}.damaged-${randomBytes(6).toString('hex')}`;
    files.renameSync(logFile, aside);
    SessionLog.copyWhole(aside, logFile);
    const warning = `The log of this session is damaged. The conversation continues with the part before the damage. The whole log is kept as ${basename(aside)} beside the new log. ${error.message}`;
    return { ...(await readLog(request)), warnings: [warning] };
  }
}

/**
 * Sets the head of the conversation from the newest checkpoint and the log. Also ensures that no new log record gets a
 * position to which a checkpoint already refers.
 * @throws DataCorrupt, with a remedy in the message, if the log lacks the checkpoint's state and `recover` is not set
 */
export function joinLog(
  session: Session,
  stored: readonly StoredCheckpoint[],
  newest: StoredCheckpoint | undefined,
  recover: boolean,
): string[] {
  const { conversation, sessionLog } = session.parts;
  const head = newest?.record;
  if (head === undefined) return [];
  let named = 0;
  for (const { record } of stored) named = Math.max(named, record.logLength, record.conversation);
  const isShort = sessionLog.length < named;
  try {
    conversation.restoreHead(head.conversation, head.logLength);
    if (isShort) sessionLog.skipTo(named);
    return isShort ? [shortened] : [];
  } catch (error) {
    if (!isDamage(error)) throw error;
    if (!recover) throw withRemedy(error);
    sessionLog.skipTo(named);
    conversation.recordHead();
    return [`${shortened} The conversation starts empty.`];
  }
}

/** Returns the warning about the damaged end of the log, which the opening cut off. */
function cutTail({ cutBytes, keptTail }: SessionLog): string[] {
  if (cutBytes === 0) return [];
  const what =
    keptTail === undefined
      ? 'an unfinished write'
      : `a damaged record, which is kept as ${basename(keptTail)} beside the log`;
  return [
    `The last ${cutBytes} bytes of the log of this session could not be read and were dropped: ${what}.`,
  ];
}

const shortened =
  'The log of this session is shorter than the checkpoints say. The log was cut or lost, and a part of the conversation is lost with it.';

/**
 * Replaces the log by a copy. The former owner may still be alive, but suspended. That owner still has the old file
 * open, and could write to it later.
 */
function detach(logFile: string): void {
  if (files.lstatSync(logFile, { throwIfNoEntry: false })?.isFile() !== true) return;
  const copy = `${logFile}.${randomBytes(6).toString('hex')}.tmp`;
  files.copyFileSync(logFile, copy);
  files.renameSync(copy, logFile);
}

async function readLog({ directory, marker, durability, owner }: LogRequest): Promise<LoggedParts> {
  const sessionLog = await SessionLog.open(directory.logFile, {
    durability,
    guard: owner.requireOwner.bind(owner),
  });
  return replayed(sessionLog, marker.conversationId);
}

/**
 * Reads the log of a session that stays closed. @throws the errors of {@link openKeptLog}, and an error for
 * damage that {@link openKeptLog} would repair
 */
export async function readKeptLog(
  { logFile }: SessionDirectory,
  { conversationId }: SessionMarker,
): Promise<LoggedParts> {
  return replayed(await SessionLog.openToRead(logFile), conversationId);
}

async function replayed(sessionLog: SessionLog, conversationId: string): Promise<LoggedParts> {
  const conversation = new Conversation(conversationId, sessionLog);
  /** The records of other modules. A record of the conversation is reduced to its kind and its idempotency key. */
  const others: LogRecord[] = [];
  try {
    for await (const { position, record } of sessionLog.replay()) {
      conversation.replay(position, record);
      if (record.kind !== 'conversation') others.push(record);
      else if ('idempotency' in record)
        others.push({ kind: record.kind, idempotency: record.idempotency } as LogRecord);
    }
  } catch (error) {
    sessionLog.close();
    throw error;
  }
  return {
    sessionLog,
    conversation,
    operations: new OperationRecords(sessionLog, others),
    ledger: ledgerFrom(others),
    removedParents: new RemovedParents(sessionLog, others),
  };
}

function withRemedy(error: CheckpointdError): CheckpointdError {
  return new CheckpointdError(
    error.kind,
    `${error.message} Open the session with recover: "conversation" to set the conversation aside and continue with the checkpoints of the files.`,
    { cause: error, details: { ...error.details, remedy: 'recover' } },
  );
}
