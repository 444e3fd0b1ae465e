// The types of the frames that tests write and read, and of the error that a frame may contain.
import type { ErrorData } from '../../src/protocol/types.ts';

export type Id = string | number | null;

/** Any frame from the daemon. */
export interface Frame {
  readonly jsonrpc?: unknown;
  readonly id?: Id;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: ErrorData };
}

/** The error with which the daemon answered a request. */
export class WireFailure extends Error {
  readonly code: number;
  readonly data: ErrorData | undefined;

  constructor(method: string, error: NonNullable<Frame['error']>) {
    super(`${method}: ${error.message} (${error.data?.kind ?? error.code})`);
    this.name = 'WireFailure';
    this.code = error.code;
    this.data = error.data;
  }

  get kind(): string | undefined {
    return this.data?.kind;
  }
}

/** Returns the bytes of one frame with `body`. */
export function frameOf(body: string | object): Buffer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
