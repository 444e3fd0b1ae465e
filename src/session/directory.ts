// Where a session lives on disk: `{storage}/{session}`, with our own files in its sub-directory `checkpointd`, so
// that the directory itself can be the bare repository of 000 §8.1. The marker says that it is ours and whose it
// is: nothing without it is ever removed. Holds no state of the session beyond what never changes.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { CheckpointdError, isNoSpace, systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { base32, type SessionId } from '../base/ids.ts';

/** The form of a session's files that this version writes, and the latest that it reads. */
export const sessionFormat = 1;

/** The unchanging facts of a session, written once at its creation as `checkpointd/session.json`. */
export interface SessionMarker {
  readonly marker: 'checkpointd session';
  /** What the files beside it look like; a later version that changes any of them counts on. */
  readonly format: number;
  readonly session: SessionId;
  /** Canonical path of the work tree; latin1 bytes, as every path of ours. */
  readonly workTree: string;
  /** Device and inode of the work tree when the session was made, `dev:ino`. */
  readonly workTreeIdentity: string;
  readonly conversationId: string;
  readonly strategy: string;
  readonly retention: 'session' | 'keep';
  readonly created: string;
}

/** The paths of one session directory. */
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
  get logFile(): string {
    return join(this.own, 'session.log');
  }
  get intentFile(): string {
    return join(this.own, 'restore.json');
  }
  get ignoreDirectory(): string {
    return join(this.own, 'ignore');
  }
  /** There while the work tree is watched. */
  get fenceDirectory(): string {
    return join(this.own, 'fence');
  }
  /** Stands while checkpoints are enabled: a session enabled by hand outside a repository is so again when resumed. */
  get enabledFile(): string {
    return join(this.own, 'checkpoints-enabled');
  }

  exists(): boolean {
    return files.existsSync(this.markerFile);
  }

  /** Makes the directory (0700) and the marker; the marker comes last, so a directory with one is whole. */
  create(marker: SessionMarker): void {
    files.mkdirSync(this.own, { recursive: true, mode: 0o700 });
    writeAtomically(this.markerFile, `${JSON.stringify(marker, null, 2)}\n`);
  }

  /** Removes what a killed daemon left of files that it was about to rename; the caller owns the session. */
  removeTemporaries(): void {
    for (const name of files.readdirSync(this.own)) {
      if (/\.[0-9a-f]{12}\.tmp$/.test(name)) files.rmSync(join(this.own, name), { force: true });
    }
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
      `The session in ${this.root} was written by a newer checkpointd (format ${format}, this one knows ${sessionFormat}). It was left as it is: update checkpointd, or use another conversationId.`,
      { details: { session: this.session, format, known: sessionFormat } },
    );
  }
}

/** Reads a marker; undefined where there is none or it is not ours. */
export function readMarker(file: string): SessionMarker | undefined {
  let text: string;
  try {
    text = files.readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    const isOurs =
      typeof value === 'object' &&
      value !== null &&
      'marker' in value &&
      value.marker === 'checkpointd session';
    return isOurs ? (value as SessionMarker) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The id of the session of one conversation on one work tree in one strategy: the same at every start. */
export function sessionIdOf(workTree: string, conversationId: string, strategy: string): SessionId {
  const digest = createHash('sha256')
    .update(JSON.stringify([workTree, conversationId, strategy]))
    .digest();
  return `ses_${base32(digest, 26)}` as SessionId;
}

/**
 * Makes the storage root, private to the user.
 *
 * @throws ReadOnlyStore or StoreUnavailable with what to change.
 */
export function prepareStorage(storage: string): void {
  try {
    files.mkdirSync(storage, { recursive: true, mode: 0o700 });
    files.accessSync(storage, 7); // R_OK | W_OK | X_OK
  } catch (error) {
    throw storageFailure(storage, error);
  }
}

/** Says what is wrong with the storage in the client's terms. */
export function storageFailure(storage: string, cause: unknown): CheckpointdError {
  const code = systemCode(cause);
  const details = { storageDir: storage, code };
  if (isNoSpace(cause)) {
    return new CheckpointdError('NoSpace', `The disk of ${storage} is full. Free some space and try again.`, {
      cause,
      details,
      retryable: true,
    });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new CheckpointdError(
      'ReadOnlyStore',
      `The storage directory ${storage} cannot be written. Give another storageDir, or make it writable.`,
      { cause, details },
    );
  }
  return new CheckpointdError(
    'StoreUnavailable',
    `The storage directory ${storage} cannot be used (${code ?? 'unknown'}). Give another storageDir.`,
    { cause, details },
  );
}
