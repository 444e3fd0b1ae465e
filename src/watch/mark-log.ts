// What the watch has told, with positions: which mark came after which look. For whoever checks the watch against what
// a capture found; what is told to clients and counted as dirty is dirty-paths.ts's. Bounded: past the bound it knows
// nothing of the past, and says so.
import { parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';

/** As many marks as {@link DirtyPaths} keeps. */
const marksMax = 10_000;

export class MarkLog {
  /** The position of each path's last mark; the oldest come first. */
  readonly #marks = new Map<TreePath, number>();
  #position = 0;
  /** Of what came before this position nothing is known. */
  #knownFrom = 0;

  /** The position of the last mark: what is marked from now on comes after it. */
  get position(): number {
    return this.#position;
  }

  mark(path: TreePath): void {
    this.#position += 1;
    this.#marks.delete(path);
    this.#marks.set(path, this.#position);
    if (this.#marks.size > marksMax) this.lose();
  }

  /** Whatever is made below a directory that is left out takes one place. */
  markLeftOut(path: TreePath, isLeftOut: (path: TreePath) => boolean): void {
    for (let cut = path.indexOf('/'); cut > 0; cut = path.indexOf('/', cut + 1)) {
      const above = path.slice(0, cut) as TreePath;
      if (isLeftOut(above)) return this.mark(above);
    }
    this.mark(path);
  }

  /** Something was missed, or may have been: nothing can be said of any look before now. */
  lose(): void {
    this.#position += 1;
    this.#knownFrom = this.#position;
    this.#marks.clear();
  }

  /** Whether every mark since this position is known. */
  isWholeSince(position: number): boolean {
    return position >= this.#knownFrom;
  }

  /** Whether the path, or a directory above it, was marked after this position. */
  hasTold(path: TreePath, since: number): boolean {
    for (let at = path; ; at = parentOf(at)) {
      if ((this.#marks.get(at) ?? 0) > since) return true;
      if (at === rootPath) return false;
    }
  }

  /** Lets marks up to this position go: nobody will ask of a look before it. */
  forget(position: number): void {
    if (position <= this.#knownFrom) return;
    this.#knownFrom = position;
    for (const [path, last] of this.#marks) {
      if (last > position) break;
      this.#marks.delete(path);
    }
  }
}
