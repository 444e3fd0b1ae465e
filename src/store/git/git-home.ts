// The differences between the two git strategies, as one interface: where objects and refs are, and how they are
// protected from a prune. shadow.ts and local.ts implement it; git-store.ts works with either.
import type { CheckpointdError } from '../../base/errors.ts';
import type { GitPlace } from '../../git/process/environment.ts';
import type { RefStore } from '../../git/refs/ref-store.ts';
import type { StoreOptions } from '../snapshot-store.ts';
import type { RefNames } from './refs.ts';
import type { Unsynced } from './unsynced.ts';

export interface GitHome {
  readonly strategy: string;
  /** New objects are written here. */
  readonly writePlace: GitPlace;
  /** True when git sees there what was written before, and so does not write it again. */
  readonly isBelieved: boolean;
  /** All objects are seen from here, unpublished ones too; git's differ runs in it. */
  readonly readPlace: GitPlace;
  /** Object directories whose loose objects are read without git; see {@link ObjectReader}. */
  readonly looseIn?: readonly string[];
  readonly spoolDirectory: string;
  readonly refs: RefStore;
  readonly names: RefNames;
  /**
   * Brings what was written to where the refs are, before a ref moves to `roots`. `isDoubtful`: something was removed
   * since the store was opened, so that an older part of a snapshot may be gone too.
   */
  bringObjects?(roots: readonly string[], isDoubtful: boolean): Promise<void>;
  /** After the refs have moved. */
  refsMoved?(): Promise<void>;
  close(): Promise<void>;
  /** Removes objects that no ref needs; the refs are in order. */
  sweep(signal?: AbortSignal): Promise<void>;
  /** The written files that may not be on the disk yet. */
  readonly unsynced: Unsynced;
  /** The object directory, where nothing but the daemon packs it. Absent: the user's git packs. */
  readonly packs?: string;
  /** Bytes on disk and number of blobs. */
  usage(): Promise<{ readonly bytes: number; readonly blobs: number }>;
  destroy(): Promise<void>;
  /** See {@link SnapshotStore.explainLoss}. */
  explainLoss?(held: number): CheckpointdError | undefined;
  /** A directory that is no longer what was opened, if any. */
  gone(): string | undefined;
  /** See {@link StoreOptions.tell}. */
  readonly tell: StoreOptions['tell'];
}
