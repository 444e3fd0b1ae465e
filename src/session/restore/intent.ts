// The note of a job, made before its first byte changes: all that repeating the request takes. It writes nothing.

import type { DirectoryIdentity } from '../../base/directory-identity.ts';
import { given } from '../../base/given.ts';
import type { OperationId } from '../../base/ids.ts';
import { bootId } from '../../base/process-lock.ts';
import type { OperationContext } from '../../checkpoints/operation.ts';
import type { RestoreIntent } from '../../restore/journal.ts';
import type { CheckpointRecord } from '../../store/snapshot-store.ts';
import type { PreparedJob } from './restore-job.ts';

/** What the journal keeps of a job on a work tree. */
export function intentOf(
  id: string,
  { job, plan, record, safety }: PreparedJob,
  root: DirectoryIdentity | undefined,
  context: OperationContext,
): RestoreIntent {
  return {
    id,
    target: job.target.record.id,
    snapshot: job.target.record.snapshot,
    safety: safety.record.id,
    mode: job.mode,
    scope: job.scope,
    ...given({ paths: job.paths }),
    onConflict: job.onConflict,
    ...given({ root, boot: bootId() }),
    left: plan.plan.skipped,
    ...(job.takesBack === undefined
      ? {}
      : { takesBack: job.takesBack.restore, isExact: job.takesBack.isExact }),
    directories: plan.plan.directories,
    ...given({ operation: context.stamp.operation as OperationId | undefined }),
    startedAt: record.timestamp,
    extra: { record },
  };
}

/** The record that the restore was to publish, as its note keeps it. */
export function recordOf({ extra }: RestoreIntent): CheckpointRecord {
  return extra?.record as CheckpointRecord;
}
