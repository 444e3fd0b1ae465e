// The commands for a session's checkpoints: enable, remove all, list, look up, name, delete. checkpoint-create.ts
// creates checkpoints, checkpoint-restore.ts restores them, and checkpoint-contents.ts reads their contents.
import { stopwatch } from '../base/clock.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { CheckpointId } from '../base/ids.ts';
import type { CheckpointIndex } from '../checkpoints/checkpoint-index.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { isUnchanged, snapshotSize } from '../checkpoints/compared.ts';
import { afterCommit, type OperationContext } from '../checkpoints/operation.ts';
import { parseName } from '../checkpoints/tag.ts';
import { checkGit } from '../git/process/version.ts';
import type * as Wire from '../protocol/types.ts';
import { createBase, enableCheckpoints } from '../session/enable.ts';

import type { Intended } from '../session/operations.ts';
import type { Session } from '../session/session.ts';
import { ownRepository, setStoreAside } from '../session/session-store.ts';
import { deleteTrash, renameStoreAway } from '../session/trash.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';
import {
  answerAfterCommit,
  checkpointAnswer,
  checkpointsState,
  disabledState,
  skipped,
} from './answers/checkpoint-answer.ts';
import { pageOf } from './answers/paging.ts';
import { type CallOf, defineCommand } from './command.ts';
import { tangentCheckpoints } from './tangent.ts';

/** Enables checkpoints on request, even outside a repository. Does nothing if checkpoints are already enabled. */
export const checkpointInit = defineCommand(
  'checkpoint/init',
  async ({ session, context }) => {
    const { operations } = session.parts;
    const elapsed = stopwatch();
    const already = session.enabled;
    if (session.disabledReason === 'FeatureOff') session.requireCheckpoints();
    if (already === undefined) {
      await checkGit(); // the client wants checkpoints, so the request fails if git is missing
      operations.intend(context.stamp, { enables: true });
      await enableOrBeginAnew(session, context);
      session.recovered = undefined; // the warnings of this answer already report the recovered restore
    } else {
      await already.store.sizes([]); // throws if the store is lost; changes nothing
      if (already.index.head === undefined) await createBase(session, already, context); // all checkpoints were deleted
    }
    session.writeSummary();
    return initAnswer(session, already === undefined, elapsed(), context);
  },
  { again: (_remains, { session, context }) => initAnswer(session, true, 0, context) },
);

/**
 * Enables checkpoints. If an earlier answer has reported a damaged store and the store is still damaged, sets the store
 * aside and starts with a new store.
 */
async function enableOrBeginAnew(session: Session, context: OperationContext): Promise<void> {
  const wasCorrupt = session.disabledReason === 'StoreCorrupt';
  await enableCheckpoints(session, 'force', context);
  if (!wasCorrupt || session.disabledReason !== 'StoreCorrupt') return;
  await setStoreAside(session);
  await enableCheckpoints(session, 'force', context);
}

async function initAnswer(
  session: Session,
  initialized: boolean,
  ms: number,
  context: OperationContext,
): Promise<Wire.CheckpointInitResult> {
  const checkpoints = session.requireCheckpoints();
  const base = checkpoints.index.requireBase();
  return {
    initialized,
    checkpoints: checkpointsState(session),
    base: await answerAfterCommit(context, checkpoints, base),
    skipped: skipped(base.record.skipped),
    ms,
  };
}

/**
 * Removes every checkpoint of the session, and the store. Changes neither the conversation nor the work tree.
 * Checkpoints stay disabled until the next `checkpoint/init`.
 */
export const checkpointClean = defineCommand(
  'checkpoint/clean',
  async ({ session, context }) => {
    if (hasNone(session)) {
      return { removed: 0, checkpoints: checkpointsState(session) };
    }
    const checkpoints = session.requireCheckpoints();
    const { store, index } = checkpoints;
    const removed = index.size;
    // First logs the position of the conversation, because some moves of the conversation are recorded only in the
    // removed checkpoints.
    session.parts.conversation.recordHead();
    const all = index.list('every').map(({ record }) => record.id);
    const intended = index.head && { cleans: index.head.record.id, removed };
    const { operations } = session.parts;
    if (intended) operations.intend(context.stamp, intended);
    await store.remove(all);
    // After a kill from here on, the next daemon finds no checkpoints, or does not search for checkpoints.
    if (intended) await recordCleaned(session, context, intended);
    await removeStore(session, checkpoints, context);
    return cleanAnswer(session, removed);
  },
  { again: ({ effect }, { session }) => cleanAnswer(session, Number(effect)) },
);

