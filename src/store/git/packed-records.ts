// Caches the records of packed checkpoints in one file. An opening then need not read commits, and need not ask git
// whether the objects of the refs exist. The file names the packs that contain all these objects. A stamp for each pack
// shows a later change of the pack. The cache is valid only while no stamp changes, because git read the commits from
// the bytes of these packs. When in doubt, the opening reads each commit. Only the refs decide which checkpoints exist.
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeAtomically } from '../../base/atomic-file.ts';
import { attempt, isOfSystem } from '../../base/attempt.ts';
import { files } from '../../base/files.ts';
import { indexedIds } from '../../git/objects/pack-index.ts';

/**
 * The cached lines, keyed by the id of the object. A line is the JSON of a commit's record, or '' for any other object
 * to which a ref points.
 */
export type RecordLines = ReadonlyMap<string, string>;

/**
 * For each pack, the stamp of the pack and of its index. The key is the name of the pack without the file extension.
 */
export type PackStamps = ReadonlyMap<string, string>;

const header = 'checkpointd packed records 1';
const none: RecordLines = new Map();

/** Returns the path of the cache in a shadow repository. */
export const recordsFile = (gitDir: string): string => join(gitDir, 'checkpointd', 'packed-records');

export class PackedRecords {
  readonly #packs: string;
  readonly #file: string;

  /** `objects`: a directory of objects that only the daemon uses. */
  constructor(objects: string, file: string) {
    this.#packs = join(objects, 'pack');
    this.#file = file;
  }

  /**
   * Returns the cached lines. Returns an empty map when the file or one of its packs is missing, damaged or changed.
   */
  read(): RecordLines {
    const bytes = attempt(isOfSystem, () => files.readFileSync(this.#file));
    if (bytes === undefined) return none;
    const start = bytes.indexOf(10) + 1;
    const body = bytes.subarray(start);
    if (bytes.toString('latin1', 0, start) !== headOf(body)) return none;
    const [packs = '', ...lines] = body.toString('utf8').split('\n');
    const stamps = this.stamps();
    const isSame = ([name = '', stamp]: readonly string[]): boolean => stamps.get(name) === stamp;
    if (!packs.split(' ').every((pack) => isSame(pack.split('=')))) return none;
    return new Map(lines.map((line) => [line.slice(0, idLength), line.slice(idLength + 1)]));
  }

  /** Returns the stamps of all packs. Call this function before reading the commits; see {@link write}. */
  stamps(): PackStamps {
    const names = attempt(isOfSystem, () => files.readdirSync(this.#packs)) ?? [];
    const stems = names.flatMap((name) => (name.endsWith('.idx') ? [name.slice(0, -'.idx'.length)] : []));
    return new Map(stems.map((stem) => [stem, this.#stampOf(stem)]));
  }

  /**
   * Writes the lines of those objects that are in a pack. `packs` are the stamps that the packs had before the objects
   * were read. Writes nothing when a pack has changed since then. Ignores a failure: without the cache, the next
   * opening reads each commit.
   */
  write(lines: RecordLines, packs: PackStamps): void {
    attempt(isOfSystem, () => {
      const indexes = [...packs.keys()].map((stem) => join(this.#packs, `${stem}.idx`));
      const packed = new Set(indexes.flatMap((index) => indexedIds(index) ?? []));
      const now = this.stamps();
      if ([...packs].some(([stem, stamp]) => now.get(stem) !== stamp)) return;
      const named = [...packs].map((pack) => pack.join('=')).join(' ');
      const kept = [...lines].flatMap(([id, json]) => (packed.has(id) ? [`${id} ${json}`] : []));
      const body = Buffer.from([named, ...kept].join('\n'));
      writeAtomically(this.#file, Buffer.concat([Buffer.from(headOf(body), 'latin1'), body]));
    });
  }

  #stampOf(stem: string): string {
    const parts = ['pack', 'idx'].map((ending) => {
      const path = join(this.#packs, `${stem}.${ending}`);
      const stat = files.lstatSync(path, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? '' : `${stat.ino}.${stat.size}.${stat.ctimeNs}`;
    });
    return parts.join('+');
  }
}

const idLength = 40;

const headOf = (body: Uint8Array): string => `${header} ${crc32(body)}\n`;
