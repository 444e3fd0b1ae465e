// Converts failures to error responses: a number, a message with a remedy, and data that a program can use. This module
// does not decide about retries or an undo. The module hides the text of unexpected errors, because this text may quote
// file contents or the environment.
import { randomBytes } from 'node:crypto';
import {
  CheckpointdError,
  type Effects,
  type ErrorKind,
  fileLimit,
  isNoSpace,
  systemCode,
} from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { errorCodes } from '../protocol/methods.ts';
import type { Issue } from '../protocol/types.ts';

/** The kinds of errors that only the connection (transport) reports. */
type TransportErrorKind =
  | 'ParseError'
  | 'InvalidRequest'
  | 'MethodNotFound'
  | 'ServerNotInitialized'
  | 'RequestCancelled'
  | 'ServerCancelled';

/**
 * The protocol's error number for each kind of error. The compiler rejects a kind that protocol.json does not define.
 */
const codes: Readonly<Record<ErrorKind | TransportErrorKind, number>> = errorCodes;

interface WireErrorData {
  readonly kind: ErrorKind | TransportErrorKind;
  readonly retryable: boolean;
  readonly effects: Effects;
  readonly operationId?: string | undefined;
  readonly issues?: readonly Issue[];
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data: WireErrorData;
}

export function wireError(
  kind: ErrorKind | TransportErrorKind,
  message: string,
  data: Partial<Omit<WireErrorData, 'kind'>> = {},
): WireError {
  return { code: codes[kind], message, data: { kind, retryable: false, effects: 'none', ...data } };
}

/** Returns the error -32602, which describes the problem of each invalid field. */
export function invalidParams(method: string, issues: readonly Issue[]): WireError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const where = first === undefined || first.path === '' ? 'params' : `params${first.path}`;
  const what = first === undefined ? 'the parameters are invalid' : `${where} ${first.message}${more}`;
  return wireError('InvalidParams', `${method}: ${what}.`, { issues });
}

function fromExpected(error: CheckpointdError): WireError {
  const { operationId, issues, ...rest } = error.details ?? {};
  return wireError(error.kind, error.message, {
    retryable: error.retryable,
    effects: error.effects,
    operationId: typeof operationId === 'string' ? operationId : undefined,
    ...(Array.isArray(issues) ? { issues: issues as readonly Issue[] } : {}),
    ...(Object.keys(rest).length > 0 ? { details: rest } : {}),
  });
}

interface FailedRequest {
  readonly method: string;
  /** True when the method may change data. If such a method fails unexpectedly, its effects are unknown. */
  readonly mutates: boolean;
  readonly log: Log;
}

/**
 * Turns a thrown value into an error response. Expected failures keep their text, and `details.operationId` and
 * `details.issues` become fields of `data`. Any other value becomes InternalError with an incident number. The log has
 * the details under this number. Cancellation is reported by dispatch.ts, because only dispatch.ts knows the cause of
 * an abort.
 */
export function toWireError(error: unknown, request: FailedRequest): WireError {
  if (error instanceof CheckpointdError) {
    const cause = causeOf(error);
    if (cause !== undefined) request.log.info(`${request.method}: caused by ${cause}`);
    return fromExpected(error);
  }
  const effects: Effects = request.mutates ? 'unknown' : 'none';
  const refusal = fromSystem(error, effects);
  if (refusal !== undefined) {
    request.log.info(`${request.method}: caused by ${(error as Error).stack}`);
    return refusal;
  }
  const incident = randomBytes(4).toString('hex');
  // The next log line is also sent to the client (window/logMessage). Therefore the line reveals no more than the
  // response.
  request.log.error(`${request.method} failed unexpectedly (incident ${incident}).`);
  request.log.info(
    `incident ${incident}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  const message = `${request.method} failed because of a defect in checkpointd. Please report incident ${incident} with the log (--log-file).`;
  return wireError('InternalError', message, { effects, details: { incident } });
}

/**
 * Explains a failed system call that no other module has explained. Returns undefined when the error did not come from
 * a system call. The details contain the system call, its path and its error code. The remedy is the same for storage
 * and work tree.
 */
function fromSystem(error: unknown, effects: Effects): WireError | undefined {
  const code = systemCode(error);
  // A code that begins with ERR_ comes from one of Node's own checks, and means a defect of the daemon.
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return undefined;
  const { path, syscall } = error as NodeJS.ErrnoException;
  const details = { code, path, syscall };
  if (isNoSpace(error)) {
    const message = 'The disk or the quota is full. Free some space and send the request again.';
    return wireError('NoSpace', message, { retryable: true, effects, details });
  }
  const limited = fileLimit(error, { effects, details });
  if (limited !== undefined) return fromExpected(limited);
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    const message = `The storage or the work tree can no longer be written (${code}). Check the permissions, then send the request again.`;
    return wireError('ReadOnlyStore', message, { effects, details });
  }
  const message = `The system refused a call (${code}). Check the disks of the storage and the work tree, the number of open files and the memory, then send the request again.`;
  return wireError('StoreUnavailable', message, { retryable: true, effects, details });
}

/**
 * If an error from outside checkpointd caused this error, returns the outside error as text. Otherwise returns
 * undefined.
 */
function causeOf(error: CheckpointdError): string | undefined {
  const { cause } = error;
  if (cause instanceof CheckpointdError) return causeOf(cause);
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : undefined;
}
