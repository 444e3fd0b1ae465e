// checkpoint/create: captures the work tree, then publishes the checkpoint. The publication is the only commit point:
// before it, no list contains the checkpoint, and a cancelled request changes nothing.
import { stopwatch, timestamp } from '../base/clock.ts';
import { CheckpointdError } from '../base/errors.ts';
import { newCheckpointId, type Tag } from '../base/ids.ts';
import { oneLine } from '../base/text/one-line.ts';
import type { Capture } from '../capture/capturer.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { isUnchanged } from '../checkpoints/compared.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { capturePresent, countersOf, presentFacts, publish } from '../checkpoints/publish.ts';
import { parseName, parseTag, tagParts, toolTag, turnTag } from '../checkpoints/tag.ts';
import { checkLength } from '../conversation/entry.ts';
import type * as Wire from '../protocol/types.ts';
import { recordCheckpoint } from '../session/authorship.ts';
import type { Session } from '../session/session.ts';
import type { CheckpointRecord, RecordedConversation, StoredCheckpoint } from '../store/snapshot-store.ts';
import { answerAfterCommit, skipped } from './answers/checkpoint-answer.ts';
import { pathRef } from './answers/paths.ts';
import { type CallOf, defineCommand } from './command.ts';

type CreateRequest = Wire.CheckpointCreateParams;

export const checkpointCreate = defineCommand('checkpoint/create', create, {
  check: ({ session, params }) => {
    const checkpoints = session.requireCheckpoints();
    checkRequest(session, checkpoints, params);
    if (params.parent != null) checkpoints.index.resolve(params.parent);
  },
  again: ({ checkpoint: id = '' }, { session, context }) => {
    const stored = session.requireCheckpoints().index.resolve(id);
    return createAnswer(session, stored, { created: true, capture: { path: 'cold', ms: 0 } }, context);
  },
});

/** Makes a checkpoint of the current work tree and conversation. */
async function create({
  session,
  params,
  context,
}: CallOf<'checkpoint/create'>): Promise<Wire.CheckpointCreateResult> {
  const elapsed = stopwatch();
  const checkpoints = session.requireCheckpoints();
  checkRequest(session, checkpoints, params);
  const { index } = checkpoints;
  const head = index.head;
  const parent = params.parent == null ? head : index.resolve(params.parent);
  const capture = await capturePresent(checkpoints, context);
  const facts = { path: capture.path, ms: Math.round(capture.ms), reason: capture.reason };
  if (params.onlyIfChanged === true && head !== undefined && (await isUnchanged(checkpoints, head, capture)))
    return createAnswer(session, head, { created: false, capture: facts }, context, capture);
  context.signal.throwIfAborted();
  const tag = nextTag(checkpoints, params);
  const taken = params.kind === 'turn' ? session.parts.conversation.proposeConsumed() : undefined;
  const message = params.message ?? taken?.message ?? '';
  const composed = composeRecord(session, checkpoints, {
    request: params,
    tag,
    capture,
    parent,
    message,
    context,
  });
  const record = taken === undefined ? composed : { ...composed, conversation: taken.head };
  const made = await publish(checkpoints, record, tag, params.name ?? undefined);
  if (taken !== undefined) await moveTo(session, taken.head, context);
  await afterCommit(
    context,
    'The checkpoint was made, but the daemon could not record who changed which file',
    () => recordCheckpoint(session, head, made),
  );
  const { directory, marker } = session.parts;
  const unrecorded =
    'The checkpoint was made, but the daemon could not record that the work tree was replaced';
  await afterCommit(context, unrecorded, () => directory.recordWorkTree(marker, made.record.seq));
  session.writeSummary();
  const since = { from: head?.record.snapshot, ms: elapsed() };
  await session.parts.events.created(session, made, since, context.client);
  return createAnswer(session, made, { created: true, capture: facts }, context, capture);
}

/**
 * Moves the conversation to the position after the turn's message, because the checkpoint has used this message. Also
 * logs this position for a later process that opens the session without checkpoints.
 */
async function moveTo(
  session: Session,
  head: RecordedConversation,
  context: OperationContext,
): Promise<void> {
  const { conversation } = session.parts;
  conversation.rewind(head);
  const lost =
    'The checkpoint was made, but the log could not record that the checkpoint used the pending message. If the session is opened without checkpoints, the message is pending again';
  await afterCommit(context, lost, () => conversation.recordHead());
}

async function createAnswer(
  session: Session,
  stored: StoredCheckpoint,
  facts: Pick<Wire.CheckpointCreateResult, 'created' | 'capture'>,
  context: OperationContext,
  { skipped: left, torn = [] }: Partial<Pick<Capture, 'torn'>> & Pick<Capture, 'skipped'> = stored.record,
): Promise<Wire.CheckpointCreateResult> {
  return {
    created: facts.created,
    checkpoint: await answerAfterCommit(context, session.requireCheckpoints(), stored),
    skipped: skipped(left),
    complete: left.length === 0 && torn.length === 0,
    possiblyTorn: torn.length === 0 ? undefined : torn.map(pathRef),
    capture: facts.capture,
  };
}

