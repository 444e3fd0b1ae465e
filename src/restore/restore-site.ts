// A restore site is everything that a restore needs: a work tree, its checkpoints and its conversation. A session
// builds the site, so that the files of restore/ need not know sessions.
import type { Log } from '../base/log.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { CaptureSettings, RecordSources } from '../checkpoints/publish.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { TreeChange } from '../tree/tree.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';
import type { AnsweredRestores } from './answered-restores.ts';
import type { LateEdits } from './late-look.ts';
import type { RestoreOutcome } from './restore-job.ts';

/** The files in which restores keep their state, outside the work tree. */
interface RestoreDirectory {
  readonly own: string;
  readonly intentFile: string;
  readonly ignoreDirectory: string;
  /** The directory in which git merges contents. */
  readonly mergeDirectory: string;
  /** Syncs all files of the directory to the disk. */
  sync(): Promise<void>;
}

export interface RestoreSite extends RecordSources {
  readonly workTree: WorkTree;
  /** The device and inode of the work tree when the session's checkpoints began, as `dev:ino`. */
  readonly workTreeIdentity: string;
  readonly checkpoints: Checkpoints;
  readonly conversation: Pick<Conversation, 'head' | 'state' | 'at' | 'rewind' | 'recordHead'>;
  readonly options: CaptureSettings & {
    readonly storage: string;
    readonly durability: 'process' | 'power';
  };
  readonly directory: RestoreDirectory;
  readonly answered: AnsweredRestores;
  readonly late: LateEdits;
  readonly log: Log;
  /** Returns the store, or undefined when checkpoints are disabled. */
  openStore(): SnapshotStore | undefined;
  /** Records whether a restore is unfinished. If so, the next change first finishes or undoes this restore. */
  setUnfinished(isUnfinished: boolean): void;
  /**
   * Records who made the changes between the checkpoint before a restore and the checkpoint `made` after it. `ours` are
   * the paths that the restore wrote.
   */
  recordAuthors(changes: readonly TreeChange[], made: StoredCheckpoint, ours: ReadonlySet<TreePath>): void;
  /** Reports a restore to all listeners. `isRecovered` is true when a later request finished the restore. */
  announce(
    target: StoredCheckpoint,
    outcome: RestoreOutcome,
    facts: { readonly isRecovered: boolean; readonly by?: object | undefined },
  ): Promise<void>;
}
