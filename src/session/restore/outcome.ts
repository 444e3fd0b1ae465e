// What became of a restore, as everyone above the files is told of it. Values only.
import type { Failure, LeftAlone } from '../../restore/plan-steps.ts';
import type { StoredCheckpoint } from '../../store/snapshot-store.ts';
import type { TreePath } from '../../tree/tree-path.ts';

export type RestoreScope = 'files' | 'conversation' | 'both';

/** What became of a restore. */
export interface RestoreOutcome {
  readonly restored: readonly TreePath[];
  readonly deleted: readonly TreePath[];
  readonly failed: readonly Failure[];
  /** Paths whose present content nobody of this session wrote. */
  readonly conflicts: readonly TreePath[];
  /** Paths left as they are, on purpose. */
  readonly skipped: readonly LeftAlone[];
  readonly safety?: StoredCheckpoint;
  readonly checkpoint?: StoredCheckpoint;
  readonly historyLength: number;
  readonly ms: number;
}
