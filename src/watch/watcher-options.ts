// What a watcher is made with. What it does with it is watch/watcher.ts's.
import type { Log } from '../base/log.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { ChangeBatch } from './change-batches.ts';
import type { WatchFigures } from './watch-figures.ts';

/** chokidar's walk of 100,000 files in 10,000 directories takes more than 192 MB; what takes more is not watched. */
export const watcherThread = {
  name: 'watcher',
  program: new URL('./thread/watcher-thread.js', import.meta.url),
  heapMb: 512,
} as const;

export interface WatcherOptions {
  /** The canonical path of the work tree. */
  readonly root: string;
  /** The daemon's storage, which may lie inside an allowed protected place and is never watched. */
  readonly storage?: string;
  /** A private directory, not yet there, for the cookies of `WorkTreeWatcher.fence`; without it there is none. */
  readonly fenceDirectory?: string;
  /** Whether the ignore rules leave this path out, as far as is known without asking; see Capturer.isLeftOut. */
  readonly isIgnored: (path: TreePath) => boolean;
  /** The directories that they leave out, as far as is known: they are not watched at all. */
  readonly leftOut?: () => readonly TreePath[];
  /** The program of the thread; a test gives another one. */
  readonly program?: URL;
  readonly onChange?: (batch: ChangeBatch) => void;
  /** Changes that had not been told, found by somebody else; from now on their directories are watched. */
  readonly onDrift?: (paths: readonly TreePath[]) => void;
  /** Directories can be held from now on (watch/held/). */
  readonly onHoldable?: () => void;
  readonly onState?: (figures: WatchFigures) => void;
  readonly log: Log;
}
