// checkpoint/restore: turns a client's request into a restore job and runs it in the session's queue. What a job
// does, and in which order, is in job.ts.
import { CheckpointdError } from '../base/errors.ts';
import type { CheckpointIndex } from '../session/index/checkpoint-index.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import { runRestoreJob } from '../session/restore/job.ts';
import { type RestoreOutcome, type RestoreScope } from '../session/restore/outcome.ts';
import { ensureRecovered } from '../session/restore/recover.ts';
import type { Session } from '../session/session.ts';
import type { TreePath } from '../tree/tree-path.ts';

export interface RestoreRequest {
  /** What names the checkpoint: a tag, an id, a name or a commit. */
  readonly target: string;
  readonly mode: 'soft' | 'hard';
  /** Default: `files` when `paths` are given, else `both`. */
  readonly scope?: RestoreScope;
  /** Only these files and directories. */
  readonly paths?: readonly TreePath[];
  readonly onConflict: 'overwrite' | 'skip' | 'fail';
  /** The checkpoint that the caller believes the session stands on; anything else refuses. */
  readonly expectHead?: string;
  /** Needed to delete more than half of more than 100 files. */
  readonly confirm: boolean;
  readonly dryRun: boolean;
}

/** Every record carries the stack, so an unbounded one costs the square of the restores, in memory and on disk. */
const undoMax = 100;

/** Makes the work tree, the conversation or both equal a checkpoint (000 §6, rulings 10–17). */
export function restore(
  session: Session,
  request: RestoreRequest,
  context: OperationContext,
): Promise<RestoreOutcome> {
  session.requireCheckpoints().index.resolve(request.target); // refuse before waiting in the queue
  return session.parts.queue.run(async () => {
    await ensureRecovered(session, context);
    const { index } = session.requireCheckpoints();
    const target = index.resolve(request.target);
    checkExpectation(index, request.expectHead);
    const scope = request.scope ?? (request.paths === undefined ? 'both' : 'files');
    // A part of the files, or the files alone, is an edit of the present line; the whole is a jump to the target.
    const isJump = scope !== 'files' && request.paths === undefined;
    const parent = isJump ? target.record.id : index.head?.record.id;
    return runRestoreJob(
      session,
      {
        target,
        mode: request.mode,
        scope,
        ...(request.paths === undefined ? {} : { paths: request.paths }),
        onConflict: request.onConflict,
        ...(parent === undefined ? {} : { parent }),
        undo: (id) => [...(index.head?.record.undo ?? []), id].slice(-undoMax),
        redo: () => [],
        description: `Restored to ${index.tagOf(target.record.id) ?? target.record.id}`,
        confirm: request.confirm,
        dryRun: request.dryRun,
      },
      context,
    );
  }, context.signal);
}

/** Refuses when the session does not stand where the caller believes. @throws PreconditionFailed */
export function checkExpectation(index: CheckpointIndex, expected: string | undefined): void {
  if (expected === undefined) return;
  const head = index.head?.record.id;
  if (index.resolve(expected).record.id === head) return;
  throw new CheckpointdError(
    'PreconditionFailed',
    'The session does not stand on the expected checkpoint: something was created or restored meanwhile. Look again, then repeat.',
    { details: { expected, head: head ?? null } },
  );
}
