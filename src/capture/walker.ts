// Reads a work tree's names and stamps, level by level, and says what the next capture takes. It reads no contents
// and stores nothing. A walk is not atomic, so directories that changed meanwhile are walked again until one look at
// all of them finds none changed: then every listing was true at one and the same instant.
import { isSameStamp } from '../base/file-stamp.ts';
import type { Slices } from '../base/slices.ts';
import { join, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { WorkTree } from '../work-tree/work-tree.ts';
import type { IgnoreScope, IgnoreScopes, PathTree } from './ignore/ignore-rules.ts';
import {
  type Inherited,
  type KeptDirectory,
  type ListingOptions,
  listDirectory,
  lookAgain,
  type Subdirectory,
  type WalkedDirectory,
} from './listing.ts';
import type { Listings } from './listings.ts';
import { Selection, type SelectionOptions, startingChain } from './selection.ts';
import type { FileClock } from './settled.ts';
import { type UnchangedOptions, unchangedListing } from './unchanged-listing.ts';

export interface WalkOptions extends SelectionOptions {
  readonly tree: WorkTree;
  readonly scopes: IgnoreScopes;
  /** The directories of an earlier, finished scan: ignore verdicts that still hold are taken from it. */
  readonly before: Pick<Listings, 'get'>;
  /** The previous snapshot: what it holds is taken again, ignored or not. */
  readonly kept: KeptDirectory | undefined;
  readonly alsoInclude: PathTree | undefined;
  readonly leftOut: ReadonlySet<string>;
  readonly slices: Slices;
  /** The clock that stamps the files, as it was when the scan began. */
  readonly clock: FileClock;
  /** Of the others only the names are looked at: for what was captured a moment ago and touched by us alone. */
  looksAtFiles?(directory: TreePath): boolean;
  /** Called before directories are looked at, parents first, so that whoever watches them begins before. */
  readonly beforeReading?: (paths: readonly TreePath[]) => Promise<void>;
  /** Told after each directory how many names were in it; cheap, for it is called ten thousand times. */
  onLooked?(names: number): void;
}

/** The listings of a walk while it goes on. */
export interface WalkedListings extends Pick<Listings, 'get'> {
  set(path: TreePath, directory: WalkedDirectory): unknown;
  delete(path: TreePath): unknown;
}

/** One scan's walk. */
export class Walk {
  readonly directories: WalkedListings;
  readonly #options: WalkOptions;
  readonly #selection: Selection;
  readonly #listing: ListingOptions;
  readonly #unchangedOptions: UnchangedOptions;
  /** Where `.git` files and `commondir` point to, inside the work tree. */
  readonly #gitDirectories = new Set<TreePath>();
  #parentsOfMissing = new Set<TreePath>();
  #unchangedFiles = 0;
  #fresh: WalkedDirectory[] = [];

  /** `known`: listings that stand, so that only what is to be looked at {@link again} is walked. */
  constructor(options: WalkOptions, known: WalkedListings = new Map()) {
    this.#options = options;
    this.directories = known;
    const before = (path: TreePath): WalkedDirectory | undefined => options.before.get(path);
    this.#selection = new Selection(options, (path) => this.#lastChain.get(path) ?? before(path)?.chain.key);
    this.#listing = {
      tree: options.tree,
      leftOut: options.leftOut,
      before,
      clock: options.clock,
      slices: options.slices,
      enterRepository: async (directory) => {
        const scope = options.scopes.nested(directory);
        if (scope === undefined) return undefined;
        for (const path of scope.gitDirectories) this.#gitDirectories.add(path);
        return { scope, chain: await startingChain(scope) };
      },
      isPointedTo: (directory) => this.#gitDirectories.has(directory),
    };
    this.#unchangedOptions = {
      ...this.#listing,
      looksAtFiles: (directory) => options.looksAtFiles?.(directory) ?? true,
    };
  }

  /** Files of directories that are as they were, so that nobody is given them to read. */
  get unchangedFiles(): number {
    return this.#unchangedFiles;
  }

  /** Chains as this scan saw them last, so that a `.gitignore` that changes during the scan is noticed too. */
  readonly #lastChain = new Map<TreePath, string>();

  /** Walks everything. @throws WorkTreeMissing, NotADirectory, WorkTreeUnreadable when the root itself fails. */
  async run(): Promise<void> {
    const scope = await this.#options.scopes.outermost();
    for (const path of scope.gitDirectories) this.#gitDirectories.add(path);
    await this.#walk([await this.#rootInherited(scope)]);
  }

  /** The directories listed since the last call, for whoever reads their files. */
  takeFresh(): WalkedDirectory[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh.filter((directory) => this.directories.get(directory.path) === directory);
  }

  /** Returns the directories whose sub-directories were listed and then not found, since the last call. */
  takeParentsOfMissing(): ReadonlySet<TreePath> {
    const parents = this.#parentsOfMissing;
    this.#parentsOfMissing = new Set();
    return parents;
  }

  /**
   * Directories that are no longer as they were listed, and the `doubtful` ones, parents first. Empty: the walk is true
   * of one instant.
   */
  async changed(doubtful: ReadonlySet<TreePath> = new Set()): Promise<WalkedDirectory[]> {
    const changed: WalkedDirectory[] = [];
    const parents = this.takeParentsOfMissing();
    for (const directory of this.reachable()) {
      if (this.#options.slices.isDue()) await this.#options.slices.pause();
      const now = lookAgain(this.#options.tree, directory.path);
      const isSame = now === undefined ? directory.stamp.ino < 0 : isSameStamp(now, directory.stamp);
      // One that was listed before the pointer to it was found.
      const isPointer = directory.gitDirectory === undefined && this.#gitDirectories.has(directory.path);
      const isDoubtful = doubtful.has(directory.path) || parents.has(directory.path);
      if (!isSame || isPointer || isDoubtful) changed.push(directory);
    }
    return changed;
  }

  /** Lists these again, and walks what is new below them; everything else stays as it was listed. */
  async again(changed: readonly WalkedDirectory[]): Promise<void> {
    const found: Inherited[] = [];
    for (const { path, inherited } of changed) {
      const parent = path === rootPath ? undefined : this.directories.get(parentOf(path));
      if (path === rootPath) found.push(await this.#rootInherited(inherited.scope));
      else
        found.push(
          parent === undefined ? inherited : { ...inherited, scope: parent.scope, chain: parent.chain },
        );
    }
    await this.#walk(found);
  }

  /** All directories that belong to the tree as it was last seen, parents first. */
  *reachable(): Generator<WalkedDirectory> {
    const stack: TreePath[] = [rootPath];
    for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
      const directory = this.directories.get(path);
      if (directory === undefined) continue;
      yield directory;
      for (const below of directory.below) stack.push(below.path);
    }
  }

  async #rootInherited(scope: IgnoreScope): Promise<Inherited> {
    const { kept, alsoInclude } = this.#options;
    return { path: rootPath, mode: 'rules', scope, chain: await startingChain(scope), kept, alsoInclude };
  }

  async #walk(start: readonly Inherited[]): Promise<void> {
    let frontier = start;
    while (frontier.length > 0) {
      const listed: WalkedDirectory[] = [];
      const unchanged: WalkedDirectory[] = [];
      await this.#options.beforeReading?.(frontier.map(({ path }) => path));
      for (const inherited of frontier) {
        if (this.#options.slices.isDue()) await this.#options.slices.pause();
        const same = await unchangedListing(inherited, this.#unchangedOptions);
        if (same !== undefined && (await this.#selection.takesAsBefore(same))) {
          unchanged.push(same);
          this.#options.onLooked?.(same.entries.size);
          continue;
        }
        const directory = await listDirectory(inherited, this.#listing);
        this.#options.onLooked?.(directory?.entries.size ?? 0);
        if (directory !== undefined) listed.push(directory);
        else {
          this.directories.delete(inherited.path);
          this.#parentsOfMissing.add(parentOf(inherited.path));
        }
      }
      await this.#selection.judge(listed, this.#options.slices);
      const next: Inherited[] = [];
      for (const directory of [...listed, ...unchanged]) {
        if (this.#options.slices.isDue()) await this.#options.slices.pause();
        this.#admit(directory);
        for (const inherited of this.#directoriesBelow(directory)) next.push(inherited);
      }
      frontier = next;
    }
  }

  #admit(directory: WalkedDirectory): void {
    this.directories.set(directory.path, directory);
    this.#lastChain.set(directory.path, directory.chain.key);
    if (directory.isUnchanged) this.#unchangedFiles += directory.entries.size - directory.below.length;
    else {
      this.#fresh.push(directory);
      directory.below = takenDirectories(directory);
    }
  }

  /** The sub-directories to walk: those taken, except what this scan has listed under the same rules already. */
  #directoriesBelow(directory: WalkedDirectory): Inherited[] {
    const next: Inherited[] = [];
    for (const below of directory.below) {
      const entry = directory.entries.get(below.name);
      if (entry === undefined) continue;
      const inherited = this.#selection.enter(directory, below, entry);
      const listed = this.directories.get(inherited.path);
      const isCurrent =
        listed !== undefined &&
        listed.stamp.ino === entry.stamp?.ino &&
        listed.inherited.chain.key === inherited.chain.key &&
        listed.inherited.mode === inherited.mode;
      if (!isCurrent) next.push(inherited);
    }
    return next;
  }
}

function takenDirectories({ path, entries }: WalkedDirectory): Subdirectory[] {
  const taken: Subdirectory[] = [];
  for (const [name, entry] of entries) {
    if (entry.kind === 'directory' && entry.taken) taken.push({ name, path: join(path, name) });
  }
  return taken;
}
