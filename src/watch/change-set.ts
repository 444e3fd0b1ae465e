// What may have changed since a capture. Today the watcher's marks only inform; the fast path will narrow a
// capture by them when its proofs come. `everything` is always a correct answer.
import type { TreePath } from '../tree/tree-path.ts';

/** Why a capture has to look at everything: a closed union, counted and answered. */
export type ColdReason = 'requested' | 'unwatched' | 'overflow' | 'ignoreRules' | 'first' | 'suspect';

export type ChangeSet =
  | { readonly kind: 'everything'; readonly reason: ColdReason }
  | { readonly kind: 'paths'; readonly paths: ReadonlySet<TreePath> };

export const everything = (reason: ColdReason): ChangeSet => ({ kind: 'everything', reason });
