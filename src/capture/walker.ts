// Walks a work tree level by level: lists directories or reuses their earlier listings, and selects the names that the
// capture takes. Reads no contents and stores nothing. A walk is not atomic. Directories that changed during the walk
// are walked again, until a check of the directories finds no change. When the check finds no change, all listings were
// correct at one instant. The check skips directories if their unchanged stamps already prove this.
import { isSameStamp } from '../base/file-stamp.ts';
import type { Directory } from '../tree/tree.ts';
import { join, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import { type IgnoreScope, type IgnoreScopes, type PathTree, startingChain } from './ignore-rules.ts';
import {
  type Inherited,
  type ListingOptions,
  type Listings,
  listDirectory,
  nameCount,
  presentStamp,
  provesNames,
  type Subdirectory,
  unchangedListing,
  type WalkedDirectory,
} from './listing.ts';
import { Selection, type SelectionOptions } from './selection.ts';

export interface WalkOptions
  extends SelectionOptions,
    Pick<ListingOptions, 'tree' | 'earlier' | 'leftOut' | 'clock' | 'slices'> {
  readonly scopes: IgnoreScopes;
  /** The tree on which the capture builds. The paths of this tree are captured again even if they are ignored. */
  readonly previous: Directory | undefined;
  readonly alsoInclude: PathTree | undefined;
  /**
   * Returns false for a directory that was captured a moment ago and that no program has touched since then. The walk
   * checks only the names in such a directory.
   */
  checksFiles?(directory: TreePath): boolean;
  readonly isUnwritten?: (path: TreePath) => boolean;
  /** Starts to watch directories. Called before the walk reads the directories, parents first. Never rejects. */
  readonly beforeReading?: ((paths: readonly TreePath[]) => Promise<void>) | undefined;
  /** Called when the names of new listings are selected. The caller may start to read the files of the directories. */
  onSelected?(directories: readonly WalkedDirectory[]): void;
  /** Called after each directory, with the number of names in the directory. */
  onListed?(names: number): void;
}

/** The listings of a walk in progress. */
interface WalkedListings extends Pick<Listings, 'get'> {
  set(path: TreePath, directory: WalkedDirectory): unknown;
  delete(path: TreePath): unknown;
}

/**
 * The number of directories that the walk lists before it selects their names. The files of these directories can then
 * be read while the walk continues.
 */
const listedAtOnce = 500;

/** The walk of one scan. */
export class Walk {
  readonly listings: WalkedListings;
  readonly #options: WalkOptions;
  readonly #selection: Selection;
  readonly #listing: ListingOptions;
  /** The paths in the work tree to which `.git` files and `commondir` files point. */
  readonly #gitDirectories = new Set<TreePath>();
  #parentsOfMissing = new Set<TreePath>();
  #unchangedFiles = 0;
  #fresh: WalkedDirectory[] = [];
  /**
   * The unchanged directories that {@link changed} need not look at again. At one moment, the listings of all these
   * directories were correct: when the walk listed its last young directory, or else when the scan began.
   *
   * An unchanged directory still had its old, settled stamp when the walk looked at it. So its names were the same from
   * the earlier scan until this look. A young directory has no settled stamp. Its names are known only from its listing
   * on, so directories that the walk looked at before this listing are removed from the set. A listed directory with a
   * settled stamp got its last change before this scan began. If it still has this stamp after the walk, its names were
   * the same all the time. This proof needs a clock that was not set back during the scan.
   */
  readonly #proven = new Set<WalkedDirectory>();

  /**
   * `listings`, if given, are the listings of directories that need no walk. In this case, the caller walks single
   * directories with {@link again}.
   */
  constructor(options: WalkOptions, listings: WalkedListings = new Map()) {
    this.#options = options;
    this.listings = listings;
    const earlierChain = (path: TreePath): string | undefined => options.earlier.get(path)?.chain.key;
    this.#selection = new Selection(options, (path) => this.#lastChain.get(path) ?? earlierChain(path));
    this.#listing = {
      tree: options.tree,
      leftOut: options.leftOut,
      earlier: options.earlier,
      clock: options.clock,
      slices: options.slices,
      checksFiles: (directory) => options.checksFiles?.(directory) ?? true,
      isUnwritten: options.isUnwritten,
      enterRepository: async (directory) => {
        const scope = options.scopes.nested(directory);
        if (scope === undefined) return undefined;
        for (const path of scope.gitDirectories) this.#gitDirectories.add(path);
        return { scope, chain: await startingChain(scope) };
      },
      isPointedTo: (directory) => this.#gitDirectories.has(directory),
    };
  }

  /** The number of files in all unchanged directories. {@link takeFresh} does not return these directories. */
  get unchangedFiles(): number {
    return this.#unchangedFiles;
  }

  /**
   * For each directory that this scan listed, the key of its rules when the scan last read them. If the key changes, a
   * `.gitignore` has changed during the scan.
   */
  readonly #lastChain = new Map<TreePath, string>();

  /**
   * Walks everything. Before each level of the tree, calls `ends` with the number of its directories. If `ends` returns
   * true, ends the walk and returns false. @throws WorkTreeMissing, NotADirectory, WorkTreeUnreadable when the root
   * itself fails.
   */
  async run(ends?: (directories: number) => Promise<boolean>): Promise<boolean> {
    const scope = await this.#options.scopes.outermost();
    for (const path of scope.gitDirectories) this.#gitDirectories.add(path);
    return this.#walk([await this.#rootInherited(scope)], ends);
  }

  /** Returns the directories that were listed since the last call. The caller reads the files of these directories. */
  takeFresh(): WalkedDirectory[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh.filter((directory) => this.listings.get(directory.path) === directory);
  }

  /**
   * Returns the directories that have lost a sub-directory since the last call. The walk listed the name of the
   * sub-directory, but then could not find the sub-directory.
   */
  takeParentsOfMissing(): ReadonlySet<TreePath> {
    const parents = this.#parentsOfMissing;
    this.#parentsOfMissing = new Set();
    return parents;
  }

  /**
   * Returns the `doubtful` directories and the directories that have changed since they were listed, parents first. If
   * this method returns no directory, there was a moment at which all listings were correct: when the scan began, or
   * during this call. `reachable`: the present result of {@link reachable}.
   */
  async changed(
    reachable: readonly WalkedDirectory[],
    doubtful: ReadonlySet<TreePath>,
  ): Promise<WalkedDirectory[]> {
    const changed: WalkedDirectory[] = [];
    const parents = this.takeParentsOfMissing();
    const isDoubt = doubtful.size > 0 || parents.size > 0 || Date.now() < this.#options.clock.reachedMs;
    for (const directory of reachable) {
      if (this.#options.slices.isDue()) await this.#options.slices.pause();
      const isSame = (!isDoubt && this.#proven.has(directory)) || this.#hasItsStamp(directory);
      // True when the scan listed a directory before it found a pointer file that names the directory.
      const isPointer = directory.gitDirectory === undefined && this.#gitDirectories.has(directory.path);
      const isDoubtful = doubtful.has(directory.path) || parents.has(directory.path);
      if (!isSame || isPointer || isDoubtful) changed.push(directory);
    }
    return changed;
  }

  #hasItsStamp({ path, stamp }: WalkedDirectory): boolean {
    const now = presentStamp(this.#options.tree, path);
    return now === undefined ? stamp.ino < 0 : isSameStamp(now, stamp);
  }

  /**
   * Lists these directories again, and walks new directories below them. The listings of all other directories stay
   * unchanged.
   */
  async again(changed: readonly Pick<WalkedDirectory, 'path' | 'inherited'>[]): Promise<void> {
    const found: Inherited[] = [];
    for (const { path, inherited } of changed) {
      const parent = path === rootPath ? undefined : this.listings.get(parentOf(path));
      if (path === rootPath) found.push(await this.#rootInherited(inherited.scope));
      else
        found.push(
          parent === undefined ? inherited : { ...inherited, scope: parent.scope, chain: parent.chain },
        );
    }
    await this.#walk(found);
  }

  /** Returns all listed directories that belong to the tree, parents first. */
  reachable(): WalkedDirectory[] {
    const reachable: WalkedDirectory[] = [];
    const stack: TreePath[] = [rootPath];
    for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
      const directory = this.listings.get(path);
      if (directory === undefined) continue;
      reachable.push(directory);
      for (const below of directory.below) stack.push(below.path);
    }
    return reachable;
  }

  async #rootInherited(scope: IgnoreScope): Promise<Inherited> {
    const { previous, alsoInclude } = this.#options;
    const chain = await startingChain(scope);
    return { path: rootPath, mode: 'rules', scope, chain, previous, alsoInclude };
  }

  async #walk(
    start: readonly Inherited[],
    ends?: (directories: number) => Promise<boolean>,
  ): Promise<boolean> {
    let frontier = start;
    while (frontier.length > 0) {
      frontier = this.#touchedFirst(frontier);
      if ((await ends?.(frontier.length)) === true) return false;
      const next: Inherited[] = [];
      let watching = this.#watchPart(frontier, 0);
      for (let from = 0; from < frontier.length; from += listedAtOnce) {
        await watching;
        // The thread of the watches opens those of the next part while this thread lists this part.
        watching = this.#watchPart(frontier, from + listedAtOnce);
        await this.#walkPart(partOf(frontier, from), next);
      }
      frontier = next;
    }
    return true;
  }

  /** Starts to watch the directories of a part. */
  #watchPart(level: readonly Inherited[], from: number): Promise<void> | undefined {
    const { beforeReading } = this.#options;
    return from < level.length ? beforeReading?.(partOf(level, from).map(({ path }) => path)) : undefined;
  }

  /** Lists directories of one level, selects their names, and adds the directories below them to `next`. */
  async #walkPart(part: readonly Inherited[], next: Inherited[]): Promise<void> {
    const listed: WalkedDirectory[] = [];
    const unchanged: WalkedDirectory[] = [];
    for (const inherited of part) {
      if (this.#options.slices.isDue()) await this.#options.slices.pause();
      // A promise for each directory would take longer than the check of a small directory.
      const check = unchangedListing(inherited, this.#listing);
      const same = check instanceof Promise ? await check : check;
      const takes = same !== undefined && this.#selection.takesAsBefore(same);
      if (same !== undefined && (typeof takes === 'boolean' ? takes : await takes)) {
        unchanged.push(same);
        this.#prove(same);
        this.#options.onListed?.(nameCount(same));
        continue;
      }
      const directory = await listDirectory(inherited, this.#listing);
      this.#options.onListed?.(directory?.entries.size ?? 0);
      if (directory !== undefined) {
        listed.push(directory);
        this.#prove(directory);
      } else {
        this.listings.delete(inherited.path);
        this.#parentsOfMissing.add(parentOf(inherited.path));
      }
    }
    await this.#selection.judge(listed, this.#options.slices);
    this.#options.onSelected?.(listed);
    for (const directory of [...listed, ...unchanged]) {
      if (this.#options.slices.isDue()) await this.#options.slices.pause();
      this.#admit(directory);
      for (const inherited of this.#directoriesBelow(directory)) next.push(inherited);
    }
  }

  #admit(directory: WalkedDirectory): void {
    this.listings.set(directory.path, directory);
    // An unchanged directory has the rules of the earlier scan.
    if (!directory.isUnchanged || this.#lastChain.has(directory.path))
      this.#lastChain.set(directory.path, directory.chain.key);
    if (directory.isUnchanged) this.#unchangedFiles += nameCount(directory) - directory.below.length;
    else {
      this.#fresh.push(directory);
      directory.below = takenDirectories(directory);
    }
  }

  /** Called directly after a look at a directory, because {@link #proven} depends on the order of the looks. */
  #prove(directory: WalkedDirectory): void {
    const { clock, earlier } = this.#options;
    const before = directory.isUnchanged ? earlier.get(directory.path) : directory;
    const isSure = before !== undefined && directory.failure === undefined && provesNames(before, clock);
    if (!isSure) this.#proven.clear();
    else if (directory.isUnchanged) this.#proven.add(directory);
  }

  /**
   * Moves the directories that the client has just changed to the front. These directories are young, so few
   * directories should have been looked at before them; see {@link #proven}.
   */
  #touchedFirst(frontier: readonly Inherited[]): readonly Inherited[] {
    const options = this.#options;
    if (options.checksFiles === undefined) return frontier;
    const isTouched = ({ path }: Inherited): boolean => options.checksFiles?.(path) === true;
    return [...frontier.filter(isTouched), ...frontier.filter((each) => !isTouched(each))];
  }

  /**
   * Returns the sub-directories to walk: all captured sub-directories, except those that this scan has already listed
   * with the same rules.
   */
  #directoriesBelow(directory: WalkedDirectory): Inherited[] {
    const next: Inherited[] = [];
    for (const below of directory.below) {
      // Makes no entries from the columns for this check, because the rules exclude nothing in a whole directory.
      const entry = directory.known?.isWhole === true ? notIgnored : directory.entries.get(below.name);
      if (entry === undefined) continue;
      const inherited = this.#selection.enter(directory, below, entry);
      const listed = this.listings.get(inherited.path);
      const isCurrent =
        listed !== undefined &&
        listed.stamp.ino === directory.entries.get(below.name)?.stamp?.ino &&
        listed.inherited.chain.key === inherited.chain.key &&
        listed.inherited.mode === inherited.mode;
      if (!isCurrent) next.push(inherited);
    }
    return next;
  }
}

const partOf = (level: readonly Inherited[], from: number): readonly Inherited[] =>
  level.slice(from, from + listedAtOnce);

const notIgnored = { ignored: false };

function takenDirectories({ path, entries }: WalkedDirectory): Subdirectory[] {
  const taken: Subdirectory[] = [];
  for (const [name, entry] of entries) {
    if (entry.kind === 'directory' && entry.taken) taken.push({ name, path: join(path, name) });
  }
  return taken;
}
