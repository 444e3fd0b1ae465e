// Packs the loose objects and refs of a repository in the background. Only the daemon uses this repository. A
// checkpoint makes some six small files, so a long session would fill the disk with small files and slow down every
// opening. The repository is complete after each step. A pack is on the disk under its final name before the loose
// copies of its objects are removed. In the same way, `packed-refs` is on the disk before the files of its refs are
// removed. A kill leaves, at worst, a temporary file, or an object in two places.
import { join } from 'node:path';
import { syncAll } from '../../base/atomic-file.ts';
import { attemptOr, isMissing } from '../../base/attempt.ts';
import { files } from '../../base/files.ts';
import { Slices } from '../../base/slices.ts';
import { ended, Turns } from '../../base/turns.ts';
import { indexedCount, indexedIds } from '../../git/objects/pack-index.ts';
import type { GitPlace } from '../../git/process/environment.ts';
import { gitAnswered, runGit } from '../../git/process/run.ts';
import type { RefStore } from '../../git/refs/ref-store.ts';
import type { Unsynced } from './unsynced.ts';

/** The limits that decide when the daemon packs. A test program lowers these limits before it starts the daemon. */
export const packingLimits = {
  /** The number of checkpoints after which the daemon packs, even when the client makes checkpoints without a pause. */
  checkpointsMax: 256,
  /** After this time without a new checkpoint, a session counts as quiet. */
  quietMs: 15_000,
  /**
   * The daemon packs loose objects only when there are at least this many, or when they are large. Every additional
   * pack makes the look-up of objects slower.
   */
  looseMin: 500,
  looseBytesMin: 64 << 20,
  /**
   * The daemon packs loose refs only when there are at least this many. Reading fewer files takes only a millisecond or
   * two.
   */
  looseRefsMin: 100,
};
/**
 * The size in bytes above which the daemon does not rewrite a pack. So the cost of packing depends on the new objects,
 * not on the size of the repository.
 */
const joinedBytesMax = 1 << 30;

/**
 * Lets git compare contents up to this size. Large contents are worth comparing, because two versions differ little.
 * To compare two contents, git needs about five times the size of one content in memory. A larger window would need
 * one and a half times as much memory, and would find no further similarities.
 */
const packSettings = {
  'core.bigFileThreshold': '256m',
  'pack.windowMemory': '256m',
  'pack.threads': '1',
};

interface PackingPlaces {
  /** The object directory, which only the daemon uses. */
  readonly objects: string;
  readonly place: GitPlace;
  readonly refs: Pick<RefStore, 'pack'>;
  readonly unsynced: Pick<Unsynced, 'forget'>;
  /**
   * The number of packs above which the daemon joins packs. When absent, the daemon joins packs only while it packs new
   * loose objects.
   */
  readonly packsMax?: number;
  /** Called after packs were replaced, because running git processes have the old packs open. */
  readonly onReplaced: () => Promise<void>;
  /** A function that runs the packing of objects. The function may do other work before and after the packing. */
  readonly around?: (change: () => Promise<void>) => Promise<void>;
}

interface Pack {
  /** The path of the pack without the file extension. */
  readonly stem: string;
  readonly objects: number;
}

export class Packing {
  readonly #places: PackingPlaces;
  readonly #turns = new Turns();
  #checkpoints = 0;
  #timer: NodeJS.Timeout | undefined;
  #current = new AbortController();
  #isClosed = false;

  constructor(places: PackingPlaces) {
    this.#places = places;
  }

  /** Counts a published checkpoint, and packs in the background when a packing is due. */
  published(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#checkpoints += 1;
    if (this.#checkpoints >= packingLimits.checkpointsMax) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), packingLimits.quietMs).unref();
  }

  /**
   * Packs now.
   * @throws AbortError when it is interrupted, GitFailed, NoSpace, system errors; the repository stays complete
   */
  pack(signal?: AbortSignal): Promise<void> {
    return this.#turns.run(async () => {
      if (this.#isClosed) return;
      this.#checkpoints = 0;
      this.#current = new AbortController();
      const interrupted = this.#current.signal;
      await this.#pack(signal === undefined ? interrupted : AbortSignal.any([interrupted, signal]));
    });
  }

  /** Interrupts a running packing, then runs `work`. No packing starts while `work` runs. */
  whileIdle<T>(work: () => Promise<T>): Promise<T> {
    this.#current.abort();
    return this.#turns.run(work);
  }

  /** Interrupts a running packing. Resolves when the packing has ended. */
  async close(): Promise<void> {
    this.kill();
    await this.#turns.whenIdle();
  }

  kill(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#current.abort();
  }

