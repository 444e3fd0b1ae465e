// What the thread of the held directories and the daemon's main thread say to each other (watch/held/held-thread.ts and
// watch/held/held-watch.ts). Plain data, so that it can be cloned from one to the other.
import type { TreePath } from '../../tree/tree-path.ts';

/** What the thread is started with. */
export interface HeldOrder {
  /** The canonical path of the work tree. */
  readonly root: string;
  /** The private directory whose cookies are to be told (watch/fence.ts). */
  readonly fence: string;
  /** So many events in one turn of the loop may have been more: the kernel drops the rest without a word. */
  readonly eventsMax: number;
}

export type FromHeld =
  /** It listens, and watches the fence. */
  | { readonly kind: 'up' }
  /** These may have changed; `isEverything`: they are too many to name, or some may be missing. */
  | { readonly kind: 'marks'; readonly paths: readonly TreePath[]; readonly isEverything: boolean }
  /** A cookie's event was read; every mark that came before it has been sent. */
  | { readonly kind: 'fence'; readonly cookie: string }
  /** The answer to `hold`: every other directory of the question has had a handle since before now. */
  | { readonly kind: 'held'; readonly id: number; readonly missing: readonly TreePath[] }
  /** The system's limit is reached, and would be again. */
  | { readonly kind: 'limit'; readonly code: string };

export type ToHeld =
  /** The last marks are taken; before that the thread sends no more, it gathers. */
  | { readonly kind: 'taken' }
  /** These directories are about to be read, parents first: give each a handle before. */
  | { readonly kind: 'hold'; readonly id: number; readonly paths: readonly TreePath[] }
  /** Let all that are held go. */
  | { readonly kind: 'release' };
