// The objects and refs of a git store that may not be on the disk yet. They are synced when nothing was stored for a
// moment, so that a restore, which must not begin before, finds little to sync. Git syncs its packs by itself and,
// unless told to, neither loose objects nor refs nor any directory.
import { dirname, join } from 'node:path';
import { syncAll } from '../../base/atomic-file.ts';
import { attemptOr, isMissing } from '../../base/attempt.ts';
import { files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';
import { ended, Turns } from '../../base/turns.ts';

/** The kernel writes unsynced data back within a minute; what an earlier daemon wrote longer ago is on the disk. */
const youngMs = 3_600_000;
/** As many names take some 10 MB; beyond, the disk is asked what is young. */
const knownMax = 100_000;

/** The checkpoints of one step of an agent follow each other within this time. */
const quietMs = 500;
/**
 * A client that never pauses has its checkpoints synced anyway, so that a restore does not pay for all
 * of them.
 */
const waitMsMax = 5000;

export interface UnsyncedPlaces {
  /** Where loose objects stay that nothing else syncs. */
  readonly objects?: string;
  readonly refsIn: string;
  /** Small files without which the repository is none, and which never change. */
  readonly besides: readonly string[];
  readonly refs: () => Iterable<string>;
}

export class Unsynced {
  readonly #places: UnsyncedPlaces;
  /** Since the last sync; undefined before the first one, when an earlier daemon may have left anything. */
  #paths: Set<string> | undefined;
  /** Packs, and files besides, that this process has synced: they do not change. */
  readonly #lasting = new Set<string>();
  /** A sync that is asked for waits for the one in the background. */
  readonly #turns = new Turns();
  #timer: NodeJS.Timeout | undefined;
  /** When the oldest path came that no sync has begun with. */
  #waitingSinceMs = Number.POSITIVE_INFINITY;
  /** Ends the sync in the background with the store: what is removed at the end needs none. */
  readonly #closing = new AbortController();

  constructor(places: UnsyncedPlaces) {
    this.#places = places;
  }

  stored(id: string): void {
    const { objects } = this.#places;
    if (objects !== undefined) this.#add(join(objects, id.slice(0, 2), id.slice(2)));
  }

  moved(ref: string): void {
    this.#add(join(this.#places.refsIn, ref));
  }

  /** Forgets files that are gone because their contents are on the disk elsewhere. */
  forget(paths: Iterable<string>): void {
    for (const path of paths) this.#paths?.delete(path);
  }

  /** Everything that was stored and moved before this is called is on the disk when it resolves. */
  sync(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#turns.run(() => this.#sync());
  }

  /** Resolves when no file is being synced any more. */
  async close(): Promise<void> {
    this.kill();
    await this.#turns.idle();
  }

  /** Ends the sync in the background, and begins no further one. */
  kill(): void {
    clearTimeout(this.#timer);
    this.#closing.abort();
  }

  async #sync(signal?: AbortSignal): Promise<void> {
    const { objects, besides } = this.#places;
    const known = this.#paths;
    this.#paths = new Set();
    this.#waitingSinceMs = Number.POSITIVE_INFINITY;
    let paths: ReadonlySet<string> | undefined = known;
    try {
      paths ??= await this.#young(signal);
      const packs = objects === undefined ? [] : listing(join(objects, 'pack'));
      const lasting = [...packs, ...besides].filter((path) => !this.#lasting.has(path));
      await syncAll([...paths, ...lasting], signal);
      await syncAll(this.#directoriesOf([...paths, ...lasting]), signal);
      for (const path of lasting) this.#lasting.add(path);
    } catch (error) {
      const since = this.#paths;
      this.#paths = paths && new Set([...paths, ...since]);
      throw error;
    }
  }

  #add(path: string): void {
    if (this.#closing.signal.aborted) return;
    const nowMs = performance.now();
    this.#waitingSinceMs = Math.min(this.#waitingSinceMs, nowMs);
    clearTimeout(this.#timer);
    const delayMs = Math.min(quietMs, Math.max(0, this.#waitingSinceMs + waitMsMax - nowMs));
    // A failure leaves the paths for the next sync; the restore that asks for one reports it.
    const inBackground = (): Promise<void> => this.#turns.run(() => this.#sync(this.#closing.signal));
    this.#timer = setTimeout(() => void ended(inBackground()), delayMs).unref();
    if (this.#paths === undefined) return;
    this.#paths.add(path);
    if (this.#paths.size > knownMax) this.#paths = undefined;
  }

  async #young(signal: AbortSignal | undefined): Promise<Set<string>> {
    const { objects, refsIn, refs } = this.#places;
    const slices = new Slices(signal);
    const since = Date.now() - youngMs;
    const isYoung = (path: string): boolean =>
      (files.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > since;
    // A directory that got no new name for so long has no new object.
    const directories = objects === undefined ? [] : listing(objects).filter(isYoung);
    const young = new Set<string>();
    const look = async (paths: readonly string[]): Promise<void> => {
      for (const path of paths) {
        if (slices.isDue()) await slices.pause();
        if (isYoung(path)) young.add(path);
      }
    };
    for (const path of directories) if (/\/[0-9a-f]{2}$/.test(path)) await look(listing(path));
    await look([...refs()].map((ref) => join(refsIn, ref)));
    return young;
  }

  /** With those above them: they may be new as well. */
  #directoriesOf(paths: readonly string[]): Set<string> {
    const { objects, refsIn } = this.#places;
    const found = new Set<string>();
    for (const path of paths) {
      let directory = dirname(path);
      for (
        ;
        directory !== objects && directory !== refsIn && !found.has(directory);
        directory = dirname(directory)
      )
        found.add(directory);
      found.add(directory);
    }
    return found;
  }
}

function listing(directory: string): string[] {
  return attemptOr([], isMissing, () => files.readdirSync(directory).map((name) => join(directory, name)));
}
