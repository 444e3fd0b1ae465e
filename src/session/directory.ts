// The directory of a session on disk: `{storage}/{session}`. The daemon's own files are in the sub-directory
// `checkpointd`, so that the directory itself can be a bare repository that plain git reads. A marker file
// (description.ts) shows that the directory belongs to checkpointd, names the session, and records the inode of the
// directory. The daemon never removes a directory without a valid marker.
import { join } from 'node:path';
import { RarelyChangedPaths, writeAtomically } from '../base/atomic-file.ts';
import { attempt, attemptAsyncOr, attemptOr, hasCode, isMissing, isOfSystem } from '../base/attempt.ts';
import {
  type DirectoryIdentity,
  directoryAt,
  diskEntryAt,
  isSameDirectory,
} from '../base/directory-identity.ts';
import { CheckpointdError } from '../base/errors.ts';
import { type Dirent, files, filesAsync } from '../base/files.ts';
import type { SessionId } from '../base/ids.ts';
import { markerText, readMarker, type SessionMarker, sessionFormat } from './description.ts';

export class SessionDirectory {
  readonly storage: string;
  readonly session: SessionId;
  readonly root: string;
  readonly #steady = new RarelyChangedPaths();

  constructor(storage: string, session: SessionId) {
    this.storage = storage;
    this.session = session;
    this.root = join(storage, session);
  }

  get own(): string {
    return join(this.root, 'checkpointd');
  }
  get markerFile(): string {
    return join(this.own, 'session.json');
  }
  get ownerFile(): string {
    return join(this.own, 'owner.json');
  }
  /**
   * The lock file of the session. The lock file is beside the directory. A process takes the lock before the directory
   * exists, and keeps the lock while the directory is renamed away.
   */
  get lockFile(): string {
    return `${this.root}.lock`;
  }
  /** A file that exists while another process waits for the owner to yield the session; see {@link OwnerTerms}. */
  get wantedFile(): string {
    return join(this.own, 'wanted');
  }
  get logFile(): string {
    return join(this.own, 'session.log');
  }
  /** The directory with the lines that this machine pushed to remotes for this session. */
  get travelDirectory(): string {
    return join(this.own, 'travel');
  }
  /** The directory with the line of an imported session, until the session's store has the contents of the line. */
  get importedDirectory(): string {
    return join(this.own, 'imported');
  }
  /** True when the checkpoints of the session are in {@link importedDirectory}, and not yet in the session's store. */
  get isUnconverted(): boolean {
    return files.existsSync(this.importedDirectory);
  }
  get intentFile(): string {
    return join(this.own, 'restore.json');
  }
  /** The file that lists the session's published checkpoints. This file is separate from the store. */
  get publishedFile(): string {
    return join(this.own, 'published.log');
  }
  /**
   * A file that exists once the deletion of the session has begun. From then on, the daemon does not read the session;
   * it only removes the remaining files.
   */
  get deletionFile(): string {
    return join(this.own, 'deletion');
  }
  /** True when the deletion of the session has begun and is not finished. */
  get isBeingDeleted(): boolean {
    return files.existsSync(this.deletionFile);
  }
  /** The file with the number of checkpoints and the first prompt, for readers that do not open the session. */
  get summaryFile(): string {
    return join(this.own, 'summary.json');
  }
  get mergeDirectory(): string {
    return join(this.own, 'merge');
  }
  /**
   * The directory with contents that agents reported and that may be in no checkpoint. Each file is named by
   * the id of its content.
   */
  get reportedDirectory(): string {
    return join(this.own, 'reported');
  }
  get ignoreDirectory(): string {
    return join(this.own, 'ignore');
  }
  /** The file in which the stamps of the work tree's files are cached between two openings. */
  get knownFile(): string {
    return join(this.own, 'known-files');
  }
  /** A directory that exists while the watcher watches the work tree. */
  get fenceDirectory(): string {
    return join(this.own, 'fence');
  }
  /**
   * A file that exists while checkpoints are enabled. Because of this file, a resumed session enables checkpoints again
   * even outside a repository.
   */
  get enabledFile(): string {
    return join(this.own, 'checkpoints-enabled');
  }

  /** Syncs the session's files outside the store, and the directories that contain these files, to the disk. */
  async sync(): Promise<void> {
    const own = [this.markerFile, this.logFile, this.publishedFile, this.enabledFile];
    await this.#steady.sync([], [...own, this.own, this.root, this.storage]);
  }

