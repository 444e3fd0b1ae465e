// Defines the two errors of a client's request. CheckpointdRequestError contains the daemon's error response, with its
// `kind`. CheckpointdGoneError says that the daemon has ended.
import type * as Wire from '../protocol/types.ts';

/** The error for a request that the daemon refused or could not complete. */
export class CheckpointdRequestError extends Error {
  readonly code: number;
  /** The data of the daemon's error response. Absent only when the program that answered is not checkpointd. */
  readonly data: Wire.ErrorData | undefined;

  constructor(code: number, message: string, data: Wire.ErrorData | undefined) {
    super(message);
    this.name = 'CheckpointdRequestError';
    this.code = code;
    this.data = data;
  }

  /** The stable name of the failure, as in the reference. */
  get kind(): Wire.ErrorKind | 'Unknown' {
    return this.data?.kind ?? 'Unknown';
  }

  /** True when the unchanged request may succeed later. */
  get retryable(): boolean {
    return this.data?.retryable === true;
  }

  get effects(): Wire.Effects {
    return this.data?.effects ?? 'unknown';
  }

  get details(): Wire.JsonObject {
    return this.data?.details ?? {};
  }
}

/**
 * The error when the daemon ended, could not be started, or sent an invalid frame. A request without an answer may have
 * changed something.
 */
export class CheckpointdGoneError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CheckpointdGoneError';
  }
}
