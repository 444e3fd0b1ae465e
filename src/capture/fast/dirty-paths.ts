// What a capture has to look at because of paths that may have changed: directories to be listed again, and directories
// whose whole subtree is walked again. Pure; it looks at nothing.
import { isGitName, nameOf, parentOf, rootPath, type TreePath } from '../../tree/tree-path.ts';
import type { FullCaptureReason } from '../capturer.ts';
import type { Listings } from '../listings.ts';

export interface DirtyPaths {
  readonly listed: Set<TreePath>;
  /** Their parents are listed again as well. */
  readonly trees: Set<TreePath>;
}

/** Nothing less than a full scan will do. */
export class FullScanNeeded extends Error {
  readonly reason: FullCaptureReason;

  constructor(reason: FullCaptureReason) {
    super(reason);
    this.reason = reason;
  }
}

/** @throws FullScanNeeded where the rules themselves, or the root, may have changed */
export function dirtyPaths(marks: Iterable<TreePath>, known: Pick<Listings, 'has'>): DirtyPaths {
  const dirty: DirtyPaths = { listed: new Set(), trees: new Set() };
  for (const mark of marks) {
    if (mark === rootPath) throw new FullScanNeeded('unproven');
    const name = nameOf(mark);
    if (name === '.gitignore' || isGitName(name)) throw new FullScanNeeded('ignoreRules');
    let at = mark;
    for (; at !== rootPath && !known.has(parentOf(at)); at = parentOf(at));
    if (at === rootPath) throw new FullScanNeeded('unproven');
    dirty.listed.add(parentOf(at));
    if (known.has(at)) dirty.trees.add(at);
  }
  return dirty;
}
