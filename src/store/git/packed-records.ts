// Caches the records of packed checkpoints in one file. An opening then need not read commits, and need not ask git
// whether the objects of the refs exist. The file lists the packs that contain all these objects. A stamp for each
// pack shows a later change of the pack. A changed pack may have lost objects, so the cache is valid only while no
// stamp changes. When in doubt, the opening reads each commit. Only the refs decide which checkpoints exist.
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
export type RecordLines = Pick<ReadonlyMap<string, string>, 'get' | 'has'>;

/**
 * For each pack, the stamp of the pack and of its index. The key is the name of the pack without the file extension.
 */
type PackStamps = ReadonlyMap<string, string>;

const header = 'checkpointd packed records 1';
const none: RecordLines = new Map();

/** Returns the path of the cache in a shadow repository. */
export const recordsFile = (gitDir: string): string => join(gitDir, 'checkpointd', 'packed-records');

export class PackedRecords {
  readonly #packs: string;
  readonly #file: string;
  #kept: CachedLines | undefined;

  /** `objects`: a directory of objects that only the daemon uses. */
  constructor(objects: string, file: string) {
    this.#packs = join(objects, 'pack');
    this.#file = file;
  }

  /**
   * Returns the cached lines. Returns no lines when the file is missing or damaged, or when a pack in the file has a
   * different stamp in `stamps`.
   */
  read(stamps: PackStamps = this.stamps()): RecordLines {
    const lines = this.#kept ?? this.#linesInFile();
    this.#kept = undefined;
    return lines?.isOf(stamps) === true ? lines : none;
  }

  /** Returns the cached lines like {@link read}, and keeps them in memory for the next call of `read`. */
  readAhead(): RecordLines {
    this.#kept = this.#linesInFile();
    return this.#kept?.isOf(this.stamps()) === true ? this.#kept : none;
  }

  #linesInFile(): CachedLines | undefined {
    const bytes = attempt(isOfSystem, () => files.readFileSync(this.#file));
    if (bytes === undefined) return undefined;
    const start = bytes.indexOf(newline) + 1;
    const body = bytes.subarray(start);
    return bytes.toString('latin1', 0, start) === headOf(crc32(body)) ? new CachedLines(body) : undefined;
  }

  /** Returns the stamps of all packs. Call this function before reading the commits; see {@link write}. */
  stamps(): PackStamps {
    const names = attempt(isOfSystem, () => files.readdirSync(this.#packs)) ?? [];
    const stems = names.flatMap((name) => (name.endsWith('.idx') ? [name.slice(0, -'.idx'.length)] : []));
    return new Map(stems.map((stem) => [stem, this.#stampOf(stem)]));
  }

  /**
   * Writes the lines of those objects that are in a pack. `packs` are the stamps that the packs had before the objects
   * were read. Writes nothing if the stamp of a pack has changed. Ignores a failure: without the cache, the next
   * opening reads each commit.
   */
  write(lines: Iterable<readonly [id: string, json: string]>, packs: PackStamps): void {
    attempt(isOfSystem, () => {
      const indexes = [...packs.keys()].map((stem) => join(this.#packs, `${stem}.idx`));
      const packed = new Set(indexes.flatMap((index) => indexedIds(index) ?? []));
      const now = this.stamps();
      if ([...packs].some(([stem, stamp]) => now.get(stem) !== stamp)) return;
      const parts = [Buffer.from([...packs].map((pack) => pack.join('=')).join(' '))];
      for (const [id, json] of lines) if (packed.has(id)) parts.push(Buffer.from(`\n${id} ${json}`));
      const sum = parts.reduce((before, part) => crc32(part, before), 0);
      writeAtomically(this.#file, Buffer.concat([Buffer.from(headOf(sum), 'latin1'), ...parts]));
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
const newline = 10;

const headOf = (sum: number): string => `${header} ${sum}\n`;

/** The lines of one file. Makes the text of a line only when it is needed, because a long session has many lines. */
class CachedLines {
  readonly #body: Buffer;
  /** The position at which the first line ends. The first line names the packs. */
  readonly #packsEnd: number;
  /** The position at which the line of each object begins. */
  readonly #starts = new Map<string, number>();

  constructor(body: Buffer) {
    this.#body = body;
    this.#packsEnd = this.#endFrom(0);
    for (let at = this.#packsEnd + 1; at < body.length; at = this.#endFrom(at) + 1)
      this.#starts.set(body.toString('latin1', at, at + idLength), at);
  }

  /** True when every pack in the cache's list is also in `stamps`, with an equal stamp. */
  isOf(stamps: PackStamps): boolean {
    const packs = this.#body.toString('utf8', 0, this.#packsEnd).split(' ');
    const isSame = ([name = '', stamp]: readonly string[]): boolean => stamps.get(name) === stamp;
    return packs.every((pack) => isSame(pack.split('=')));
  }

  has(id: string): boolean {
    return this.#starts.has(id);
  }

  get(id: string): string | undefined {
    const start = this.#starts.get(id);
    return start === undefined
      ? undefined
      : this.#body.toString('utf8', start + idLength + 1, this.#endFrom(start));
  }

  #endFrom(at: number): number {
    const end = this.#body.indexOf(newline, at);
    return end < 0 ? this.#body.length : end;
  }
}
