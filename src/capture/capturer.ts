// What a session needs of whoever captures its work tree. How it is done, and at how much of the tree it looks, is the
// implementation's own affair (tree-capturer.ts); what comes out must be the same.
import type { SnapshotId } from '../base/ids.ts';
import type { Directory } from '../tree/directory.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { LossReason } from '../watch/change-log.ts';
import type { SkippedPath } from './snapshot-sink.ts';

/**
 * Why a capture looked at everything: it was the first, it was to include what the rules leave out, rules changed,
 * what had changed was not known (see {@link LossReason}), nothing narrower is proven to be enough, or it was time to
 * check the captures that look at less.
 */
export type FullCaptureReason = 'first' | 'alsoInclude' | 'ignoreRules' | LossReason | 'unproven' | 'audit';

export interface Capture {
  readonly snapshot: SnapshotId;
  readonly root: Directory;
  readonly skipped: readonly SkippedPath[];
  /** Directories and files whose present state is unknown (unreadable): a restore never deletes these. */
  readonly unknown: readonly TreePath[];
  /** Databases that were written to while they were captured: they may be torn. */
  readonly torn: readonly TreePath[];
  /** `cold`: it looked at everything, for the reason given. */
  readonly path: 'cold' | 'fast';
  readonly reason?: FullCaptureReason;
  readonly ms: number;
}

/** How the captures were made that succeeded. */
export interface CaptureCounts {
  readonly fast: number;
  readonly cold: ReadonlyMap<FullCaptureReason, number>;
}

export interface CaptureProgress {
  (done: {
    /** `walk` while names are looked at; absent while contents are read. */
    readonly phase?: 'walk';
    readonly filesDone: number;
    readonly filesTotal?: number;
    readonly bytesDone: number;
  }): void;
}

export interface CaptureRequest {
  /**
   * A snapshot that lives: a checkpoint holds it until this capture is published. What it holds is captured again
   * even if ignored, and what has not changed since is taken from it without being read or stored again.
   */
  readonly previous?: SnapshotId;
  /** Files or whole directories to capture though the rules exclude them: what a restore is about to displace. */
  readonly alsoInclude?: readonly TreePath[];
  /**
   * A capture of a moment ago, and every path that was changed since by whoever asks. Elsewhere only names are looked
   * at again, so that an edit in place by somebody else belongs to the next capture.
   */
  readonly since?: { readonly capture: Capture; readonly touched: readonly TreePath[] };
  readonly signal?: AbortSignal;
  readonly onProgress?: CaptureProgress;
}

/** Captures one work tree into one store. Captures may run at the same time. */
export interface Capturer {
  /**
   * Stores the present state of the work tree.
   *
   * @throws WorkTreeMissing, NotADirectory, WorkTreeUnreadable for the root; the store's errors; AbortError. After a
   * failure nothing of the capture is left.
   */
  capture(request?: CaptureRequest): Promise<Capture>;
  /**
   * Whether a capture now would differ from a snapshot; stores nothing. `unsure` where what it cannot see now, or what
   * was skipped then, may be all that differs. @throws as {@link capture}
   */
  isChanged(
    previous: SnapshotId,
    signal?: AbortSignal,
    skippedThen?: readonly SkippedPath[],
  ): Promise<boolean | 'unsure'>;
  /** The root of an enclosing repository that ignores the whole work tree, and whose rules therefore do not count. */
  ignoredBy(): Promise<string | undefined>;
  /** Whether the last scan left this path out, itself or with a directory above it. For the watcher. */
  isLeftOut(path: TreePath): boolean;
  /** The directories that the last scan left out; what lies below them is not listed. For the watcher. */
  leftOutDirectories(): TreePath[];
  /** Whether every change since the last scan is told. */
  readonly isHeld: boolean;
  readonly counts: CaptureCounts;
  /** Resolves once captures rest on what is held, or it has shown that they never will. */
  whenHeld(): Promise<void>;
  /** Directories can be held: full scans beside the captures, so that they may look at less. */
  scanSoon(): void;
  /** What was seen is not to be relied on: the next capture looks at everything. */
  distrust(): void;
  /** Ends the scan that runs beside it; captures may go on. */
  rest(): Promise<void>;
  /** Ends what runs beside it. What is known of the files is written down unless it is of no use any more. */
  close(isOver?: 'deleted'): Promise<void>;
  /** Ends it at once, for a dying process. */
  kill(): void;
}
