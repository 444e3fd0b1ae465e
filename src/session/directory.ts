// Where a session lives on disk: `{storage}/{session}`, with our own files in its sub-directory `checkpointd`, so that
// the directory itself can be a bare repository that plain git reads. The marker says that it is ours, whose it is and
// which directory it stands in: nothing else is ever removed. Holds no state of the session beyond what never changes.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { syncAll, writeAtomically } from '../base/atomic-file.ts';
import { attempt, attemptOr, hasCode, isA, isOfSystem } from '../base/attempt.ts';
import { isIntact, withSum } from '../base/check-sum.ts';
import { type DirectoryIdentity, isSameDirectory, standingAt } from '../base/directory-identity.ts';
import { CheckpointdError } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { base32, type SessionId } from '../base/ids.ts';

/** The form of a session's files that this version writes, and the latest that it reads. */
export const sessionFormat = 1;

/** Where an imported session comes from. */
export interface SessionOrigin {
  readonly remote: string;
  readonly session: string;
  readonly writer: string;
  /** The head of the line when it was imported. */
  readonly commit: string;
}

/** The unchanging facts of a session, written once at its creation as `checkpointd/session.json`. */
export interface SessionMarker {
  readonly marker: 'checkpointd session';
  /** The format of the files beside the marker. A version that changes one of them increments the number. */
  readonly format: number;
  readonly session: SessionId;
  /** Canonical path of the work tree; latin1 bytes, as every path of ours. */
  readonly workTree: string;
  /** Device and inode of the work tree when the session was made, `dev:ino`. */
  readonly workTreeIdentity: string;
  /**
   * The identity with the birth time, which distinguishes a later directory with the same inode. Absent in
   * older sessions.
   */
  readonly workTreeDirectory?: DirectoryIdentity;
  readonly conversationId: string;
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
  readonly created: string;
  /** The line of a remote that the session was imported from. */
  readonly origin?: SessionOrigin;
  /** The directory itself: another one at its path is not ours to remove. Absent in sessions of earlier versions. */
  readonly directory?: DirectoryIdentity;
}

export class SessionDirectory {
  readonly storage: string;
  readonly session: SessionId;
  readonly root: string;

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
  /** Beside the directory, not in it: the lock is held before the directory is there and while it is renamed away. */
  get lockFile(): string {
    return `${this.root}.lock`;
  }
  /** Stands while another process asks the owner for the session; see {@link OwnerTerms}. */
  get wantedFile(): string {
    return join(this.own, 'wanted');
  }
  get logFile(): string {
    return join(this.own, 'session.log');
  }
  /** The lines of the session on remotes, as they were pushed. */
  get travelDirectory(): string {
    return join(this.own, 'travel');
  }
  get intentFile(): string {
    return join(this.own, 'restore.json');
  }
  /** The list of the session's publications, apart from its store. */
  get publishedFile(): string {
    return join(this.own, 'published.log');
  }
  /** Stands once the session is being deleted: whatever is left of it then is removed, and nothing of it is read. */
  get deletionFile(): string {
    return join(this.own, 'deletion');
  }
  /** True when the deletion of the session has begun and is not finished. */
  get isBeingDeleted(): boolean {
    return files.existsSync(this.deletionFile);
  }
  /** How many checkpoints there are, and the first prompt, for readers that do not open the session. */
  get summaryFile(): string {
    return join(this.own, 'summary.json');
  }
  get mergeDirectory(): string {
    return join(this.own, 'merge');
  }
  get ignoreDirectory(): string {
    return join(this.own, 'ignore');
  }
  /** Cached file stamps of the work tree, from one opening to the next. */
  get knownFile(): string {
    return join(this.own, 'known-files');
  }
  /** There while the work tree is watched. */
  get fenceDirectory(): string {
    return join(this.own, 'fence');
  }
  /** Stands while checkpoints are enabled: a session enabled by hand outside a repository is so again when resumed. */
  get enabledFile(): string {
    return join(this.own, 'checkpoints-enabled');
  }

