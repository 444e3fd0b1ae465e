// What is known of files, packed in columns: names, stamps and content ids, one row a name, directory by directory. It
// says how the bytes lie, and neither whether they are to be believed nor where they are kept.
import type { Stamp } from '../../base/file-stamp.ts';
import { given } from '../../base/given.ts';
import type { BlobId } from '../../base/ids.ts';
import { join, type TreePath } from '../../tree/tree-path.ts';
import type { Subdirectory, WalkedEntry } from '../listing.ts';

/** A directory as it was listed, and what is known of the names in it. */
export interface KnownDirectory {
  readonly path: TreePath;
  readonly stamp: Stamp;
  readonly isListed?: boolean;
  /** Whether an equal stamp proves equal names. */
  readonly isSettled: boolean;
  /** Every name in it is here, is taken, and no rule excludes it. */
  readonly isWhole: boolean;
  /** The keys of the rules that held above it and in it. */
  readonly rulesAbove: string;
  readonly rules: string;
  readonly entries: Map<string, WalkedEntry>;
  readonly below: readonly Subdirectory[];
}

/** How many of each there are. */
export interface ColumnSizes {
  readonly rows: number;
  readonly directories: number;
  /** Bytes of a content's id. */
  readonly blob: number;
}

/** The kind of a row, in the lower bits of its flags. */
const kinds = ['itself', 'file', 'link', 'directory'] as const;
type RowKind = (typeof kinds)[number];
const kindMask = 3;
/** Whether an access list was asked for, and found. */
const [askedBit, listedBit] = [4, 8];
/** Of a directory itself. */
const [settledBit, wholeBit] = [16, 32];

/** One column after the other, the widest first, so that each begins where its numbers may. */
class Columns {
  readonly mtimes: BigInt64Array;
  readonly ctimes: BigInt64Array;
  readonly sizes: Float64Array;
  readonly inodes: Float64Array;
  readonly modes: Uint32Array;
  /** Of each directory: the rules above it and in it, as numbers of keys, and its rows. */
  readonly directories: Uint32Array;
  readonly flags: Uint8Array;
  readonly blobs: Buffer;

  constructor(bytes: ArrayBuffer, { rows, directories, blob }: ColumnSizes) {
    let at = 0;
    const next = (size: number): number => {
      at += size;
      return at - size;
    };
    this.mtimes = new BigInt64Array(bytes, next(rows * 8), rows);
    this.ctimes = new BigInt64Array(bytes, next(rows * 8), rows);
    this.sizes = new Float64Array(bytes, next(rows * 8), rows);
    this.inodes = new Float64Array(bytes, next(rows * 8), rows);
    this.modes = new Uint32Array(bytes, next(rows * 4), rows);
    this.directories = new Uint32Array(bytes, next(directories * 12), directories * 3);
    this.flags = new Uint8Array(bytes, next(rows), rows);
    this.blobs = Buffer.from(bytes, next(rows * blob), rows * blob);
  }

  static bytes({ rows, directories, blob }: ColumnSizes): number {
    return rows * (37 + blob) + directories * 12;
  }
}

/** Packs what it is given; `rowsMax` and `directoriesMax` may be more than come. */
export class ColumnPacker {
  readonly #columns: Columns;
  readonly #blob: number;
  readonly #names: string[] = [];
  readonly #keys = new Map<string, number>();
  #rows = 0;
  #directories = 0;

  constructor(rowsMax: number, directoriesMax: number, blob: number) {
    const sizes = { rows: rowsMax, directories: directoriesMax, blob };
    this.#columns = new Columns(new ArrayBuffer(Columns.bytes(sizes)), sizes);
    this.#blob = blob;
  }

  add({ path, stamp, entries, ...of }: Omit<KnownDirectory, 'below'>): void {
    const at = this.#directories * 3;
    const { directories } = this.#columns;
    directories[at] = this.#key(of.rulesAbove);
    directories[at + 1] = this.#key(of.rules);
    this.#directories += 1;
    const bits = (of.isSettled ? settledBit : 0) | (of.isWhole ? wholeBit : 0);
    const first = this.#rows;
    this.#row(path, 'itself', stamp, of.isListed, undefined, bits);
    for (const [name, { kind, stamp: of, isListed, blob }] of entries) {
      if (of === undefined || (kind !== 'file' && kind !== 'link' && kind !== 'directory')) continue;
      this.#row(name, kind, of, isListed, blob, 0);
    }
    directories[at + 2] = this.#rows - first - 1;
  }

