// What a watcher says of itself: its state and its figures. What it sees is watch/watcher.ts's.

/** `live`: every directory was watched before it was read. `suspect`: something was missed; it starts anew. */
export type WatchState = 'unwatched' | 'scanning' | 'live' | 'suspect';

/** The watcher's figures, as `worktree/status` tells them. */
export interface WatchFigures {
  readonly state: WatchState;
  /** Why it is suspect or unwatched. */
  readonly reason?: string;
  readonly watchedDirectories: number;
  /** Events that the kernel has told since the watcher was made. */
  readonly events: number;
  /** Paths that changed since the last capture; 0 when there were too many to keep. */
  readonly dirtyPaths: number;
  /** How often events were lost, or may have been. */
  readonly overflows: number;
  /** How often a capture found changes that had not been told. */
  readonly drifts: number;
}
