// checkpoint/init and checkpoint/clean: enabling checkpoints by hand where they were not enabled by themselves
// (000 §4.2), and removing them by hand (000 §9.2). After a clean they stay disabled until the next init.
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { checkGit } from '../git/process/version.ts';
import type { Checkpoints } from '../session/checkpoints.ts';
import { createBase, enableCheckpoints } from '../session/enable.ts';
import type { Intended } from '../session/operations/intentions.ts';
import type { OperationContext } from '../session/operations/operation-context.ts';
import { deleteTrash, renameStoreAway } from '../session/removal.ts';
import { ensureRecovered } from '../session/restore/recover.ts';
import type { Session } from '../session/session.ts';

export interface InitOutcome {
  /** False when checkpoints were enabled already. */
  readonly initialized: boolean;
  readonly checkpoints: Checkpoints;
  readonly ms: number;
}

/** Enables checkpoints, outside a repository too (Q12). */
export function init(session: Session, context: OperationContext): Promise<InitOutcome> {
  return session.parts.queue.run(async () => {
    const started = session.parts.clock.monotonic();
    const already = session.enabled;
    if (already === undefined) {
      await checkGit(); // asked for by hand, a git that is missing is a failure and no reason to stay disabled
      session.parts.operations.intend('checkpoint/init', context.stamp, { enables: true });
      await enableCheckpoints(session, 'force', context);
    } else if (already.index.head === undefined) await createBase(session, already, context); // all were deleted
    return {
      initialized: already === undefined,
      checkpoints: session.requireCheckpoints(),
      ms: Math.round(session.parts.clock.monotonic() - started),
    };
  }, context.signal);
}

/** Removes every checkpoint of the session with its store; the conversation and the work tree stay. */
export function clean(session: Session, context: OperationContext): Promise<{ readonly removed: number }> {
  return session.parts.queue.run(async () => {
    await ensureRecovered(session, context);
    const { store, capture, index } = session.requireCheckpoints();
    const removed = index.size;
    // The checkpoints that brought the conversation back go; that it went back must stay.
    session.parts.conversation.settle();
    const all = index.list('every').map(({ record }) => record.id);
    const intended = index.head && { cleans: index.head.record.id, removed };
    const { operations } = session.parts;
    if (intended) operations.intend('checkpoint/clean', context.stamp, intended);
    await store.remove(all);
    // From here on the next start finds no checkpoint, and may not even look for one.
    if (intended) noteCleaned(session, context, intended);
    await store.destroy();
    await store.close();
    await capture.close();
    session.disable('Cleaned');
    const { directory, log } = session.parts;
    files.rmSync(directory.enabledFile, { force: true });
    // Not awaited: 20,000 loose objects take a second, and the path is free for the next init already.
    deleteTrash(renameStoreAway(directory)).catch((error: unknown) =>
      log.warn(`removed checkpoints could not be deleted whole, the next start goes on: ${String(error)}`),
    );
    return { removed };
  }, context.signal);
}

/** The removal is done: a log that refuses the note fails nothing. */
function noteCleaned({ parts }: Session, context: OperationContext, intended: Intended): void {
  try {
    parts.operations.intend('checkpoint/clean', context.stamp, intended, 'isDone');
  } catch (error) {
    if (!(error instanceof CheckpointdError)) throw error;
    parts.log.warn(`The checkpoints are removed, but the session's log could not note it: ${error.message}`);
  }
}
