// Stores which files a session had when it was last open (the known files). After the next opening, the first capture
// can then compare stamps instead of reading files. The list of known files is a file beside the session's log. For
// each content, the list records the stamp that the file had when it was read. The capture checks that the snapshot has
// this content and that the file still has this stamp. The list is only a cache; it is ignored if any part of it is
// doubtful.
import { createHash, randomBytes } from 'node:crypto';
import { Deserializer, Serializer } from 'node:v8';
import { attempt, isA, isOfSystem } from '../base/attempt.ts';
import { directoryAt } from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import type { Stamp } from '../base/file-stamp.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { given } from '../base/given.ts';
import type { BlobId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { bootId } from '../base/process-lock.ts';
import type { Slices } from '../base/slices.ts';
import { asDirectory, type Directory, nodeAt } from '../tree/tree.ts';
import { join, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { IgnoreScope } from './ignore-rules.ts';
import type { EarlierListings, Listings, Subdirectory, WalkedDirectory, WalkedEntry } from './listing.ts';
import { assemble } from './scan-result.ts';
import { type FileClock, isSettled, stampGrainMs } from './settled.ts';

export interface KnownFilesOptions {
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

/** The head of the list of known files, which is its first value. */
interface Header {
  readonly root: string;
  readonly settings: string;
  readonly device: number;
  readonly boot: string | undefined;
  /** The time of the scan, according to the clock of the file system. */
  readonly reachedMs: number;
}

/** One name in a directory: its kind, its stamp without the device, its content, and whether it has an access list. */
type Row = readonly [
  name: string,
  kind: 'file' | 'link' | 'directory',
  mtimeNs: bigint,
  ctimeNs: bigint,
  size: number,
  ino: number,
  mode: number,
  blob: BlobId | undefined,
  isListed: boolean | undefined,
];

/** A directory to which only the rules of the outermost repository apply. */
interface KnownDirectory {
  readonly path: TreePath;
  readonly stamp: Stamp;
  readonly isListed?: boolean;
  /** True when an equal stamp of the directory proves that its names are unchanged. */
  readonly isSettled: boolean;
  /**
   * True when the rows contain every name of the directory, captures take all these names, and no rule excludes one of
   * them.
   */
  readonly isWhole: boolean;
  readonly rulesAbove: string;
  readonly rules: string;
  readonly rows: readonly Row[];
}

/**
 * A content that was written at least this long before the machine stopped is on the disk. After a power cut, a file
 * with a later write may have its new stamp and not its new content.
 */
const onDiskMs = 600_000;
/** The maximum number of names in a list. Writing more names would take too much memory. */
const rowsMax = 4_000_000;
/** The minimum time between two background writes, because the cost of a write grows with the size of the tree. */
const seldomMs = 600_000;

export class KnownFiles {
  readonly #options: KnownFilesOptions;
  /** The listings that were written last, for comparison. A weak reference does not keep them in memory. */
  #written: { readonly listings: WeakRef<Listings>; readonly atMs: number } | undefined;

  constructor(options: KnownFilesOptions) {
    this.#options = options;
  }

  /**
   * Returns the listings that the session wrote when it was last open, for a scan that builds on `previous`. Returns
   * undefined when the listings cannot be trusted. `scope`: the current rules of the outermost repository.
   */
  async read(
    previous: Directory,
    scope: IgnoreScope,
    clock: FileClock,
    slices: Slices,
  ): Promise<EarlierListings | undefined> {
    const { file, settings, log } = this.#options;
    const bytes = clock.isLocal ? await bytesOf(file) : undefined;
    if (bytes === undefined) return undefined;
    const values = bytes === 'notRegular' ? undefined : await valuesOf(bytes, slices);
    if (values === undefined) {
      log.info(`${file} is damaged or of another version, so the capture reads every file again.`);
      return undefined;
    }
    const header = values.readValue() as Header;
    if (header.root !== this.#rootKey() || header.settings !== settings || header.device !== clock.device)
      return undefined;
    const isSameBoot = header.boot !== undefined && header.boot === bootId();
    const believedNs = isSameBoot ? undefined : BigInt(Math.floor(header.reachedMs - onDiskMs)) * 1_000_000n;
    const found = new Map<TreePath, WalkedDirectory>();
    for (let known = next(values); known !== undefined; known = next(values)) {
      if (slices.isDue()) await slices.pause();
      found.set(known.path, walked(known, previous, scope, believedNs));
    }
    return found;
  }

  /**
   * Writes the listings of a scan. `clock`: the clock of the file system at the time of the scan. `isSeldom`: true to
   * skip the write if the last write was a short time ago. When the file cannot be written, the next opening reads
   * every file.
   * @throws AbortError
   */
  async write(listings: Listings, clock: FileClock, slices: Slices, isSeldom: boolean): Promise<void> {
    const atMs = performance.now();
    const [written, root] = [this.#written, this.#rootKey()];
    if (written?.listings.deref() === listings || !clock.isLocal || root === undefined) return;
    if (isSeldom && written !== undefined && atMs - written.atMs < seldomMs) return;
    if (isTooMuch(listings)) return;
    const { file, settings, settleMs, log } = this.#options;
    const { device, reachedMs } = clock;
    const values = new Serializer();
    values.writeHeader();
    values.writeValue({ root, settings, device, boot: bootId(), reachedMs } satisfies Header);
    const scope = listings.get(rootPath)?.scope;
    for (const [, directory] of listings) {
      if (slices.isDue()) await slices.pause();
      const known = knownOf(directory, scope, clock, settleMs);
      if (known !== undefined) values.writeValue(known);
    }
    values.writeValue(undefined);
    try {
      await writeWhole(file, values.releaseBuffer(), slices);
      this.#written = { listings: new WeakRef(listings), atMs };
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      log.info(`The daemon could not write the known files for the next opening: ${String(error)}`);
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

const next = (values: Deserializer): KnownDirectory | undefined =>
  values.readValue() as KnownDirectory | undefined;

function isTooMuch(listings: Listings): boolean {
  let rows = 0;
  for (const [, { entries }] of listings) rows += entries.size + 1;
  return rows > rowsMax;
}

/**
 * Returns the data to write about a directory. Returns undefined when the rules of a nested repository apply to the
 * directory.
 */
function knownOf(
  directory: WalkedDirectory,
  scope: IgnoreScope | undefined,
  clock: FileClock,
  settleMs: number,
): KnownDirectory | undefined {
  const { path, stamp, inherited, chain, isListed } = directory;
  const isPlain =
    directory.failure === undefined &&
    directory.gitDirectory === undefined &&
    !directory.hasGit &&
    directory.scope === scope &&
    inherited.mode === 'rules' &&
    inherited.alsoInclude === undefined &&
    stamp.dev === clock.device;
  if (!isPlain) return undefined;
  const rows: Row[] = [];
  let isWhole = true;
  for (const [name, entry] of directory.entries) {
    const row = rowOf(name, entry, clock, settleMs);
    if (row !== undefined) rows.push(row);
    isWhole &&= row !== undefined && entry.ignored === false;
  }
  return {
    path,
    stamp,
    isSettled: directory.isSettled && isSettled(stamp, clock, stampGrainMs),
    isWhole,
    rulesAbove: inherited.chain.key,
    rules: chain.key,
    rows,
    ...given({ isListed }),
  };
}

/** Returns the row of a name. Returns undefined for a name that a later opening has to check again. */
function rowOf(name: string, entry: WalkedEntry, clock: FileClock, settleMs: number): Row | undefined {
  const { kind, stamp, taken, blob, isListed } = entry;
  if (!taken || stamp === undefined || stamp.dev !== clock.device) return undefined;
  if (kind !== 'directory') {
    if ((kind !== 'file' && kind !== 'link') || entry.unread !== undefined || entry.links !== undefined)
      return undefined;
    if (blob === undefined || !entry.settled || !isSettled(stamp, clock, settleMs)) return undefined;
  }
  const { mtimeNs, ctimeNs, size, ino, mode } = stamp;
  return [name, kind, mtimeNs, ctimeNs, size, ino, mode, blob, isListed];
}

/**
 * Returns the same listing of the directory as a scan would make. Marks the directory as unchanged when the snapshot
 * contains everything in it. `believedNs` is given if the machine was restarted. Files that changed after this time are
 * then omitted.
 */
function walked(
  known: KnownDirectory,
  previous: Directory,
  scope: IgnoreScope,
  believedNs: bigint | undefined,
): WalkedDirectory {
  const { path, stamp, isSettled: isSure, isWhole, rulesAbove, rules, rows, isListed } = known;
  const entries = new Map<string, WalkedEntry>();
  const below: Subdirectory[] = [];
  for (const row of rows) {
    const [name, kind, , ctimeNs] = row;
    if (kind === 'directory') below.push({ name, path: join(path, name) });
    else if (believedNs !== undefined && ctimeNs > believedNs) continue;
    entries.set(name, entryOf(row, stamp.dev, isWhole));
  }
  const directory: WalkedDirectory = {
    path,
    inherited: {
      path,
      mode: 'rules',
      scope,
      chain: { key: rulesAbove, hasRules: true },
      previous: undefined,
      alsoInclude: undefined,
    },
    stamp,
    scope,
    chain: { key: rules, hasRules: true },
    entries,
    isSettled: isSure,
    hasGit: false,
    isUnchanged: false,
    below,
    ...given({ isListed }),
  };
  directory.made = isWhole ? madeOf(directory, asDirectory(nodeAt(previous, path))) : differs;
  return directory;
}

function entryOf(row: Row, dev: number, isWhole: boolean): WalkedEntry {
  const [, kind, mtimeNs, ctimeNs, size, ino, mode, blob, isListed] = row;
  return {
    kind,
    stamp: { mtimeNs, ctimeNs, size, ino, dev, mode },
    ignored: isWhole ? false : undefined,
    taken: true,
    blob,
    settled: kind !== 'directory',
    seenAt: 0,
    ...(isListed === undefined ? {} : { isListed }),
  };
}

/** Returns the tree that a scan would build from this directory. Takes the sub-directories from the snapshot. */
function madeOf(directory: WalkedDirectory, previous: Directory | undefined): Directory | undefined {
  const below = new Map<string, Directory | undefined>();
  for (const { name } of directory.below) below.set(name, asDirectory(previous?.entries.get(name)));
  return assemble(directory, previous, below);
}

/** Represents a directory that differs from every directory of a snapshot. */
const differs: Directory = { entries: new Map() };

/** The first line of this format. A file in another format has a different first line and is ignored. */
const firstLine = 'checkpointd known files 2 ';
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
 * @throws system errors; the earlier file then still exists
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