  /** A failure changes nothing, because no checkpoint depends on packing. The next packing tries again. */
  #begin(): void {
    this.#checkpoints = 0;
    void ended(this.pack());
  }

  async #pack(signal: AbortSignal): Promise<void> {
    const { objects, refs, unsynced, packsMax = Number.POSITIVE_INFINITY, around } = this.#places;
    const loose = await looseObjects(objects, signal);
    const packs = packsIn(objects);
    const isDue =
      loose.length >= packingLimits.looseMin || bytesOf(objects, loose) >= packingLimits.looseBytesMin;
    if (isDue || packs.length > packsMax) {
      const joined = packsToJoin(packs, loose.length);
      const change = (): Promise<void> => this.#packObjects(loose, joined, signal);
      await (around === undefined ? change() : around(change));
    }
    unsynced.forget(await refs.pack(signal, packingLimits.looseRefsMin));
  }

  async #packObjects(loose: readonly string[], joined: readonly Pack[], signal: AbortSignal): Promise<void> {
    const { objects, place, unsynced, onReplaced } = this.#places;
    if (loose.length === 0 && joined.length < 2) return;
    const packed = joined.flatMap(idsIn);
    const directory = join(objects, 'pack');
    const stem = await this.#writePack(new Set([...loose, ...packed]), signal);
    await syncAll([`${stem}.pack`, `${stem}.idx`, `${stem}.rev`], signal);
    await syncAll([directory, objects, place.gitDir], signal);
    const slices = Slices.inBackground(signal);
    const paths = loose.map((id) => looseFile(objects, id));
    for (const path of paths) {
      if (slices.isDue()) await slices.pause();
      files.rmSync(path, { force: true });
    }
    unsynced.forget(paths);
    const old = joined.filter((pack) => pack.stem !== stem);
    if (old.length === 0) return;
    // Removes the index first, because git fails on an index without its pack. If a pack remains without its index, a
    // later opening makes the index.
    for (const pack of old)
      for (const ending of ['idx', 'rev', 'pack']) files.rmSync(`${pack.stem}.${ending}`, { force: true });
    await onReplaced();
  }

  /**
   * Writes a pack of these objects into the directory of packs. Returns the path of the pack without the file
   * extension.
   */
  async #writePack(ids: ReadonlySet<string>, signal: AbortSignal): Promise<string> {
    const { objects, place } = this.#places;
    const args = ['pack-objects', '-q', '--non-empty', '--delta-base-offset', join(objects, 'pack', 'pack')];
    const settings = { ...place.settings, ...packSettings };
    const input = Buffer.from(`${[...ids].join('\n')}\n`, 'latin1');
    const { stdout } = await runGit({ place: { ...place, settings }, args, input, signal });
    const stem = join(objects, 'pack', `pack-${stdout.toString('latin1').trim()}`);
    const isThere = ['pack', 'idx'].every((ending) => files.existsSync(`${stem}.${ending}`));
    gitAnswered(isThere, 'the pack that pack-objects named does not exist');
    const packed = idsIn({ stem });
    const left = packed.reduce((count, id) => count - Number(ids.has(id)), ids.size);
    gitAnswered(left === 0, 'pack-objects left out some objects');
    return stem;
  }
}

/** Returns the ids of the loose objects in a directory of objects. */
async function looseObjects(objects: string, signal: AbortSignal): Promise<string[]> {
  const slices = Slices.inBackground(signal);
  const ids: string[] = [];
  for (const directory of listing(objects)) {
    if (!/^[0-9a-f]{2}$/.test(directory)) continue;
    if (slices.isDue()) await slices.pause();
    for (const name of listing(join(objects, directory)))
      if (/^[0-9a-f]{38}$/.test(name)) ids.push(`${directory}${name}`);
  }
  return ids;
}

/** Returns the total size of these loose objects in bytes. A missing object counts as 0. */
function bytesOf(objects: string, ids: readonly string[]): number {
  let bytes = 0;
  for (const id of ids) bytes += files.statSync(looseFile(objects, id), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

const looseFile = (objects: string, id: string): string => join(objects, id.slice(0, 2), id.slice(2));

/** Returns the packs that may be joined, smallest first. */
function packsIn(objects: string): Pack[] {
  const directory = join(objects, 'pack');
  const names = new Set(listing(directory));
  const packs: Pack[] = [];
  for (const name of names) {
    const stem = name.replace(/\.idx$/, '');
    if (stem === name || !names.has(`${stem}.pack`) || names.has(`${stem}.keep`)) continue;
    const path = join(directory, stem);
    if (files.statSync(`${path}.pack`).size > joinedBytesMax) continue;
    packs.push({ stem: path, objects: indexedCount(`${path}.idx`) });
  }
  return packs.sort((a, b) => a.objects - b.objects);
}

/**
 * Returns the packs to merge into a new pack, smallest first. Stops before a pack with more than twice as many objects
 * as the chosen packs and the loose objects have together. So each object is rewritten only about once per doubling of
 * the number of objects.
 */
function packsToJoin(packs: readonly Pack[], loose: number): readonly Pack[] {
  let total = loose;
  let joined = 0;
  for (const pack of packs) {
    if (total > 0 && pack.objects > 2 * total) break;
    total += pack.objects;
    joined += 1;
  }
  return packs.slice(0, joined);
}

/** Returns the ids of all objects in a pack. @throws GitFailed for a damaged index */
function idsIn({ stem }: Pick<Pack, 'stem'>): string[] {
  const ids = indexedIds(`${stem}.idx`);
  gitAnswered(ids !== undefined, 'the index of a pack has a wrong checksum');
  return ids;
}

const listing = (directory: string): string[] => attemptOr([], isMissing, () => files.readdirSync(directory));
