// What the watch has told of a work tree, in order: what may have changed since a position. It is bounded and never
// guesses: past its bound, and whenever something was missed, it says that everything may have changed. It watches
// nothing and knows nothing of captures; a reader moves its own position on, and only when it has done with what came
// before.
import { byBytes, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';

/** Why nothing is known of what changed: nobody watched, the watch missed something, or there was too much of it. */
export type LossReason = 'unwatched' | 'suspect' | 'overflow';

export type Changes =
  | { readonly kind: 'everything'; readonly reason: LossReason }
  /** A directory stands for everything below it. */
  | { readonly kind: 'paths'; readonly paths: ReadonlySet<TreePath> };

interface Told {
  readonly position: number;
  /** The rules leave it out: of interest to captures, and to nobody who asks what is new. */
  readonly isLeftOut: boolean;
}

/** More paths than this cost more than a look at the whole tree. */
const pathsMax = 10_000;
/** So many young directories are as good as everything. */
const youngMax = 1000;

export class ChangeLog {
  /** The last time that each path was told; the oldest come first. */
  readonly #told = new Map<TreePath, Told>();
  readonly #young = new Set<TreePath>();
  readonly #readers = new Map<object, number>();
  #position = 0;
  /** Of what came before this position nothing is known. */
  #knownFrom = 0;
  #lastLoss: LossReason = 'unwatched';
  /** Why nothing is known at all; undefined while everything is told. */
  #stopped: LossReason | undefined = 'unwatched';

  /** The position of the last change: what is told from now on comes after it. */
  get position(): number {
    return this.#position;
  }

  /** From now on every change is told. */
  start(): void {
    this.lose(this.#stopped ?? this.#lastLoss);
    this.#stopped = undefined;
  }

  /** From now on, until {@link start}, changes may not be told. */
  stop(reason: LossReason): void {
    this.lose(reason);
    this.#stopped = reason;
    this.#young.clear();
  }

  /** Something was missed, or may have been: nothing can be said of any position before now. */
  lose(reason: LossReason): void {
    this.#position += 1;
    this.#knownFrom = this.#position;
    this.#lastLoss = reason;
    this.#told.clear();
  }

  /** A path may have changed; a directory's stands for everything below it. */
  mark(path: TreePath): void {
    this.#add(path, false);
  }

  /** The same for a path that the rules leave out: what is below a directory that is left out takes one place. */
  markLeftOut(path: TreePath, isLeftOut: (path: TreePath) => boolean): void {
    for (let cut = path.indexOf('/'); cut > 0; cut = path.indexOf('/', cut + 1)) {
      const above = path.slice(0, cut) as TreePath;
      if (isLeftOut(above)) return this.#add(above, true);
    }
    this.#add(path, true);
  }

  /** A directory that was made or moved here, and is not proven to be watched: it is in every answer until it is. */
  addYoung(directory: TreePath): void {
    this.#young.add(directory);
    this.mark(directory);
  }

  /** It is proven to be watched, or gone. Whoever has not looked since then still has to. */
  endYoung(directory: TreePath): void {
    if (this.#young.delete(directory)) this.mark(directory);
  }

  /** Whether every change since this position is known. */
  isWholeSince(position: number): boolean {
    return this.#lossSince(position) === undefined;
  }

  /** What may have changed since the position. */
  since(position: number): Changes {
    const reason = this.#lossSince(position);
    if (reason !== undefined) return { kind: 'everything', reason };
    const paths = new Set(this.#young);
    for (const [path, told] of this.#told) if (told.position > position) paths.add(path);
    return { kind: 'paths', paths };
  }

  /** Whether the path, or a directory above it, was told after the position. */
  hasTold(path: TreePath, since: number): boolean {
    for (let at = path; ; at = parentOf(at)) {
      if ((this.#told.get(at)?.position ?? 0) > since || this.#young.has(at)) return true;
      if (at === rootPath) return false;
    }
  }

  /** What was told since the position and is not left out, in order, whether or not that is all. For people. */
  toldSince(position: number): TreePath[] {
    const paths: TreePath[] = [];
    for (const [path, told] of this.#told) if (told.position > position && !told.isLeftOut) paths.push(path);
    return paths.sort(byBytes);
  }

  /** The reader needs what comes after the position, and nothing before. What nobody needs is let go. */
  keepFor(reader: object, position: number): void {
    this.#readers.set(reader, position);
    const needed = Math.min(...this.#readers.values());
    if (needed <= this.#knownFrom) return;
    this.#knownFrom = needed;
    for (const [path, told] of this.#told) {
      if (told.position > needed) break;
      this.#told.delete(path);
    }
  }

  #add(path: TreePath, isLeftOut: boolean): void {
    this.#position += 1;
    this.#told.delete(path);
    this.#told.set(path, { position: this.#position, isLeftOut });
    if (this.#told.size > pathsMax) this.lose('overflow');
  }

  #lossSince(position: number): LossReason | undefined {
    if (this.#stopped !== undefined) return this.#stopped;
    if (this.#young.size > youngMax) return 'overflow';
    return position < this.#knownFrom ? this.#lastLoss : undefined;
  }
}
