// The directory of a session on disk: `{storage}/{session}`. The daemon's own files are in its sub-directory
// `checkpointd`, so that the directory itself can be a bare repository that plain git reads. A marker file says that
// the directory belongs to checkpointd, to which session, and which inode it has. The daemon removes no directory
// without a valid marker. The marker holds only facts that hardly ever change.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SteadyPaths, writeAtomically } from '../base/atomic-file.ts';
import { attempt, attemptOr, hasCode, isA, isOfSystem } from '../base/attempt.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import {
  type DirectoryIdentity,
  directoryAt,
  isSameDirectory,
  standingAt,
} from '../base/directory-identity.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { base32, type SessionId } from '../base/ids.ts';

/** The format of a session's files that this version writes, and the latest format that it reads. */
export const sessionFormat = 1;

/** The remote line that an imported session comes from. */
export interface SessionOrigin {
  readonly remote: string;
  readonly session: string;
  readonly writer: string;
  /** The head of the line at the time of the import. */
  readonly commit: string;
}

/** The facts of a session, as `checkpointd/session.json` holds them. These facts hardly ever change. */
export interface SessionMarker {
  readonly marker: 'checkpointd session';
  /** The format of the files beside the marker. A version that changes one of them increments the number. */
  readonly format: number;
  readonly session: SessionId;
  /** Canonical path of the work tree, as bytes in latin1 like every path in these files. */
  readonly workTree: string;
  /** Device and inode of the work tree when the session was created, as `dev:ino`. */
  readonly workTreeIdentity: string;
  /**
   * The identity with the birth time, which distinguishes a later directory with the same inode. Absent in
   * older sessions.
   */
  readonly workTreeDirectory?: DirectoryIdentity;
  /** Another directory at the work tree's path, and the first checkpoint of that directory's files. Absent: none. */
  readonly replacedBy?: { readonly directory: DirectoryIdentity; readonly seq: number };
  readonly conversationId: string;
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
  readonly created: string;
  /** The line of a remote that the session was imported from. */
  readonly origin?: SessionOrigin;
  /**
   * The directory itself. The daemon never removes another directory at the same path. Absent in sessions of earlier
   * versions.
   */
  readonly directory?: DirectoryIdentity;
}

export class SessionDirectory {
  readonly storage: string;
  readonly session: SessionId;
  readonly root: string;
  readonly #steady = new SteadyPaths();

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
   * The lock file, which is beside the directory, because the lock is held before the directory exists and
   * while it is renamed away.
   */
  get lockFile(): string {
    return `${this.root}.lock`;
  }
  /** Exists while another process asks the owner for the session; see {@link OwnerTerms}. */
  get wantedFile(): string {
    return join(this.own, 'wanted');
  }
  get logFile(): string {
    return join(this.own, 'session.log');
  }
  /** The lines of the session on remotes, as this machine pushed them. */
  get travelDirectory(): string {
    return join(this.own, 'travel');
  }
  get intentFile(): string {
    return join(this.own, 'restore.json');
  }
  /** The list of the session's publications, kept apart from its store. */
  get publishedFile(): string {
    return join(this.own, 'published.log');
  }
  /**
   * Exists once the deletion of the session has begun. The daemon then only removes the rest of the session,
   * and reads no part of it.
   */
  get deletionFile(): string {
    return join(this.own, 'deletion');
  }
  /** True when the deletion of the session has begun and is not finished. */
  get isBeingDeleted(): boolean {
    return files.existsSync(this.deletionFile);
  }
  /** The number of checkpoints and the first prompt, for readers that do not open the session. */
  get summaryFile(): string {
    return join(this.own, 'summary.json');
  }
  get mergeDirectory(): string {
    return join(this.own, 'merge');
  }
  /** Contents that agents reported and that perhaps no checkpoint contains, by their ids. */
  get reportedDirectory(): string {
    return join(this.own, 'reported');
  }
  get ignoreDirectory(): string {
    return join(this.own, 'ignore');
  }
  /** File stamps of the work tree, cached between two openings. */
  get knownFile(): string {
    return join(this.own, 'known-files');
  }
  /** Exists while the work tree is watched. */
  get fenceDirectory(): string {
    return join(this.own, 'fence');
  }
  /**
   * Exists while checkpoints are enabled. A session that a user enabled outside a repository is enabled again when it
   * is resumed.
   */
  get enabledFile(): string {
    return join(this.own, 'checkpoints-enabled');
  }

  /** Syncs the session's files outside its store to the disk, with the directories that lead to them. */
  async sync(): Promise<void> {
    const own = [this.markerFile, this.logFile, this.publishedFile, this.enabledFile];
    await this.#steady.sync([], [...own, this.own, this.root, this.storage]);
  }

