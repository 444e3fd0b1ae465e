// placeholder: contract below is final, the body comes with the capture work.
import type { SnapshotId } from '../base/ids.ts';
import type { TreePath } from '../base/tree-path.ts';
import type { Directory, SkippedPath } from './snapshot-store.ts';

export interface Capture {
  readonly snapshot: SnapshotId;
  readonly root: Directory;
  readonly skipped: readonly SkippedPath[];
  /** Directories and files whose present state is unknown (unreadable): a restore never deletes these. */
  readonly unknown: readonly TreePath[];
  readonly path: 'cold' | 'fast';
  readonly reason?: string;
  readonly ms: number;
}

export interface CaptureProgress {
  (done: { readonly filesDone: number; readonly filesTotal?: number; readonly bytesDone: number }): void;
}