  /** The columns that were filled, and what is needed to read them again. */
  packed(): { readonly bytes: readonly Uint8Array[]; readonly sizes: ColumnSizes; readonly keys: string[] } {
    const rows = this.#rows;
    const { mtimes, ctimes, sizes, inodes, modes, directories, flags, blobs } = this.#columns;
    const names = Buffer.from(this.#names.join('\0'), 'latin1');
    const parts = [mtimes, ctimes, sizes, inodes, modes].map((column) => column.subarray(0, rows));
    const bytes = [
      ...parts,
      directories.subarray(0, this.#directories * 3),
      flags.subarray(0, rows),
      blobs.subarray(0, rows * this.#blob),
      names,
    ].map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    const counts = { rows, directories: this.#directories, blob: this.#blob };
    return { bytes, sizes: counts, keys: [...this.#keys.keys()] };
  }

  #row(
    name: string,
    kind: RowKind,
    stamp: Stamp,
    isListed: boolean | undefined,
    blob: BlobId | undefined,
    bits: number,
  ): void {
    const row = this.#rows;
    this.#rows += 1;
    this.#names.push(name);
    const columns = this.#columns;
    columns.mtimes[row] = stamp.mtimeNs;
    columns.ctimes[row] = stamp.ctimeNs;
    columns.sizes[row] = stamp.size;
    columns.inodes[row] = stamp.ino;
    columns.modes[row] = stamp.mode;
    const listed = isListed === undefined ? 0 : askedBit | (isListed ? listedBit : 0);
    columns.flags[row] = kinds.indexOf(kind) | listed | bits;
    if (blob !== undefined) columns.blobs.write(blob, row * this.#blob, this.#blob, 'hex');
  }

  #key(key: string): number {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    this.#keys.set(key, this.#keys.size);
    return this.#keys.size - 1;
  }
}

/** Reads packed columns, directory by directory. */
export function* unpack(
  packed: Uint8Array,
  sizes: ColumnSizes,
  keys: readonly string[],
  device: number,
): Generator<KnownDirectory> {
  const length = Columns.bytes(sizes);
  // A copy, since the columns have to begin where their numbers may.
  const bytes = new ArrayBuffer(length);
  new Uint8Array(bytes).set(packed.subarray(0, length));
  const names = Buffer.from(packed.subarray(length)).toString('latin1').split('\0');
  yield* unpackAll(new Columns(bytes, sizes), names, sizes, keys, device);
}

function* unpackAll(
  columns: Columns,
  names: readonly string[],
  { directories, blob }: ColumnSizes,
  keys: readonly string[],
  dev: number,
): Generator<KnownDirectory> {
  let row = 0;
  const at = (index: number): number => columns.directories[index] ?? 0;
  for (let directory = 0; directory < directories * 3; directory += 3) {
    const path = (names[row] ?? '') as TreePath;
    const [stamp, flags] = [stampAt(columns, row, dev), columns.flags[row] ?? 0];
    const isWhole = (flags & wholeBit) !== 0;
    const entries = new Map<string, WalkedEntry>();
    const below: Subdirectory[] = [];
    const end = row + at(directory + 2);
    for (row += 1; row <= end; row += 1) {
      const name = names[row] ?? '';
      const kind = kinds[(columns.flags[row] ?? 0) & kindMask];
      if (kind === undefined || kind === 'itself') continue;
      const id =
        kind === 'directory' ? undefined : columns.blobs.toString('hex', row * blob, (row + 1) * blob);
      const entry: WalkedEntry = {
        kind,
        stamp: stampAt(columns, row, dev),
        ignored: isWhole ? false : undefined,
        taken: true,
        blob: id as BlobId | undefined,
        settled: kind !== 'directory',
        seenAt: 0,
      };
      const isListed = listedBy(columns.flags[row] ?? 0);
      if (isListed !== undefined) entry.isListed = isListed;
      entries.set(name, entry);
      if (kind === 'directory') below.push({ name, path: join(path, name) });
    }
    const [rulesAbove = '', rules = ''] = [keys[at(directory)], keys[at(directory + 1)]];
    const isSettled = (flags & settledBit) !== 0;
    const isListed = listedBy(flags);
    yield { path, stamp, isSettled, isWhole, rulesAbove, rules, entries, below, ...given({ isListed }) };
  }
}

function stampAt(columns: Columns, row: number, dev: number): Stamp {
  return {
    mtimeNs: columns.mtimes[row] ?? 0n,
    ctimeNs: columns.ctimes[row] ?? 0n,
    size: columns.sizes[row] ?? -1,
    ino: columns.inodes[row] ?? -1,
    dev,
    mode: columns.modes[row] ?? 0,
  };
}

function listedBy(flags: number): boolean | undefined {
  return (flags & askedBit) === 0 ? undefined : (flags & listedBit) !== 0;
}
