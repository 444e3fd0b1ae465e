// The names of files that have several. The watch reports a write of the name that it was made through, and of no other
// name of the same file; so the others are looked at with it. Names outside the work tree are not known.
import { isSameStamp, type Stamp } from '../../base/file-stamp.ts';
import type { Slices } from '../../base/slices.ts';
import { join, nameOf, parentOf, type TreePath } from '../../tree/tree-path.ts';
import type { WalkedDirectory, WalkedEntry } from '../listing.ts';
import type { Listings } from '../listings.ts';

interface LinkedFile {
  readonly names: Set<TreePath>;
  /** How many names the file had when it was last listed. */
  links: number;
}

export class LinkedNames {
  readonly #files = new Map<string, LinkedFile>();

  /** Notes a listed file; one with a single name is not kept. */
  add(path: TreePath, { stamp, links }: WalkedEntry): void {
    if (links === undefined || stamp === undefined) return;
    const file = this.#files.get(keyOf(stamp));
    if (file === undefined) this.#files.set(keyOf(stamp), { names: new Set([path]), links });
    else {
      file.names.add(path);
      file.links = links;
    }
  }

  delete(path: TreePath, { stamp, links }: WalkedEntry): void {
    if (links === undefined || stamp === undefined) return;
    const file = this.#files.get(keyOf(stamp));
    file?.names.delete(path);
    if (file?.names.size === 0) this.#files.delete(keyOf(stamp));
  }

  /** Returns the names of a file; undefined when it has got names since they were noted. */
  of({ stamp, links = 1 }: WalkedEntry): Iterable<TreePath> | undefined {
    const file = stamp && this.#files.get(keyOf(stamp));
    return file === undefined || links > file.links ? undefined : file.names;
  }
}

/** The listings of a fast scan as they are now, and as they were when directories were last listed. */
export interface RelistedDirectories {
  readonly known: Pick<Listings, 'get'>;
  readonly base: Listings;
  readonly linked: LinkedNames;
  readonly slices: Slices;
}

/**
 * Returns the directories that hold another name of a file which was met, or missed, in the directories that were
 * listed again, and that know that name by another stamp.
 */
export async function directoriesOfOtherNames(
  before: ReadonlyMap<TreePath, WalkedDirectory | undefined>,
  { known, base, linked, slices }: RelistedDirectories,
): Promise<TreePath[]> {
  const seen = new Map<string, WalkedEntry>();
  for (const [path, then] of before) {
    const now = known.get(path);
    for (const [name, entry] of now?.entries ?? [])
      if (isLinked(entry) && !isSame(entry, then?.entries.get(name))) seen.set(keyOf(entry.stamp), entry);
    for (const [name, entry] of then?.entries ?? [])
      if (
        isLinked(entry) &&
        now?.entries.get(name)?.stamp?.ino !== entry.stamp.ino &&
        !seen.has(keyOf(entry.stamp))
      )
        seen.set(keyOf(entry.stamp), { ...entry, stamp: { ...entry.stamp, size: -1 } });
  }
  if (seen.size === 0) return [];
  const isNews = [...seen.values()].some((entry) => linked.of(entry) === undefined);
  const found = isNews ? await namesOf(seen, base, slices) : [];
  for (const entry of seen.values()) found.push(...(linked.of(entry) ?? []));
  return found.flatMap((path) => {
    const other = known.get(parentOf(path))?.entries.get(nameOf(path));
    const entry = other?.stamp && seen.get(keyOf(other.stamp));
    const isStale = entry !== undefined && other?.taken === true && !isSame(other, entry);
    return isStale ? [parentOf(path)] : [];
  });
}

/** Looks for the files among all that were listed: a new name makes one of them a file of several. */
async function namesOf(
  files: ReadonlyMap<string, unknown>,
  base: Listings,
  slices: Slices,
): Promise<TreePath[]> {
  const found: TreePath[] = [];
  const inodes = new Set([...files.keys()].map((key) => Number(key.slice(key.indexOf(':') + 1))));
  for (const [path, { entries }] of base) {
    if (slices.isDue()) await slices.pause();
    for (const [name, { kind, stamp }] of entries)
      if (kind === 'file' && stamp !== undefined && inodes.has(stamp.ino) && files.has(keyOf(stamp)))
        found.push(join(path, name));
  }
  return found;
}

function isLinked(entry: WalkedEntry): entry is WalkedEntry & { readonly stamp: Stamp } {
  return entry.links !== undefined && entry.stamp !== undefined;
}

function isSame({ stamp }: WalkedEntry, other: WalkedEntry | undefined): boolean {
  return stamp !== undefined && other?.stamp !== undefined && isSameStamp(stamp, other.stamp);
}

const keyOf = ({ dev, ino }: Stamp): string => `${dev}:${ino}`;
