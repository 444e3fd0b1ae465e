// Classifies system errors during a restore. After an error about one path, only this path counts as failed, and the
// restore continues. An error about the whole run (disk full, I/O error, no descriptors) stops the restore.
import { CheckpointdError, type Effects, fileLimit, isNoSpace, systemCode } from '../base/errors.ts';
import { counted } from '../base/text/plural.ts';
import { type TreePath, toText } from '../tree/tree-path.ts';
import type { FailureReason } from './plan.ts';

const reasons: Readonly<Record<string, FailureReason>> = {
  EACCES: 'accessDenied',
  EPERM: 'accessDenied',
  EROFS: 'readOnly',
  ENAMETOOLONG: 'nameTooLong',
  ENOENT: 'blocked',
  ENOTDIR: 'blocked',
  ELOOP: 'blocked',
  EISDIR: 'blocked',
  ENOTEMPTY: 'blocked',
  EEXIST: 'blocked',
  EBUSY: 'busy',
  ETXTBSY: 'busy',
  EXDEV: 'unsupported',
  EINVAL: 'unsupported',
  EILSEQ: 'unsupported',
  ENOTSUP: 'unsupported',
  EOPNOTSUPP: 'unsupported',
};

/**
 * If the failure concerns only one path, returns its reason. If the failure concerns the whole run, returns undefined.
 */
export function pathReason(error: unknown): FailureReason | undefined {
  return reasons[systemCode(error) ?? ''];
}

/**
 * Returns the error that the client gets when its restore had to stop. `done` is the number of visible changes that the
 * restore had made.
 */
export function stopped(error: unknown, at: TreePath | undefined, done: number): unknown {
  const code = systemCode(error);
  if (code === undefined || code === 'ABORT_ERR') return error;
  const effects: Effects = done === 0 ? 'none' : 'unknown';
  const facts = { cause: error, effects, retryable: true, details: { code, path: at && toText(at) } };
  if (done === 0 && isNoSpace(error)) {
    return new CheckpointdError(
      'NoSpace',
      'The disk has not enough free space for the restore. Nothing was changed. Free some space and try again.',
      facts,
    );
  }
  const limited = done === 0 ? fileLimit(error, facts) : undefined;
  if (limited !== undefined) return limited;
  return new CheckpointdError(
    'RestoreFailed',
    done === 0
      ? `The restore stopped (${code}) before anything was changed. Remove the cause and try again.`
      : `The restore stopped half-way (${code}). Every file has either its old or its new content. Remove the cause and restore again, or restore the safety checkpoint.`,
    facts,
  );
}

/**
 * Returns the error of a restore that could not remove its own temporary files. The `effects` in this error are not
 * `none`.
 */
export function leftBehind(error: unknown, left: readonly TreePath[]): unknown {
  if (error instanceof CheckpointdError && error.effects === 'unknown') return error;
  return new CheckpointdError(
    'RestoreFailed',
    `The restore stopped, and ${counted(left.length, 'temporary file')} could not be removed. Remove the cause; the next request finishes or undoes the restore, and removes these files.`,
    { cause: error, effects: 'unknown', retryable: true, details: { left: left.map(toText) } },
  );
}

/** Explains a system error that happened before any change. Does not handle errors after the first change. */
export function refuseRestore(error: unknown): never {
  if (systemCode(error) === 'EROFS') {
    const message =
      'The storage can no longer be written. Nothing was changed. Make the storage writable and try again.';
    throw new CheckpointdError('ReadOnlyStore', message, { cause: error });
  }
  throw stopped(error, undefined, 0);
}

export const lockLost =
  'The lock of the work tree could not be released, so another session may have to wait';

/**
 * Returns the error for a restore that stopped half-way. The daemon finishes or undoes the restore before the next
 * request that changes the session.
 */
export function unfinished(cause: unknown): CheckpointdError {
  const message =
    'The restore stopped half-way. Its safety checkpoint holds all files that the restore displaced. The daemon finishes or undoes the restore before the next change of this session.';
  const details = cause instanceof CheckpointdError ? { details: { ...cause.details } } : {};
  return new CheckpointdError('RestoreFailed', message, {
    ...details,
    cause,
    effects: 'unknown',
    retryable: true,
  });
}
