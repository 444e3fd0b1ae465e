// Checks the directory handles with the help of full captures. If a path differs between two captures, the handles must
// have marked the path between these captures. The audit runs after a capture. The audit does not delay the capture and
// cannot make the capture fail. When in doubt, the audit reports nothing.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../base/log.ts';
import { Slices } from '../base/slices.ts';
import { type Directory, differences, isDirectory, type TreeDifference } from '../tree/tree.ts';
import { isText, join, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { DirectoryHandles } from '../watch/directory-handles.ts';
import type { Listings, WalkedEntry } from './listing.ts';

/** The result of one scan. Later scans use parts of this result and never change it. */
export interface ScannedTree {
  readonly root: Directory;
  readonly listings: Listings;
}

export interface AuditedHandles extends Pick<DirectoryHandles, 'changes' | 'fence'> {
  /** True while fast captures depend on the handles. */
  readonly isTrusted: boolean;
}

interface WatchAuditOptions {
  readonly handles: () => AuditedHandles | undefined;
  /** Called with the changed paths that the handles did not mark. */
  readonly onDrift: (paths: readonly TreePath[]) => void;
  readonly log: Log;
  /** For tests. Default: a second. */
  readonly graceMs?: number;
}

interface AuditedScan {
  /** The position in the change log when the capture began. */
  readonly position: number;
  readonly tree: ScannedTree;
}

interface Finding {
  readonly unmarked: readonly TreePath[];
  /** The position in the change log after which the handles must have marked these paths. */
  readonly since: number;
}

/**
 * A process can read a changed content before the kernel queues the event about the change. For example, the kernel may
 * suspend the writer before it queues the event, or one call may write for a long time. So a capture may see the change
 * before the event exists, and a fence does not wait for such a late event.
 */
const graceMs = 1000;

/**
 * The maximum number of attempts to pass a fence. A fence may time out on a busy machine, and no client waits for an
 * audit.
 */
const fencesMax = 3;

export class WatchAudit {
  readonly #options: WatchAuditOptions;
  #last: AuditedScan | undefined;
  /**
   * The newest scan that waits for its check. An older waiting scan is dropped, because the audit can compare any two
   * scans.
   */
  #next: AuditedScan | undefined;
  #running: Promise<void> | undefined;

  constructor(options: WatchAuditOptions) {
    this.#options = options;
  }

  /** Compares a scan with the previous scan. `position` is the position in the change log when the scan began. */
  compare(position: number, tree: ScannedTree): void {
    this.#next = { position, tree };
    this.#running ??= this.#run();
  }

  /** Resolves when no check is running. For tests. */
  async whenIdle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      await new Promise(setImmediate); // gives the daemon time to send the answer to the capture first
      while (this.#next !== undefined) {
        const finding = await this.#findingOf(this.#next);
        if (finding !== undefined) await this.#confirm(finding);
      }
    } catch (error) {
      this.#options.log.warn(
        `The daemon could not check whether the watch of the work tree missed changes: ${String(error)}`,
      );
    } finally {
      this.#running = undefined;
    }
  }

  /**
   * Compares the next scan with the previous scan. After the comparison, drops the previous scan, because its listings
   * are large.
   */
  async #findingOf(scan: AuditedScan): Promise<Finding | undefined> {
    const last = this.#last;
    this.#next = undefined;
    const changes = this.#trusted()?.changes;
    if (changes === undefined || !changes.isCompleteSince(scan.position)) return undefined;
    this.#last = scan;
    if (last === undefined) return undefined;
    const since = Math.min(last.position, scan.position); // captures may overlap
    if (!changes.isCompleteSince(since)) return undefined;
    const isMarked = (path: TreePath): boolean => changes.isMarkedByHandles(path, since);
    const unmarked = await certainDifferences(last.tree, scan.tree, isMarked);
    return unmarked === undefined || unmarked.length === 0 ? undefined : { unmarked, since };
  }

  /** Waits until the handles have had time to mark all earlier changes. Reports the paths that are still unmarked. */
  async #confirm({ unmarked, since }: Finding): Promise<void> {
    let left = unmarked;
    for (const waitMs of [0, this.#options.graceMs ?? graceMs]) {
      if (waitMs > 0) await pause(waitMs, undefined, { ref: false });
      if (!(await this.#passFence())) return;
      const changes = this.#trusted()?.changes;
      if (changes === undefined || !changes.isCompleteSince(since)) return;
      left = left.filter((path) => !changes.isMarkedByHandles(path, since));
      if (left.length === 0) return;
    }
    this.#options.onDrift(left);
  }

  async #passFence(): Promise<boolean> {
    for (let i = 0; i < fencesMax; i += 1) if (await this.#trusted()?.fence()) return true;
    return false;
  }

  #trusted(): AuditedHandles | undefined {
    const handles = this.#options.handles();
    return handles?.isTrusted ? handles : undefined;
  }
}

/**
 * The maximum number of differing paths. If more paths differ, for example after a checkout of another branch, the
 * audit reports nothing.
 */
const comparedMax = 10_000;
/** The maximum number of unmarked paths. If more paths are unmarked, the audit reports nothing. */
const foundMax = 1_000;

/**
 * Returns the unmarked paths that were made, changed or removed between two captures. Returns undefined when there are
 * too many paths. Returns a directory only if both captures contain the directory and its permissions differ. A capture
 * omits empty directories. So a directory that is only in one capture may have existed all the time, as an empty
 * directory.
 */
async function certainDifferences(
  earlier: ScannedTree,
  later: ScannedTree,
  isMarked: (path: TreePath) => boolean,
): Promise<TreePath[] | undefined> {
  const found: TreePath[] = [];
  let compared = 0;
  for await (const difference of differences(earlier.root, later.root, Slices.inBackground())) {
    const { path } = difference;
    if (path === rootPath || !(isOfFile(difference) || isOfBoth(difference))) continue;
    compared += 1;
    if (compared > comparedMax) return undefined;
    if (!isMarked(path) && isCertain(path, earlier) && isCertain(path, later)) found.push(path);
    if (found.length > foundMax) return undefined;
  }
  return found;
}

function isOfFile({ before, after }: TreeDifference): boolean {
  return [before, after].some((node) => node !== undefined && !isDirectory(node));
}

function isOfBoth({ before, after }: TreeDifference): boolean {
  return before !== undefined && after !== undefined;
}

/**
 * True when the capture shows with certainty whether the path existed. False if the rules excluded the path or a
 * directory above it, or if one of these could not be read. Also false below names that cannot be watched.
 */
function isCertain(path: TreePath, { listings }: ScannedTree): boolean {
  if (!isText(parentOf(path))) return false;
  let at = rootPath;
  let entry: WalkedEntry | undefined;
  for (const name of path.split('/')) {
    const listing = listings.get(at);
    if (listing === undefined || listing.failure !== undefined) return false;
    entry = listing.entries.get(name);
    if (entry === undefined || (entry.taken && entry.kind !== 'directory')) break;
    if (!entry.taken) return false;
    at = join(at, name);
  }
  if (entry === undefined || entry.kind === 'directory') return true;
  return (
    (entry.kind === 'file' || entry.kind === 'link') && entry.blob !== undefined && entry.unread === undefined
  );
}
