// Makes checkpoints: captures the current work tree, collects the data of the session for the record, and publishes the
// record. A checkpoint is on the disk and in the index only after its publication.
import type { Tag } from '../base/ids.ts';
import type { Capture } from '../capture/capturer.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { SessionLog } from '../conversation/log/session-log.ts';
import type { CaptureRules, CheckpointRecord, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { OperationContext } from './operation.ts';

/** Captures the work tree. Starts from the snapshot of the head, so that the capture has to read only the changes. */
export function capturePresent(
  { capture, index }: Checkpoints,
  context: OperationContext,
  alsoInclude?: readonly TreePath[],
): Promise<Capture> {
  return capture.capture({
    previous: index.head?.record.snapshot,
    alsoInclude,
    signal: context.signal,
    onProgress: context.progress('capture'),
  });
}

/** Publishes the record of a checkpoint in the store and adds the checkpoint to the index. */
export async function publish(
  checkpoints: Checkpoints,
  record: CheckpointRecord,
  tag?: Tag,
  name?: string,
): Promise<StoredCheckpoint> {
  const publication = { record, tag, name };
  const { commit } = await checkpoints.store.publish(publication);
  const stored: StoredCheckpoint = { ...publication, commit };
  checkpoints.index.add(stored);
  return stored;
}

/** Returns the turn and tool counters from the record of the session's current checkpoint. */
export function countersOf(head: StoredCheckpoint | undefined): { currentTurn: number; toolsInTurn: number } {
  return { currentTurn: head?.record.currentTurn ?? 0, toolsInTurn: head?.record.toolsInTurn ?? 0 };
}

export interface CaptureSettings {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly limits: { readonly maxFileBytes: number };
}

/** The parts of a session from which every checkpoint's record is made. */
export interface RecordSources {
  readonly conversation: Pick<Conversation, 'head' | 'state'>;
  readonly sessionLog: Pick<SessionLog, 'length'>;
  readonly options: CaptureSettings;
}

/**
 * Returns the data that every record contains: the current position in the conversation, and the rules for captures.
 */
export function presentFacts({
  conversation,
  sessionLog,
  options,
}: RecordSources): Pick<
  CheckpointRecord,
  'conversation' | 'logLength' | 'historyLength' | 'inTangent' | 'rules'
> {
  return {
    conversation: conversation.head,
    logLength: sessionLog.length,
    historyLength: conversation.state.history.length,
    inTangent: conversation.state.tangent && true,
    rules: rulesOf(options),
  };
}

export function rulesOf({ include, exclude, limits }: CaptureSettings): CaptureRules {
  return {
    ...(include.length === 0 ? {} : { include }),
    ...(exclude.length === 0 ? {} : { exclude }),
    maxFileBytes: limits.maxFileBytes,
  };
}
