// The interface for everything that differs between the two git strategies: where objects and refs are, and how they
// are protected from a prune. This interface is implemented by shadow.ts and local.ts, and used by git-store.ts.
import type { CheckpointdError } from '../../base/errors.ts';
import type { GitPlace } from '../../git/process/environment.ts';
import type { RefStore } from '../../git/refs/ref-store.ts';
import type { StoreOptions } from '../snapshot-store.ts';
import type { PackedRecords } from './packed-records.ts';
import type { RefNames } from './refs.ts';
import type { Unsynced } from './unsynced.ts';

export interface GitHome {
  readonly strategy: string;
  /** The place to which git writes new objects. */
  readonly writePlace: GitPlace;
  /** True when git in `writePlace` sees earlier objects, and therefore does not write them again. */
  readonly isBelieved: boolean;
  /**
   * The place in which all objects are visible, including unpublished objects. Git compares snapshots in this place.
   */
  readonly readPlace: GitPlace;
  /** Object directories whose loose objects the daemon reads without git; see {@link ObjectReader}. */
  readonly looseIn?: readonly string[];
  readonly spoolDirectory: string;
  readonly refs: RefStore;
  readonly names: RefNames;
  /**
   * Makes the written objects available in the repository of the refs, before a ref moves to `roots`. `isDoubtful` is
   * true when objects were removed since the store was opened. Older parts of a snapshot may then be missing, too.
   */
  transferObjects?(roots: readonly string[], isDoubtful: boolean): Promise<void>;
  /** Called after the refs have moved. */
  refsMoved?(): Promise<void>;
  close(): Promise<void>;
  /** Removes objects that no ref needs. Call this function only when all refs are intact. */
  sweep(signal?: AbortSignal): Promise<void>;
  /** The written files that have perhaps not reached the disk yet. */
  readonly unsynced: Unsynced;
  /**
   * The object directory, if the daemon alone packs the objects in it. Absent when the user's git packs the objects.
   */
  readonly packs?: string;
  /** The cache of the records whose commits are in the packs. */
  readonly records?: Pick<PackedRecords, 'read' | 'stamps' | 'write'>;
  /** Returns the size of the store on disk in bytes, and the number of blobs. */
  usage(): Promise<{ readonly bytes: number; readonly blobs: number }>;
  destroy(): Promise<void>;
  /** See {@link SnapshotStore.explainLoss}. */
  explainLoss?(count: number): CheckpointdError | undefined;
  /** If a directory of the store was removed or replaced since the store was opened, returns this directory. */
  gone(): string | undefined;
  /** See {@link StoreOptions.onRepair}. */
  readonly onRepair: StoreOptions['onRepair'];
}
