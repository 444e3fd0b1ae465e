// Stores listed directories as columns of numbers. The next opening can then read a hundred thousand names without
// making an object for each name. A scan compares each directory on disk with its columns. The entries of a
// directory, and its place in the tree, are made only when a scan needs them.
import type { Stamp } from '../base/file-stamp.ts';
import type { Stats } from '../base/files.ts';
import type { BlobId } from '../base/ids.ts';
import type { Directory } from '../tree/tree.ts';
import { join, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { IgnoreScope, RuleChain } from './ignore-rules.ts';
import type { InColumns, Inherited, Subdirectory, WalkedDirectory, WalkedEntry } from './listing.ts';
import type { FileClock } from './settled.ts';

/** The stamps of some files or directories: mtime and ctime in nanoseconds, size and inode, mode. */
interface Stamps {
  readonly times: BigInt64Array;
  readonly numbers: Float64Array;
  readonly modes: Uint32Array;
  readonly flags: Uint8Array;
}

/**
 * Some directories with their names. Each field is a column. `ends` has for each directory the number of names in this
 * directory and in all directories before it. In `names` and in `blobs`, the items are separated by slashes.
 */
export interface StoredColumns {
  readonly paths: readonly TreePath[];
  /** The keys of ignore rules. `above` and `own` are indexes into this list. */
  readonly rules: readonly string[];
  readonly above: Uint32Array;
  readonly own: Uint32Array;
  readonly ends: Uint32Array;
  readonly directories: Stamps;
  readonly names: string;
  readonly blobs: string;
  readonly stamps: Stamps;
}

/** The facts about one directory. Only the rules of the outermost repository apply to this directory. */
interface DirectoryFacts {
  readonly path: TreePath;
  readonly stamp: Stamp;
  readonly isListed?: boolean | undefined;
  /** True when an equal stamp of the directory proves that its names are unchanged. */
  readonly isSettled: boolean;
  /**
   * True when the rows contain every name of the directory, the capture takes all these names, and no rule excludes one
   * of them.
   */
  readonly isWhole: boolean;
  readonly rulesAbove: string;
  readonly rules: string;
}

/** One name in a directory. The capture takes this name, and the content at this name is known. */
export interface RowFacts extends Pick<WalkedEntry, 'isListed' | 'blob'> {
  readonly name: string;
  readonly kind: 'file' | 'link' | 'directory';
  readonly stamp: Stamp;
}

const rowKinds = ['file', 'link', 'directory'] as const;
const kindBits = 3;
const directoryBits = rowKinds.indexOf('directory');
const settledBit = 1;
const wholeBit = 2;
const listedBit = 4;
const notListedBit = 8;

const bitsOfListed = (isListed: boolean | undefined): number =>
  isListed === undefined ? 0 : isListed ? listedBit : notListedBit;

/** Collects directories as columns. */
export class ColumnsBuilder {
  readonly #device: number;
  readonly #rules = new Map<string, number>();
  #paths: TreePath[] = [];
  #above: number[] = [];
  #own: number[] = [];
  #ends: number[] = [];
  #directories = new StampsBuilder();
  #names: string[] = [];
  #blobs: string[] = [];
  #stamps = new StampsBuilder();

  /** `device`: the device of all stamps. */
  constructor(device: number) {
    this.#device = device;
  }

  /** The number of names that {@link take} would return now. */
  get size(): number {
    return this.#names.length;
  }

  /** True when no directory was added since the last call of {@link take}. */
  get isEmpty(): boolean {
    return this.#paths.length === 0;
  }

  add(directory: DirectoryFacts, rows: readonly RowFacts[]): void {
    for (const { name, kind, stamp, blob = '', isListed } of rows) {
      this.#names.push(name);
      this.#blobs.push(blob);
      this.#stamps.add(stamp, rowKinds.indexOf(kind) | bitsOfListed(isListed));
    }
    this.#end(directory);
  }

  /**
   * Adds a directory that is unchanged since it was read. Copies its columns. Returns false for a directory on another
   * device.
   */
  copy(directory: KnownDirectory, facts: DirectoryFacts): boolean {
    const { rows, start, end } = directory;
    if (rows.device !== this.#device) return false;
    for (let row = start; row < end; row += 1) {
      this.#names.push(rows.names[row] ?? '');
      this.#blobs.push(rows.blobs[row] ?? '');
    }
    this.#stamps.copy(rows.columns.stamps, start, end);
    this.#end(facts);
    return true;
  }

  /** Returns the columns of all directories that were added since the last call. */
  take(): StoredColumns {
    const taken: StoredColumns = {
      paths: this.#paths,
      rules: [...this.#rules.keys()],
      above: Uint32Array.from(this.#above),
      own: Uint32Array.from(this.#own),
      ends: Uint32Array.from(this.#ends),
      directories: this.#directories.take(),
      names: this.#names.join('/'),
      blobs: this.#blobs.join('/'),
      stamps: this.#stamps.take(),
    };
    this.#rules.clear();
    [this.#paths, this.#above, this.#own, this.#ends] = [[], [], [], []];
    [this.#names, this.#blobs] = [[], []];
    [this.#directories, this.#stamps] = [new StampsBuilder(), new StampsBuilder()];
    return taken;
  }

  #end({ path, stamp, isListed, isSettled, isWhole, rulesAbove, rules }: DirectoryFacts): void {
    this.#paths.push(path);
    const flags = (isSettled ? settledBit : 0) | (isWhole ? wholeBit : 0) | bitsOfListed(isListed);
    this.#directories.add(stamp, flags);
    this.#above.push(this.#numberOf(rulesAbove));
    this.#own.push(this.#numberOf(rules));
    this.#ends.push(this.#names.length);
  }

  #numberOf(key: string): number {
    const number = this.#rules.get(key) ?? this.#rules.size;
    this.#rules.set(key, number);
    return number;
  }
}

/** Columns that grow. */
class StampsBuilder {
  #length = 0;
  #stamps: Stamps = emptyStamps(64);

  add({ mtimeNs, ctimeNs, size, ino, mode }: Stamp, flags: number): void {
    const at = this.#grow(1);
    const { times, numbers, modes, flags: all } = this.#stamps;
    times[2 * at] = mtimeNs;
    times[2 * at + 1] = ctimeNs;
    numbers[2 * at] = size;
    numbers[2 * at + 1] = ino;
    modes[at] = mode;
    all[at] = flags;
  }

  copy(from: Stamps, start: number, end: number): void {
    const at = this.#grow(end - start);
    this.#stamps.times.set(from.times.subarray(2 * start, 2 * end), 2 * at);
    this.#stamps.numbers.set(from.numbers.subarray(2 * start, 2 * end), 2 * at);
    this.#stamps.modes.set(from.modes.subarray(start, end), at);
    this.#stamps.flags.set(from.flags.subarray(start, end), at);
  }

  take(): Stamps {
    return cut(this.#stamps, this.#length);
  }

  /** Makes room for more stamps. Returns the place of the first new stamp. */
  #grow(more: number): number {
    const at = this.#length;
    this.#length += more;
    if (this.#length > this.#stamps.flags.length) {
      const larger = emptyStamps(Math.max(this.#length, 2 * this.#stamps.flags.length));
      const old = cut(this.#stamps, at);
      larger.times.set(old.times);
      larger.numbers.set(old.numbers);
      larger.modes.set(old.modes);
      larger.flags.set(old.flags);
      this.#stamps = larger;
    }
    return at;
  }
}

function emptyStamps(length: number): Stamps {
  return {
    times: new BigInt64Array(2 * length),
    numbers: new Float64Array(2 * length),
    modes: new Uint32Array(length),
    flags: new Uint8Array(length),
  };
}

function cut({ times, numbers, modes, flags }: Stamps, length: number): Stamps {
  return {
    times: times.slice(0, 2 * length),
    numbers: numbers.slice(0, 2 * length),
    modes: modes.slice(0, length),
    flags: flags.slice(0, length),
  };
}

const noRules: RuleChain = { key: '', hasRules: true };

/** Columns that were read from the list of known files. */
export class KnownColumns {
  readonly columns: StoredColumns;
  readonly device: number;
  /** The clock of the file system when a scan made the columns, in milliseconds since 1970. */
  readonly reachedMs: number;
  readonly names: readonly string[];
  /** The ignore rules in the columns. */
  readonly chains: readonly RuleChain[];
  #blobs: readonly string[] | undefined;

  constructor(columns: StoredColumns, { device, reachedMs }: Pick<FileClock, 'device' | 'reachedMs'>) {
    this.columns = columns;
    this.device = device;
    this.reachedMs = reachedMs;
    this.names = columns.names.split('/');
    this.chains = columns.rules.map((key) => ({ key, hasRules: true }));
  }

  get blobs(): readonly string[] {
    this.#blobs ??= this.columns.blobs.split('/');
    return this.#blobs;
  }

  get length(): number {
    return this.columns.paths.length;
  }

  /** Returns a directory with the scope of the outermost repository. */
  directory(index: number, scope: IgnoreScope): KnownDirectory {
    return new KnownDirectory(this, index, scope);
  }

  flags(index: number): number {
    return this.columns.directories.flags[index] ?? 0;
  }

  isWhole(index: number): boolean {
    return (this.flags(index) & wholeBit) !== 0;
  }

  isDirectory(row: number): boolean {
    return ((this.columns.stamps.flags[row] ?? 0) & kindBits) === directoryBits;
  }

  entries(index: number): Map<string, WalkedEntry> {
    const entries = new Map<string, WalkedEntry>();
    const { names, blobs, columns } = this;
    const isWhole = this.isWhole(index);
    const end = columns.ends[index] ?? 0;
    for (let row = columns.ends[index - 1] ?? 0; row < end; row += 1) {
      const flags = columns.stamps.flags[row] ?? 0;
      const kind = rowKinds[flags & kindBits] ?? 'directory';
      entries.set(names[row] ?? '', {
        kind,
        stamp: stampAt(columns.stamps, row, this.device),
        ignored: isWhole ? false : undefined,
        taken: true,
        blob: kind === 'directory' ? undefined : (blobs[row] as BlobId),
        settled: kind !== 'directory',
        seenAt: 0,
        isListed: isListedBy(flags),
      });
    }
    return entries;
  }

  stampOfDirectory(index: number): Stamp {
    return stampAt(this.columns.directories, index, this.device);
  }
}

/**
 * The difference at which two times count as different, in nanoseconds. A number of milliseconds is exact to 0.25 µs.
 * Stats with exact times take twice as long, because they are made of eighteen big integers. A later change differs by
 * much more: a stamp proves something only some milliseconds after its own time.
 */
const differentNs = 1000;

/** True when the stats equal the stamp at this place. */
function isAt({ times, numbers, modes }: Stamps, at: number, dev: number, stats: Stats): boolean {
  return (
    Math.abs(Number(times[2 * at + 1]) - 1e6 * stats.ctimeMs) < differentNs &&
    Math.abs(Number(times[2 * at]) - 1e6 * stats.mtimeMs) < differentNs &&
    stats.size === numbers[2 * at] &&
    stats.ino === numbers[2 * at + 1] &&
    stats.mode === modes[at] &&
    stats.dev === dev
  );
}

function stampAt({ times, numbers, modes }: Stamps, at: number, dev: number): Stamp {
  return {
    mtimeNs: times[2 * at] ?? 0n,
    ctimeNs: times[2 * at + 1] ?? 0n,
    size: numbers[2 * at] ?? -1,
    ino: numbers[2 * at + 1] ?? -1,
    dev,
    mode: modes[at] ?? 0,
  };
}

/**
 * A directory whose entries are in columns. The object has no field for what the columns say, because a reopened
 * session has one object for each directory of the work tree.
 */
export class KnownDirectory implements InColumns {
  readonly rows: KnownColumns;
  readonly index: number;
  readonly scope: IgnoreScope;
  isSettled: boolean;
  isUnchanged = false;
  made: Directory | undefined;
  isListed: boolean | undefined;
  #inherited: Inherited | undefined;
  #chain: RuleChain | undefined;
  #stamp: Stamp | undefined;
  #entries: Map<string, WalkedEntry> | undefined;
  #below: readonly Subdirectory[] | undefined;

  constructor(rows: KnownColumns, index: number, scope: IgnoreScope) {
    this.rows = rows;
    this.index = index;
    this.scope = scope;
    const flags = rows.flags(index);
    this.isSettled = (flags & settledBit) !== 0;
    this.isListed = isListedBy(flags);
  }

  get path(): TreePath {
    return this.rows.columns.paths[this.index] ?? rootPath;
  }

  get inherited(): Inherited {
    const { rows, path, index, scope } = this;
    const chain = rows.chains[rows.columns.above[index] ?? 0] ?? noRules;
    return (
      this.#inherited ?? { path, mode: 'rules', scope, chain, previous: undefined, alsoInclude: undefined }
    );
  }

  get chain(): RuleChain {
    const { rows, index } = this;
    return this.#chain ?? rows.chains[rows.columns.own[index] ?? 0] ?? noRules;
  }

  get hasGit(): false {
    return false;
  }

  get start(): number {
    return this.rows.columns.ends[this.index - 1] ?? 0;
  }

  get end(): number {
    return this.rows.columns.ends[this.index] ?? 0;
  }

  get device(): number {
    return this.rows.device;
  }

  get known(): this {
    return this;
  }

  get isWhole(): boolean {
    return this.rows.isWhole(this.index);
  }

  /** True when the columns describe the directory completely, and everything in them is still valid. */
  get isAsRead(): boolean {
    const { columns } = this.rows;
    const flags = this.rows.flags(this.index);
    const read = wholeBit | (this.isSettled ? settledBit : 0) | bitsOfListed(this.isListed);
    const isSameRules =
      columns.rules[columns.above[this.index] ?? 0] === this.inherited.chain.key &&
      columns.rules[columns.own[this.index] ?? 0] === this.chain.key;
    return this.isUnchanged && flags === read && isSameRules;
  }

  get stamp(): Stamp {
    this.#stamp ??= this.rows.stampOfDirectory(this.index);
    return this.#stamp;
  }

  get entries(): Map<string, WalkedEntry> {
    this.#entries ??= this.rows.entries(this.index);
    return this.#entries;
  }

  get below(): readonly Subdirectory[] {
    this.#below ??= this.#readBelow();
    return this.#below;
  }

  set below(below: readonly Subdirectory[]) {
    this.#below = below;
  }

  unchanged(inherited: Inherited, chain: RuleChain, isSettled: boolean): KnownDirectory {
    // Only the scan that read the columns knows an object that no scan has found unchanged. So this scan needs no copy,
    // unless the copy would differ in what the scan looks up in the earlier listing.
    const isOwn = !this.isUnchanged && this.isSettled === isSettled;
    const same = isOwn ? this : this.#copy();
    same.isUnchanged = true;
    same.isSettled = isSettled;
    same.#inherited = inherited;
    same.#chain = chain;
    return same;
  }

  #copy(): KnownDirectory {
    const copy = new KnownDirectory(this.rows, this.index, this.scope);
    copy.made = this.made;
    copy.isListed = this.isListed;
    copy.#stamp = this.#stamp;
    copy.#entries = this.#entries;
    copy.#below = this.#below;
    return copy;
  }

  plain(): WalkedDirectory {
    const { path, inherited, stamp, scope, chain, entries, isListed } = this;
    const { isSettled, hasGit, isUnchanged, below, made } = this;
    return {
      path,
      inherited,
      stamp,
      scope,
      chain,
      entries,
      isListed,
      isSettled,
      hasGit,
      isUnchanged,
      below,
      made,
    };
  }

  has(name: string): boolean {
    if (this.#entries !== undefined) return this.#entries.has(name);
    for (let row = this.start; row < this.end; row += 1) if (this.rows.names[row] === name) return true;
    return false;
  }

  nameAt(row: number): string {
    return this.rows.names[row] ?? '';
  }

  isDirectoryAt(row: number): boolean {
    return this.rows.isDirectory(row);
  }

  isSame(row: number, stats: Stats): boolean {
    const { columns, device } = this.rows;
    if (!this.rows.isDirectory(row)) return isAt(columns.stamps, row, device, stats);
    const ino = columns.stamps.numbers[2 * row + 1];
    return stats.ino === ino && stats.dev === device && stats.isDirectory();
  }

  hasStamp(stats: Stats): boolean {
    return isAt(this.rows.columns.directories, this.index, this.rows.device, stats);
  }

  #readBelow(): readonly Subdirectory[] {
    const below: Subdirectory[] = [];
    for (let row = this.start; row < this.end; row += 1) {
      if (!this.rows.isDirectory(row)) continue;
      const name = this.rows.names[row] ?? '';
      below.push({ name, path: join(this.path, name) });
    }
    return below;
  }
}

function isListedBy(flags: number): boolean | undefined {
  return (flags & listedBit) !== 0 ? true : (flags & notListedBit) !== 0 ? false : undefined;
}