/** True when checkpoints are disabled and no earlier process has left checkpoints. */
function hasNone(session: Session): boolean {
  return session.enabled === undefined && !files.existsSync(session.parts.directory.enabledFile);
}

function cleanAnswer(session: Session, removed: number): Wire.CheckpointCleanResult {
  return { removed, path: ownRepository(session), checkpoints: disabledState('Cleaned') };
}

/** Removes the rest of the store, as far as the disk allows. The checkpoints are already gone. */
async function removeStore(
  session: Session,
  { store, capture }: Checkpoints,
  context: OperationContext,
): Promise<void> {
  const { directory, log } = session.parts;
  const lost = 'The checkpoints were removed, but not all of their stored data';
  session.disable('Cleaned');
  session.writeSummary();
  await afterCommit(context, lost, () => capture.close());
  await afterCommit(context, lost, () => store.destroy());
  await afterCommit(context, lost, () => store.close());
  await afterCommit(context, lost, () => files.rmSync(directory.enabledFile, { force: true }));
  const trash = await afterCommit(context, lost, () => renameStoreAway(directory));
  // The answer does not wait for the deletion, because deleting 20,000 loose objects takes a second. The next
  // `checkpoint/init` can already use the path.
  void deleteTrash(trash, log);
}

async function recordCleaned(
  { parts }: Session,
  context: OperationContext,
  intended: Intended,
): Promise<void> {
  await afterCommit(
    context,
    "The checkpoints were removed, but the session's log could not record the removal",
    () => parts.operations.intend(context.stamp, intended, 'isDone'),
  );
}

export const checkpointList = defineCommand('checkpoint/list', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const { index } = checkpoints;
  const kind = params.kind ?? 'all';
  const page = pageOf(index.listing(kind), `${session.id} ${index.generation} ${kind}`, params);
  const views: Wire.Checkpoint[] = [];
  for (const stored of page.items) {
    const view = await checkpointAnswer(checkpoints, stored);
    const { snapshot } = stored.record;
    const size = params.withSizes === true ? await snapshotSize(checkpoints.store, snapshot) : undefined;
    views.push({ ...view, ...size });
  }
  return { checkpoints: views, nextCursor: page.nextCursor };
});

/** Returns a turn with the checkpoints of its tools. */
export const checkpointExpand = defineCommand('checkpoint/expand', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const { index } = checkpoints;
  const stored = index.resolve(params.tag);
  const tools: Wire.Checkpoint[] = [];
  if (stored.record.kind === 'turn') {
    for (const tool of index.toolsOf(stored.record.id)) tools.push(await checkpointAnswer(checkpoints, tool));
  }
  return { checkpoint: await checkpointAnswer(checkpoints, stored), tools };
});

/** Returns one checkpoint with all its details. */
export const checkpointGet = defineCommand('checkpoint/get', async ({ session, params }) => {
  const checkpoints = session.requireCheckpoints();
  const stored = checkpoints.index.resolve(params.tag);
  const { message, restored, safety, inTangent } = stored.record;
  return {
    checkpoint: await checkpointAnswer(checkpoints, stored),
    ...(message === '' ? {} : { message }),
    skipped: skipped(stored.record.skipped),
    restored,
    safety,
    inTangent,
  };
});

/** Returns whether the work tree differs from the newest checkpoint or restore of the session. */
export const checkpointHasChanges = defineCommand('checkpoint/hasChanges', async ({ session, context }) => {
  const checkpoints = session.requireCheckpoints();
  const { capture, index } = checkpoints;
  const { head } = index;
  if (head === undefined) return { hasChanges: true };
  const { snapshot, skipped } = head.record;
  const isChanged = await capture.isChanged(snapshot, context.signal, skipped);
  if (isChanged !== 'unsure') return { hasChanges: isChanged };
  const present = await capture.capture({ previous: snapshot, signal: context.signal });
  return { hasChanges: !(await isUnchanged(checkpoints, head, present)) };
});

