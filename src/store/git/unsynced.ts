// Which objects and refs of a git store may not be on the disk yet, and what brings them there. Git syncs its packs by
// itself and, unless told to, neither loose objects nor refs nor any directory. It changes nothing.
import { dirname, join } from 'node:path';
import { syncAll } from '../../base/atomic-file.ts';
import { systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/** The kernel writes back within a minute what nobody syncs; what an earlier daemon wrote longer ago is on the disk. */
const youngMs = 3_600_000;
/** As many names take some 10 MB; beyond, the disk is asked what is young. */
const knownMax = 100_000;

export interface UnsyncedPlaces {
  /** Where loose objects stay that nothing else syncs. */
  readonly objects?: string;
  /** The directory that `refs` lies in. */
  readonly refsIn: string;
  /** Small files without which the repository is none. */
  readonly besides: readonly string[];
}

export class Unsynced {
  readonly #places: UnsyncedPlaces;
  /** Since the last sync; undefined before the first one, when an earlier daemon may have left anything. */
  #paths: Set<string> | undefined;

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

  /** Everything that was stored and moved before this is called is on the disk when it resolves. */
  async sync(refs: Iterable<string>): Promise<void> {
    const { objects, besides } = this.#places;
    const paths = this.#paths ?? this.#young(refs);
    this.#paths = new Set();
    try {
      const packs = objects === undefined ? [] : listing(join(objects, 'pack'));
      await syncAll([...paths, ...packs, ...besides]);
      await syncAll(this.#directoriesOf([...paths, ...packs, ...besides]));
    } catch (error) {
      for (const path of paths) this.#add(path);
      throw error;
    }
  }

  #add(path: string): void {
    if (this.#paths === undefined) return;
    this.#paths.add(path);
    if (this.#paths.size > knownMax) this.#paths = undefined;
  }

  #young(refs: Iterable<string>): Set<string> {
    const { objects, refsIn } = this.#places;
    const since = Date.now() - youngMs;
    const isYoung = (path: string): boolean =>
      (files.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > since;
    // A directory that got no new name for so long has no new object.
    const directories = objects === undefined ? [] : listing(objects).filter(isYoung);
    const loose = directories.filter((path) => /\/[0-9a-f]{2}$/.test(path)).flatMap(listing);
    const all = [...loose, ...[...refs].map((ref) => join(refsIn, ref))];
    return new Set(all.filter(isYoung));
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
  try {
    return files.readdirSync(directory).map((name) => join(directory, name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
