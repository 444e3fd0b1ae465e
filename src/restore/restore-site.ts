// The surroundings of a restore: a work tree with its checkpoints and conversation. A session builds the
// site, and the files of restore/ know no session.
import type { Clock } from '../base/clock.ts';
import type { PreparedLock } from '../base/directory-lock.ts';
import type { Log } from '../base/log.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { CaptureSettings, RecordSources } from '../checkpoints/publish.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { SnapshotStore, StoredCheckpoint } from '../store/snapshot-store.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';
import type { AnsweredRestores } from './answered-restores.ts';
import type { LateEdits } from './late-look.ts';
import type { RestoreOutcome } from './restore-job.ts';

/** The files in which restores keep their state, outside the work tree. */
export interface RestoreDirectory {
  readonly own: string;
  readonly intentFile: string;
  readonly ignoreDirectory: string;
  /** The directory for contents while git merges them. */
  readonly mergeDirectory: string;
  /** Syncs all files of the directory to the disk. */
  sync(): Promise<void>;
}

export interface RestoreSite extends RecordSources {
  readonly workTree: WorkTree;
  /** Device and inode of the work tree when its session's checkpoints began, as `dev:ino`. */
  readonly workTreeIdentity: string;
  readonly checkpoints: Checkpoints;
  readonly conversation: Pick<Conversation, 'head' | 'state' | 'at' | 'rewind' | 'recordHead'>;
  readonly options: CaptureSettings & {
    readonly storage: string;
    readonly durability: 'process' | 'power';
  };
  readonly directory: RestoreDirectory;
  /** The lock of the work tree's directory, prepared for the next restore. */
  readonly rootLock: PreparedLock;
  readonly answered: AnsweredRestores;
  readonly late: LateEdits;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the store, or undefined once checkpoints are disabled. */
  openStore(): SnapshotStore | undefined;
  /** Notes whether a restore stopped half-way; the next change then finishes or undoes it first. */
  setUnfinished(isUnfinished: boolean): void;
  /**
   * Records the authors of what a restore changed between two checkpoints. `ours` are the paths that the restore
   * wrote.
   */
  noteAuthors(
    before: StoredCheckpoint | undefined,
    made: StoredCheckpoint,
    ours: ReadonlySet<TreePath>,
  ): Promise<void>;
  /** Reports a restore to all listeners. `isRecovered`: true when a later request finished it, not its own. */
  announce(
    target: StoredCheckpoint,
    outcome: RestoreOutcome,
    facts: { readonly isRecovered: boolean; readonly by?: object | undefined },
  ): Promise<void>;
}
