// Prepares the storage root and makes it private to the user. Refuses a root that is the parent of a work tree, or into
// which another user could put a file. Also translates system errors of the storage into errors for the client. Does
// not read the sessions in the root.
import { dirname } from 'node:path';
import { CheckpointdError, fileLimit, isNoSpace, systemCode } from '../base/errors.ts';
import { files, type Stats } from '../base/files.ts';
import { openWorkTree, refuseStorageInside, type WorkTree } from '../work-tree/work-tree.ts';

export interface SessionPlace {
  /** The absolute path of the work tree, as the client spelled it. */
  readonly workTree: string;
  readonly storage: string;
  /**
   * True for the default storage. The default storage may be in a protected directory if the client allows this
   * directory.
   */
  readonly isDefaultStorage: boolean;
  readonly allowProtected: boolean;
}

/**
 * Opens the work tree and prepares the storage of a session. Returns the canonical path of the storage.
 * @throws StorageInsideWorkTree, and the errors of {@link openWorkTree} and {@link prepareStorage}
 */
export function preparePlace({ allowProtected, isDefaultStorage, ...given }: SessionPlace): {
  readonly workTree: WorkTree;
  readonly storage: string;
} {
  const workTree = openWorkTree(given.workTree, { allowProtected });
  // If the client has allowed a protected work tree, such as the home directory, this work tree may contain the default
  // storage. A capture then leaves out the storage.
  if (!isDefaultStorage || workTree.protectedPlace === undefined) {
    try {
      refuseStorageInside(workTree, given.storage);
    } catch (error) {
      throw storageFailure(given.storage, error);
    }
  }
  const storage = prepareStorage(given.storage, { isDefault: isDefaultStorage });
  refuseParentOf(workTree.root, storage);
  return { workTree, storage };
}

/**
 * Makes the storage root private to the user, and returns its canonical path. A default root may be a link, because
 * people move `~/.local/state` to another disk. This function resolves the link once, and checks the target of the
 * link. The function refuses a link that a client names, because a program that can change the link could redirect
 * deletions.
 * @throws ReadOnlyStore or StoreUnavailable, whose messages name the remedy
 */
export function prepareStorage(storage: string, { isDefault = false } = {}): string {
  try {
    if (!isDefault && files.lstatSync(storage, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw unsafe(
        storage,
        'link',
        `The storage directory ${storage} is a symbolic link. Use the directory that it points to as storageDir.`,
      );
    files.mkdirSync(storage, { recursive: true, mode: 0o700 });
    const root = files.realpathSync(storage);
    const stats = files.statSync(root);
    if (!stats.isDirectory())
      throw storageFailure(storage, Object.assign(new Error('ENOTDIR'), { code: 'ENOTDIR' }));
    files.accessSync(root, 7); // R_OK | W_OK | X_OK
    refuseUnsafe(root, stats);
    return root;
  } catch (error) {
    throw storageFailure(storage, error);
  }
}

/**
 * Refuses a storage root that is the parent directory of the work tree, because the sessions would then be beside the
 * work tree. @throws StoreUnavailable
 */
export function refuseParentOf(workTree: string, storage: string): void {
  if (dirname(workTree) !== storage) return;
  throw unsafe(
    storage,
    'parentOfWorkTree',
    `The storage directory ${storage} contains the work tree. Use a separate directory, for example ${storage.replace(/\/$/, '')}/.checkpointd.`,
  );
}

function refuseUnsafe(root: string, stats: Stats): void {
  if (process.getuid === undefined) return;
  if (stats.uid !== process.getuid()) {
    throw unsafe(
      root,
      'otherOwner',
      `The storage directory ${root} belongs to another user (id ${stats.uid}). Use a directory of your own as storageDir.`,
    );
  }
  if ((stats.mode & 0o002) !== 0) {
    throw unsafe(
      root,
      'writableByEverybody',
      `The storage directory ${root} can be written by every user. Run "chmod o-w ${root}", or choose another storage directory.`,
    );
  }
}

function unsafe(storage: string, reason: string, message: string): CheckpointdError {
  return new CheckpointdError('StoreUnavailable', message, { details: { storageDir: storage, reason } });
}

/** Turns a system error of the storage into an error for the client. Returns any other error unchanged. */
export function storageFailure(storage: string, cause: unknown): unknown {
  const code = systemCode(cause);
  if (code === undefined) return cause;
  const details = { storageDir: storage, code };
  if (isNoSpace(cause)) {
    return new CheckpointdError('NoSpace', `The disk of ${storage} is full. Free some space and try again.`, {
      cause,
      details,
      retryable: true,
    });
  }
  const limited = fileLimit(cause, { details });
  if (limited !== undefined) return limited;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new CheckpointdError(
      'ReadOnlyStore',
      `The storage directory ${storage} cannot be written. Make it writable, or choose another storage directory.`,
      { cause, details },
    );
  }
  return new CheckpointdError(
    'StoreUnavailable',
    `The storage directory ${storage} cannot be used (${code}). Choose another storage directory.`,
    { cause, details },
  );
}
