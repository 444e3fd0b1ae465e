// The errors of a client's request. One class has the daemon's answer, with its `kind`. Another one reports
// that the daemon has ended. This module decides nothing.
import type * as Wire from '../protocol/types.ts';

/** A request that the daemon refused or that failed. */
export class CheckpointdRequestError extends Error {
  readonly code: number;
  /** All data of the daemon's answer. Absent only when the program is no checkpointd. */
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

  /** True when the same request may succeed later without a change by the caller. */
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

/** The daemon ended, could not be started, or sent an invalid frame. Requests in flight may have had effects. */
export class CheckpointdGoneError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CheckpointdGoneError';
  }
}
