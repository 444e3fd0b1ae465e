// The invisible half of a restore. Staging verifies the files that each operation will replace, and writes
// the new contents under temporary names. So a full disk, a corrupt blob or a cancel stops the restore before
// the first visible change.
import { groupHasMoreRights, ownerBits } from '../base/access-lists.ts';
import { CheckpointdError, isKind, systemCode } from '../base/errors.ts';
import { constants, files, filesAsync } from '../base/files.ts';
import { Slices } from '../base/slices.ts';
import { ReadAhead } from '../store/read-ahead.ts';
import type { Contents } from '../store/snapshot-store.ts';
import { type Entry, isLink, sameContent } from '../tree/tree.ts';
import { join, parentOf, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { pathReason } from './failure.ts';
import { type Access, fileMode } from './permission-setter.ts';
import type { Failure, FileWrite, RestorePlan } from './plan.ts';
import { lostContents } from './preflight.ts';
import {
  asKnown,
  identify,
  type KnownContent,
  namesBelow,
  type Present,
  type Signature,
} from './present-state.ts';
import { type Temporaries } from './temporaries.ts';

export interface StagedWrite {
  readonly path: TreePath;
  /** The temporary file with the new content, in the nearest existing directory above the path. */
  readonly temporary: TreePath;
  /** The entry to put at the path. Absent when no caller needs the entry. */
  readonly after?: Entry;
  /** The signature of the replaced file or link. When absent, the path must be free. */
  readonly replaces?: Signature;
  /** If the file replaces a directory: the signatures of all files in this directory. */
  readonly displaces?: ReadonlyMap<TreePath, Signature>;
}

export interface StagedDelete {
  readonly path: TreePath;
  readonly signature: Signature;
}

interface StagingOptions {
  readonly tree: AnchoredFiles;
  readonly contents: Contents;
  readonly temporaries: Temporaries;
  /** Returns the content that the capture before the restore found at a path. */
  readonly known?: ((path: TreePath) => KnownContent | undefined) | undefined;
  readonly umask: number;
  readonly access: Access;
  readonly durable: boolean;
  readonly signal?: AbortSignal | undefined;
  /** A function that is called after each step. */
  readonly onStaged: () => void;
}

/** The paths at which the step was not done: it failed, or another program edited the path after the capture. */
export interface NotDone {
  readonly failed: Failure[];
  readonly conflicts: TreePath[];
}

/** Stages the steps of one restore. */
export class Staging {
  readonly writes: StagedWrite[] = [];
  readonly deletes: StagedDelete[] = [];
  /**
   * The files that stay private until the daemon knows whether they have an access list. Such a list would turn the
   * group bits into a mask.
   */
  readonly #waiting: { readonly path: TreePath; readonly temporary: TreePath; readonly mode: number }[] = [];
  readonly #options: StagingOptions;
  readonly #notDone: NotDone;
  readonly #slices: Slices;
  /** The path of the current step, for the error message. */
  at: TreePath | undefined;
  #ahead: ReadAhead | undefined;
  #turn = 0;

  constructor(options: StagingOptions, notDone: NotDone) {
    this.#options = options;
    this.#notDone = notDone;
    this.#slices = new Slices(options.signal);
  }

  /**
   * Stages deletions and writes. `sizes` are the sizes of the contents to write.
   *
   * @throws system errors that end the run, DataCorrupt from the store, AbortError.
   */
  async run(plan: Pick<RestorePlan, 'writes' | 'deletes'>, sizes: readonly number[]): Promise<void> {
    for (const { path, expected } of plan.deletes) {
      await this.#each(path, async () => {
        const present = await this.#identify(path);
        if (present.kind === 'absent') return;
        if (present.kind === 'entry' && sameContent(present, expected)) {
          this.deletes.push({ path, signature: present.signature });
        } else this.#notDone.conflicts.push(path);
      });
    }
    const blobs = plan.writes.map(({ after }) => after.blob);
    this.#ahead = new ReadAhead(this.#options.contents, blobs, sizes);
    for (const [turn, write] of plan.writes.entries()) {
      this.#turn = turn;
      this.#ahead.turnTo(turn);
      await this.#each(write.path, () => this.#stageWhole(write));
    }
    await this.#openToGroup();
  }

  /** Sets the final permission bits of files without an access list. All other files keep only the owner's bits. */
  async #openToGroup(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const { tree, access } = this.#options;
    await access.ask(this.#waiting.flatMap(({ path, temporary }) => [path, temporary]));
    for (const { path, temporary, mode } of this.#waiting.splice(0)) {
      const isListed = access.isListed(path) || access.isListed(temporary);
      if (isListed) access.ownerOnly.add(path);
      tree.setMode(temporary, 'file', () => (isListed ? mode & ownerBits : mode));
    }
  }

  /** Stages a write. If the store reports a damaged content, adds the path to the error. */
  async #stageWhole(write: FileWrite): Promise<void> {
    try {
      await this.#stage(write);
    } catch (error) {
      throw isKind('DataCorrupt')(error) ? lostContents([write], error) : error;
    }
  }

  async #each(path: TreePath, stage: () => Promise<void>): Promise<void> {
    this.at = path;
    this.#options.signal?.throwIfAborted();
    if (this.#slices.isDue()) await this.#slices.pause();
    try {
      await stage();
    } catch (error) {
      const reason = pathReason(error);
      if (reason === undefined) throw error;
      this.#notDone.failed.push({ path, reason });
    }
    this.#options.onStaged();
  }

  async #stage(write: FileWrite): Promise<void> {
    const { path, after, expected } = write;
    const present = await this.#identify(path);
    if (present.kind === 'absent') {
      this.writes.push({ path, after, temporary: await this.#write(after, undefined) });
    } else if (present.kind === 'directory') {
      const displaces = await this.#identifyBelow(write);
      if (displaces === undefined) this.#notDone.conflicts.push(path);
      else this.writes.push({ path, after, displaces, temporary: await this.#write(after, undefined) });
    } else if (
      present.kind === 'entry' &&
      (sameContent(present, after) || (expected !== undefined && sameContent(present, expected)))
    ) {
      const keepsMode = !isLink(present) && expected?.permissions === undefined;
      const kept = keepsMode ? present.signature.mode : undefined;
      const temporary = await this.#write(after, kept);
      this.writes.push({ path, after, replaces: present.signature, temporary });
    } else this.#notDone.conflicts.push(path);
  }

  /** Returns the entry at a path. Reads the file, unless its stamp proves that the capture has the same content. */
  async #identify(path: TreePath): Promise<Present> {
    const { tree, contents } = this.#options;
    const known = this.#options.known?.(path);
    const proven = known?.stampProves === true ? asKnown(tree, path, known) : undefined;
    return proven ?? (await identify(tree, path, contents, this.#slices));
  }

  /**
   * Returns the signatures of all files in a directory. Returns undefined when the directory contains a file
   * that the plan does not displace.
   */
  async #identifyBelow(write: FileWrite): Promise<ReadonlyMap<TreePath, Signature> | undefined> {
    const expected = new Map(write.displaces.map((entry) => [entry.path, entry]));
    const found = new Map<TreePath, Signature>();
    for (const queue = [write.path]; ; ) {
      const directory = queue.pop();
      if (directory === undefined) return found;
      for (const { name, isDirectory } of namesBelow(this.#options.tree, directory)) {
        const path = join(directory, name);
        if (isDirectory) {
          queue.push(path);
          continue;
        }
        const entry = expected.get(path);
        const present = entry && (await this.#identify(path));
        if (entry === undefined || present?.kind !== 'entry' || !sameContent(present, entry))
          return undefined;
        found.set(path, present.signature);
      }
    }
  }

  /** Writes one content to a temporary file. The file never grants more rights than its final mode does. */
  async #write(entry: Entry, keptMode: number | undefined): Promise<TreePath> {
    const { tree, durable, umask } = this.#options;
    if (isLink(entry)) {
      const parts: Uint8Array[] = [];
      for await (const chunk of this.#chunks()) parts.push(chunk);
      const target = Buffer.concat(parts);
      return this.#make(entry.path, (temporary) => files.symlinkSync(target, tree.address(temporary))).path;
    }
    const mode = fileMode(entry, keptMode, umask);
    const isWaiting = groupHasMoreRights(mode);
    const wanted = isWaiting ? mode & ownerBits : mode;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const { path, made: fd } = this.#make(entry.path, (temporary) =>
      files.openSync(tree.address(temporary), flags, wanted & 0o777),
    );
    try {
      const writer = new SparseWriter(fd);
      for await (const chunk of this.#chunks()) {
        writer.append(chunk);
        if (this.#slices.isDue()) await this.#slices.pause();
      }
      writer.finish();
      if (isWaiting) this.#waiting.push({ path: entry.path, temporary: path, mode });
      // The umask or an access list of the directory may have removed bits.
      if ((files.fstatSync(fd).mode & 0o7777) !== wanted) files.fchmodSync(fd, wanted);
      if (durable) await filesAsync.fsync(fd);
    } finally {
      files.closeSync(fd);
    }
    return path;
  }

  /**
   * Searches for the nearest directory that is above the path, exists and is writable. Makes a temporary file in this
   * directory.
   */
  #make<T>(path: TreePath, make: (temporary: TreePath) => T): { readonly path: TreePath; readonly made: T } {
    const { temporaries } = this.#options;
    for (let directory = parentOf(path); ; directory = parentOf(directory)) {
      const temporary = temporaries.next(directory);
      try {
        return { path: temporary, made: make(temporary) };
      } catch (error) {
        if (directory === '' || !isNoPlace.has(systemCode(error) ?? '')) throw error;
        temporaries.gone(temporary);
      }
    }
  }

  /**
   * Yields the content of the current write. Wraps errors of the store, so that the caller can distinguish them from
   * errors of the work tree.
   */
  async *#chunks(): AsyncGenerator<Uint8Array> {
    try {
      if (this.#ahead !== undefined) yield* this.#ahead.read(this.#turn);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      throw new CheckpointdError(
        'StoreUnavailable',
        'The store could not be read, so nothing was restored. Check its disk and its permissions, then try again.',
        { cause: error, retryable: true },
      );
    }
  }
}

/** The error codes when a directory is missing, is no directory, or is not writable for this user. */
const isNoPlace = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES']);

/** The size in bytes of the smallest hole. File systems allocate at least this many bytes. */
const blockBytes = 4096;
const zeros = Buffer.alloc(blockBytes);

/**
 * Writes the content of a new file, and leaves holes where the content is zeros. So a sparse file (such as a disk
 * image) takes no more space after a restore than before.
 */
export class SparseWriter {
  readonly #fd: number;
  /** The length of the content so far, holes included. */
  #length = 0;
  /** The length of the file so far. */
  #written = 0;

  /** `fd` is the descriptor of an empty file that is open for writing. */
  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Appends the next part of the content. */
  append(chunk: Uint8Array): void {
    let pending = 0;
    for (let at = 0; at < chunk.length; ) {
      const next = Math.min(chunk.length, at + blockBytes - ((this.#length + at) % blockBytes));
      if (zeros.compare(chunk, at, next, 0, next - at) === 0) {
        this.#write(chunk.subarray(pending, at), this.#length + pending);
        pending = next;
      }
      at = next;
    }
    this.#write(chunk.subarray(pending), this.#length + pending);
    this.#length += chunk.length;
  }

  /** Gives the file its full length if its content ends in a hole. Call this method once, after the last part. */
  finish(): void {
    if (this.#written < this.#length) files.ftruncateSync(this.#fd, this.#length);
  }

  #write(part: Uint8Array, position: number): void {
    for (let at = 0; at < part.length; ) {
      at += files.writeSync(this.#fd, part, at, part.length - at, position + at);
    }
    if (part.length > 0) this.#written = position + part.length;
  }
}
