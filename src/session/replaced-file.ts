// Saves a file before an export replaces it, if the work tree of an open session contains the file. If the daemon cannot
// save this file, the export does not replace it. Any other file is replaced without being saved.
import { relative } from 'node:path';
import { CheckpointdError, isKind } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { type CheckpointId, newOperationId } from '../base/ids.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { OperationContext } from '../checkpoints/operation.ts';
import { capturePresent } from '../checkpoints/publish.ts';
import { publishSafety } from '../restore/restore.ts';
import { fromBytes, isWithin } from '../tree/tree-path.ts';
import { isPathBelow } from './document-place.ts';
import { ensureRecovered, restoreSite } from './restores.ts';
import type { Session } from './session.ts';

/**
 * Describes an existing file: its stamp, which shows whether the file has changed, and the checkpoint that contains the
 * file.
 */
export interface ReplacedFile {
  readonly stamp: string;
  readonly safety?: CheckpointId;
}

/**
 * Returns the stamp of the file at the target, or undefined when there is no file. The export compares this
 * stamp before it replaces the file.
 */
export function fileStamp(target: string): string | undefined {
  const stats = files.lstatSync(target, { throwIfNoEntry: false, bigint: true });
  if (stats === undefined) return undefined;
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

/**
 * Saves a file, given by its absolute path, in a session whose work tree contains the file.
 * @throws PreconditionFailed when a work tree contains the file but its session cannot save the file; the
 * errors of captures
 */
export async function saveReplaced(
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
    const left = present.skipped.find((skipped) => isWithin(path, skipped.path));
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
    throw isOfRecovery(error) ? unsaved(target, error.message, error) : error;
  }
}

/** True for an error that comes only from a recovery. Other errors can come from any request. */
const isOfRecovery = isKind(
  'CheckpointsDisabled',
  'RestoreFailed',
  'DataCorrupt',
  'WorkTreeMissing',
  'WorkTreeUnreadable',
  'WorkTreeBusy',
);

function unsaved(target: string, because: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError(
    'PreconditionFailed',
    `The file at ${target} cannot be saved before it is replaced: ${because}. Export to another path, or move the file away first.`,
    { details: { path: target }, cause },
  );
}
