// The context files of a conversation as its session uses them: paths added and removed, the message built, its
// length remembered until something it was built from changes. The watcher says what changed on disk.
import type { Idempotency, Timeline } from '../log/timeline.ts';
import {
  type BuiltContext,
  buildContext,
  type ContextAdditions,
  type ContextFiles,
  checkContextPaths,
  checkPathCount,
  type ListedContext,
  listContext,
  normalContextPaths,
} from './context.ts';

/** What the message of a remembered length was built from; compared by identity. */
interface CachedLength {
  readonly ingredients: readonly unknown[];
  readonly length: number;
  readonly files: ReadonlySet<string>;
}

export class StickyContext {
  readonly #timeline: Timeline;
  #cached: CachedLength | undefined;
  #changes = 0;
  #lastMessageLength = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get paths(): readonly string[] {
    return this.#timeline.present.settings.contextPaths;
  }

  /** Bytes of the message as last built; undefined when it would be another one now (C25). */
  get messageLength(): number | undefined {
    if (this.#cached === undefined) return undefined;
    const now = this.#ingredients();
    const isSame = this.#cached.ingredients.every((ingredient, index) => ingredient === now[index]);
    return isSame ? this.#cached.length : undefined;
  }

  /** Bytes of the message as last built, whatever has changed since; 0 before the first. For estimates. */
  get lastMessageLength(): number {
    return this.#lastMessageLength;
  }

  /** Adds paths and globs; those that are there already stay where they are. @throws PathOutsideWorkTree */
  add(paths: readonly unknown[], idempotency?: Idempotency): { added: string[] } {
    const present = this.paths;
    const added = [...new Set(checkContextPaths(paths))].filter((path) => !present.includes(path));
    const operation = { op: 'setContextPaths', paths: [...present, ...added] } as const;
    checkPathCount(operation.paths.length);
    return this.#timeline.commit(operation, () => ({ added }), idempotency);
  }

  /** Removes paths and globs; those that are not there make no difference. @throws PathOutsideWorkTree */
  remove(paths: readonly unknown[], idempotency?: Idempotency): { removed: string[] } {
    const present = this.paths;
    const removed = [...new Set(normalContextPaths(paths))].filter((path) => present.includes(path));
    const left = present.filter((path) => !removed.includes(path));
    return this.#timeline.commit({ op: 'setContextPaths', paths: left }, () => ({ removed }), idempotency);
  }

  /** The files that would go with a request now; reads none. */
  list(workTree: ContextFiles): Promise<ListedContext> {
    return listContext(this.#timeline.present.settings, workTree);
  }

  /** Reads the files and builds the message; remembers its length unless a file changed meanwhile. */
  async build(workTree: ContextFiles, additions: ContextAdditions = {}): Promise<BuiltContext> {
    const { thread, settings } = this.#timeline.present;
    const ingredients = this.#ingredients();
    const changes = this.#changes;
    const built = await buildContext(settings, thread.latestSummary?.text, additions, workTree);
    this.#lastMessageLength = built.messageLength;
    if (changes === this.#changes) {
      const files = new Set([...built.files, ...built.dropped].map(({ path }) => path));
      for (const path of built.unreadable) files.add(path);
      this.#cached = { ingredients, length: built.messageLength, files };
    }
    return built;
  }

  /** Told by the watcher. Without paths, anything may have changed. A glob may match what is new: any change counts. */
  noteChanges(changed?: Iterable<string>): void {
    const hasGlob = this.paths.some((path) => /[*?[{]/.test(path));
    if (changed === undefined || hasGlob) return this.#forget();
    for (const path of changed) {
      const isNamed = this.paths.some((named) => path === named || path.startsWith(`${named}/`));
      if (isNamed || this.#cached?.files.has(path)) return this.#forget();
    }
    // A build in progress may have read a file before it changed, and its files are not known yet.
    if (this.#cached === undefined) this.#changes += 1;
  }

  #forget(): void {
    this.#changes += 1;
    this.#cached = undefined;
  }

  #ingredients(): readonly unknown[] {
    const { thread, settings } = this.#timeline.present;
    return [thread.latestSummary, settings.contextPaths, settings.modelInfo];
  }
}