  /**
   * True when the session exists. @throws StoreUnavailable when an entry of another program is at the
   * session's path
   */
  exists(): boolean {
    if (this.#ownDirectory() === undefined) return false;
    return isFile(this.markerFile);
  }

  /**
   * True when the directory contains a session that has lost its marker. The daemon makes the log and the list of
   * checkpoints after the marker, and removes them before the marker. So if one of these two files exists without a
   * marker, the marker was lost.
   */
  isUnmarked(): boolean {
    if (this.#ownDirectory() === undefined || files.existsSync(this.markerFile)) return false;
    return [this.logFile, this.publishedFile].some((file) => isFile(file));
  }

  /**
   * Makes the directory (0700) and the marker. Writes the marker last, so a directory with a marker is complete.
   * @throws StoreUnavailable when a link, a file or another program's directory is at the path
   */
  create(marker: SessionMarker): void {
    const entry = this.#ownDirectory();
    const stranger = entry === undefined || this.exists() ? undefined : this.stranger();
    if (stranger !== undefined) throw this.#notOurs(`holds ${stranger}, which checkpointd did not make`);
    this.makeRoot();
    makeDirectory(this.own);
    const { identity } = this.#ownDirectory() ?? {};
    const written = identity === undefined ? marker : { directory: identity, ...marker };
    writeAtomically(this.markerFile, `${markerText(written)}\n`);
  }

  /**
   * Returns the directory at the work tree's path if the newest checkpoints are of a different directory. A user may
   * have deleted a project and cloned it again.
   */
  replacementOf({ workTree, ...marker }: SessionMarker): DirectoryIdentity | undefined {
    const now = directoryAt(workTree);
    // The marker file may be newer than the marker that this process read when it opened the session.
    const { replacedBy, workTreeDirectory, workTreeIdentity } = this.readMarker() ?? marker;
    // In records of earlier versions, the birth time is missing. The device number is not compared, because it may have
    // changed.
    const [, inode = ''] = workTreeIdentity.split(':');
    const then = replacedBy?.directory ?? workTreeDirectory ?? { inode, birth: '0' };
    return now === undefined || isSameDirectory(then, now) ? undefined : now;
  }

  /** Records that checkpoint `seq` contains the files of the present directory, if the work tree was replaced. */
  recordWorkTree(marker: SessionMarker, seq: number): void {
    const directory = this.replacementOf(marker);
    if (directory !== undefined)
      this.create({ ...(this.readMarker() ?? marker), replacedBy: { directory, seq } });
  }

  /** Makes the session's directory without a marker, so that the daemon can lock the directory. */
  makeRoot(): void {
    if (this.#ownDirectory() === undefined) makeDirectory(this.root);
  }

  /**
   * True when an import was killed before it wrote the marker. The directory then contains little more than
   * the note of a deletion.
   */
  isUnbegun(): boolean {
    if (!this.isBeingDeleted || files.existsSync(this.markerFile)) return false;
    const isNote = (name: string): boolean =>
      /^(deletion|owner\.json|wanted)$|\.[0-9a-f]{12}\.tmp$/.test(name);
    return (
      this.#ownDirectory() !== undefined &&
      files.readdirSync(this.root).every((name) => name === 'checkpointd') &&
      files.readdirSync(this.own).every(isNote)
    );
  }

  /** Makes the sub-directory for the daemon's own files. */
  makeOwn(): void {
    makeDirectory(this.own);
  }

  /** Removes the directory that {@link makeRoot} made. Call this method when the next step has failed. */
  removeEmptyRoot(): void {
    attempt(isOfSystem, () => files.rmdirSync(this.root)); // the directory may be gone, or may contain files
  }

  /** Removes the sub-directory that {@link create} made. Call this method when the next step has failed. */
  removeNew(): void {
    // Ignores a failure, because the earlier failure is reported. The next opening treats the session as new.
    attempt(isOfSystem, () => files.rmSync(this.own, { recursive: true, force: true }));
  }

  /**
   * Returns the identity of the directory if this session made the directory. Returns undefined if nothing is at the
   * path. Call this method before every removal.
   * @throws StoreUnavailable for a link, a file, a directory of another user or session, and a directory that replaced
   * this session's directory
   */
  ours(): DirectoryIdentity | undefined {
    const entry = this.#ownDirectory();
    if (entry === undefined) return undefined;
    const marker = this.readMarker();
    if (marker?.session !== this.session) throw this.#notOurs('holds no marker of this session');
    if (marker.directory !== undefined && !isSameDirectory(marker.directory, entry.identity))
      throw this.#notOurs('is not the directory that this session made');
    return entry.identity;
  }

  /**
   * Returns the identity of the session's directory, or undefined when the path is free.
   * @throws StoreUnavailable when the entry at the path is not a directory of this user, or the sub-directory
   * is not a directory
   */
  #ownDirectory(): { readonly identity: DirectoryIdentity } | undefined {
    const entry = diskEntryAt(this.root);
    if (entry.is === 'nothing') return undefined;
    if (entry.is !== 'directory') throw this.#notOurs(`is a ${entry.is}`);
    if (process.getuid !== undefined && entry.owner !== process.getuid())
      throw this.#notOurs('belongs to another user');
    const own = diskEntryAt(this.own).is;
    if (own !== 'nothing' && own !== 'directory') throw this.#notOurs(`holds a ${own} named checkpointd`);
    return entry;
  }

  /**
   * If the directory contains an entry that no session ever makes, returns the name of this entry. The
   * directory then belongs to another program.
   */
  stranger(): string | undefined {
    return files.readdirSync(this.root).find((name) => !namesOfOurs.test(name));
  }

  #notOurs(how: string): CheckpointdError {
    return new CheckpointdError(
      'StoreUnavailable',
      `${this.root} cannot be the directory of a session, because it ${how}. The directory was not changed. Move it away, or choose another storage directory.`,
      { details: { session: this.session, path: this.root } },
    );
  }

  /**
   * Removes temporary files that a daemon had written but not yet renamed when it was killed. The caller must own the
   * session.
   */
  removeTemporaries(): void {
    for (const name of files.readdirSync(this.own)) {
      if (/\.[0-9a-f]{12}\.tmp$/.test(name)) files.rmSync(join(this.own, name), { force: true });
    }
    files.rmSync(this.mergeDirectory, { recursive: true, force: true });
  }

  /** Returns the total size of the session's files in bytes. Files that disappear meanwhile count as 0 bytes. */
  size(): Promise<number> {
    return sizeBelow(this.root);
  }

  readMarker(): SessionMarker | undefined {
    return readMarker(this.markerFile);
  }

  /**
   * Refuses a session of a later version. Call this method before writing to the session's files. @throws
   * StoreVersion
   */
  refuseLaterFormat(): void {
    const format = this.readMarker()?.format ?? sessionFormat;
    if (format <= sessionFormat) return;
    throw new CheckpointdError(
      'StoreVersion',
      `The session in ${this.root} was written by a newer checkpointd (format ${format}; this version knows format ${sessionFormat}). It was not changed. Update checkpointd, or use another conversationId.`,
      { details: { session: this.session, format, known: sessionFormat } },
    );
  }
}

/** The names that a bare repository and checkpointd make in a session's directory. */
const namesOfOurs =
  /^(checkpointd|local|spool|HEAD|config|description|objects|refs|hooks|info|branches|logs|packed-refs(\.damaged-[0-9a-f]+)?|index|gc\.(pid|log)|shallow|[A-Za-z_.-]+\.lock)$/;

function isFile(path: string): boolean {
  return files.lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function sizeBelow(directory: string): Promise<number> {
  const ifThere = <T>(none: T, look: () => Promise<T>): Promise<T> => attemptAsyncOr(none, isMissing, look);
  let bytes = 0;
  for (const entry of await ifThere<Dirent[]>([], () =>
    filesAsync.readdir(directory, { withFileTypes: true }),
  )) {
    const path = join(directory, entry.name);
    bytes += entry.isDirectory()
      ? await sizeBelow(path)
      : await ifThere(0, async () => (await filesAsync.lstat(path)).size);
  }
  return bytes;
}

function makeDirectory(path: string): void {
  // The directory may exist already, if a process was killed before it wrote the marker.
  attempt(hasCode('EEXIST'), () => files.mkdirSync(path, { mode: 0o700 }));
}

/** Returns the names in a storage root. Returns no names when the root does not exist. */
export function storedNames(storage: string): string[] {
  return attemptOr([], hasCode('ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'), () =>
    files.readdirSync(storage),
  );
}
