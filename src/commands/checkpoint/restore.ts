// checkpoint/restore: turns a client's request into a restore job and runs it. What a job does, and in which order, is in
// session/restore/job.ts.
import { given } from '../../base/given.ts';
import { runRestoreJob } from '../../session/restore/job.ts';
import type { RestoreJob } from '../../session/restore/restore-job.ts';
import { treePaths } from '../answers/paths.ts';
import { defineCommand } from '../command.ts';
import { checkExpectation, restored, restoredBefore } from '../restoring.ts';

/** Every record carries the stack, so an unbounded one costs the square of the restores, in memory and on disk. */
const undoMax = 100;

export const command = defineCommand(
  'checkpoint/restore',
  async ({ session, params, context }) => {
    const { index } = session.requireCheckpoints();
    const target = index.resolve(params.tag);
    const paths = treePaths(params.paths);
    checkExpectation(index, params.expect?.head);
    const scope = params.scope ?? (paths === undefined ? 'both' : 'files');
    // A part of the files, or the files alone, is an edit of the present line; the whole is a jump to the target.
    const isJump = scope !== 'files' && paths === undefined;
    const parent = isJump ? target.record.id : index.head?.record.id;
    const job: RestoreJob = {
      target,
      mode: params.mode ?? 'soft',
      scope,
      onConflict: params.onConflict ?? 'overwrite',
      ...given({ paths, parent }),
      undo: (id) => [...(index.head?.record.undo ?? []), id].slice(-undoMax),
      redo: () => [],
      description: `Restored to ${index.tagOf(target.record.id) ?? target.record.id}`,
      confirm: params.confirm ?? false,
      dryRun: params.dryRun ?? false,
    };
    return restored(
      session,
      'checkpoint/restore',
      await runRestoreJob(session, job, context),
      job.dryRun,
      context,
    );
  },
  {
    again: restoredBefore,
    check: ({ session, params }) => {
      const { index } = session.requireCheckpoints();
      index.resolve(params.tag);
      treePaths(params.paths);
      if (params.expect?.head != null) index.resolve(params.expect.head);
    },
  },
);
