// The errors of a client's request. One class holds every answer of the daemon, with its `kind`; another reports that
// the daemon has ended. It decides nothing.
import type * as Wire from '../protocol/types.ts';

/** A request that the daemon refused or could not carry out. */
export class CheckpointdRequestError extends Error {
  readonly code: number;
  /** All that the daemon said; absent only where it is no checkpointd. */
  readonly data: Wire.ErrorData | undefined;

  constructor(code: number, message: string, data: Wire.ErrorData | undefined) {
    super(message);
    this.name = 'CheckpointdRequestError';
    this.code = code;
    this.data = data;
  }

  /** The stable name of the failure, as the reference lists it. */
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

/** The daemon ended, could not be started, or sent what is no frame. Requests in flight may have had effects. */
export class CheckpointdGoneError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CheckpointdGoneError';
  }
}