  /** Brings what the session keeps beside its store to the disk, with the names that lead to it. */
  async sync(): Promise<void> {
    await syncAll([this.markerFile, this.logFile, this.publishedFile, this.enabledFile]);
    await syncAll([this.own, this.root, this.storage]);
  }

  /** True when the session is there. @throws StoreUnavailable when something that is not ours stands in its place */
  exists(): boolean {
    if (this.#standing() === undefined) return false;
    return isFile(this.markerFile);
  }

  /**
   * True when the directory holds a session without its marker: all that it keeps is made after that, and
   * goes before it.
   */
  isUnmarked(): boolean {
    if (this.#standing() === undefined || files.existsSync(this.markerFile)) return false;
    return [this.logFile, this.publishedFile].some((file) => isFile(file));
  }

  /**
   * Makes the directory (0700) and the marker; the marker comes last, so a directory with one is whole.
   * @throws StoreUnavailable when a link, a file or a foreign directory is there
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

  /** Makes the directory itself, so that it can be locked; nothing in it says yet that it is ours. */
  makeRoot(): void {
    if (this.#standing() === undefined) makeDirectory(this.root);
  }

  /** True when an import was killed before it wrote the marker: nothing but its note of deletion is there. */
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

  /** Makes the sub-directory of our own files. */
  makeOwn(): void {
    makeDirectory(this.own);
  }

  /** Takes back a {@link makeRoot} after which nothing came. */
  removeEmptyRoot(): void {
    attempt(isOfSystem, () => files.rmdirSync(this.root)); // it was not empty, or is gone
  }

  /** Takes back a {@link create} after which nothing came. */
  removeNew(): void {
    // The earlier failure is reported; the next opening treats this session as new.
    attempt(isOfSystem, () => files.rmSync(this.own, { recursive: true, force: true }));
  }

  /**
   * The directory when it is the very one that this session made; undefined when there is nothing.
   * @throws StoreUnavailable for a link, a file, another user's directory, one of another session, or one that took
   * the place of ours. Comes before every removal.
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

  /** The real directories at our two places. */
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

  /** Something in the directory that no session ever has there, so the directory belongs to another program. */
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

  /** Removes what a killed daemon left of files that it was about to rename; the caller owns the session. */
  removeTemporaries(): void {
    for (const name of files.readdirSync(this.own)) {
      if (/\.[0-9a-f]{12}\.tmp$/.test(name)) files.rmSync(join(this.own, name), { force: true });
    }
    files.rmSync(this.mergeDirectory, { recursive: true, force: true });
  }

  readMarker(): SessionMarker | undefined {
    return readMarker(this.markerFile);
  }

  /** Comes before every write to what may be another version's. @throws StoreVersion */
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
  // A kill came between it and the marker.
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

/** The marker as it is written, with its checksum. */
export function markerText(marker: Partial<SessionMarker>): string {
  return JSON.stringify(withSum(marker), null, 2);
}

/** True when no flipped bit has changed it or taken a field away; a later format cannot be judged. */
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

/** Reads a marker; undefined where there is none or it is not ours. */
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

/** The names in a storage root; none where no directory can be. */
export function storedNames(storage: string): string[] {
  return attemptOr([], hasCode('ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'), () =>
    files.readdirSync(storage),
  );
}

export function isSessionId(name: string): name is SessionId {
  return /^ses_[0-9a-z]{26}$/.test(name);
}

/** The id of the session of one conversation on one work tree in one strategy: the same at every start. */
export function sessionIdOf(workTree: string, conversationId: string, strategy: string): SessionId {
  const digest = createHash('sha256')
    .update(JSON.stringify([workTree, conversationId, strategy]))
    .digest();
  return `ses_${base32(digest, 26)}` as SessionId;
}
