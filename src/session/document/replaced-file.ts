// Saves what an export is about to replace: a safety checkpoint in the session whose work tree the file lies in. What
// lies in no open session's work tree is not saved; what cannot be saved is not replaced. It replaces nothing itself.
import { relative } from 'node:path';
import { CheckpointdError, type ErrorKind } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import { given } from '../../base/given.ts';
import { type CheckpointId, newOperationId } from '../../base/ids.ts';
import type { Checkpoints } from '../../checkpoints/checkpoints.ts';
import type { OperationContext } from '../../checkpoints/operation.ts';
import { publishSafety } from '../../restore/restore.ts';
import { fromBytes, isWithin as isTreePathWithin, type TreePath } from '../../tree/tree-path.ts';
import { ensureRecovered, restoreSite } from '../restores.ts';
import type { Session } from '../session.ts';
import { isPathBelow } from './document-path.ts';

/** What stood at a place: enough to see that it is still the same. */
export interface StandingFile {
  readonly stamp: string;
  /** The checkpoint that holds it. */
  readonly safety?: CheckpointId;
}

/** What stands at the target, as it is compared again before it is replaced; undefined: nothing. */
export function fileStamp(target: string): string | undefined {
  const stats = files.lstatSync(target, { throwIfNoEntry: false, bigint: true });
  if (stats === undefined) return undefined;
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

/**
 * Saves the file at an absolute path in the sessions whose work trees hold it.
 *
 * @throws PreconditionFailed where a session would have to save it and cannot; what captures throw
 */
export async function saveReplaced(
  target: string,
  sessions: readonly Session[],
  context: OperationContext,
): Promise<StandingFile | undefined> {
  const stamp = fileStamp(target);
  if (stamp === undefined) return undefined;
  const holders = sessions.filter(({ parts }) => isPathBelow(target, parts.workTree.root));
  const able = holders.find(({ enabled }) => enabled !== undefined);
  if (able === undefined) {
    if (holders.length > 0) throw unsaved(target, 'checkpoints are disabled in its session');
    return { stamp };
  }
  return { stamp, safety: await saveIn(able, target, context) };
}

function saveIn(session: Session, target: string, context: OperationContext): Promise<CheckpointId> {
  const operation = { ...context, stamp: { operation: newOperationId() } };
  return session.parts.queue.run(async () => {
    const checkpoints = await recoveredIn(session, target, operation);
    const path = pathIn(session, target);
    const previous = checkpoints.index.head?.record.snapshot;
    const present = await checkpoints.capture
      .capture({
        ...given({ previous }),
        alsoInclude: [path],
        signal: context.signal,
        onProgress: context.progress('capture'),
      })
      .catch((error: unknown) => {
        const isOfTree = error instanceof CheckpointdError && error.kind.startsWith('WorkTree');
        throw isOfTree ? unsaved(target, error.message, error) : error;
      });
    const left = present.skipped.find((skipped) => isTreePathWithin(path, skipped.path));
    if (left !== undefined) throw unsaved(target, `a checkpoint cannot hold it (${left.reason})`);
    if ((await checkpoints.store.entry(present.snapshot, path)) === undefined)
      throw unsaved(target, 'a checkpoint does not hold it');
    const safety = await publishSafety(restoreSite(session), present, operation, 'Before an export');
    return safety.record.id;
  }, context.signal);
}

/** The checkpoints of a session with no restore left to finish. Whatever stands in the way of that stops the export. */
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

/** What a recovery may end with besides the errors of every request. */
const recoveryErrors: ReadonlySet<string> = new Set<ErrorKind>([
  'CheckpointsDisabled',
  'RestoreFailed',
  'DataCorrupt',
  'WorkTreeMissing',
  'WorkTreeUnreadable',
  'WorkTreeBusy',
]);

function pathIn(session: Session, target: string): TreePath {
  return fromBytes(Buffer.from(relative(session.parts.workTree.root, target), 'utf8'));
}

function unsaved(target: string, because: string, cause?: unknown): CheckpointdError {
  return new CheckpointdError(
    'PreconditionFailed',
    `What stands at ${target} cannot be saved before it is replaced: ${because}. Export to another path, or move it away first.`,
    { details: { path: target }, cause },
  );
}
