// checkpoint/create: capture, then publish. The publication is the only commit point: before it nothing is
// listed, after it everything is. Cancelling is possible until then, and then nothing has changed.
import { timestamp } from '../base/clock.ts';
import { CheckpointdError } from '../base/errors.ts';
import { newCheckpointId, type Tag } from '../base/ids.ts';
import type { Capture } from '../capture/capturer.ts';
import type { SkippedPath } from '../capture/snapshot-sink.ts';
import { checkLength } from '../conversation/entry.ts';
import { describeTurn } from '../conversation/turn-description.ts';
import type { Checkpoints } from '../session/checkpoints.ts';
import { parseTag, partsOf, toolTag, turnTag } from '../session/index/tag.ts';
import { noteCheckpoint } from '../session/ledger/authorship.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import { countersOf, publish, standingOf } from '../session/publish.ts';
import { ensureRecovered } from '../session/restore/recover.ts';
import type { Session } from '../session/session.ts';
import type { CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';

export interface CreateRequest {
  readonly kind: 'turn' | 'tool';
  readonly message?: string;
  readonly toolName?: string;
  readonly description?: string;
  /** An explicit tag; sets the counters. */
  readonly tag?: string;
  readonly name?: string;
  /** The checkpoint this one follows, as text that names one; default: where the session stands. */
  readonly parent?: string;
  readonly onlyIfChanged?: boolean;
}

export interface CreateOutcome {
  readonly created: boolean;
  /** The new checkpoint, or the one that the session stands on when nothing changed. */
  readonly checkpoint: StoredCheckpoint;
  readonly skipped: readonly SkippedPath[];
  readonly capture: Pick<Capture, 'path' | 'reason' | 'ms'>;
}

/** Makes a checkpoint of the work tree and the conversation as they are (000 §5). */
export function create(
  session: Session,
  request: CreateRequest,
  context: OperationContext,
): Promise<CreateOutcome> {
  const checkpoints = session.requireCheckpoints();
  const tag = request.tag === undefined ? undefined : parseTag(request.tag);
  if (tag !== undefined) checkKind(tag, request.kind);
  if (request.name !== undefined) checkName(checkpoints, request.name);
  const { messageChars } = session.parts.conversation.state.limits;
  checkLength(request.message ?? '', messageChars, 'message');
  return session.parts.queue.run(async () => {
    await ensureRecovered(session, context);
    return createNow(
      session,
      session.requireCheckpoints(),
      { ...request, ...(tag === undefined ? {} : { tag }) },
      context,
    );
  }, context.signal);
}

async function createNow(
  session: Session,
  checkpoints: Checkpoints,
  request: CreateRequest & { readonly tag?: string },
  context: OperationContext,
): Promise<CreateOutcome> {
  const started = session.parts.clock.monotonic();
  const elapsed = (): number => Math.round(session.parts.clock.monotonic() - started);
  const { index, capture: capturer } = checkpoints;
  const head = index.head;
  const parent = request.parent === undefined ? head : index.resolve(request.parent);
  if (request.name !== undefined) checkName(checkpoints, request.name);
  const capture = await capturer.capture({
    ...(head === undefined ? {} : { previous: head.record.snapshot }),
    signal: context.signal,
    onProgress: context.progress('capture'),
  });
  const facts = {
    path: capture.path,
    ms: Math.round(capture.ms),
    ...(capture.reason === undefined ? {} : { reason: capture.reason }),
  };
  if (request.onlyIfChanged === true && head !== undefined && head.record.snapshot === capture.snapshot) {
    return { created: false, checkpoint: head, skipped: capture.skipped, capture: facts };
  }
  context.signal.throwIfAborted();
  const tag = nextTag(checkpoints, request);
  // Taken before the record is composed, so that a rewind to it does not bring the message back (ruling 4).
  const pending = request.kind === 'turn' ? session.parts.conversation.consumeMessage() : undefined;
  const message = request.message ?? pending ?? '';
  const record = composeRecord(session, checkpoints, { request, tag, capture, parent, message, context });
  const checkpoint = await publish(checkpoints, record, tag, request.name);
  await noteCheckpoint(session, head, checkpoint);
  const from = head === undefined ? {} : { from: head.record.snapshot };
  await session.parts.events.created(session, checkpoint, { ...from, ms: elapsed() });
  return { created: true, checkpoint, skipped: capture.skipped, capture: facts };
}

/** The next tag by the counters (ruling 3), or the explicit one. */
function nextTag({ index }: Checkpoints, request: CreateRequest): Tag {
  if (request.tag !== undefined) return parseTag(request.tag);
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
  const { turn, tool } = partsOf(tag);
  const place = index.placeOf(tag);
  return {
    ...standingOf(session),
    id: newCheckpointId(),
    seq: index.nextSeq,
    timestamp: timestamp(session.parts.clock),
    kind: request.kind,
    madeAs: tag,
    ...(parent === undefined ? {} : { parent: parent.record.id }),
    ...(place === undefined ? {} : { place }),
    description: request.description ?? defaultDescription(request, message),
    ...(request.toolName === undefined ? {} : { toolName: request.toolName }),
    message,
    snapshot: capture.snapshot,
    currentTurn: turn,
    toolsInTurn: tool ?? 0,
    skipped: capture.skipped,
    ...(index.head?.record.undo === undefined ? {} : { undo: index.head.record.undo }),
    ...context.stamp,
  };
}

/** 000's texts (Q22): the user's message cut to 60 bytes, or that the turn ended; a tool by its name. */
function defaultDescription(request: CreateRequest, message: string): string {
  if (request.kind === 'turn') return describeTurn(message);
  return request.toolName === undefined ? 'Tool completed' : `Tool: ${request.toolName}`;
}

function checkKind(tag: Tag, kind: 'turn' | 'tool'): void {
  const isTool = partsOf(tag).tool !== undefined;
  if (isTool === (kind === 'tool')) return;
  throw new CheckpointdError(
    'InvalidTag',
    `"${tag}" is the tag of a ${isTool ? 'tool' : 'turn'}, and this is a ${kind}.`,
    {
      details: { tag, kind },
    },
  );
}

function checkName({ index }: Checkpoints, name: string): void {
  if (index.byName(name) === undefined) return;
  throw new CheckpointdError(
    'DuplicateName',
    `There is a checkpoint named "${name}" already. Choose another name, or rename or delete that one.`,
    {
      details: { name },
    },
  );
}