/** Gives a checkpoint a name that is unique in the session, or removes the checkpoint's name. */
export const checkpointRename = defineCommand(
  'checkpoint/rename',
  async ({ session, params, context }) => {
    const { index, store } = session.requireCheckpoints();
    const { record, name } = checked(index, params);
    const intended = { renames: record.id, name };
    session.parts.operations.intend(context.stamp, intended);
    await store.rename(record.id, name);
    index.rename(record.id, name);
    return renameAnswer(session, record.id, context);
  },
  {
    check: ({ session, params }) => checked(session.requireCheckpoints().index, params),
    again: ({ checkpoint: id = '' }, { session, context }) => renameAnswer(session, id, context),
  },
);

/**
 * Returns the checkpoint that the request names, and its new name. @throws UnknownCheckpoint, InvalidTag, InvalidName,
 * DuplicateName
 */
function checked(
  index: CheckpointIndex,
  params: Wire.CheckpointRenameParams,
): { readonly record: CheckpointRecord; readonly name: string | undefined } {
  const { record } = index.resolve(params.tag);
  const name = params.name ?? undefined;
  if (name !== undefined) parseName(name);
  const named = name === undefined ? undefined : index.byName(name);
  if (named === undefined || named.record.id === record.id) return { record, name };
  throw new CheckpointdError(
    'DuplicateName',
    `A checkpoint is already named "${name}". Choose another name.`,
    { details: { name } },
  );
}

async function renameAnswer(
  session: Session,
  id: string,
  context: OperationContext,
): Promise<Wire.CheckpointRenameResult> {
  const checkpoints = session.requireCheckpoints();
  const stored = checkpoints.index.resolve(id);
  return { checkpoint: await answerAfterCommit(context, checkpoints, stored) };
}

/**
 * Deletes one checkpoint. All other checkpoints can still be restored. `store/gc` later frees the contents of
 * the deleted checkpoint.
 */
export const checkpointDelete = defineCommand('checkpoint/delete', deleteCheckpoint, {
  check: ({ session, params }) => session.requireCheckpoints().index.resolve(params.tag),
});

async function deleteCheckpoint({
  session,
  params,
  context,
}: CallOf<'checkpoint/delete'>): Promise<Wire.CheckpointDeleteResult> {
  const { index } = session.requireCheckpoints();
  const { record } = index.resolve(params.tag);
  // On the disk, only the checkpoint of the restore says that the conversation was moved back. Without this checkpoint,
  // a restart would return to the later conversation.
  if (record.kind === 'restore' && index.head?.record.id === record.id) {
    throw new CheckpointdError(
      'PreconditionFailed',
      'This checkpoint was made by a restore, and is the current checkpoint of the session. Make another checkpoint first, or remove all checkpoints with checkpoint/clean.',
      { details: { id: record.id } },
    );
  }
  const { conversation, operations } = session.parts;
  if (tangentCheckpoints(index, conversation).has(record.id)) {
    throw new CheckpointdError(
      'PreconditionFailed',
      'The open tangent needs this checkpoint, to restore the files when the tangent ends. Leave the tangent first.',
      { details: { id: record.id } },
    );
  }
  // The newest checkpoint determines the conversation's head. So this code logs the head before it deletes this
  // checkpoint.
  if (index.head?.record.id === record.id) conversation.recordHead();
  operations.intend(context.stamp, { removes: record.id });
  await removeCheckpoints(session, [record.id], context);
  return { deleted: record.id };
}

/**
 * Removes checkpoints and returns how many were removed. First records the parents of these checkpoints. Then removes
 * the checkpoints from the store and from the index. The caller decides which checkpoints may be removed.
 */
export async function removeCheckpoints(
  session: Session,
  ids: readonly CheckpointId[],
  context: OperationContext,
): Promise<number> {
  if (ids.length === 0) return 0;
  const { store, index } = session.requireCheckpoints();
  const { removedParents } = session.parts;
  // If the parents cannot be recorded, the removal continues, because a full disk must not prevent a client from
  // freeing space.
  const lost =
    'The checkpoints were removed. The daemon knows the order of the other checkpoints only until the session closes, because it could not store the parents of the removed checkpoints';
  await afterCommit(context, lost, () =>
    removedParents.record(ids.flatMap((id) => index.byId(id)?.record ?? [])),
  );
  await store.remove(ids);
  index.remove(ids);
  session.writeSummary();
  return ids.length;
}