/** Checks the request. @throws InvalidTag, InvalidName, DuplicateName, MessageTooLarge */
function checkRequest(
  session: Session,
  { index }: Checkpoints,
  { tag, kind, name, message }: CreateRequest,
): void {
  if (tag != null) checkKind(parseTag(tag), kind);
  if (name != null && index.byName(parseName(name)) !== undefined) {
    throw new CheckpointdError(
      'DuplicateName',
      `A checkpoint is already named "${name}". Choose another name, or rename or delete that checkpoint.`,
      { details: { name } },
    );
  }
  if (message != null) checkLength(message, session.parts.conversation.state.limits.messageChars, 'message');
}

/** Returns the client's tag. If the client gave no tag, returns the next tag by the turn and tool counters. */
function nextTag({ index }: Checkpoints, request: CreateRequest): Tag {
  if (request.tag != null) return parseTag(request.tag);
  const { currentTurn, toolsInTurn } = countersOf(index.head);
  return request.kind === 'turn' ? turnTag(currentTurn + 1) : toolTag(currentTurn, toolsInTurn + 1);
}

interface Ingredients {
  readonly request: CreateRequest;
  readonly tag: Tag;
  readonly capture: Capture;
  readonly parent: StoredCheckpoint | undefined;
  readonly message: string;
  readonly context: OperationContext;
}

function composeRecord(session: Session, { index }: Checkpoints, made: Ingredients): CheckpointRecord {
  const { request, tag, capture, parent, message, context } = made;
  const { turn, tool } = tagParts(tag);
  const place = index.placeOf(tag);
  return {
    ...presentFacts(session.parts),
    id: newCheckpointId(),
    seq: index.nextSeq,
    timestamp: timestamp(),
    kind: request.kind,
    madeAs: tag,
    parent: parent?.record.id,
    place,
    description: describe(request, message, index.head?.record.snapshot !== capture.snapshot),
    toolName: request.toolName,
    message,
    snapshot: capture.snapshot,
    currentTurn: turn,
    toolsInTurn: tool ?? 0,
    skipped: capture.skipped,
    undo: index.head?.record.undo,
    ...context.stamp,
  };
}

/**
 * Returns the client's description unchanged. If the client gave no description, writes a line about the turn
 * or the tool.
 */
function describe(
  { kind, description, toolName }: CreateRequest,
  message: string,
  hasChanges: boolean,
): string {
  if (description != null && description !== '') return description;
  if (kind === 'turn') return describeTurn(message);
  return describeTool({ name: toolName ?? undefined, message, hasChanges });
}

function checkKind(tag: Tag, kind: 'turn' | 'tool'): void {
  const isTool = tagParts(tag).tool !== undefined;
  if (isTool === (kind === 'tool')) return;
  throw new CheckpointdError(
    'InvalidTag',
    `"${tag}" is the tag of a ${isTool ? 'tool' : 'turn'}, but the checkpoint is of kind ${kind}.`,
    {
      details: { tag, kind },
    },
  );
}

// Writes the description of a checkpoint when the client gives none. The description is one line, which is also the
// commit's subject. The length of the description in bytes is limited, so that it fits the subject line of a commit and
// a line of a terminal.

const bytesMax = 60;

/**
 * Cuts a line that is longer than 60 bytes, at a space if possible, and appends `...`. The result has at most 63 bytes.
 */
function cut(text: string): string {
  const line = oneLine(text);
  // Encodes only the beginning of a long message, because 61 UTF-16 units already have more than 60 bytes in UTF-8.
  const bytes = Buffer.from(line.slice(0, bytesMax + 1), 'utf8');
  if (bytes.length <= bytesMax) return line;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const head = bytes.toString('utf8', 0, end);
  const space = head.lastIndexOf(' ');
  return `${space < 0 ? head : head.slice(0, space)}...`;
}

/**
 * Describes a turn by the user's message. The checkpoint of a turn is made at the start of the turn. Without
 * a message, the description is "Turn started".
 */
export function describeTurn(message: string): string {
  return cut(message) || 'Turn started';
}

interface ToolRun {
  readonly name: string | undefined;
  /** The client's message about what the tool did. Empty when the client gave no message. */
  readonly message: string;
  /** True when files have changed since the head. */
  readonly hasChanges: boolean;
}

/**
 * Describes what a tool did. Without a message from the client, uses the tool's name. If files changed although the
 * tool only reads, the description says that another program probably changed these files.
 */
export function describeTool({ name, message, hasChanges }: ToolRun): string {
  if (hasChanges && name !== undefined && onlyReads(name)) {
    return 'External edits detected (likely manual change)';
  }
  const said = cut(message);
  if (said !== '') return said;
  return name === undefined || oneLine(name) === '' ? 'Tool completed' : `Tool: ${oneLine(name)}`;
}

/** True for a name of the tool that reads files: `fs_read`, `read_file`, `readFile` or `Read`. */
function onlyReads(name: string): boolean {
  return ['fsread', 'read', 'readfile'].includes(name.replace(/[^a-z]/gi, '').toLowerCase());
}
