// What a client is told when a restore could not begin, or could not be finished. Errors only.
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { stopped } from '../../restore/failure.ts';

/** Of what the system says while nothing has changed yet; what it says later is caught where it happens. */
export function refuseRestore(error: unknown): never {
  if (systemCode(error) === 'EROFS') {
    const message =
      'The storage can no longer be written. Nothing was changed; make it writable and try again.';
    throw new CheckpointdError('ReadOnlyStore', message, { cause: error });
  }
  throw stopped(error, undefined, 0);
}

export const lockLost =
  'The lock of the work tree could not be given back, so another session may have to wait';

/** The error for a restore that could be neither finished nor undone; the next open tries again. */
export function unfinished(cause: unknown): CheckpointdError {
  const message =
    'The restore stopped half-way. Everything that it displaced is in its safety checkpoint, and it is finished or undone before the next change of this session.';
  const details = cause instanceof CheckpointdError ? { details: { ...cause.details } } : {};
  return new CheckpointdError('RestoreFailed', message, {
    ...details,
    cause,
    effects: 'unknown',
    retryable: true,
  });
}