  /** True when the session exists. @throws StoreUnavailable when another program's entry is at its path */
  exists(): boolean {
    if (this.#standing() === undefined) return false;
    return isFile(this.markerFile);
  }

  /**
   * True when the directory contains a session without its marker. The session's other files are made after the
   * marker and removed before it, so the marker was lost.
   */
  isUnmarked(): boolean {
    if (this.#standing() === undefined || files.existsSync(this.markerFile)) return false;
    return [this.logFile, this.publishedFile].some((file) => isFile(file));
  }

  /**
   * Makes the directory (0700) and the marker. The marker comes last, so a directory with a marker is complete.
   * @throws StoreUnavailable when a link, a file or a foreign directory is at the path
   */
  create(marker: SessionMarker): void {
    const standing = this.#standing();
    const stranger = standing === undefined || this.exists() ? undefined : this.stranger();
    if (stranger !== undefined) throw this.#notOurs(`holds ${stranger}, which checkpointd did not make`);
    this.makeRoot();
    makeDirectory(this.own);
    const { identity } = this.#standing() ?? {};
    const written = identity === undefined ? marker : { directory: identity, ...marker };
    writeAtomically(this.markerFile, `${markerText(written)}\n`);
  }

  /**
   * Returns the directory at the work tree's path if it is not the directory of the newest checkpoints. For example,
   * a project was deleted and cloned again.
   */
  replacementOf({ workTree, ...marker }: SessionMarker): DirectoryIdentity | undefined {
    const now = directoryAt(workTree);
    // The file may be newer than the marker that a process read at the opening.
    const { replacedBy, workTreeDirectory, workTreeIdentity } = this.readMarker() ?? marker;
    // Earlier versions did not record the birth time, and the device number may have changed since.
    const [, inode = ''] = workTreeIdentity.split(':');
    const then = replacedBy?.directory ?? workTreeDirectory ?? { inode, birth: '0' };
    return now === undefined || isSameDirectory(then, now) ? undefined : now;
  }

  /** Records that checkpoint `seq` contains the files of the present directory, if the work tree was replaced. */
  noteWorkTree(marker: SessionMarker, seq: number): void {
    const directory = this.replacementOf(marker);
    if (directory !== undefined)
      this.create({ ...(this.readMarker() ?? marker), replacedBy: { directory, seq } });
  }

  /** Makes the directory itself, without a marker, so that it can be locked. */
  makeRoot(): void {
    if (this.#standing() === undefined) makeDirectory(this.root);
  }

  /** True when an import was killed before it wrote the marker: the directory has only the note of a deletion. */
  isUnbegun(): boolean {
    if (!this.isBeingDeleted || files.existsSync(this.markerFile)) return false;
    const isNote = (name: string): boolean =>
      /^(deletion|owner\.json|wanted)$|\.[0-9a-f]{12}\.tmp$/.test(name);
    return (
      this.#standing() !== undefined &&
      files.readdirSync(this.root).every((name) => name === 'checkpointd') &&
      files.readdirSync(this.own).every(isNote)
    );
  }

  /** Makes the sub-directory for the daemon's own files. */
  makeOwn(): void {
    makeDirectory(this.own);
  }

  /** Removes the directory that {@link makeRoot} made, when the next step has failed. */
  removeEmptyRoot(): void {
    attempt(isOfSystem, () => files.rmdirSync(this.root)); // the directory was not empty, or is gone
  }

  /** Removes the directory that {@link create} made, when the next step has failed. */
  removeNew(): void {
    // The earlier failure is reported. The next opening treats this session as new.
    attempt(isOfSystem, () => files.rmSync(this.own, { recursive: true, force: true }));
  }

  /**
   * Returns the identity of the directory if this session made it, or undefined when the path is free. Call it before
   * every removal.
   * @throws StoreUnavailable for a link, a file, or a directory that belongs to another user, to another session, or
   * that replaced this session's directory
   */
  ours(): DirectoryIdentity | undefined {
    const standing = this.#standing();
    if (standing === undefined) return undefined;
    const marker = this.readMarker();
    if (marker?.session !== this.session) throw this.#notOurs('holds no marker of this session');
    if (marker.directory !== undefined && !isSameDirectory(marker.directory, standing.identity))
      throw this.#notOurs('is another directory than the one that this session made');
    return standing.identity;
  }

  /**
   * Returns the identity of the session's directory, or undefined when its path is free.
   * @throws StoreUnavailable when it or its sub-directory is no directory of this user
   */
  #standing(): { readonly identity: DirectoryIdentity } | undefined {
    const standing = standingAt(this.root);
    if (standing.is === 'nothing') return undefined;
    if (standing.is !== 'directory') throw this.#notOurs(`is a ${standing.is}`);
    if (process.getuid !== undefined && standing.owner !== process.getuid())
      throw this.#notOurs('belongs to another user');
    const own = standingAt(this.own).is;
    if (own !== 'nothing' && own !== 'directory') throw this.#notOurs(`holds a ${own} named checkpointd`);
    return standing;
  }

  /**
   * Returns the name of an entry that no session ever has in its directory. The directory then belongs to another
   * program.
   */
  stranger(): string | undefined {
    return files.readdirSync(this.root).find((name) => !namesOfOurs.test(name));
  }

  #notOurs(how: string): CheckpointdError {
    return new CheckpointdError(
      'StoreUnavailable',
      `${this.root}, where a session belongs, ${how}. It was not changed. Move it away, or name another storageDir.`,
      { details: { session: this.session, path: this.root } },
    );
  }

  /** Removes temporary files that a killed daemon was about to rename. The caller owns the session. */
  removeTemporaries(): void {
    for (const name of files.readdirSync(this.own)) {
      if (/\.[0-9a-f]{12}\.tmp$/.test(name)) files.rmSync(join(this.own, name), { force: true });
    }
    files.rmSync(this.mergeDirectory, { recursive: true, force: true });
  }

  readMarker(): SessionMarker | undefined {
    return readMarker(this.markerFile);
  }

  /** Refuses a session of a later version. Call it before every write to such files. @throws StoreVersion */
  refuseLaterFormat(): void {
    const format = this.readMarker()?.format ?? sessionFormat;
    if (format <= sessionFormat) return;
    throw new CheckpointdError(
      'StoreVersion',
      `The session in ${this.root} was written by a newer checkpointd (format ${format}, this one knows ${sessionFormat}). It was not changed. Update checkpointd, or use another conversationId.`,
      { details: { session: this.session, format, known: sessionFormat } },
    );
  }
}

/** The names that a bare repository and checkpointd use in a session's directory. */
const namesOfOurs =
  /^(checkpointd|local|spool|HEAD|config|description|objects|refs|hooks|info|branches|logs|packed-refs(\.damaged-[0-9a-f]+)?|index|gc\.(pid|log)|shallow|[A-Za-z_.-]+\.lock)$/;

function isFile(path: string): boolean {
  return files.lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function makeDirectory(path: string): void {
  // A kill came between the directory and its marker.
  attempt(hasCode('EEXIST'), () => files.mkdirSync(path, { mode: 0o700 }));
}

const markerTexts = [
  'session',
  'workTree',
  'workTreeIdentity',
  'conversationId',
  'strategy',
  'created',
] as const;

/** Returns the text of the marker, with its checksum. */
export function markerText(marker: Partial<SessionMarker>): string {
  return JSON.stringify(withSum(marker), null, 2);
}

/**
 * True when the checksum matches: no bit was flipped and no field removed. A marker of a later format counts as
 * intact.
 */
function isWhole(value: object): boolean {
  const fields = value as Partial<Record<string, unknown>>;
  if (Number(fields['format']) > sessionFormat) return true;
  return (
    isIntact(value) &&
    isSessionId(String(fields['session'])) &&
    markerTexts.every((name) => typeof fields[name] === 'string') &&
    (fields['retention'] === 'session' || fields['retention'] === 'keep') &&
    !Number.isNaN(Date.parse(String(fields['created'])))
  );
}

/** Reads a marker. Returns undefined when it is missing, or when another user or program wrote it. */
export function readMarker(file: string): SessionMarker | undefined {
  const text = attempt(hasCode('ENOENT', 'ENOTDIR'), () => files.readFileSync(file, 'utf8'));
  if (text === undefined) return undefined;
  return attempt(isA(SyntaxError), () => {
    const value: unknown = JSON.parse(text);
    const isOurs =
      typeof value === 'object' &&
      value !== null &&
      'marker' in value &&
      value.marker === 'checkpointd session';
    if (!isOurs || !isWhole(value)) return undefined;
    const { sum: _, ...marker } = value as unknown as SessionMarker & { readonly sum?: string };
    return marker;
  });
}

/** Returns the names in a storage root, none when the root does not exist. */
export function storedNames(storage: string): string[] {
  return attemptOr([], hasCode('ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'), () =>
    files.readdirSync(storage),
  );
}

export function isSessionId(name: string): name is SessionId {
  return /^ses_[0-9a-z]{26}$/.test(name);
}

/**
 * Returns the id of the session of one conversation on one work tree in one strategy. The id is the same at
 * every start.
 */
export function sessionIdOf(workTree: string, conversationId: string, strategy: string): SessionId {
  const digest = createHash('sha256')
    .update(JSON.stringify([workTree, conversationId, strategy]))
    .digest();
  return `ses_${base32(digest, 26)}` as SessionId;
}
