// Moves single files, and whole directories by one rename. At every moment each file has its old path or its new path,
// so a kill loses no file. A file that has changed since its verification is moved back to its old path. A file that
// another program made in a moved directory is moved back, too.
import { attempt } from '../base/attempt.ts';
import { isStampOf } from '../base/file-stamp.ts';
import { files } from '../base/files.ts';
import type { Slices } from '../base/slices.ts';
import { join, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import type { Commit } from './commit.ts';
import { pathReason } from './failure.ts';
import type { StagedDirectory, StagedMove } from './move-staging.ts';
import { namesBelow, statsAt } from './present-state.ts';

type Expected = ReadonlyMap<TreePath, StagedMove>;

export class Mover {
  readonly #tree: AnchoredFiles;
  readonly #commit: Commit;
  readonly #slices: Slices;

  constructor(tree: AnchoredFiles, commit: Commit, slices: Slices) {
    this.#tree = tree;
    this.#commit = commit;
    this.#slices = slices;
  }

  /**
   * Moves a directory. Returns the files that are at their new paths, or undefined when the directory did not move. A
   * directory does not move if it contains an unexpected or changed file, if its new path is taken, or if the system
   * refuses the rename.
   */
  async directory({ from, to, files: moves }: StagedDirectory): Promise<ReadonlySet<StagedMove> | undefined> {
    const expected: Expected = new Map(moves.map((move) => [move.from, move]));
    if (!(await this.#containsOnly(from, expected))) return undefined;
    if (this.#try(() => this.#commit.renameDirectory(from, to)) !== true) return undefined;
    const moved = new Set<StagedMove>();
    await this.#review(from, to, expected, moved);
    return moved;
  }

  /** Links a file to its new path, and keeps its old path. Returns false when the link is not possible. */
  file(move: StagedMove): boolean {
    const place = (): boolean => this.#commit.placeMoved(move) === 'done';
    const isPlaced = this.#try(place);
    if (isPlaced !== undefined) return isPlaced;
    this.#tree.forget('' as TreePath); // a directory handle may be outdated by now
    return this.#try(place) ?? false;
  }

  /**
   * Sets the modification time of a moved file to now, as if the file had been written. Build tools compare these
   * times.
   */
  renew(path: TreePath): void {
    const now = new Date();
    // When the time cannot be set, the file keeps its old time.
    this.#try(() => files.lutimesSync(this.#tree.address(path), now, now));
  }

  /** Runs a step. Returns undefined when the system refuses the step at its path. */
  #try<T>(step: () => T): T | undefined {
    return attempt((error) => pathReason(error) !== undefined, step);
  }

  async #containsOnly(directory: TreePath, expected: Expected): Promise<boolean> {
    for (const { name, isDirectory } of this.#names(directory)) {
      if (this.#slices.isDue()) await this.#slices.pause();
      const path = join(directory, name);
      if (isDirectory) {
        if (!(await this.#containsOnly(path, expected))) return false;
      } else if (!this.#isStill(path, expected.get(path))) return false;
    }
    return true;
  }

  /**
   * Checks every file that the rename of a directory moved. Moves each unexpected or changed file back to its
   * old path.
   */
  async #review(
    home: TreePath,
    directory: TreePath,
    expected: Expected,
    moved: Set<StagedMove>,
  ): Promise<void> {
    for (const { name, isDirectory } of this.#names(directory)) {
      if (this.#slices.isDue()) await this.#slices.pause();
      const from = join(home, name);
      const path = join(directory, name);
      const move = expected.get(from);
      if (isDirectory) await this.#review(from, path, expected, moved);
      else if (move !== undefined && this.#isStill(path, move)) {
        this.renew(path);
        moved.add(move);
      } else this.#try(() => this.#commit.moveBack(path, from));
    }
  }

  #names(directory: TreePath): { name: string; isDirectory: boolean }[] {
    return this.#try(() => namesBelow(this.#tree, directory)) ?? [];
  }

  /**
   * True when the file at the path is still the verified file. The rename of a directory does not change the
   * stamps of the files in it.
   */
  #isStill(path: TreePath, move: StagedMove | undefined): boolean {
    const stats = move && this.#try(() => statsAt(this.#tree, path));
    return move !== undefined && stats !== undefined && isStampOf(move.signature, stats);
  }
}
