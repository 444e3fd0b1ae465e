// Tracks the objects and refs of a git store that have perhaps not reached the disk yet. Syncs these objects and refs
// in short pauses between checkpoints. A restore has to wait until everything is synced. Because of the early syncs,
// the restore waits only briefly. By default git syncs its packs, but neither loose objects nor refs nor directories.
import { dirname, join } from 'node:path';
import { RarelyChangedPaths } from '../../base/atomic-file.ts';
import { attemptOr, isMissing } from '../../base/attempt.ts';
import { files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';
import { ended, Turns } from '../../base/turns.ts';

/**
 * If a file of an earlier daemon is older than this, the file is certainly on the disk. The kernel writes data to the
 * disk within a minute.
 */
const youngMs = 3_600_000;
/**
 * The maximum number of remembered paths, which take about 10 MB. Beyond this limit, the daemon finds the young files
 * by their modification times.
 */
const knownMax = 100_000;

/**
 * The background sync waits until this time (in ms) has passed without a checkpoint. Within one step of an agent,
 * checkpoints follow each other in less time.
 */
const quietMs = 500;
/**
 * When a client makes checkpoints without a pause, the daemon syncs after this time. A later restore then has less to
 * sync.
 */
const waitMsMax = 5000;

interface UnsyncedPlaces {
  /** The directory of the loose objects. Absent if another part of the daemon syncs these objects. */
  readonly objects?: string;
  readonly refsIn: string;
  /** Small files that the repository needs. These files never change. */
  readonly besides: readonly string[];
  readonly refs: () => Iterable<string>;
}

export class Unsynced {
  readonly #places: UnsyncedPlaces;
  /**
   * The paths that were written since the last sync. Undefined before the first sync, when an earlier daemon may have
   * left unsynced files.
   */
  #paths: Set<string> | undefined;
  /** The packs and other unchanging files that this process has synced. */
  readonly #lasting = new Set<string>();
  readonly #directories = new RarelyChangedPaths();
  /** Delays a requested sync until the background sync has ended. */
  readonly #turns = new Turns();
  #timer: NodeJS.Timeout | undefined;
  /** The time at which the oldest unsynced path was added. */
  #waitingSinceMs = Number.POSITIVE_INFINITY;
  /** Ends the background sync when the store closes. Closing may remove files, and removed files need no sync. */
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

  /** Forgets removed files whose contents are on the disk in other files. */
  forget(paths: Iterable<string>): void {
    for (const path of paths) this.#paths?.delete(path);
  }

  /** Syncs all objects that were stored and all refs that were moved before this call. */
  sync(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#turns.run(() => this.#sync());
  }

  /** Resolves when no file is being synced any more. */
  async close(): Promise<void> {
    this.kill();
    await this.#turns.whenIdle();
  }

  /** Ends the background sync, and starts no new sync. */
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
      const changing = [...paths, ...lasting];
      await this.#directories.sync(changing, this.#directoriesOf(changing), signal);
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
    // If a sync in the background fails, its paths stay for the next sync. A restore requests a sync of its own, and
    // reports a failure of this sync.
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
    // An old modification time of a directory shows that the directory has no new object.
    const directories = objects === undefined ? [] : listing(objects).filter(isYoung);
    const young = new Set<string>();
    const addYoung = async (paths: readonly string[]): Promise<void> => {
      for (const path of paths) {
        if (slices.isDue()) await slices.pause();
        if (isYoung(path)) young.add(path);
      }
    };
    for (const path of directories) if (/\/[0-9a-f]{2}$/.test(path)) await addYoung(listing(path));
    await addYoung([...refs()].map((ref) => join(refsIn, ref)));
    return young;
  }

  /**
   * Returns the directories of the paths. Also returns all directories above, because these directories may be new,
   * too.
   */
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
