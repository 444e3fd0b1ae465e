// Explains a failed write of data that no checkpoint names yet: the disk is full, or refuses the write. The error says
// that nothing has changed.
import { dirname } from 'node:path';
import { CheckpointdError, fileLimit, isKind, isNoSpace, systemCode } from '../../base/errors.ts';
import { files } from '../../base/files.ts';

/**
 * Throws the error that the caller should report.
 * @throws NoSpace, ReadOnlyStore or StoreUnavailable with effects `none` when the system refused the write; the given
 * error in all other cases
 */
export function refuseUnpublished(error: unknown): never {
  throw refused(error);
}

function refused(cause: unknown): unknown {
  const file = fileOf(cause);
  const where = file === undefined ? '' : ` at ${file}`;
  const code = systemCode(cause);
  const facts = { details: { path: file, code }, cause };
  if (isNoSpace(cause) || (isUnwritten(cause) && file !== undefined && isFull(dirname(file)))) {
    const message = `The disk of the checkpoint store is full${where}. Free some space and try again. Nothing was changed.`;
    return new CheckpointdError('NoSpace', message, { ...facts, retryable: true });
  }
  // Error codes of the operating system have a form like ENOENT. Node's own checks and cancelled requests have codes
  // of a different form.
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code) || cause instanceof CheckpointdError) return cause;
  const limited = fileLimit(cause, facts);
  if (limited !== undefined) return limited;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    const message = `The checkpoint store can no longer be written${where} (${code}). Check its permissions, then try again. Nothing was changed.`;
    return new CheckpointdError('ReadOnlyStore', message, facts);
  }
  const message = `The system refused a write to the checkpoint store${where} (${code}). Check its disk, the number of open files and the memory, then try again. Nothing was changed.`;
  return new CheckpointdError('StoreUnavailable', message, { ...facts, retryable: true });
}

/** Matches git's message about a failed write. This message does not give the cause. */
const unwrittenForm = /couldn't (?:write|close) '(\/[^']+)'/;

function isUnwritten(cause: unknown): cause is CheckpointdError {
  return isKind('GitFailed')(cause) && unwrittenForm.test(cause.message);
}

function fileOf(cause: unknown): string | undefined {
  if (isUnwritten(cause)) return unwrittenForm.exec(cause.message)?.[1];
  return cause instanceof Error && 'path' in cause && typeof cause.path === 'string' ? cause.path : undefined;
}

/**
 * True when the disk of the directory is full. For a missing directory, checks the nearest existing directory above.
 */
function isFull(directory: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    try {
      const { bavail, files: names, ffree } = files.statfsSync(at);
      return bavail === 0 || (names > 0 && ffree === 0);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || dirname(at) === at) return false;
    }
  }
}
