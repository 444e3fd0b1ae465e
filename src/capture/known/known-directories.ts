// What of a listed directory is worth to be known in a later run, and how one that is known stands for the listing of an
// earlier scan. It keeps nothing.
import { given } from '../../base/given.ts';
import { type Directory, type FileNode, isDirectory } from '../../tree/directory.ts';
import { rootPath, type TreePath } from '../../tree/tree-path.ts';
import type { IgnoreScope } from '../ignore/ignore-rules.ts';
import type { WalkedDirectory, WalkedEntry } from '../listing.ts';
import { type FileClock, isSettled, stampGrainMs } from '../settled.ts';
import { assemble } from '../tree-builder.ts';
import type { KnownDirectory } from './known-columns.ts';

/** What decides whether an equal stamp in a later run proves the same content, or the same directory. */
export interface KnownBy {
  readonly clock: FileClock;
  readonly settleMs: number;
  /** Bytes of a content's id: each store has its own. */
  readonly blob: number;
}

/** What is worth to be remembered of a directory; undefined where its rules are not those around the work tree. */
export function knownOf(
  directory: WalkedDirectory,
  scope: IgnoreScope | undefined,
  by: KnownBy,
): Omit<KnownDirectory, 'below'> | undefined {
  const { path, stamp, inherited, chain, isListed } = directory;
  const isPlain =
    directory.failure === undefined &&
    directory.gitDirectory === undefined &&
    !directory.hasGit &&
    directory.scope === scope &&
    inherited.mode === 'rules' &&
    inherited.alsoInclude === undefined &&
    stamp.dev === by.clock.device;
  if (!isPlain) return undefined;
  const entries = new Map<string, WalkedEntry>();
  for (const [name, entry] of directory.entries) {
    if (isKnown(entry, by)) entries.set(name, entry);
  }
  let isWhole = entries.size === directory.entries.size;
  for (const { ignored } of entries.values()) isWhole &&= ignored === false;
  return {
    path,
    stamp,
    isSettled: directory.isSettled && isSettled(stamp, by.clock, stampGrainMs),
    isWhole,
    rulesAbove: inherited.chain.key,
    rules: chain.key,
    entries,
    ...given({ isListed }),
  };
}

function isKnown({ kind, stamp, taken, ...of }: WalkedEntry, { clock, settleMs, blob }: KnownBy): boolean {
  if (!taken || stamp === undefined || stamp.dev !== clock.device) return false;
  if (kind === 'directory') return true;
  if ((kind !== 'file' && kind !== 'link') || of.unread !== undefined || of.links !== undefined) return false;
  return of.settled && of.blob?.length === blob * 2 && isSettled(stamp, clock, settleMs);
}

/** Of another run of the machine only what was surely on the disk when that ended is believed. */
export function forgetLater(entries: Map<string, WalkedEntry>, believedNs: bigint): void {
  for (const [name, { kind, stamp }] of entries) {
    if (kind !== 'directory' && (stamp === undefined || stamp.ctimeNs > believedNs)) entries.delete(name);
  }
}

/** As a scan of this run would have listed it. Where all of it is what the snapshot holds, it was made of that. */
export function walked(known: KnownDirectory, kept: Directory, scope: IgnoreScope): WalkedDirectory {
  const { path, stamp, entries, isSettled: isSure, isWhole, rulesAbove, rules, below, isListed } = known;
  const directory: WalkedDirectory = {
    path,
    inherited: {
      path,
      mode: 'rules',
      scope,
      chain: { key: rulesAbove, hasRules: true },
      kept: undefined,
      alsoInclude: undefined,
    },
    stamp,
    scope,
    chain: { key: rules, hasRules: true },
    entries,
    isSettled: isSure,
    hasGit: false,
    isUnchanged: false,
    below,
    ...given({ isListed }),
  };
  directory.made = isWhole ? madeOf(directory, directoryIn(kept, path)) : differs;
  return directory;
}

/** What a scan that finds the directory so would make of it, its sub-directories being those of the snapshot. */
function madeOf(directory: WalkedDirectory, kept: Directory | undefined): Directory | undefined {
  const below = new Map<string, Directory | undefined>();
  for (const { name } of directory.below) below.set(name, asDirectory(kept?.entries.get(name)));
  return assemble(directory, kept, below);
}

/** What no snapshot holds. */
const differs: Directory = { entries: new Map() };

function directoryIn(kept: Directory, path: TreePath): Directory | undefined {
  let at: Directory | undefined = kept;
  if (path === rootPath) return at;
  for (const name of path.split('/')) at = asDirectory(at?.entries.get(name));
  return at;
}

function asDirectory(node: Directory | FileNode | undefined): Directory | undefined {
  return node !== undefined && isDirectory(node) ? node : undefined;
}
