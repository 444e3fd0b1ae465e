// What the watcher's thread and the daemon's main thread say to each other (watch/thread/watcher-thread.ts and
// watch/watcher.ts). Plain data, so that it can be cloned from one to the other.
import type { TreePath } from '../../tree/tree-path.ts';

/** What the thread is started with. */
export interface ThreadOrder {
  /** The canonical path of the work tree. */
  readonly root: string;
  readonly storage?: string;
  /** The private directory whose cookies are to be told (watch/fence.ts). */
  readonly fence?: string;
  /** Directories that the ignore rules leave out, by their paths in the work tree. */
  readonly leftOut: readonly TreePath[];
  /** So many events in one turn of the loop may have been more: the kernel drops the rest without a word. */
  readonly eventsMax: number;
}

export type FromThread =
  | {
      readonly kind: 'marks';
      readonly paths: readonly TreePath[];
      /** Events were lost, or there are too many marks to send: nothing is listed then. */
      readonly isEverything: boolean;
      /** Since the thread began. */
      readonly events: number;
      readonly directories: number;
    }
  /** A cookie's event was read; every mark that came before it has been sent. */
  | { readonly kind: 'fence'; readonly cookie: string }
  /** What was to be mended is watched; these may have changed until now. */
  | { readonly kind: 'mended'; readonly paths: readonly TreePath[] }
  | { readonly kind: 'live'; readonly directories: number }
  | { readonly kind: 'tooMany' }
  | { readonly kind: 'failed'; readonly code: string };

export type ToThread =
  /** The last marks are taken; before that the thread sends no more, it gathers. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'leftOut'; readonly leftOut: readonly TreePath[] }
  /** Changes of these paths were not told: watch these directories, then tell the paths. */
  | { readonly kind: 'mend'; readonly paths: readonly TreePath[]; readonly directories: readonly TreePath[] };

/** The system allows no more watches, descriptors or memory; what fails with another code says something of one path. */
export const limitCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);
