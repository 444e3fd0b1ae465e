// Whether a directory still is what an earlier scan listed: looked at name by name, without listing it, reading its
// files or making anything for each of them. That is what most of a work tree is at every capture but the first.
// It never guesses: whatever is not certain is `undefined`, and listing.ts lists it anew.
import { systemCode } from '../base/errors.ts';
import { isStampOf } from '../base/file-stamp.ts';
import { type BigIntStats, files } from '../base/files.ts';
import { join, rootPath, type TreePath } from '../tree/tree-path.ts';
import { insideQuickly, type ReachedPath, reachPath } from '../work-tree/work-tree.ts';
import { extendChain } from './ignore/ignore-rules.ts';
import type { Inherited, ListingOptions, WalkedDirectory, WalkedEntry } from './listing.ts';
import { type FileClock, isSettled, stampGrainMs } from './settled.ts';

export interface UnchangedOptions extends ListingOptions {
  /** Whether the files in a directory are looked at; else its own times, and so its names, are enough. */
  looksAtFiles(directory: TreePath): boolean;
}

/**
 * The earlier listing, to stand for the present, or undefined when the directory has to be listed.
 *
 * It stands when the same rules hold, the names are the same, every file that is taken has the settled stamp under
 * which it was read, and the previous snapshot holds the very directory that the earlier scan made of it.
 */
export async function unchangedListing(
  inherited: Inherited,
  options: UnchangedOptions,
): Promise<WalkedDirectory | undefined> {
  const before = options.before(inherited.path);
  if (before === undefined || !isComparable(before, inherited)) return undefined;
  if (
    (before.gitDirectory === 'pointer') !==
    (before.gitDirectory !== 'content' && options.isPointedTo(inherited.path))
  )
    return undefined;
  let reached: ReachedPath | undefined;
  try {
    reached = reachPath(options.tree, inherited.path);
    if (!isStampOf(before.stamp, lookAt(reached, ''))) return undefined;
    const chain = before.entries.has('.gitignore')
      ? extendChain(inherited.chain, inherited.path, reached)
      : inherited.chain;
    if (chain.key !== before.chain.key) return undefined;
    const isSure = before.isSettled && keepsTimes(options.clock, before.stamp.dev);
    if (!isSure && !hasSameNames(before, reached, options)) return undefined;
    const looks = !isSure || options.looksAtFiles(inherited.path);
    for (const [name, entry] of before.entries) {
      if (options.slices.isDue()) await options.slices.pause();
      if (!isProven(entry, isSure)) return undefined;
      if (looks && (!isSure || isFileTaken(entry)) && !isSame(entry, lookAt(reached, name))) return undefined;
    }
    return {
      ...before,
      inherited,
      chain,
      isUnchanged: true,
      isSettled: isSure || isSettled(before.stamp, options.clock, stampGrainMs),
    };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined; // listing it meets the same again, or finds it gone, and knows what that means
  } finally {
    reached?.release();
  }
}

/** Whether a directory's times on this device tell every change of its names. */
function keepsTimes(clock: FileClock, device: number): boolean {
  return clock.isLocal && clock.device === device;
}

function isComparable(before: WalkedDirectory, inherited: Inherited): boolean {
  return (
    before.failure === undefined &&
    !before.hasGit &&
    before.inherited.mode === inherited.mode &&
    before.inherited.chain.key === inherited.chain.key &&
    before.scope === inherited.scope &&
    before.made === inherited.kept &&
    before.inherited.alsoInclude === undefined &&
    inherited.alsoInclude === undefined
  );
}

function lookAt(reached: ReachedPath, name: string): BigIntStats {
  return files.lstatSync(insideQuickly(reached, name), exact);
}

const exact = { bigint: true } as const;

function hasSameNames(before: WalkedDirectory, reached: ReachedPath, { leftOut }: UnchangedOptions): boolean {
  let known = 0;
  for (const name of files.readdirSync(insideQuickly(reached, ''), { encoding: 'latin1' })) {
    if (before.entries.has(name)) known += 1;
    else if (before.path === rootPath && name === '.git') continue;
    else if (!leftOut.has(join(before.path, name))) return false;
  }
  return known === before.entries.size;
}

function isFileTaken(entry: WalkedEntry): boolean {
  return entry.taken && (entry.kind === 'file' || entry.kind === 'link');
}

/** Whether an equal look proves an equal entry. What a capture has to report, or to try again, never stands. */
function isProven(entry: WalkedEntry, areNamesSure: boolean): boolean {
  if (entry.unread === 'undecided') return false;
  if (isFileTaken(entry)) return entry.settled && entry.blob !== undefined && entry.unread === undefined;
  if (entry.kind === 'directory') return true;
  return !entry.taken && (areNamesSure || entry.kind === 'file' || entry.kind === 'link');
}

/** Of a sub-directory only that it is the same one: what is in it is its own listing's business. */
function isSame({ kind, stamp }: WalkedEntry, stats: BigIntStats): boolean {
  if (stamp === undefined) return false;
  if (kind !== 'directory') return isStampOf(stamp, stats);
  return stats.isDirectory() && Number(stats.ino) === stamp.ino && Number(stats.dev) === stamp.dev;
}
