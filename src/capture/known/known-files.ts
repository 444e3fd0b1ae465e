// What a session remembers of its files from one opening to the next, so that the first capture looks at them and does
// not read them: a file beside the session's log that is not believed where anything about it is in doubt. It only ever
// says under which stamp a content was read; whether that content is the snapshot's, and the stamp still the file's, is
// asked of both.
import { directoryAt } from '../../base/directory-identity.ts';
import { systemCode } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { bootId } from '../../base/process-lock.ts';
import type { Slices } from '../../base/slices.ts';
import type { Directory } from '../../tree/directory.ts';
import { rootPath, type TreePath } from '../../tree/tree-path.ts';
import type { IgnoreScope } from '../ignore/ignore-rules.ts';
import type { WalkedDirectory } from '../listing.ts';
import type { Listings } from '../listings.ts';
import type { FileClock } from '../settled.ts';
import { ColumnPacker, unpack } from './known-columns.ts';
import { forgetLater, knownOf, walked } from './known-directories.ts';
import { readKnown, writeKnown } from './known-form.ts';

export interface KnownFilesOptions {
  readonly file: string;
  /** The work tree. */
  readonly root: string;
  /** What decides of files beside the ignore rules; under other settings nothing is believed. */
  readonly settings: string;
  readonly settleMs: number;
  readonly log: Log;
}

/**
 * What was written so long before a machine stopped was on its disk; of later changes a power cut may leave the stamp
 * and not the content.
 */
const onDiskMs = 600_000;
/** More names than this are not worth their place in memory while they are packed. */
const rowsMax = 4_000_000;
/** So long passes between two writings that nobody waits for, each of which costs as much as the tree is large. */
const seldomMs = 600_000;

export class KnownFiles {
  readonly #options: KnownFilesOptions;
  /** What was written last; to compare with, and not to be kept alive. */
  #written: { readonly directories: WeakRef<Listings>; readonly atMs: number } | undefined;

  constructor(options: KnownFilesOptions) {
    this.#options = options;
  }

  /**
   * The directories of the last scan of an earlier opening, for a scan on top of `kept`; undefined where there are
   * none to be believed. `scope`: the rules around the work tree, as they are now.
   */
  async read(
    kept: Directory,
    scope: IgnoreScope,
    clock: FileClock,
    slices: Slices,
  ): Promise<Pick<Listings, 'get'> | undefined> {
    const { file, settings, log } = this.#options;
    const content = clock.isLocal ? await readKnown(file, slices) : undefined;
    if (content === 'damaged') log.info(`${file} is not what was written: every file is read again.`);
    if (content === 'damaged' || content === undefined) return undefined;
    const { header, columns } = content;
    if (header.root !== this.#rootKey() || header.settings !== settings || header.device !== clock.device)
      return undefined;
    const isSameBoot = header.boot !== null && header.boot === bootId();
    const believedNs = BigInt(Math.floor(header.reachedMs - onDiskMs)) * 1_000_000n;
    const found = new Map<TreePath, WalkedDirectory>();
    for (const directory of unpack(columns, header.sizes, header.keys, header.device)) {
      if (slices.isDue()) await slices.pause();
      if (!isSameBoot) forgetLater(directory.entries, believedNs);
      found.set(directory.path, walked(directory, kept, scope));
    }
    return found;
  }

  /**
   * Writes down what a scan saw under this clock; what cannot be written is read again by the next opening. `isSeldom`:
   * not if it was done a short while ago. @throws AbortError
   */
  async write(directories: Listings, clock: FileClock, slices: Slices, isSeldom: boolean): Promise<void> {
    const atMs = performance.now();
    const [written, root] = [this.#written, this.#rootKey()];
    if (written?.directories.deref() === directories || !clock.isLocal || root === undefined) return;
    if (isSeldom && written !== undefined && atMs - written.atMs < seldomMs) return;
    const rows = rowsOf(directories);
    if (rows > rowsMax) return;
    const { file, settings, settleMs, log } = this.#options;
    const by = { clock, settleMs, blob: await blobBytes(directories, slices) };
    const packer = new ColumnPacker(rows, directories.size, by.blob);
    const scope = directories.get(rootPath)?.scope;
    for (const [, directory] of directories) {
      if (slices.isDue()) await slices.pause();
      const known = knownOf(directory, scope, by);
      if (known !== undefined) packer.add(known);
    }
    const { bytes, sizes, keys } = packer.packed();
    const { device, reachedMs } = clock;
    const header = { root, settings, device, boot: bootId() ?? null, reachedMs, sizes, keys };
    try {
      await writeKnown(file, header, bytes, slices);
      this.#written = { directories: new WeakRef(directories), atMs };
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      log.info(`What is known of the files was not kept for the next opening: ${String(error)}`);
    }
  }

  /** Says which directory is the work tree, also in a later run of the machine. */
  #rootKey(): string | undefined {
    const { root } = this.#options;
    try {
      const standing = directoryAt(root);
      return standing && `${standing.inode}:${standing.birth}:${root}`;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined; // the scan says it better
    }
  }
}

function rowsOf(directories: Listings): number {
  let rows = 0;
  for (const [, { entries }] of directories) rows += entries.size + 1;
  return rows;
}

/** Of the first content's id; those of one store are all as long. */
async function blobBytes(directories: Listings, slices: Slices): Promise<number> {
  for (const [, { entries }] of directories) {
    if (slices.isDue()) await slices.pause();
    for (const { blob } of entries.values()) if (blob !== undefined) return blob.length >> 1;
  }
  return 0;
}
