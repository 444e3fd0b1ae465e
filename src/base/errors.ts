// The expected failures of checkpointd: a closed list of kinds, each with typed details and a remedy in its message.
// This module is independent of the protocol's error numbers: only rpc/error-response.ts assigns a number to each kind.

/** Every kind of expected failure. The error registry in protocol/protocol.json uses the same names. */
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

/**
 * The effects of a failed request: it changed nothing (`none`), made all changes (`committed`), undid its changes
 * (`rolledBack`), or the effects are `unknown`.
 */
export type Effects = 'none' | 'committed' | 'rolledBack' | 'unknown';

interface ErrorFacts {
  /** JSON-safe facts for the client: paths, ids, sizes; never file contents or environment values. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
  readonly effects?: Effects;
  /** True when the same request may succeed later. Default: false. */
  readonly retryable?: boolean;
}

/** An expected failure. The message is one or two sentences: what happened, and what to do about it. */
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

/**
 * The error of a cancelled request that had recovered an interrupted restore before. The recovery has changed
 * something, although the request itself has not.
 */
export class CancelledAfterRecovery extends Error {
  constructor(cause: unknown) {
    super('The request was cancelled after it had recovered an interrupted restore.', { cause });
    this.name = 'AbortError';
  }
}

/**
 * Returns a copy of a failure, without the statement that nothing changed. Used when a request recovered an interrupted
 * restore and then failed.
 */
export function failedAfterRecovery(error: unknown): unknown {
  if (error instanceof Error && error.name === 'AbortError') return new CancelledAfterRecovery(error);
  if (!(error instanceof CheckpointdError) || error.effects !== 'none') return error;
  const { kind, message, details, retryable } = error;
  return new CheckpointdError(kind, message, {
    details,
    cause: error,
    effects: 'unknown',
    retryable,
  });
}

/** Returns a test that is true for a checkpointd error of one of these kinds. */
export function isKind<K extends ErrorKind>(
  ...kinds: readonly K[]
): (error: unknown) => error is CheckpointdError & { readonly kind: K } {
  return (error): error is CheckpointdError & { readonly kind: K } =>
    error instanceof CheckpointdError && kinds.some((kind) => kind === error.kind);
}

/** True for a checkpointd error and for the error of a failed system call. False for a defect of the daemon. */
export function isExpected(error: unknown): boolean {
  return error instanceof CheckpointdError || systemCode(error) !== undefined;
}

/** True for an error that reports lost or damaged data of a store. */
export const isDamage = isKind('StoreCorrupt', 'DataCorrupt');

/** Returns the `code` of a failed system call (`ENOENT`, `EACCES` …), or undefined for other failures. */
export function systemCode(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}

/** True for the system's errors about a full disk or an exhausted quota. */
export function isNoSpace(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/**
 * Returns an explanation if the system's error means that a file reached the limit for file sizes. Returns undefined
 * for other errors.
 */
export function fileLimit(cause: unknown, facts: ErrorFacts = {}): CheckpointdError | undefined {
  if (systemCode(cause) !== 'EFBIG') return undefined;
  const message =
    "A file reached the system's size limit (EFBIG), although the disk has space. Raise the daemon's limit of file sizes (ulimit -f), or use a file system for larger files. Then restart the daemon and try again.";
  return new CheckpointdError('StoreUnavailable', message, { cause, ...facts });
}
