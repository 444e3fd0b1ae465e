// The expected failures of checkpointd: a closed list of kinds, each with typed details and a remedy in its
// message. Knows nothing of the wire: numbers are given to kinds in rpc/error-response.ts alone.
import { given } from './given.ts';

/** Every kind of expected failure; the names are those of the error registry in protocol/protocol.json. */
export type ErrorKind =
  | 'InvalidTag'
  | 'UnknownCheckpoint'
  | 'UnknownSession'
  | 'CheckpointsDisabled'
  | 'IdempotencyConflict'
  | 'CursorExpired'
  | 'DuplicateName'
  | 'InvalidName'
  | 'PathOutsideWorkTree'
  | 'LimitExceeded'
  | 'WorkTreeMissing'
  | 'NotADirectory'
  | 'ProtectedWorkTree'
  | 'WorkTreeBusy'
  | 'StorageInsideWorkTree'
  | 'WorkTreeUnreadable'
  | 'CaptureTimedOut'
  | 'StoreUnavailable'
  | 'StoreCorrupt'
  | 'StoreVersion'
  | 'NoSpace'
  | 'StrategyUnavailable'
  | 'StoreBusy'
  | 'ReadOnlyStore'
  | 'RestoreFailed'
  | 'Conflict'
  | 'PreconditionFailed'
  | 'ConfirmationRequired'
  | 'DataCorrupt'
  | 'NothingToUndo'
  | 'UnknownPart'
  | 'GitMissing'
  | 'GitTooOld'
  | 'GitFailed'
  | 'NotARepository'
  | 'TangentDisabled'
  | 'UnknownEntry'
  | 'InvalidRange'
  | 'DocumentInvalid'
  | 'DocumentVersion'
  | 'MessageTooLarge'
  | 'UnknownRemote'
  | 'InvalidRemote'
  | 'RemoteUnreachable'
  | 'RemoteRefused'
  | 'RemoteCorrupt'
  | 'ServerBusy'
  | 'ResponseTooLarge'
  | 'InvalidParams'
  | 'InternalError';

/** The effects of a failed request: none, all, an undone change, or unknown. */
export type Effects = 'none' | 'committed' | 'rolledBack' | 'unknown';

export interface ErrorFacts {
  /** JSON-safe facts for the client: paths, ids, sizes; never file contents or environment values. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  readonly effects?: Effects;
  /** True when the same request may succeed later without a change by the caller. Default: false. */
  readonly retryable?: boolean;
}

/** An expected failure. Its message is one or two sentences: what happened, and what to do about it. */
export class CheckpointdError extends Error {
  readonly kind: ErrorKind;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly effects: Effects;
  readonly retryable: boolean;

  constructor(kind: ErrorKind, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'CheckpointdError';
    this.kind = kind;
    this.details = facts.details;
    this.effects = facts.effects ?? 'none';
    this.retryable = facts.retryable ?? false;
  }
}

/** The cancel of a request that had recovered an interrupted restore before: something changed, though it was cancelled. */
export class CancelledAfterRecovery extends Error {
  constructor(cause: unknown) {
    super('The request was cancelled after it had recovered an interrupted restore.', { cause });
    this.name = 'AbortError';
  }
}

/**
 * Returns the failure of a request that had recovered an interrupted restore before it failed: the same failure, but it
 * no longer says that nothing changed.
 */
export function failedAfterRecovery(error: unknown): unknown {
  if (error instanceof Error && error.name === 'AbortError') return new CancelledAfterRecovery(error);
  if (!(error instanceof CheckpointdError) || error.effects !== 'none') return error;
  const { kind, message, details, retryable } = error;
  return new CheckpointdError(kind, message, {
    ...given({ details }),
    cause: error,
    effects: 'unknown',
    retryable,
  });
}

/** True when a store has lost what was asked for. */
export function isDamage(error: unknown): error is CheckpointdError {
  return error instanceof CheckpointdError && (error.kind === 'StoreCorrupt' || error.kind === 'DataCorrupt');
}

/** The `code` of a failed system call (`ENOENT`, `EACCES` …), or undefined where the failure is of another sort. */
export function systemCode(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}

/** True for the system's ways of saying that the disk or the quota is used up. */
export function isNoSpace(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Explains the error of a file that has reached the system's size limit; undefined for other errors. */
export function fileLimit(cause: unknown, facts: ErrorFacts = {}): CheckpointdError | undefined {
  if (systemCode(cause) !== 'EFBIG') return undefined;
  const message =
    'A file may not grow as large as this needs (EFBIG), although there is room. Raise the limit of file sizes under which the daemon runs (ulimit -f), or use a file system that takes larger ones; start the daemon anew and try again.';
  return new CheckpointdError('StoreUnavailable', message, { cause, ...facts });
}
