// Stores the list of the files that a session had when it was last open (the known files). After the next opening, the
// first capture can compare stamps instead of reading files. The list of known files is a file beside the session's
// log. For each content, the list records the stamp that the file had when the content was read. The capture checks
// that the snapshot has this content and that the file still has this stamp. The list is only a cache; it is ignored if
// any part of it is doubtful.
import { createHash, randomBytes } from 'node:crypto';
import { Deserializer, Serializer } from 'node:v8';
import { attempt, isA, isOfSystem } from '../base/attempt.ts';
import { directoryAt } from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import type { SnapshotId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { bootId } from '../base/process-lock.ts';
import type { Slices } from '../base/slices.ts';
import { asDirectory, type Directory, nodeAt } from '../tree/tree.ts';
import { rootPath, type TreePath } from '../tree/tree-path.ts';
import type { IgnoreScope } from './ignore-rules.ts';
import {
  ColumnsBuilder,
  KnownColumns,
  KnownDirectory,
  type RowFacts,
  type StoredColumns,
} from './known-rows.ts';
import {
  type KnownTrees,
  readTrees,
  type StoredTree,
  storedTree,
  type WrittenDirectory,
} from './known-tree.ts';
import {
  deviceOf,
  type EarlierListings,
  type Listings,
  nameCount,
  type WalkedDirectory,
  type WalkedEntry,
} from './listing.ts';
import { assemble } from './scan-result.ts';
import { areNamesSettled, type FileClock, isSettled } from './settled.ts';

interface KnownFilesOptions {
  readonly file: string;
  /** The path of the work tree. */
  readonly root: string;
  /**
   * The settings that select files, apart from the ignore rules. A list that was written with other settings is
   * ignored.
   */
  readonly settings: string;
  readonly settleMs: number;
  readonly log: Log;
}

/** The head of the list of known files. The head is the first value in the list. */
interface Header {
  readonly root: string;
  readonly settings: string;
  readonly device: number;
  readonly boot: string | undefined;
  /** The time of the scan, according to the clock of the file system. */
  readonly reachedMs: number;
}

/** The list of known files in memory. */
interface Loaded {
  readonly header: Header;
  readonly all: readonly KnownColumns[];
  readonly stored: StoredTree | undefined;
  readonly trees: KnownTrees;
}

/**
 * A content that was written at least this long before the machine stopped is on the disk. After a power cut, a file
 * that was written later may have its new stamp but not its new content.
 */
const onDiskMs = 600_000;
/** The maximum number of names in a list. Writing more names would take too much memory. */
const rowsMax = 4_000_000;
/** The minimum time between two background writes, because the cost of a write grows with the size of the tree. */
const seldomMs = 600_000;

export class KnownFiles {
  readonly #options: KnownFilesOptions;
  /** The listings that were written last, for comparison. A weak reference does not keep the listings in memory. */
  #written: { readonly listings: WeakRef<Listings>; readonly atMs: number } | undefined;
  /** The loaded file. Present from the first call of {@link tree} until the call of {@link read}. */
  #loaded: Promise<Loaded | undefined> | undefined;

  constructor(options: KnownFilesOptions) {
    this.#options = options;
  }

  /**
   * Returns the tree of a snapshot, if the session wrote this tree when it was last open. `ids` are the ids of all
   * directories in the tree. The caller must check that the store still has these directories.
   */
  async tree(
    snapshot: SnapshotId,
    slices: Slices,
  ): Promise<{ readonly root: Directory; readonly ids: readonly string[] } | undefined> {
    this.#loaded ??= this.#load(slices);
    const loaded = await this.#loaded;
    const root = loaded?.stored?.snapshot === snapshot ? loaded.trees.get(rootPath) : undefined;
    if (loaded === undefined || root === undefined) return undefined;
    return { root, ids: [...loaded.trees.values()].map(({ sealed }) => sealed) };
  }

  /**
   * Returns the listings that the last opening wrote, for a scan that builds on `previous`. Returns undefined when the
   * listings cannot be trusted. `scope`: the current rules of the outermost repository.
   */
  async read(
    previous: Directory,
    scope: IgnoreScope,
    clock: FileClock,
    slices: Slices,
  ): Promise<EarlierListings | undefined> {
    if (!clock.isLocal) return undefined;
    const loaded = await (this.#loaded ?? this.#load(slices));
    this.#loaded = undefined;
    if (loaded === undefined) return undefined;
    const { header, all, trees } = loaded;
    const isSame = header.root === this.#rootKey() && header.settings === this.#options.settings;
    if (!isSame || header.device !== clock.device) return undefined;
    const isSameBoot = header.boot !== undefined && header.boot === bootId();
    const believedNs = isSameBoot ? undefined : BigInt(Math.floor(header.reachedMs - onDiskMs)) * 1_000_000n;
    const found = new Map<TreePath, WalkedDirectory>();
    const known = trees.get(rootPath) === previous ? trees : undefined;
    for (const rows of all) {
      for (let index = 0; index < rows.length; index += 1) {
        if (slices.isDue()) await slices.pause();
        const directory = rows.directory(index, scope);
        directory.made = madeOf(directory, previous, known);
        found.set(directory.path, believedNs === undefined ? directory : believed(directory, believedNs));
      }
    }
    return found;
  }

  async #load(slices: Slices): Promise<Loaded | undefined> {
    const { file, log } = this.#options;
    const bytes = await bytesOf(file);
    if (bytes === undefined) return undefined;
    const values = bytes === 'notRegular' ? undefined : await valuesOf(bytes, slices);
    if (values === undefined) {
      log.info(`${file} is damaged or of another version, so the capture reads every file again.`);
      return undefined;
    }
    const header = values.readValue() as Header;
    const all: KnownColumns[] = [];
    for (let rows = nextRows(values); rows !== null; rows = nextRows(values)) {
      if (slices.isDue()) await slices.pause();
      all.push(new KnownColumns(rows, header));
    }
    const stored = values.readValue() as StoredTree | undefined;
    return { header, all, stored, trees: stored === undefined ? new Map() : readTrees(stored, all) };
  }

  /**
   * Writes the listings of a scan. `clock`: the clock of the file system at the time of the scan. `snapshot`: the
   * snapshot that the scan has made, if it was stored. `isSeldom`: true to skip the write if the last write was a short
   * time ago. When the file cannot be written, the next opening reads every file.
   * @throws AbortError
   */
  async write(
    listings: Listings,
    clock: FileClock,
    slices: Slices,
    { snapshot, isSeldom }: { readonly snapshot: SnapshotId | undefined; readonly isSeldom: boolean },
  ): Promise<void> {
    const atMs = performance.now();
    const [last, rootKey] = [this.#written, this.#rootKey()];
    if (last?.listings.deref() === listings || !clock.isLocal || rootKey === undefined) return;
    if (isSeldom && last !== undefined && atMs - last.atMs < seldomMs) return;
    const plain = await plainDirectories(listings, clock, slices);
    if (plain === undefined) return;
    const { file, settings, settleMs, log } = this.#options;
    const { device, reachedMs } = clock;
    const values = new Serializer();
    values.writeHeader();
    values.writeValue({ root: rootKey, settings, device, boot: bootId(), reachedMs } satisfies Header);
    const written = await writeRows(values, plain, { clock, settleMs, slices });
    const root = listings.get(rootPath)?.made;
    const isStored = snapshot !== undefined && root !== undefined;
    values.writeValue(isStored ? storedTree(snapshot, root, written) : undefined);
    values.writeValue(undefined);
    try {
      await writeWhole(file, values.releaseBuffer(), slices);
      this.#written = { listings: new WeakRef(listings), atMs };
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      log.info(`The daemon could not write the list of known files for the next opening: ${String(error)}`);
    }
  }

  /** Returns the identity of the work tree's directory. The identity stays the same after a reboot. */
  #rootKey(): string | undefined {
    const { root } = this.#options;
    // The scan itself reports this error.
    return attempt(isOfSystem, () => {
      const identity = directoryAt(root);
      return identity && `${identity.inode}:${identity.birth}:${root}`;
    });
  }
}

/** Returns the next columns, or null after the last columns. */
const nextRows = (values: Deserializer): StoredColumns | null => values.readValue() as StoredColumns | null;

/**
 * The number of names in one column. A write pauses for the event loop between two columns, and so does a read. A write
 * copies whole columns if nothing has changed in them, so small columns make the write after one edit fast.
 */
const rowsAtOnce = 1000;

interface Writing {
  readonly clock: FileClock;
  readonly settleMs: number;
  readonly slices: Slices;
}

/**
 * Returns the directories to which only the rules of the outermost repository apply. Returns undefined when the listings
 * have too many names.
 */
async function plainDirectories(
  listings: Listings,
  clock: FileClock,
  slices: Slices,
): Promise<WalkedDirectory[] | undefined> {
  const scope = listings.get(rootPath)?.scope;
  const plain: WalkedDirectory[] = [];
  let rows = 0;
  for (const [, directory] of listings) {
    if (slices.isDue()) await slices.pause();
    rows += nameCount(directory) + 1;
    if (isPlain(directory, scope, clock)) plain.push(directory);
  }
  return rows > rowsMax ? undefined : plain;
}

/** Writes these directories. Returns them in the order in which they were written. */
async function writeRows(
  values: Serializer,
  plain: readonly WalkedDirectory[],
  { clock, settleMs, slices }: Writing,
): Promise<WrittenDirectory[]> {
  const builder = new ColumnsBuilder(clock.device);
  const written: WrittenDirectory[] = [];
  /** The number of directories in {@link plain} whose columns were copied. */
  let copied = 0;
  for (const [at, directory] of plain.entries()) {
    if (slices.isDue()) await slices.pause();
    const columns = at < copied ? undefined : unchangedColumns(plain, at, clock);
    if (columns !== undefined) {
      if (!builder.isEmpty) values.writeValue(builder.take());
      values.writeValue(columns);
      copied = at + columns.paths.length;
    }
    written.push({ directory, isWhole: at < copied || addTo(builder, directory, clock, settleMs) });
    if (builder.size >= rowsAtOnce) values.writeValue(builder.take());
  }
  values.writeValue(builder.take());
  values.writeValue(null);
  return written;
}

/**
 * Returns the columns that the next directories were read from, if these directories still need exactly these columns.
 * Ignores small columns, so that a write merges them.
 */
function unchangedColumns(
  plain: readonly WalkedDirectory[],
  at: number,
  clock: FileClock,
): StoredColumns | undefined {
  const first = plain[at];
  if (!(first instanceof KnownDirectory) || first.index !== 0) return undefined;
  const { rows } = first;
  if (rows.names.length < rowsAtOnce / 2 || rows.device !== clock.device) return undefined;
  // The flags say which stamps were settled at that time. These stamps are settled now unless the clock was set back.
  if (rows.reachedMs > clock.reachedMs) return undefined;
  for (let index = 0; index < rows.length; index += 1) {
    const directory = plain[at + index];
    const isNext =
      directory instanceof KnownDirectory && directory.rows === rows && directory.index === index;
    if (!isNext || !directory.isAsRead) return undefined;
  }
  return rows.columns;
}

/** True when only the rules of the outermost repository apply to the directory. */
function isPlain(directory: WalkedDirectory, scope: IgnoreScope | undefined, clock: FileClock): boolean {
  const { inherited } = directory;
  return (
    directory.failure === undefined &&
    directory.gitDirectory === undefined &&
    !directory.hasGit &&
    directory.scope === scope &&
    inherited.mode === 'rules' &&
    inherited.alsoInclude === undefined &&
    deviceOf(directory) === clock.device
  );
}

/** Adds a directory to the columns. Returns true if there is a row for each name in the directory. */
function addTo(
  builder: ColumnsBuilder,
  directory: WalkedDirectory,
  clock: FileClock,
  settleMs: number,
): boolean {
  const { path, stamp, inherited, chain, isListed } = directory;
  const facts = {
    path,
    stamp,
    isListed,
    isSettled: directory.isSettled && areNamesSettled(stamp, clock),
    rulesAbove: inherited.chain.key,
    rules: chain.key,
  };
  const isKnown = directory instanceof KnownDirectory && directory.isWhole && directory.isUnchanged;
  if (isKnown && builder.copy(directory, { ...facts, isWhole: true })) return true;
  const rows: RowFacts[] = [];
  let isWhole = true;
  for (const [name, entry] of directory.entries) {
    const row = rowOf(name, entry, clock, settleMs);
    if (row !== undefined) rows.push(row);
    isWhole &&= row !== undefined && entry.ignored === false;
  }
  builder.add({ ...facts, isWhole }, rows);
  return isWhole;
}

/** Returns the row of a name. Returns undefined for a name that a later opening has to check again. */
function rowOf(name: string, entry: WalkedEntry, clock: FileClock, settleMs: number): RowFacts | undefined {
  const { kind, stamp, taken, blob, isListed } = entry;
  if (!taken || stamp === undefined || stamp.dev !== clock.device) return undefined;
  if (kind === 'directory') return { name, kind, stamp, blob: undefined, isListed };
  if ((kind !== 'file' && kind !== 'link') || entry.unread !== undefined || entry.links !== undefined)
    return undefined;
  if (blob === undefined || !entry.settled || !isSettled(stamp, clock, settleMs)) return undefined;
  return { name, kind, stamp, blob, isListed };
}

/**
 * Returns the directory without the files that changed after this time. Called when the machine was restarted after the
 * list had been written.
 */
function believed(directory: KnownDirectory, believedNs: bigint): WalkedDirectory {
  const entries = [...directory.entries].filter(
    ([, { kind, stamp }]) => kind === 'directory' || (stamp?.ctimeNs ?? 0n) <= believedNs,
  );
  if (entries.length === directory.entries.size) return directory;
  return { ...directory.plain(), entries: new Map(entries), made: differs };
}

/**
 * Returns the tree that a scan would build from this directory. Takes the sub-directories from the snapshot. `trees`:
 * the trees of the snapshot, if they were read from the same file.
 */
function madeOf(
  directory: KnownDirectory,
  previous: Directory,
  trees: KnownTrees | undefined,
): Directory | undefined {
  if (!directory.isWhole) return differs;
  const tree = trees?.get(directory.path);
  if (tree?.isOf(directory) === true) return tree;
  const before = asDirectory(nodeAt(previous, directory.path));
  const below = new Map<string, Directory | undefined>();
  for (const { name } of directory.below) below.set(name, asDirectory(before?.entries.get(name)));
  return assemble(directory, before, below);
}

/** Represents a directory that differs from every directory of a snapshot. */
const differs: Directory = { entries: new Map() };

/** The first line of this format. A file in another format has a different first line and is ignored. */
const firstLine = 'checkpointd known files 3 ';
const sumLength = 40;
const sumPart = 1 << 20;
/** Opens the file without waiting and without following a link. */
const readPlainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function bytesOf(file: string): Promise<Buffer | 'notRegular' | undefined> {
  try {
    const handle = await filesAsync.open(file, readPlainly);
    try {
      return (await handle.stat()).isFile() ? await handle.readFile() : 'notRegular';
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * Returns the values that follow the first line, or undefined when the checksum or the version of V8 does not match.
 */
async function valuesOf(bytes: Buffer, slices: Slices): Promise<Deserializer | undefined> {
  const start = firstLine.length + sumLength + 1;
  const content = bytes.subarray(start);
  const first = bytes.subarray(0, start).toString('latin1');
  if (first !== `${firstLine}${await sumOf(content, slices)}\n`) return undefined;
  const values = new Deserializer(content);
  return attempt(isA(Error), () => values.readHeader()) === undefined ? undefined : values;
}

/**
 * Writes to a temporary file and renames it. Does not sync, because a damaged file is ignored.
 * @throws system errors; after an error, the earlier file still exists
 */
async function writeWhole(file: string, content: Buffer, slices: Slices): Promise<void> {
  const first = Buffer.from(`${firstLine}${await sumOf(content, slices)}\n`);
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await filesAsync.open(temporary, 'wx', 0o600);
    try {
      for (const part of [first, content]) await handle.writeFile(part);
    } finally {
      await handle.close();
    }
    files.renameSync(temporary, file);
  } catch (error) {
    files.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Hashes in slices, because hashing a large file in one step would block the event loop for too long. */
async function sumOf(content: Uint8Array, slices: Slices): Promise<string> {
  const sum = createHash('sha1');
  for (let at = 0; at < content.length; at += sumPart) {
    if (slices.isDue()) await slices.pause();
    sum.update(content.subarray(at, at + sumPart));
  }
  return sum.digest('hex');
}
